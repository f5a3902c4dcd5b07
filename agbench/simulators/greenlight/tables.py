"""The inputs of a bare greenhouse as arrays: weather, controls and the state at the start."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike

from agbench.errors import ActionError, ConfigError, SimulationError, WeatherError, did_you_mean, unknown
from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER
from agbench.simulators.greenlight.world import whole_series
from agbench.variables import Floats, finite, numbers_of
from agbench.weather.greenhouse.plausibility import check_plausible
from agbench.weather.greenhouse.position import check_position, position_of
from agbench.weather.greenhouse.series import SWITCHES, check_spacing

if TYPE_CHECKING:
    import pandas as pd

_ALSO: Final = {"dli": "dayRadSum"}  # a column's other name
DAYLIGHT: Final = ("dli", "isDay", "isDaySmooth")
"""Columns that no equation reads, but the climate computer does."""
_REQUIRED: Final = 6  # controls; interlights and grow pipes are off if not given


def check_interval(interval: Any) -> None:
    """Raise `ConfigError` for what is no length of a step [s]."""
    number = isinstance(interval, (int, float, np.number)) and not isinstance(interval, bool)
    if not number or not 0.01 <= interval <= 86400.0:
        raise ConfigError(
            f"greenlight: interval is {interval!r}; give the seconds of a step, from 0.01 to 86400."
        )


def weather_array(
    weather: "pd.DataFrame | ArrayLike", interval: float, needs: tuple[str, ...] = ()
) -> Floats:
    """Return weather as an array (rows, 10); a DataFrame's columns are found by name.

    A table with dates must have a row every `interval` [s]; where its `attrs` name lat, lon and zone too,
    radiation must follow the sun there. `needs` names columns of `DAYLIGHT` that
    may not be left out.

    Raises:
        WeatherError: naming what is missing, not numeric, out of bounds or at another spacing.
    """
    import pandas as pd

    if not isinstance(weather, pd.DataFrame):
        series, moments = _numbers(weather), None
    else:
        moments = weather.index if isinstance(weather.index, pd.DatetimeIndex) else None
        if moments is not None:
            check_spacing(moments, interval)
        series = _columns(weather, needs)
    series = whole_series(series)
    check_plausible(series, "of the greenhouse", interval, moments)
    if isinstance(weather, pd.DataFrame) and moments is not None:
        place, begin = position_of(weather), moments[0].to_pydatetime().replace(tzinfo=None)
        if place is not None:
            check_position(series, begin, interval, place, "of the greenhouse")
    _check_daylight(series, needs)
    return series


def _numbers(values: Any, what: str = "weather", switch: bool = False) -> Floats:
    """Return values as float64; raises `WeatherError` where they are no numbers. A `switch` may be true."""
    try:
        return np.asarray(values, dtype=np.float64) if switch else numbers_of(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise WeatherError(f"greenlight: {what} is not numeric: {error}.") from None


def _columns(weather: "pd.DataFrame", needs: tuple[str, ...]) -> Floats:
    """Return a table's columns in their order; those of `DAYLIGHT` are 0 if not needed."""
    if not weather.columns.is_unique:
        twice = weather.columns[weather.columns.duplicated()][0]
        raise WeatherError(f"greenlight: weather has the column {twice!r} twice; give each once.")
    result = np.zeros((len(weather), len(WEATHER)))
    lacking = []
    for i, name in enumerate(WEATHER.names):
        column = next((c for c in (name, _ALSO.get(name)) if c in weather.columns), None)
        if column is not None:
            result[:, i] = _numbers(weather[column], f"weather column {name}", name in SWITCHES)
        elif name in needs:
            lacking.append(name)
        elif name not in DAYLIGHT:
            raise WeatherError(
                f"greenlight: weather lacks the column {name!r} [{WEATHER[name].unit}], "
                f"{WEATHER[name].meaning}.{did_you_mean(name, map(str, weather.columns))}"
            )
    if lacking:
        raise WeatherError(f"greenlight: weather lacks {', '.join(lacking)}.{_DAYLIGHT_HELP}")
    return result


_DAYLIGHT_HELP: Final = (
    " The rules that control decide by the day's sum of radiation and by when the sun is up. Add dli, isDay "
    "and isDaySmooth by agbench.weather.daylight.with_daylight(table, latitude, longitude, zone), or let an "
    "array or a policy that looks at nothing control."
)


def _check_daylight(series: Floats, needs: tuple[str, ...]) -> None:
    """Refuse columns of nothing but zeros by which a policy would decide while the sun shines."""
    if not needs or series[:, WEATHER.column("iGlob")].max() < 50.0:  # W m-2, above any twilight
        return
    for name in needs:
        if not series[:, WEATHER.column(name)].any():
            raise WeatherError(
                f"greenlight: weather has {name} 0 in all rows although the sun shines.{_DAYLIGHT_HELP}"
            )


def control_array(controls: "pd.DataFrame | ArrayLike") -> Floats:
    """Return controls as an array (N, 8); interlights and grow pipes are off if not given.

    A DataFrame's columns are found by name.

    Raises:
        ActionError: for another shape, a missing control, or a value outside 0 to 1.
        UnknownNameError: for a column that is no control.
    """
    import pandas as pd

    if isinstance(controls, pd.DataFrame):
        controls = _named_controls(controls)
    try:
        u = np.asarray(controls, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ActionError(f"greenlight: controls are not numeric: {error}.") from None
    if u.ndim != 2 or u.shape[1] not in (_REQUIRED, len(CONTROLS)) or len(u) == 0:
        raise ActionError(
            f"greenlight: controls have shape {u.shape}, not (N, {_REQUIRED}) or (N, {len(CONTROLS)}) with "
            f"a row an interval, at least one, in the order {', '.join(CONTROLS.names)}."
        )
    outside = np.argwhere(~((u >= 0.0) & (u <= 1.0)))
    if len(outside):
        step, column = outside[0]
        raise ActionError(
            f"greenlight: control {CONTROLS.names[column]} of step {step} is {u[step, column]}; it must "
            "lie between 0 and 1."
        )
    return np.hstack([u, np.zeros((len(u), len(CONTROLS) - u.shape[1]))])


def _named_controls(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table of controls in their order; the last two are 0 if they are not there."""
    for name in table.columns:
        if name not in CONTROLS:
            raise unknown("column", name, CONTROLS.names, "greenlight: controls")
    if not table.columns.is_unique:
        raise ActionError("greenlight: controls have a column twice; give each control once.")
    for name in CONTROLS.names[:_REQUIRED]:
        if name not in table.columns:
            raise ActionError(
                f"greenlight: controls lack the column {name!r}, {CONTROLS[name].meaning}. A table needs "
                f"{', '.join(CONTROLS.names[:_REQUIRED])}; {' and '.join(CONTROLS.names[_REQUIRED:])} are "
                "0 if left out."
            )
    return table.reindex(columns=list(CONTROLS.names), fill_value=0.0)


def by_name(x0: Any) -> Any:
    """Return a start as a mapping where it has names: None is an empty one, a Series is one."""
    import pandas as pd

    if isinstance(x0, pd.Series) and all(isinstance(name, str) for name in x0.index):
        return x0.to_dict()
    return {} if x0 is None else x0


def start_state(x0: "ArrayLike | Mapping[str, float]", usual: Floats) -> Floats:
    """Return a full state (28,) from one, or from a mapping of what differs from the usual.

    Raises:
        UnknownNameError: for a state that does not exist.
        SimulationError: for a value that is no number.
    """
    if not isinstance(x0, Mapping):
        try:
            return np.array(x0, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise SimulationError(f"greenlight: x0 is not numeric: {error}.") from None
    start = usual.copy()
    for name, value in x0.items():
        column = STATES.column(name)
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if not number or not finite(value):
            raise SimulationError(
                f"greenlight: x0: {name} is {value!r}, not a finite number in {STATES[name].unit}."
            )
        start[column] = value
    return start


def time_index(weather: object, rows: int, interval: float) -> Any:
    """Return the index of a table of `rows` moments, an interval apart.

    It is the weather's if that has dates, which go on where the weather ends, or if it reaches far
    enough; else seconds.
    """
    import pandas as pd

    seconds = pd.Index(np.arange(rows) * interval, name="seconds")
    if not isinstance(weather, pd.DataFrame):
        return seconds
    if isinstance(weather.index, pd.DatetimeIndex):
        step = pd.Timedelta(seconds=interval)
        return pd.date_range(weather.index[0], periods=rows, freq=step, name=weather.index.name)
    return weather.index[:rows] if len(weather) >= rows else seconds
