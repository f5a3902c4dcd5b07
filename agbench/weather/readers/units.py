"""Units of daily weather in column titles, such as `RAIN (mm d-1)`, converted to PCSE's units."""

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from agbench.compiled.elementary import exp
from agbench.errors import WeatherError
from agbench.variables import Floats, numbers_of
from agbench.weather.columns import DAILY

if TYPE_CHECKING:
    import pandas as pd

_TITLE = re.compile(r"^\s*(\w+)\s*[\[(]\s*(.+?)\s*[\])]\s*$")

_WIND_AT_2_M = 4.87 / 6.511121063508727  # the log of 67.8 x 10 m - 5.42 (FAO 56, equation 47)


def _times(factor: float) -> Callable[[Floats], Floats]:
    return lambda values: values * factor


_TEMPERATURE: Final = {"degC": _times(1.0), "°C": _times(1.0), "K": lambda values: values - 273.15}
_WATER: Final = {
    "cm d-1": _times(1.0),
    "cm": _times(1.0),
    "mm d-1": _times(0.1),
    "mm": _times(0.1),
    "mm/day": _times(0.1),
}
CONVERSIONS: Final[Mapping[str, Mapping[str, Callable[[Floats], Floats]]]] = {
    "IRRAD": {
        "J m-2 d-1": _times(1.0),
        "kJ m-2 d-1": _times(1e3),
        "MJ m-2 d-1": _times(1e6),
        "MJ/m^2/day": _times(1e6),
        "J cm-2 d-1": _times(1e4),
        "W m-2": _times(86400.0),
        "kWh m-2 d-1": _times(3.6e6),
    },
    "TMIN": _TEMPERATURE,
    "TMAX": _TEMPERATURE,
    "TEMP": _TEMPERATURE,
    "VAP": {"hPa": _times(1.0), "mbar": _times(1.0), "kPa": _times(10.0), "Pa": _times(0.01)},
    "WIND": {
        "m s-1": _times(1.0),
        "m/s": _times(1.0),
        "km h-1": _times(1.0 / 3.6),
        "m s-1 at 10 m": _times(_WIND_AT_2_M),
    },
    "RAIN": _WATER,
    "E0": _WATER,
    "ES0": _WATER,
    "ET0": _WATER,
}


def wind_at_2_m(wind: Floats) -> Floats:
    """Return wind at 2 m from wind at 10 m [m s-1] over short grass (FAO 56, equation 47)."""
    return wind * _WIND_AT_2_M


def vapour_pressure(dew_point: Floats) -> Floats:
    """Return vapour pressure [hPa] at which `dew_point` [degC] is saturated (FAO 56, equation 14)."""
    pressure: Floats = 6.108 * exp(17.27 * dew_point / (dew_point + 237.3))
    return pressure


def in_our_units(frame: "pd.DataFrame", name: str) -> "pd.DataFrame":
    """Return a table whose titles hold no units; a title without one is in PCSE's unit already."""
    renamed = {}
    frame = frame.copy()
    for title in list(frame.columns):
        match = _TITLE.match(str(title))
        if match is None:
            continue
        variable, unit = match[1], match[2]
        if variable in CONVERSIONS:
            frame[title] = _converted(frame[title].to_numpy(), variable, unit, name)
        renamed[title] = variable
    return frame.rename(columns=renamed)


def _converted(values: Floats, variable: str, unit: str, name: str) -> Floats:
    conversions = CONVERSIONS[variable]
    if unit not in conversions:
        raise WeatherError(
            f"weather {name}: column {variable} is in {unit!r}, which is not known;"
            f" give it in one of {', '.join(conversions)} (the model's own is {DAILY[variable].unit})."
        )
    try:
        return conversions[unit](numbers_of(values))
    except (ValueError, TypeError) as error:
        raise WeatherError(f"weather {name}: column {variable} is not numeric: {error}.") from None
