"""Greenhouse weather of a site: measured every five minutes, or disaggregated from days."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from agbench.data import catalog
from agbench.errors import WeatherError
from agbench.variables import Floats
from agbench.weather import series_cache
from agbench.weather.daily import DailySeries
from agbench.weather.greenhouse.disaggregation import DAY, disaggregate
from agbench.weather.greenhouse.series import READER, GreenhouseSeries, read_parquet
from agbench.weather.site import site_series


class GreenhouseWeather(Protocol):
    """Where a greenhouse's weather comes from."""

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


@dataclass(frozen=True)
class Measured:
    """A series measured at the model's interval."""

    series: GreenhouseSeries
    random: bool = False

    @property
    def sha256(self) -> str:
        """The SHA-256 of the series."""
        return self.series.sha256

    def check(self, start: date, days: int) -> None:
        """Raise `WeatherError` where days are missing."""
        self.rows(start, days, 0, None)

    def rows(self, start: date, days: int, ahead: int, generator: np.random.Generator | None) -> Floats:
        """Return the weather of some days, and `ahead` rows more where there are any."""
        steps = days * DAY // self.series.interval
        return self.series.window(datetime.combine(start, time()), steps, ahead)


@dataclass(frozen=True)
class Disaggregated:
    """A daily series, its clouds drawn from the episode's generator if `random`."""

    series: DailySeries
    random: bool
    interval: int

    @property
    def sha256(self) -> str:
        """The SHA-256 of the daily series."""
        return self.series.sha256

    def check(self, start: date, days: int) -> None:
        """Raise `WeatherError` where days are missing."""
        self.series.window(start, start + timedelta(days=days - 1))

    def rows(self, start: date, days: int, ahead: int, generator: np.random.Generator | None) -> Floats:
        """Return the weather of some days, and `ahead` rows more where there are any."""
        more = -(-ahead * self.interval // DAY)
        while more and self.series.missing(start, start + timedelta(days=days + more - 1)):
            more -= 1
        chosen = generator if self.random else None
        rows = disaggregate(self.series, start, days + more, chosen, self.interval)
        return np.ascontiguousarray(rows[: days * DAY // self.interval + ahead])


def measured_series(name: str) -> GreenhouseSeries:
    """Return the five-minute series of a site; raises `WeatherError` for a site of daily weather."""
    site = catalog.site(name)
    described = site.series or {}
    if site.reader != READER:
        raise WeatherError(f"site {name}: its weather is daily, not every five minutes.")
    path = catalog.find("site", name).parent / str(described["file"])
    return _read(path, name, described.get("sha256"), path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=8)
def _read(path: Path, name: str, expected: str | None, changed: int) -> GreenhouseSeries:
    if not path.is_file():
        return read_parquet(path, name, expected)  # which says that there is no file

    def read() -> GreenhouseSeries:
        return read_parquet(path, name, expected)

    start = f"{read_parquet.__module__}:{read_parquet.__name__}"
    return series_cache.greenhouse(f"{name} {expected}", [path], start, read)


def greenhouse_weather(site: str, cloudiness: bool, interval: int) -> GreenhouseWeather:
    """Return the greenhouse weather of a site, whatever its series is."""
    if catalog.site(site).reader == READER:
        series = measured_series(site)
        if series.interval != interval:
            raise WeatherError(f"weather {site}: rows are {series.interval} s apart, not {interval} s.")
        return Measured(series)
    return Disaggregated(site_series(site), cloudiness, interval)
