"""Hourly observations turned into greenhouse weather every five minutes, each hour's means kept.

Radiation follows the sun through each hour, its clearness drawn straight from hour to hour, below what
the sun sends to the top of the atmosphere, scaled to the hour's mean. Wind is a parabola an hour with the
hour's mean. Temperature and humidity are straight lines between the hours' ends, where they are observed.
Clouds: from each hour's radiation (Kasten and Czeplak 1980, Solar Energy 24, 177-189), straight lines over
the night. Sky, soil and CO2 follow from these as for daily weather (`disaggregation`).
"""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Final

import numpy as np

from agbench.compiled import entry, kernel
from agbench.compiled.elementary import pow
from agbench.errors import WeatherError
from agbench.files import checked
from agbench.variables import Floats
from agbench.weather.greenhouse.disaggregation import (
    annual_wave,
    outdoor_co2,
    saturation,
    sky_temperature,
    soil_temperature,
)
from agbench.weather.greenhouse.plausibility import check_plausible
from agbench.weather.greenhouse.position import Position, check_position
from agbench.weather.greenhouse.series import COLUMNS, GreenhouseSeries
from agbench.weather.greenhouse.sun import (
    RISE,
    day_switch,
    height_sine,
    noon,
    smooth_switch,
    spread,
    time_above,
    write_top,
)

FIELDS: Final = {"Q": 1.0 / 0.36, "FH": 0.1, "T": 0.1, "U": 1.0}
"""KNMI's fields, and the factors to W m-2, m s-1, degC and %."""

_HELD: Final = 3  # h; the most that may be missing after the first midnight
_LOW = 0.1  # -; sine of the sun's height below which radiation tells little of clouds
_TWILIGHT = -0.1045  # -; sine of the sun's height at the end of civil twilight, 6 degrees below the horizon


@dataclass(frozen=True, eq=False)
class Hours:
    """Observations of consecutive hours: means of the hour, and readings at its end."""

    name: str
    begin: datetime
    """The beginning of the first hour, in UT."""
    latitude: float
    longitude: float
    values: Floats
    """(hours, 4): radiation [W m-2] and wind [m s-1] of the hour, air [degC] and humidity [%] at its end."""


def read_hours(
    path: Path, name: str, latitude: float, longitude: float, expected: str | None = None
) -> Hours:
    """Return the hours in a Parquet file of KNMI's fields Q, FH, T and U, by the beginning of the hour in UT.

    `expected` is the SHA-256 that the file must have.
    """
    import pandas as pd

    checked(path, expected, f"weather {name}", WeatherError)
    table = pd.read_parquet(path)
    missing = [field for field in FIELDS if field not in table]
    if missing:
        raise WeatherError(f"weather {name}: {path} lacks KNMI's fields {', '.join(missing)}.")
    whole = pd.date_range(table.index[0], periods=len(table), freq="h")
    if not (table.index == whole).all():
        at = int(np.argmax(table.index != whole))
        raise WeatherError(f"weather {name}: {path}: the hour {whole[at]} is missing; every hour comes once.")
    values = np.column_stack([table[field].to_numpy(np.float64) * factor for field, factor in FIELDS.items()])
    return Hours(name, table.index[0].to_pydatetime(), latitude, longitude, values)


def disaggregate_hours(hours: Hours, zone: float | None, interval: int = 300) -> GreenhouseSeries:
    """Return greenhouse weather in whole days of the clock, a row every `interval` [s].

    The clock is `zone` [h] ahead of UTC. Radiation and wind are means over a row, all else holds at its
    beginning. What is missing after the first midnight, three hours at most, has the first hour's values.
    """
    if 3600 % interval:
        raise WeatherError(f"weather {hours.name}: {interval} s does not divide an hour.")
    if zone is None or zone % 1.0:
        raise WeatherError(
            f"weather {hours.name}: zone is {zone}; give the whole hours by which the clock is ahead of "
            "UTC, as `zone: 1`, so that hours of the clock are hours of the observations."
        )
    begin, rows = _whole_days(hours, hours.begin + timedelta(hours=zone))
    steps = 3600 // interval
    count = len(rows) - 1
    days = np.array([(begin + timedelta(days=d)).timetuple().tm_yday for d in range(count // 24)], np.float64)
    values = np.empty((count * steps, len(COLUMNS)))
    air = rows[1:, 2].reshape(-1, 24).mean(axis=1)
    wave = annual_wave(air, days - 1.0, hours.latitude)
    place = np.array([hours.latitude, hours.longitude, zone])
    _fill(rows, days, place, wave, values.reshape(count, steps, len(COLUMNS)))
    day = 24 * steps
    values[:, 7] = values[:, 0].reshape(-1, day).sum(axis=1).repeat(day) * interval * 1e-6
    check_plausible(values, hours.name, interval)
    check_position(values, begin, interval, Position(hours.latitude, hours.longitude, zone), hours.name)
    return GreenhouseSeries(hours.name, begin, interval, values, {"clock": f"UTC{zone:+g}"})


def _whole_days(hours: Hours, local: datetime) -> tuple[datetime, Floats]:
    """Return the first midnight, and the rows of whole days from there with the row before them."""
    midnight = datetime.combine(local.date(), time())
    after = int((local - midnight) / timedelta(hours=1))
    if after > _HELD:
        midnight += timedelta(days=1)
        first = 24 - after
        rows = hours.values[first - 1 :]
    else:
        rows = np.vstack([hours.values[:1].repeat(after + 1, axis=0), hours.values])
    count = (len(rows) - 1) // 24 * 24
    if not count:
        raise WeatherError(
            f"weather {hours.name}: {len(hours.values)} hours; at least one whole day is needed."
        )
    return midnight, rows[: count + 1].copy()


@entry
def _fill(rows: Floats, days: Floats, place: Floats, wave: Floats, out: Floats) -> None:
    """Fill `out` (hours, steps, 10) from `rows` (hours + 1, 4), which begin one hour before."""
    hours, steps = out.shape[0], out.shape[1]
    latitude = place[0]
    clear = np.empty(hours)
    clouds = np.empty(hours)
    top = np.empty((hours, steps))
    for h in range(hours):
        day = days[h // 24]
        after = h % 24 - noon(place[1], day, place[2])
        write_top(latitude, day, after, 1.0, top[h])
        clear[h] = _clearness(rows[h + 1, 0], top[h])
        clouds[h] = cloud_cover(rows[h + 1, 0], _mean_height(latitude, day, after, steps))
    _over_nights(clouds)
    shape = np.empty(steps)
    part = np.empty(steps)
    for h in range(hours):
        day = days[h // 24]
        middle = noon(place[1], day, place[2])
        half = 0.5 * time_above(latitude, day, RISE)
        _radiation(rows[h + 1, 0], clear, h, top[h], latitude, day, h % 24 - middle, shape, part)
        for k in range(steps):
            share = k / steps
            hour = h % 24 + share
            row = out[h, k]
            air = rows[h, 2] + (rows[h + 1, 2] - rows[h, 2]) * share
            humidity = rows[h, 3] + (rows[h + 1, 3] - rows[h, 3]) * share
            row[0] = part[k]
            row[1] = air
            row[2] = 0.01 * humidity * saturation(air)
            row[3] = outdoor_co2(air)
            row[4] = _wind(rows, h, share, share + 1.0 / steps)
            row[5] = sky_temperature(air, row[2], 1.0 - _between_middles(clouds, h, share))
            row[6] = soil_temperature(day + hour / 24.0, wave)
            row[8] = day_switch(hour, middle - half, middle + half)
            row[9] = smooth_switch(row[8])


@kernel
def _clearness(mean: float, top: Floats) -> float:
    """Share of the radiation above the atmosphere that reaches the ground [-]; -1 where there is no sun."""
    total = 0.0
    for k in range(len(top)):
        total += top[k]
    return mean * len(top) / total if total > 0.0 else -1.0


@kernel
def _mean_height(latitude: float, day: float, after: float, steps: int) -> float:
    """Mean sine of the sun's height over an hour that begins `after` noon [h]."""
    total = 0.0
    for k in range(steps):
        total += height_sine(latitude, day, after + (k + 0.5) / steps)
    return total / steps


@kernel
def cloud_cover(radiation: float, sine: float) -> float:
    """Share of the sky that clouds cover [-] from radiation [W m-2]; -1 where the sun is too low to tell.

    Kasten and Czeplak 1980: a cloudless sky gives 910 sin h - 30 W m-2, and a cover of N that, times
    1 - 0.75 N^3.4.
    """
    if sine < _LOW:
        return -1.0
    missing = 1.0 - radiation / (910.0 * sine - 30.0)
    return pow(min(max(missing / 0.75, 0.0), 1.0), 1.0 / 3.4)


@kernel
def _over_nights(clouds: Floats) -> None:
    """Fill hours of unknown clouds (-1) by straight lines; half the sky is cloudy where none is known."""
    last = -1
    for h in range(len(clouds)):
        if clouds[h] < 0.0:
            continue
        for k in range(last + 1, h):
            share = (k - last) / (h - last)
            clouds[k] = clouds[h] if last < 0 else clouds[last] + (clouds[h] - clouds[last]) * share
        last = h
    for k in range(last + 1, len(clouds)):
        clouds[k] = clouds[last] if last >= 0 else 0.5


@kernel
def _between_middles(values: Floats, h: int, share: float) -> float:
    """Value at a `share` of hour h, on the straight line between the middles of hours."""
    other = h - 1 if share < 0.5 else h + 1
    other = min(max(other, 0), len(values) - 1)
    result: float = values[h] + (values[other] - values[h]) * abs(share - 0.5)
    return result


@kernel
def _radiation(
    mean: float,
    clear: Floats,
    h: int,
    top: Floats,
    latitude: float,
    day: float,
    after: float,
    shape: Floats,
    out: Floats,
) -> None:
    """Write the parts of hour h's radiation, whose mean is kept."""
    steps = len(out)
    for k in range(steps):
        out[k] = 0.0
    if mean <= 0.0:
        return
    if clear[h] < 0.0:  # twilight
        for k in range(steps):
            sine = height_sine(latitude, day, after + (k + 0.5) / steps)
            shape[k] = max(sine - _TWILIGHT, 0.0)
        spread(mean * steps, shape, shape, out)
        return
    for k in range(steps):
        share = (k + 0.5) / steps
        other = h - 1 if share < 0.5 else h + 1
        beside = clear[other] if 0 <= other < len(clear) and clear[other] >= 0.0 else clear[h]
        shape[k] = top[k] * (clear[h] + (beside - clear[h]) * abs(share - 0.5))
    spread(mean * steps, shape, top, out)


@kernel
def _wind(rows: Floats, h: int, begin: float, end: float) -> float:
    """Mean over a part of hour h of a parabola that has the hour's mean and meets its neighbours' [m s-1].

    At the ends of the hour it is the mean of both hours, at most thrice the lesser: so it stays above 0.
    """
    mean = rows[h + 1, 1]
    before = rows[h, 1]
    behind = rows[h + 2, 1] if h + 2 < len(rows) else mean
    first = min(0.5 * (before + mean), 3.0 * min(before, mean))
    last = min(0.5 * (behind + mean), 3.0 * min(behind, mean))
    bend = 6.0 * (0.5 * (first + last) - mean)
    slope = last - first - bend
    square = (begin * begin + begin * end + end * end) / 3.0
    result: float = max(first + slope * 0.5 * (begin + end) + bend * square, 0.0)
    return result
