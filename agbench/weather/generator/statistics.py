"""The statistics that a fit matches and a check compares: monthly and yearly statistics of daily weather."""

import calendar
from dataclasses import dataclass
from typing import Final

import numpy as np

from agbench.errors import WeatherError
from agbench.variables import Floats
from agbench.weather.columns import DAILY
from agbench.weather.daily import DailySeries
from agbench.weather.generator.generate import OBSERVED_ORDER, Generator
from agbench.weather.generator.parameters import MONTH_OF_DAY, WET_DAY

RAIN: Final = OBSERVED_ORDER.index("RAIN")
GROWING_SEASON: Final = slice(90, 273)
"""April to September, the season whose variance between years is fitted and checked."""

_LEAST_YEARS = 10


@dataclass(frozen=True, eq=False)
class Statistics:
    """Statistics of weather; the six variables in the order of `OBSERVED_ORDER`."""

    mean: Floats  # (6, 12)
    sd: Floats  # (6, 12), of days about the month's mean
    wet_share: Floats  # (12)
    autocorrelation: Floats  # (6), lag 1 d, of anomalies from the mean course of the year
    between_years: dict[str, float]  # standard deviation of growing-season means


def whole_years(series: DailySeries) -> Floats:
    """Return the complete years of a series, (years, 365, 6), without 29 February."""
    years = series.complete_years()
    if len(years) < _LEAST_YEARS:
        raise WeatherError(
            f"weather {series.name}: {len(years)} complete years are too few to fit a generator;"
            f" give at least {_LEAST_YEARS}."
        )
    columns = [DAILY.column(name) for name in OBSERVED_ORDER]
    result = []
    for year in years:
        first = (np.datetime64(f"{year}-01-01") - np.datetime64(series.start)).astype(int)
        rows = series.values[first : first + 366, columns]
        leap = calendar.isleap(year)
        result.append(np.delete(rows, 59, axis=0) if leap else rows[:365])
    return np.stack(result)


def generated_years(generator: Generator, count: int, first: int = 0) -> Floats:
    """Return the first years of seasons `first` to `first + count - 1`, (count, 365, 6)."""
    return np.stack([generator.observed(first + i, years=1) for i in range(count)])


def statistics(years: Floats) -> Statistics:
    """Return the statistics of whole years (n, 365, 6)."""
    months = [years[:, m == MONTH_OF_DAY].reshape(-1, 6) for m in range(12)]
    return Statistics(
        mean=np.stack([m.mean(axis=0) for m in months], axis=1),
        sd=np.stack([m.std(axis=0) for m in months], axis=1),
        wet_share=np.array([(m[:, RAIN] >= WET_DAY).mean() for m in months]),
        autocorrelation=lag_one(anomalies(years)),
        between_years=_between_years(years),
    )


def anomalies(years: Floats) -> Floats:
    """Return the differences from the monthly mean course, joined by lines, (n, 365, 6)."""
    course = np.stack([_smooth(years[:, :, v].mean(axis=0)) for v in range(6)], axis=1)
    return years - course


def _smooth(course: Floats) -> Floats:
    """Return a year's course without what does not last a month: its first four harmonics."""
    spectrum = np.fft.rfft(course)
    spectrum[5:] = 0.0
    smooth: Floats = np.fft.irfft(spectrum, course.size)
    return smooth


def lag_one(values: Floats) -> Floats:
    """Return the lag-1 autocorrelation within years of each variable (n, 365, k) -> (k)."""
    now, before = values[:, 1:], values[:, :-1]
    covariance = (now * before).mean(axis=(0, 1)) - now.mean(axis=(0, 1)) * before.mean(axis=(0, 1))
    result: Floats = covariance / (now.std(axis=(0, 1)) * before.std(axis=(0, 1)))
    return result


def _between_years(years: Floats) -> dict[str, float]:
    means = years[:, GROWING_SEASON].mean(axis=1)
    temperature = (means[:, 1] + means[:, 2]) / 2.0
    wet = (years[:, GROWING_SEASON, RAIN] >= WET_DAY).mean(axis=1)
    result = {name: float(means[:, v].std(ddof=1)) for v, name in enumerate(OBSERVED_ORDER)}
    return result | {"TEMP": float(temperature.std(ddof=1)), "wet share": float(wet.std(ddof=1))}


def spells(years: Floats, wet: bool) -> Floats:
    """Return the lengths of all wet or dry spells [d]; the years follow each other as one series."""
    flags = np.concatenate([[-1], (years[:, :, RAIN].ravel() >= WET_DAY).astype(int), [-1]])
    changes = np.flatnonzero(np.diff(flags))
    lengths = np.diff(changes)[flags[changes[:-1] + 1] == int(wet)]
    return np.asarray(lengths, dtype=np.float64)
