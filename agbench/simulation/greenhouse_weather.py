"""The weather of a bare greenhouse as a table: from a site, a file of a typical year, or the caller's."""

import math
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from agbench.data import catalog
from agbench.data.greenhouse_task import INTERVAL
from agbench.errors import ConfigError, WeatherError
from agbench.variables import Floats
from agbench.weather.greenhouse.past_sums import with_past_sums
from agbench.weather.greenhouse.series import COLUMNS, READERS, GreenhouseSeries
from agbench.weather.greenhouse.site import greenhouse_weather, measured_series
from agbench.weather.greenhouse.typical_year import read_typical_year

_SEASON_DAYS = 60


def season_weather(
    weather: Any, start: Any, interval: float, steps: int | None, end: Any = None, dli: str | None = None
) -> Any:
    """Return the weather from `start` on, a row every `interval` [s], to `end` if it is given.

    Sites and files have rows of five minutes, averaged over longer intervals and held over shorter
    ones; `steps` rows are read, or all there are (60 days of a site's daily weather). A table or an
    array is the caller's: a table with dates is cut at `start`, all else comes back as it is. `dli` says what
    that column is of a site or a file: the sum of the `past` 24 hours, or of the row's whole `day` (None).

    Raises:
        ConfigError: for a `start` or an `end` that is no date, has nothing to refer to, or does not fit; for
            another `dli`, or one beside the caller's own.
        WeatherError: for an interval that does not fit, or days that are not there.
    """
    moment = None if start is None else _moment(start, "start")
    last = None if end is None else _moment(end, "end")
    past = _is_past(dli, weather)
    if not isinstance(weather, (str, Path)):
        table = weather if moment is None else _cut(weather, moment)
        return table if last is None else _until(table, last, interval, steps)
    if last is not None:
        begin = _begin(weather) if moment is None else _local(moment, str(weather))
        steps = _intervals(
            pd.Timestamp(begin), pd.Timestamp(_local(last, str(weather), "end")), interval, steps
        )
    if Path(weather).suffix:
        series = read_typical_year(weather, INTERVAL)
        rows = _rows(interval, f"weather {weather}", steps)
        return _resampled(*_from_series(series, moment, rows, past), interval, steps)
    site = str(weather)
    rows = _rows(interval, f"weather {site}", steps)
    if catalog.site(site).reader in READERS:
        return _resampled(*_from_series(measured_series(site), moment, rows, past), interval, steps)
    return _resampled(*_from_days(site, moment, rows, past), interval, steps)


def _is_past(dli: Any, weather: Any) -> bool:
    """Return whether `dli` is to be the sum of the past 24 hours."""
    if dli not in (None, "past", "day"):
        raise ConfigError(
            f"dli is {dli!r}; write 'past' for the sum of the 24 hours before, which a grower can know, or "
            "'day' for that of the whole day, the afternoon to come included."
        )
    if dli is not None and not isinstance(weather, (str, Path)):
        raise ConfigError(
            f"dli={dli!r} is for a site or a file; the weather given is a table or an array with a column "
            "dli of its own. Leave dli out."
        )
    return bool(dli == "past")


def _begin(weather: str | Path) -> datetime:
    """Return the first moment of a file or a measured series; daily weather has none of its own."""
    if Path(weather).suffix:
        return read_typical_year(weather, INTERVAL).begin
    if catalog.site(str(weather)).reader in READERS:
        return measured_series(str(weather)).begin
    raise ConfigError(f"start is missing: the weather of {weather} covers many years.")


def _until(weather: Any, last: pd.Timestamp, interval: float, steps: int | None) -> pd.DataFrame:
    """Return a caller's table up to its row before `last`."""
    table = _dated(weather, "end", "give as many rows of controls as there are intervals")
    count = _intervals(table.index[0], _in_zone(last, table.index, "end"), interval, steps)
    if count > len(table):
        raise WeatherError(
            f"end: {last} is {count} intervals after {table.index[0]}; the weather has {len(table)} rows."
        )
    return table.iloc[:count]


def _intervals(first: pd.Timestamp, last: pd.Timestamp, interval: float, steps: int | None) -> int:
    """Return the intervals from the first moment to the last; `steps` are those of a table of controls."""
    count = (last - first).total_seconds() / interval
    if count < 1 or abs(count - round(count)) > 1e-9 * count:
        nearest = first + max(round(count), 1) * pd.Timedelta(seconds=interval)
        raise ConfigError(
            f"end: {last} must lie a whole number of intervals of {interval:g} s after the start, {first}; "
            f"{nearest} would be right."
        )
    if steps is not None and round(count) != steps:
        raise ConfigError(
            f"end: from {first} to {last} are {round(count)} intervals of {interval:g} s, and controls have "
            f"{steps} rows. Leave end out, or give a row an interval."
        )
    return round(count)


def _moment(value: Any, name: str) -> pd.Timestamp:
    """Return a start or an end as a moment; raises `ConfigError` for what is none."""
    try:
        result = None if isinstance(value, (int, float)) else pd.Timestamp(value)
    except (TypeError, ValueError):
        result = None
    if result is None or pd.isna(result):
        raise ConfigError(f"{name}: {value!r} is not a moment like '2010-01-31' or '2010-01-31 06:00'.")
    return result


def _rows(interval: float, where: str, steps: int | None) -> int | None:
    """Return the five-minute rows that `steps` intervals take."""
    ratio = interval / INTERVAL
    whole = ratio if ratio >= 1.0 else 1.0 / ratio
    if abs(whole - round(whole)) > 1e-9 * whole:
        raise WeatherError(
            f"{where}: its rows are {INTERVAL} s long and interval is {interval:g} s; give a multiple, over "
            f"which they are averaged, or a divisor, over which they are held: {_neighbours(interval)}."
        )
    return None if steps is None else math.ceil(steps * ratio - 1e-6)


def _neighbours(interval: float) -> str:
    """Return the intervals next to one that does not fit, as text."""
    if interval > INTERVAL:
        below = interval // INTERVAL * INTERVAL
        return f"{below:g} or {below + INTERVAL:g}"
    parts = int(INTERVAL // interval)
    return f"{INTERVAL / (parts + 1):g} or {INTERVAL / parts:g}"


def _from_series(
    series: GreenhouseSeries, moment: pd.Timestamp | None, rows: int | None, past: bool
) -> tuple[datetime, Floats]:
    """Return the first moment and `rows` of a series from there, or all that are left."""
    first = series.begin if moment is None else _local(moment, series.name)
    left = int((series.end - first).total_seconds()) // INTERVAL
    chosen = series.window(first, max(left, 1) if rows is None else rows)
    return first, _with_past(series, first, chosen) if past else chosen


def _with_past(series: GreenhouseSeries, first: datetime, rows: Floats) -> Floats:
    """Return rows of a series from a moment on with past sums; before it begins it is as on its first day."""
    a_day = timedelta(days=1) // timedelta(seconds=INTERVAL)
    since = (first - series.begin) // timedelta(seconds=INTERVAL)
    if since >= a_day:
        return with_past_sums(series.window(first - timedelta(days=1), a_day), rows, INTERVAL)
    whole = series.window(series.begin, since + len(rows))
    return with_past_sums(whole[:a_day], whole, INTERVAL)[since:]


def _from_days(
    site: str, moment: pd.Timestamp | None, rows: int | None, past: bool
) -> tuple[datetime, Floats]:
    """Return the first moment and `rows` of a site's daily weather, brought to five minutes."""
    if moment is None:
        raise ConfigError(f"start is missing: the weather of {site} covers many years.")
    first = _local(moment, site)
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    before, rest = divmod(first - midnight, timedelta(seconds=INTERVAL))
    if rest:
        raise WeatherError(
            f"weather {site}: {first} lies between two rows; they are {INTERVAL} s apart from midnight."
        )
    count = _SEASON_DAYS * 86_400 // INTERVAL if rows is None else rows
    days = -(-count * INTERVAL // 86_400)
    source = greenhouse_weather(site, False, INTERVAL, past=past)
    return first, source.rows(midnight.date(), days + 1, 0, None)[before : before + count]


def _local(moment: pd.Timestamp, name: str, what: str = "start") -> datetime:
    """Return a moment on the weather's own clock."""
    if moment.tz is not None:
        raise ConfigError(
            f"{what}: {moment} has a time zone; weather {name} is in local standard time. Leave the zone out."
        )
    result: datetime = moment.to_pydatetime()
    return result


def _resampled(first: datetime, rows: Floats, interval: float, steps: int | None) -> pd.DataFrame:
    """Return five-minute rows as a table with a row an interval: averaged, or held."""
    if interval < INTERVAL:
        values = rows.repeat(round(INTERVAL / interval), axis=0)[:steps]
    else:
        many = round(interval / INTERVAL)
        values = rows[: len(rows) // many * many].reshape(-1, many, len(COLUMNS)).mean(axis=1)
    step = pd.Timedelta(seconds=interval)
    index = pd.date_range(first, periods=len(values), freq=step, name="time")
    return pd.DataFrame(values, index=index, columns=list(COLUMNS))


def _cut(weather: Any, moment: pd.Timestamp) -> pd.DataFrame:
    """Return a caller's table from a moment on, which must be that of a row."""
    table = _dated(weather, "start", 'set the clock by x0={"time": day of the year, 0 on 1 January}')
    moment = _in_zone(moment, table.index, "start")
    here = np.flatnonzero(table.index == moment)
    if not len(here):
        raise WeatherError(
            f"start: {moment} is not a row of the weather, which has {len(table)} from {table.index.min()} "
            f"to {table.index.max()}."
        )
    return table.iloc[int(here[0]) :]


def _dated(weather: Any, what: str, instead: str) -> pd.DataFrame:
    """Return a table with dates as it is; raises `ConfigError` for any other weather."""
    if isinstance(weather, pd.DataFrame) and isinstance(weather.index, pd.DatetimeIndex) and len(weather):
        return weather
    raise ConfigError(
        f"{what}: the weather has no dates to {what} at. Give a DataFrame indexed by time, or leave {what} "
        f"out and {instead}."
    )


def _in_zone(moment: pd.Timestamp, index: Any, what: str) -> pd.Timestamp:
    """Return a moment in the time zone of an index; raises `ConfigError` where it has another kind."""
    if moment.tz is None and index.tz is not None:
        try:
            return moment.tz_localize(index.tz)
        except ValueError:
            raise ConfigError(
                f"{what}: {moment} is not one moment in {index.tz}, where clocks change. Give it with its "
                "offset, as '2010-10-31 02:30+01:00'."
            ) from None
    if moment.tz is not None and index.tz is None:
        raise ConfigError(f"{what}: {moment} has a time zone and the weather's index has none. Leave it out.")
    return moment
