"""Prices of a day-ahead market as a stochastic model: drawn for each episode, known a day ahead.

The price of an hour is its mean by season, weekday and hour, less what the sun takes off it about noon, and
the deviations of the day and of the hour in shares of the mean level. Deviations are autoregressive of first
order, the days' and the sun's from day to day, the hours' from hour to hour. Means by hour and reversion to
them from day to day: Huisman, Huurman and Mahieu (2007, Energy Economics 29, 240-248). The sun's share of
the power falls towards winter; its days are drawn, not those of the episode's weather.
"""

import math
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import numpy as np

from agbench.compiled import entry
from agbench.compiled.elementary import cos, exp
from agbench.data.prices import HOURS, PriceModel
from agbench.variables import Floats
from agbench.weather.draws import standard_normal

_SATURDAY: Final = 5
_YEAR: Final = 365.25  # d
_LONGEST: Final = 172  # day of the year


@dataclass(frozen=True, eq=False)
class DayAhead:
    """A model of day-ahead prices, ready to draw from."""

    spec: PriceModel
    sha256: str

    @property
    def name(self) -> str:
        """The model's name."""
        return self.spec.prices

    @property
    def published_at(self) -> int:
        """The hour of a day at which the prices of the next day are published."""
        return self.spec.published_at

    def expected(self, first: date, days: int) -> Floats:
        """Return what the prices of some days from `first` are without deviations, (days, 24)."""
        spec = self.spec
        week = np.array([spec.weekday] * 5 + [spec.weekend] * 2)
        week = week / week.mean() * (1.0 + self._yearly_fall)
        season = 1.0 + spec.season.amplitude * _wave(first, days, spec.season.highest)
        weekdays = (first.weekday() + np.arange(days)) % 7
        result: Floats = spec.mean * (season[:, None] * week[weekdays] - self._fall(first, days))
        return result

    @property
    def _bell(self) -> Floats:
        """The course of the sun's fall over a day, (24,); zeros of a model without sun."""
        sun = self.spec.sun
        if sun is None:
            return np.zeros(HOURS)
        hours = (np.arange(HOURS) + 0.5 - sun.noon) / sun.width
        result: Floats = sun.depth * exp(-0.5 * hours * hours)
        return result

    @property
    def _yearly_fall(self) -> float:
        """The mean of the sun's fall over all hours of a year, in shares of the mean."""
        return float(self._bell.mean()) * 0.5

    def _fall(self, first: date, days: int) -> Floats:
        """Return the sun's mean fall in shares of the mean, (days, 24): none on the shortest day."""
        height = 0.5 + 0.5 * _wave(first, days, _LONGEST)
        result: Floats = height[:, None] * self._bell
        return result

    def window(self, first: date, hours: int, generator: np.random.Generator | None) -> Floats:
        """Return the prices of some `hours` from midnight of `first`; expected ones without a generator."""
        days = -(-hours // HOURS)
        expected = self.expected(first, days)
        if generator is None:
            return expected.ravel()[:hours]
        spec = self.spec
        of_days = standard_normal(generator, days)
        of_hours = standard_normal(generator, days * HOURS)
        autoregress(of_days, spec.days.memory)
        autoregress(of_hours, spec.hours.memory)
        share = spec.days.deviation * of_days[:, None] + spec.hours.deviation * of_hours.reshape(days, HOURS)
        if spec.sun is not None:
            of_sun = standard_normal(generator, days)
            autoregress(of_sun, spec.sun.memory)
            share -= spec.sun.deviation * of_sun[:, None] * self._fall(first, days)
        prices = np.clip(expected + spec.mean * share, *spec.limits)
        return np.asarray(prices.ravel()[:hours], dtype=np.float64)


def _wave(first: date, days: int, highest: float) -> Floats:
    """Return a yearly wave from -1 to 1 over some days from `first`, with its crest on a day of the year."""
    numbers = np.array([(first + timedelta(days=k)).timetuple().tm_yday for k in range(days)], np.float64)
    result: Floats = cos(2.0 * math.pi * (numbers - highest) / _YEAR)
    return result


@entry
def autoregress(noise: Floats, memory: float) -> None:
    """Turn independent normal numbers into an AR(1) series of variance 1, in place."""
    fresh = math.sqrt(1.0 - memory * memory)
    for k in range(1, len(noise)):
        noise[k] = memory * noise[k - 1] + fresh * noise[k]
