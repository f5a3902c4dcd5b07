"""Make the daily series in `nasa-power/` from NumPy archives: `python make_nasapower.py FOLDER`.

FOLDER holds an archive a point, `nasapower_lat+52.00_lon+005.00.npz`: what the NASAPowerWeatherDataProvider
of PCSE kept of an answer of NASA POWER (daily, community AG), in PCSE's units. The script goes back to what
NASA POWER published, hundredths of its own units; refuses an archive that holds anything else; and writes
them as 16-bit integers, a row for each day of the archive. Prints days, size, Angstrom
coefficients and SHA-256 of each file.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from agbench.weather.angstrom import estimate_angstrom
from agbench.weather.readers.nasa_power import read_nasa_power

LAST = np.datetime64("2024-12-31")  # later days are preliminary, and no point has the whole of 2025
SITES = {
    "netherlands": (52.0, 5.0),
    "brabant": (51.5, 5.0),
    "limburg": (51.5, 6.0),
    "belgium": (50.0, 5.0),
    "rhone": (45.0, 5.0),
    "volga": (50.0, 50.0),
    "niger": (13.0, 4.0),
    "sichuan": (32.0, 106.0),
    "new-mexico": (32.0, -106.0),
    "oregon": (44.0, -123.0),
    "washington-state": (46.0, -120.0),
    "south-dakota": (44.0, -99.0),
    "vermont": (44.0, -72.0),
    "quebec": (50.0, -72.0),
}
HUNDREDTHS = {  # of NASA POWER's parameter: PCSE's column, and how many of them are in PCSE's unit
    "ALLSKY_SFC_SW_DWN": ("IRRAD", 1e-4),  # MJ m-2 d-1 from J m-2 d-1
    "T2M_MIN": ("TMIN", 100.0),
    "T2M_MAX": ("TMAX", 100.0),
    "T2M": ("TEMP", 100.0),
    "T2MDEW": ("VAP", 100.0),
    "WS2M": ("WIND", 100.0),
    "PRECTOTCORR": ("RAIN", 1000.0),  # mm d-1 from cm d-1
}
TOLERANCE = 1e-6  # hundredths; what conversion to PCSE's units and back costs


def dew_point(pressure: np.ndarray) -> np.ndarray:
    """Return the dew point [degC] of a vapour pressure [hPa] (FAO 56, equation 14, inverted)."""
    ratio = np.log(pressure / 6.108)
    return 237.3 * ratio / (17.27 - ratio)


def hundredths(archive: "np.lib.npyio.NpzFile", parameter: str) -> np.ndarray:
    """Return what NASA POWER published of a parameter, in hundredths of its unit."""
    column, factor = HUNDREDTHS[parameter]
    values = dew_point(archive[column]) if column == "VAP" else archive[column]
    whole = np.rint(values * factor)
    if np.abs(values * factor - whole).max() > TOLERANCE or np.abs(whole).max() > np.iinfo(np.int16).max:
        raise ValueError(f"{column} holds other values than hundredths of {parameter}.")
    return whole.astype(np.int16)


def facts(archive: "np.lib.npyio.NpzFile", path: Path) -> dict[str, str]:
    """Return where a series comes from, as text by name."""
    last = archive["date"][-1]
    return {
        "years": f"{str(archive['date'][0])[:4]}-{str(LAST)[:4]}",
        "latitude": f"{float(archive['lat']):g}",
        "longitude": f"{float(archive['lon']):g}",
        "elevation": f"{float(archive['elev']):g}",
        "source": str(archive["source"]).strip("[']"),
        "community": "AG",
        "answer": f"{archive['origin_file']}, days to {last}",
        "archive": f"{path.name}, SHA-256 {hashlib.sha256(path.read_bytes()).hexdigest()}",
    }


def write(path: Path, target: Path) -> int:
    """Write the series of an archive to `target` and return its days."""
    with np.load(path) as archive:
        kept = archive["date"] <= LAST
        columns = {"date": pa.array(archive["date"][kept])}
        columns |= {name: pa.array(hundredths(archive, name)[kept]) for name in HUNDREDTHS}
        table = pa.table(columns).replace_schema_metadata(facts(archive, path))
    delta = dict.fromkeys(columns, "DELTA_BINARY_PACKED")
    pq.write_table(
        table, target, compression="zstd", compression_level=19, use_dictionary=False, column_encoding=delta
    )
    return table.num_rows


def main(folder: Path) -> None:
    """Write all series beside this file, and print what each holds and what its site's file says of it."""
    for site, (latitude, longitude) in SITES.items():
        path = folder / f"nasapower_lat{latitude:+06.2f}_lon{longitude:+07.2f}.npz"
        target = Path(__file__).with_name("nasa-power") / f"{site}.parquet"
        days = write(path, target)
        content = target.read_bytes()
        a, b = estimate_angstrom(read_nasa_power(target))
        print(f"{site}: {days} days, {len(content) / 1024:.0f} KiB, angstrom: {{a: {a}, b: {b}}}")
        print(f"    sha256: {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
