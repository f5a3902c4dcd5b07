"""Typical years of hourly weather, EPW and TMY files, put together by day; read by pvlib.

Such a year is stitched from months of different years; its days bear the dates of one year here.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.errors import MissingExtraError, WeatherError
from agbench.variables import Floats
from agbench.weather.daily import DailySeries, from_frame
from agbench.weather.readers.units import vapour_pressure, wind_at_2_m

if TYPE_CHECKING:
    import pandas as pd

YEAR: Final = 2001
"""The year that a typical year's days are dated in; it has 365 days."""

_HOURS = 24 * 365


def read_epw(path: Path) -> DailySeries:
    """Return the typical year in an EnergyPlus weather file (EPW); absent rain counts as none."""
    frame, place = parsed("epw", path)
    names = {"radiation": "ghi", "air": "temp_air", "dew": "temp_dew", "wind": "wind_speed"}
    rain = numbers(path, frame, "liquid_precipitation_depth")  # mm; 999 is none
    return _days(path, frame, names, np.where(rain >= 999.0, 0.0, rain), place)


def read_tmy3(path: Path) -> DailySeries:
    """Return the typical year in a TMY3 file; rain that it does not hold counts as none.

    The column says mm but counts tenths of them: its steps are hundredths of an inch, 2.54 tenths.
    """
    frame, place = parsed("tmy3", path)
    names = {"radiation": "ghi", "air": "temp_air", "dew": "temp_dew", "wind": "wind_speed"}
    tenths = numbers(path, frame, "Lprecip depth (mm)")  # -9900 is none
    return _days(path, frame, names, 0.1 * np.maximum(tenths, 0.0), place)


def read_tm2(path: Path) -> DailySeries:
    """Return the typical year in a TMY2 file, which holds no rain: it is dry."""
    frame, place = parsed("tmy2", path)
    frame = frame.assign(DryBulb=frame["DryBulb"] / 10.0, DewPoint=frame["DewPoint"] / 10.0)
    frame = frame.assign(Wspd=frame["Wspd"] / 10.0)
    names = {"radiation": "GHI", "air": "DryBulb", "dew": "DewPoint", "wind": "Wspd"}
    return _days(path, frame, names, np.zeros(len(frame)), place)


def parsed(kind: str, path: Path) -> "tuple[pd.DataFrame, dict[str, Any]]":
    """Return what pvlib reads in an `epw`, `tmy3` or `tmy2` file, and the place in its metadata."""
    try:
        from pvlib import iotools
    except ImportError:
        raise MissingExtraError(
            'typical years are read by pvlib. Install it with: pip install "agbench[weather]"'
        ) from None
    read = {"epw": iotools.read_epw, "tmy3": iotools.read_tmy3, "tmy2": iotools.read_tmy2}[kind]
    try:
        frame, place = read(path)
    except Exception as error:
        raise WeatherError(
            f"{path}: pvlib cannot read this {kind} file ({type(error).__name__}: {error})."
        ) from None
    return frame, place


def numbers(path: Path, frame: "pd.DataFrame", name: str) -> Floats:
    """Return a column as numbers; raises `WeatherError` where it holds anything else."""
    try:
        result: Floats = frame[name].to_numpy(dtype=np.float64)
    except (KeyError, TypeError, ValueError) as error:
        raise WeatherError(f"{path}: the column {name} must hold numbers: {error}.") from None
    return result


def _days(
    path: Path, frame: "pd.DataFrame", names: dict[str, str], rain: Any, place: dict[str, Any]
) -> DailySeries:
    """Return hourly W m-2, degC, m s-1 at 10 m and mm as a year of days."""
    import pandas as pd

    if len(frame) != _HOURS:
        raise WeatherError(f"{path}: a typical year has {_HOURS} hours; this file has {len(frame)}.")
    hours = {key: numbers(path, frame, name).reshape(365, 24) for key, name in names.items()}
    table = {
        "IRRAD": hours["radiation"].sum(axis=1) * 3600.0,
        "TMIN": hours["air"].min(axis=1),
        "TMAX": hours["air"].max(axis=1),
        "TEMP": hours["air"].mean(axis=1),
        "VAP": vapour_pressure(hours["dew"]).mean(axis=1),
        "WIND": wind_at_2_m(hours["wind"].mean(axis=1)),
        "RAIN": np.asarray(rain).reshape(365, 24).sum(axis=1) * 0.1,
    }
    days = pd.DataFrame(table, index=pd.date_range(f"{YEAR}-01-01", periods=365))
    days.attrs.update(lat=place["latitude"], lon=place["longitude"], elev=place["altitude"])
    return from_frame(days, path.stem)
