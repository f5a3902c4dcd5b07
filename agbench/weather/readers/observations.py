"""Observed daily weather from a file of any known kind, chosen by its suffix."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal
from zipfile import is_zipfile

import numpy as np

from agbench.errors import AgBenchError, WeatherError, one_line
from agbench.files import sha256
from agbench.weather.columns import DAILY, OBSERVED
from agbench.weather.daily import DailySeries, from_frame
from agbench.weather.readers.units import in_our_units

if TYPE_CHECKING:
    import pandas as pd

Repair = Literal["none", "exchange-temperatures", "drop-implausible"]


def read_observations(path: Path, repair: Repair = "none") -> DailySeries:
    """Return the series in a file: .npz, .csv, .parquet, .xlsx, .json, .txt, .epw or .tm2.

    `repair="exchange-temperatures"` is for files whose TMIN and TMAX bear each other's names,
    `"drop-implausible"` makes days with an impossible value missing; the provenance records it. Raises
    `WeatherError` for a file that is none of these, or damaged.
    """
    if path.suffix.lower() not in _READERS:
        suffixes = ", ".join(_READERS)
        raise WeatherError(f"{path}: weather files end in one of {suffixes}; this ends in {path.suffix!r}.")
    if not path.is_file():
        raise WeatherError(f"there is no weather file {path}.")
    try:
        series = _READERS[path.suffix.lower()](path, repair)
    except (AgBenchError, OSError):
        raise
    except Exception as error:  # libraries have their own for each way in which a file is damaged
        raise WeatherError(f"{path}: cannot be read: {one_line(str(error))}") from None
    marks = {"file": path.name, "file sha256": sha256(path)}
    if repair != "none":
        marks["repair"] = repair
    return replace(series, provenance={**series.provenance, **marks})


def _read_arrays(path: Path, repair: Repair) -> DailySeries:
    """Read a NumPy archive: arrays `date` and the observed columns, numbers `lat`, `lon`, `elev`."""
    import pandas as pd

    if not is_zipfile(path):
        raise WeatherError(f"{path}: this is no NumPy archive. Write one with numpy.savez.")
    with np.load(path) as archive:
        missing = [key for key in ("date", *OBSERVED, "lat", "lon", "elev") if key not in archive]
        if missing:
            raise WeatherError(f"{path}: the archive lacks {', '.join(missing)}.")
        frame = pd.DataFrame({name: archive[name] for name in OBSERVED})
        frame.index = pd.DatetimeIndex(archive["date"])
        for key in ("lat", "lon", "elev"):
            frame.attrs[key] = archive[key].item()
    _repair(frame, path, repair)
    return from_frame(frame, path.stem)


def _read_text_table(path: Path, repair: Repair) -> DailySeries:
    import pandas as pd

    frame = in_our_units(pd.read_csv(path, comment="#", float_precision="round_trip"), path.stem)
    _repair(frame, path, repair)
    return from_frame(frame, path.stem)


def _read_parquet(path: Path, repair: Repair) -> DailySeries:
    import pandas as pd

    frame = in_our_units(pd.read_parquet(path), path.stem)
    _repair(frame, path, repair)
    return from_frame(frame, path.stem)


def _repair(frame: "pd.DataFrame", path: Path, repair: Repair) -> None:
    """Mend a table in place as asked; refuse exchanged temperatures where that was not asked."""
    if repair == "drop-implausible":
        for name in set(OBSERVED) & set(frame.columns):
            possible = frame[name].between(DAILY[name].low, DAILY[name].high)
            frame[name] = frame[name].where(possible)
    if not {"TMIN", "TMAX"} <= set(frame.columns):
        return
    low, high = frame["TMIN"].to_numpy(), frame["TMAX"].to_numpy()
    if repair == "exchange-temperatures":
        frame["TMIN"], frame["TMAX"] = np.minimum(low, high), np.maximum(low, high)
    elif np.mean(low > high) > 0.5:
        raise WeatherError(
            f"{path}: TMIN lies above TMAX on {np.mean(low > high):.0%} of the days: the columns"
            " bear each other's names. Read it with --repair exchange-temperatures."
        )


def _read_with(name: str) -> Callable[[Path, Repair], DailySeries]:
    """Return a reader that is imported when it is first used."""

    def read(path: Path, repair: Repair) -> DailySeries:
        from importlib import import_module

        if repair != "none":
            raise WeatherError(f"{path}: the repair {repair} is for tables only.")
        module, _, function = name.rpartition(".")
        result: DailySeries = getattr(import_module(f"agbench.weather.readers.{module}"), function)(path)
        return result

    return read


_READERS: Final[Mapping[str, Callable[[Path, Repair], DailySeries]]] = {
    ".npz": _read_arrays,
    ".csv": _read_text_table,
    ".parquet": _read_parquet,
    ".xlsx": _read_with("excel.read_excel"),
    ".json": _read_with("nasa_power.read_nasa_power"),
    ".txt": _read_with("knmi.read_knmi"),
    ".epw": _read_with("typical_years.read_epw"),
    ".tm2": _read_with("typical_years.read_tm2"),
}
