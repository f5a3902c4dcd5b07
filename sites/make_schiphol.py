"""Make schiphol.parquet from the GreenLight-Gym 2 wheel: `python make_schiphol.py WHEEL`.

Fetch the wheel with `pip download --no-deps gl-gym==0.3.2`. Its files hold KNMI's hours, interpolated to five
minutes: every twelfth row is an hour as KNMI publishes it, in whole J cm-2, m s-1, tenths of a degree and %.
"""

import hashlib
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = "gl_gym/data/weather/Amsterdam"
YEARS = range(2008, 2013)
ROWS = 12  # of five minutes in an hour
COLUMNS = {  # KNMI's name: column of the wheel, its unit in KNMI's
    "Q": ("global radiation", 0.36),  # J cm-2 in the hour, from W m-2
    "FH": ("wind speed", 10.0),  # 0.1 m s-1, mean of the hour
    "T": ("air temperature", 10.0),  # 0.1 degC, at the end of the hour
    "U": ("RH", 1.0),  # %, at the end of the hour
}


def hours(table: pd.DataFrame, year: int) -> pd.DataFrame:
    """Return a year's hours in KNMI's units, by the beginning of each hour in UT."""
    rows = table.iloc[::ROWS]
    result = {}
    for name, (column, factor) in COLUMNS.items():
        values = rows[column].to_numpy() * factor
        whole = np.round(values)
        if np.abs(values - whole).max() > 1e-6:
            sys.exit(f"{year}, {column}: not KNMI's whole numbers.")
        result[name] = whole.astype(np.int16)
    index = pd.date_range(f"{year}-01-01", periods=len(rows), freq="h", name="time")
    if index[-1] != pd.Timestamp(f"{year}-12-31 23:00"):
        sys.exit(f"{year}: it ends at {index[-1]}.")
    return pd.DataFrame(result, index=index)


def main(wheel: str) -> None:
    """Write the series beside this file and print its SHA-256."""
    years = []
    with zipfile.ZipFile(wheel) as archive:
        for year in YEARS:
            with archive.open(f"{FOLDER}/{year}.csv") as file:
                years.append(hours(pd.read_csv(file), year))
    out = pd.concat(years)
    target = Path(__file__).with_name("schiphol.parquet")
    out.to_parquet(target, compression="zstd")
    print(hashlib.sha256(target.read_bytes()).hexdigest(), len(out))


if __name__ == "__main__":
    main(sys.argv[1])
