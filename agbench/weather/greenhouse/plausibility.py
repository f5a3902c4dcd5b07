"""Checks that catch wrong units and impossible values in greenhouse weather before a simulation."""

from typing import TYPE_CHECKING, Final

import numpy as np

from agbench.errors import WeatherError
from agbench.variables import Booleans, Floats
from agbench.weather.greenhouse.columns import WEATHER

if TYPE_CHECKING:
    import pandas as pd

_DRY: Final = 0.05  # -; share of saturation that the most humid row of any hour exceeds
_PPM: Final = (250.0, 450.0)  # outdoor CO2 in ppm; in mg m-3 less than the air holds anywhere
_ENOUGH: Final = 12  # rows that show a wrong unit: single rows of good series can be off
_SLACK: Final = 1e-9  # relative; sums of a day end in another last digit
_HINTS: Final = {
    "iGlob": "a pyranometer's offset at night is 0; kJ m-2 h-1 need a factor 0.278",
    "tOut": "kelvin need 273.15 subtracted",
    "vpOut": "kPa need a factor 1000, hPa 100",
    "co2Out": "ppm need a factor of some 1.83 at 20 degC",
    "wind": "km/h need a factor 0.278",
    "tSky": "kelvin need 273.15 subtracted",
    "tSoOut": "kelvin need 273.15 subtracted",
    "dli": "J cm-2 need a factor 0.01",
}


def check_plausible(values: Floats, name: str, moments: "pd.DatetimeIndex | None" = None) -> None:
    """Raise `WeatherError` that names the first impossible value, its row, unit and bounds.

    `values` are (rows, 10) in the order of the simulator; NaN (what is missing) passes. Bounds are
    those of the table of columns, which observation spaces rest on. `moments` are the rows' times.
    """
    for i, variable in enumerate(WEATHER):
        column = values[:, i]
        slack = _SLACK * max(abs(variable.low), abs(variable.high))
        wrong = (column < variable.low - slack) | (column > variable.high + slack)
        limits = f"between {variable.low:g} and {variable.high:g}"
        _refuse(wrong, column, variable.name, limits, name, moments)
    if len(values) >= _ENOUGH:
        _check_scale(values, name, moments)


def _check_scale(values: Floats, name: str, moments: "pd.DatetimeIndex | None") -> None:
    """Catch units that leave every value inside its bounds: kPa or hPa for Pa, ppm for mg m-3."""
    air, vapour, co2 = (values[:, WEATHER.column(v)] for v in ("tOut", "vpOut", "co2Out"))
    humidity = vapour / (610.78 * np.exp(17.2694 * air / (air + 238.3)))
    if not (humidity >= _DRY).any():
        _refuse(humidity < _DRY, vapour, "vpOut", f"some rows above {_DRY:.0%} of saturation", name, moments)
    ppm = (co2 > _PPM[0]) & (co2 < _PPM[1])
    if ppm.all():
        _refuse(ppm, co2, "co2Out", "some 750 in today's air", name, moments)


def _refuse(
    wrong: Booleans, column: Floats, variable: str, limits: str, name: str, moments: "pd.DatetimeIndex | None"
) -> None:
    """Raise for the first `wrong` row, if there is one."""
    if not wrong.any():
        return
    i = int(np.argmax(wrong))
    when = f"row {i}" if moments is None else f"row {i} ({moments[i]})"
    hint = f" ({_HINTS[variable]})" if variable in _HINTS else ""
    raise WeatherError(
        f"weather {name}: {variable} is {column[i]:g} at {when}; expected "
        f"{WEATHER[variable].unit}{hint}, {limits}."
    )
