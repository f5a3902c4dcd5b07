"""The daylight columns that rules need: the daily sum of radiation, and switches that follow the sun."""

from typing import TYPE_CHECKING, Any

import numpy as np

from agbench.compiled.elementary import exp
from agbench.errors import WeatherError
from agbench.variables import Floats
from agbench.weather.astronomy import day_length, solar_noon
from agbench.weather.greenhouse.position import position
from agbench.weather.greenhouse.series import check_spacing

if TYPE_CHECKING:
    import pandas as pd

_DAY = 86_400  # s


def day_switches(
    day: Floats, hour: Floats, latitude: float, longitude: float, zone: float | Floats
) -> tuple[Floats, Floats]:
    """Return `isDay`, with ramps of an hour about sunrise and sunset, and `isDaySmooth`.

    They follow true solar time: the place's longitude in its time zone and the equation of time
    (Allen et al. 1998, FAO Irrigation and Drainage Paper 56, Equations 31 to 33).

    Args:
        day: days of the year, 1 on 1 January, (rows,).
        hour: hours of the clock, (rows,).
        latitude: of the place [degrees north].
        longitude: of the place [degrees east].
        zone: how far the clock is ahead of UTC [h], one or (rows,).
    """
    days = np.arange(1.0, 367.0)
    number = day.astype(np.int64) - 1
    length = np.array([day_length(latitude, d, 0.0) for d in days])[number]
    noon = np.array([solar_noon(longitude, d, 0.0) for d in days])[number] + zone
    from_noon = np.abs((hour - noon + 12.0) % 24.0 - 12.0)
    switch = np.clip(0.5 * length - from_noon + 0.5, 0.0, 1.0)
    switch = np.where(length >= 24.0, 1.0, np.where(length <= 0.0, 0.0, switch))
    edge = (switch > 0.0) & (switch < 1.0)
    return switch, np.where(edge, 1.0 / (1.0 + exp(-10.0 * (switch - 0.5))), switch)


def with_daylight(
    table: "pd.DataFrame", latitude: float, longitude: float, zone: float | None = None
) -> "pd.DataFrame":
    """Return greenhouse weather with the columns `dli`, `isDay` and `isDaySmooth` that it lacks.

    The place is kept as `attrs` lat, lon and zone, by which a simulation checks that iGlob follows its sun.

    Args:
        table: weather with `iGlob` [W m-2], a row at equal steps; without `dli` it has whole days.
        latitude: of the place [degrees north].
        longitude: of the place [degrees east].
        zone: how far the table's clock is ahead of UTC [h]; a table with a time zone says so itself.

    Raises:
        WeatherError: if the table has no dates, a day has an unknown sum, or there is no such place.
    """
    import pandas as pd

    index = table.index
    if not isinstance(index, pd.DatetimeIndex) or len(index) < 2:
        raise WeatherError("weather: the index must hold the times of at least two rows.")
    if index.tz is None and zone is None:
        raise WeatherError(
            "weather: the index has no time zone. Give its offset from UTC in hours, such as zone=1.0."
        )
    place = position(latitude, longitude, 0.0 if zone is None else zone)
    step = (index[1] - index[0]).total_seconds()
    check_spacing(index, step, "given")
    clock = index.tz_localize(None)
    ahead: Any = zone if index.tz is None else (clock - index.tz_convert(None)) / pd.Timedelta(hours=1)
    hour = (clock - clock.normalize()) / pd.Timedelta(hours=1)
    day = np.asarray(index.day_of_year, dtype=np.float64)
    switches = day_switches(day, np.asarray(hour), place.latitude, place.longitude, np.asarray(ahead))
    result = {"isDay": switches[0], "isDaySmooth": switches[1]}
    if not {"dli", "dayRadSum"} & set(table.columns):
        result["dli"] = _daily_sums(table, clock, step)
    added = table.assign(**{name: values for name, values in result.items() if name not in table.columns})
    added.attrs.update(lat=latitude, lon=longitude)
    if index.tz is None:
        added.attrs["zone"] = zone
    return added


def _daily_sums(table: "pd.DataFrame", clock: "pd.DatetimeIndex", step: float) -> Floats:
    """Return the radiation of each row's whole day [MJ m-2 d-1]."""
    import pandas as pd

    if "iGlob" not in table.columns:
        raise WeatherError("weather given: column iGlob (W m-2) is missing; dli is its daily sum.")
    end = clock[-1] + pd.Timedelta(seconds=step)
    if _DAY % step or clock[0] != clock[0].normalize() or end != end.normalize():
        raise WeatherError(
            f"weather given: it runs from {clock[0]} to {end}, so that the sum of a day (dli) is not known. "
            "Give whole days, from midnight to midnight, or a column dli [MJ m-2 d-1]."
        )
    sums = table["iGlob"].groupby(np.asarray(clock.normalize())).transform("sum")
    return np.asarray(sums, dtype=np.float64) * step * 1e-6
