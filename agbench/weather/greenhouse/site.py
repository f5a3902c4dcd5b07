"""Greenhouse weather of a site: measured every five minutes or every hour, or disaggregated from days."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from agbench.data import catalog
from agbench.data.site import Site
from agbench.errors import WeatherError
from agbench.variables import Floats
from agbench.weather import series_cache
from agbench.weather.daily import DailySeries
from agbench.weather.day_by_day import DayByDay, can_draw_again
from agbench.weather.draws import standard_normal
from agbench.weather.greenhouse.cloudy_days import CloudyDays
from agbench.weather.greenhouse.disaggregation import DAY, Days, disaggregate
from agbench.weather.greenhouse.hours import disaggregate_hours, read_hours
from agbench.weather.greenhouse.past_sums import with_past_sums
from agbench.weather.greenhouse.position import Position
from agbench.weather.greenhouse.series import HOURS_READER, READERS, GreenhouseSeries, read_parquet
from agbench.weather.site import site_series


class GreenhouseWeather(Protocol):
    """Where a greenhouse's weather comes from.

    With `past` the column `dli` is the sum of the 24 hours before a row, which is all that a grower can know;
    without, that of the row's whole day. Before the series begins it is that of its first day.
    """

    @property
    def random(self) -> bool:
        """Whether `rows` draws from its generator."""

    @property
    def sha256(self) -> str:
        """The SHA-256 of the series it rests on."""

    def check(self, start: date, days: int) -> None:
        """Raise `WeatherError` where days are missing."""

    def rows(self, start: date, days: int, ahead: int, generator: np.random.Generator | None) -> Floats:
        """Return the weather (rows, 10) of some days, and `ahead` rows more where there are any."""

    def table(
        self, start: date, days: int, ahead: int, generator: np.random.Generator | None
    ) -> "Floats | DayByDay":
        """Return what `rows` returns; what the generator draws may be made when it is read."""


@dataclass(frozen=True)
class Measured:
    """A series measured at the model's interval."""

    series: GreenhouseSeries
    past: bool = True
    random: bool = False

    @property
    def sha256(self) -> str:
        """The SHA-256 of the series."""
        return self.series.sha256

    def check(self, start: date, days: int) -> None:
        """Raise `WeatherError` where days are missing."""
        self.series.window(datetime.combine(start, time()), days * DAY // self.series.interval)

    def rows(self, start: date, days: int, ahead: int, generator: np.random.Generator | None) -> Floats:
        """Return the weather of some days, and `ahead` rows more where there are any."""
        interval = self.series.interval
        steps, begin = days * DAY // interval, datetime.combine(start, time())
        rows = self.series.window(begin, steps, ahead)
        if not self.past:
            return rows
        before = begin - timedelta(days=1)
        if before < self.series.begin:
            return with_past_sums(rows[: DAY // interval], rows, interval)
        return with_past_sums(self.series.window(before, DAY // interval), rows, interval)

    table = rows


@dataclass(frozen=True)
class Disaggregated:
    """A daily series, its clouds drawn from the episode's generator if `random`.

    `zone` is that of the clock which rows follow; None for the sun's time (see `disaggregate`).
    """

    series: DailySeries
    random: bool
    interval: int
    zone: float | None
    past: bool = True

    @property
    def sha256(self) -> str:
        """The SHA-256 of the daily series."""
        return self.series.sha256

    def check(self, start: date, days: int) -> None:
        """Raise `WeatherError` where days are missing."""
        self.series.window(start, start + timedelta(days=days - 1))

    def rows(self, start: date, days: int, ahead: int, generator: np.random.Generator | None) -> Floats:
        """Return the weather of some days, and `ahead` rows more where there are any."""
        first, count, before = self._days(start, days, ahead)
        chosen = generator if self.random else None
        rows = disaggregate(self.series, first, count, chosen, self.interval, self.zone)
        a_day = DAY // self.interval
        result = rows[before * a_day : (before + days) * a_day + ahead]
        return (
            with_past_sums(rows[:a_day], result, self.interval) if self.past else np.ascontiguousarray(result)
        )

    def table(
        self, start: date, days: int, ahead: int, generator: np.random.Generator | None
    ) -> "Floats | CloudyDays":
        """Return what `rows` returns, to the last bit; days with drawn clouds are made when they are read."""
        if not self.random or generator is None or not can_draw_again(generator):
            return self.rows(start, days, ahead, generator)
        first, count, before = self._days(start, days, ahead)
        a_day = DAY // self.interval
        plan = Days.of(self.series, first, count, self.interval, self.zone)
        rows = min(days * a_day + ahead, (count - before) * a_day)
        result = CloudyDays(plan, rows, bool(before), self.past, generator)
        standard_normal(generator, count * a_day)  # what comes after is drawn from where all days end
        return result

    def _days(self, start: date, days: int, ahead: int) -> tuple[date, int, int]:
        """Return the first day and the number of days that rows are made of, and how many come before."""
        more = -(-ahead * self.interval // DAY)
        while more and self.series.missing(start, start + timedelta(days=days + more - 1)):
            more -= 1
        before = int(self.past and self._has(start - timedelta(days=1)))
        return start - timedelta(days=before), days + more + before, before

    def _has(self, day: date) -> bool:
        return self.series.start <= day <= self.series.end and not self.series.missing(day, day)


def measured_series(name: str) -> GreenhouseSeries:
    """Return the five-minute series of a site, measured or from measured hours.

    Raises `WeatherError` for a site of daily weather.
    """
    site = catalog.site(name)
    described = site.series or {}
    if not is_measured(site):
        raise WeatherError(f"site {name}: its weather is daily, not every five minutes.")
    path = catalog.find("site", name).parent / str(described["file"])
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    if site.reader == HOURS_READER:
        place = site.place.latitude, site.place.longitude
        return _from_hours(path, name, place, site.zone, described.get("sha256"), changed)
    return _read(path, name, described.get("sha256"), changed, _position(site))


def is_measured(site: Site) -> bool:
    """Return whether a site's weather is measured every five minutes or hour, for greenhouses."""
    return site.reader in READERS


def _position(site: Site) -> Position | None:
    """Return where a site's rows are measured and by which clock; None where its file names no zone."""
    if site.zone is None:
        return None
    return Position(site.place.latitude, site.place.longitude, site.zone)


@lru_cache(maxsize=4)
def _from_hours(
    path: Path, name: str, place: tuple[float, float], zone: float | None, expected: str | None, changed: int
) -> GreenhouseSeries:
    return disaggregate_hours(read_hours(path, name, *place, expected), zone)


@lru_cache(maxsize=8)
def _read(
    path: Path, name: str, expected: str | None, changed: int, place: Position | None
) -> GreenhouseSeries:
    if not path.is_file():
        return read_parquet(path, name, expected)  # which says that there is no file

    def read() -> GreenhouseSeries:
        return read_parquet(path, name, expected, place)

    start = f"{read_parquet.__module__}:{read_parquet.__name__}"
    return series_cache.greenhouse(f"{name} {expected}", [path], start, read)


def greenhouse_weather(
    site: str, cloudiness: bool, interval: int, by_clock: bool = True, past: bool = True
) -> GreenhouseWeather:
    """Return the greenhouse weather of a site, whatever its series is.

    Daily weather gets new clouds in every episode with `cloudiness`, and follows the site's clock
    unless `by_clock` is False. `past` says what `dli` is (see `GreenhouseWeather`).
    """
    if is_measured(catalog.site(site)):
        series = measured_series(site)
        if series.interval != interval:
            raise WeatherError(f"weather {site}: rows are {series.interval} s apart, not {interval} s.")
        return Measured(series, past)
    return disaggregated(site_series(site), site, cloudiness, interval, by_clock, past)


def disaggregated(
    series: DailySeries, site: str, cloudiness: bool, interval: int, by_clock: bool = True, past: bool = True
) -> Disaggregated:
    """Return a daily series at a site as greenhouse weather; see `greenhouse_weather`."""
    return Disaggregated(series, cloudiness, interval, catalog.site(site).clock if by_clock else None, past)
