"""Comparison of a fitted generator with its observations: the criteria, and the share that pass."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from agbench.errors import WeatherError
from agbench.variables import Floats
from agbench.weather.daily import DailySeries
from agbench.weather.generator.generate import OBSERVED_ORDER, Generator
from agbench.weather.generator.parameters import SEASON_OF_DAY, WET_DAY
from agbench.weather.generator.statistics import (
    RAIN,
    Statistics,
    generated_years,
    spells,
    statistics,
    whole_years,
)

CHECKED_SEASONS: Final = 8000
SUBSAMPLE: Final = 200
_LEAST_SEASONS: Final = 2
_KS_AT_1_PERCENT = 1.6276  # two-sample Kolmogorov-Smirnov, asymptotic
_SEASONS = ("winter", "spring", "summer", "autumn")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_TEMPERATURES = ("TMIN", "TMAX")


@dataclass(frozen=True)
class Comparison:
    """One comparison: what, observed and generated value, how far off, and how far it may be."""

    criterion: str
    what: str
    observed: float
    generated: float
    off: float
    allowed: float

    @property
    def passed(self) -> bool:
        """Whether the difference is within what is allowed."""
        return self.off <= self.allowed


def check(generator: Generator, series: DailySeries, count: int = CHECKED_SEASONS) -> list[Comparison]:
    """Return all comparisons of `count` generated seasons with the observed complete years."""
    if count < _LEAST_SEASONS:
        raise WeatherError(
            f"seasons: a spread needs at least {_LEAST_SEASONS} generated seasons to compare; got {count}."
        )
    observed = whole_years(series)
    generated = generated_years(generator, count)
    have, result = statistics(observed), statistics(generated)
    return [
        *_means(have, result),
        *_spreads(have, result),
        *_wet_shares(have, result),
        *_distributions(observed, generated),
        *_persistence(have, result),
        *_between_years(have, result),
    ]


def share_passed(findings: list[Comparison]) -> dict[str, tuple[int, int]]:
    """Return for each criterion how many comparisons pass, and of how many."""
    result: dict[str, tuple[int, int]] = {}
    for finding in findings:
        passed, total = result.get(finding.criterion, (0, 0))
        result[finding.criterion] = (passed + finding.passed, total + 1)
    return result


def _means(have: Statistics, result: Statistics) -> Iterator[Comparison]:
    for v, name in enumerate(OBSERVED_ORDER):
        for m, month in enumerate(_MONTHS):
            a, b = float(have.mean[v, m]), float(result.mean[v, m])
            kelvin = name in _TEMPERATURES
            off = abs(b - a) if kelvin else _relative(a, b)
            yield Comparison("monthly mean", f"{name} {month}", a, b, off, 0.3 if kelvin else 0.03)


def _spreads(have: Statistics, result: Statistics) -> Iterator[Comparison]:
    for v, name in enumerate(OBSERVED_ORDER):
        for m, month in enumerate(_MONTHS):
            a, b = float(have.sd[v, m]), float(result.sd[v, m])
            yield Comparison("standard deviation", f"{name} {month}", a, b, _relative(a, b), 0.10)


def _wet_shares(have: Statistics, result: Statistics) -> Iterator[Comparison]:
    for m, month in enumerate(_MONTHS):
        a, b = float(have.wet_share[m]), float(result.wet_share[m])
        yield Comparison("wet-day share", month, a, b, abs(b - a), 0.03)


def _distributions(observed: Floats, generated: Floats) -> Iterator[Comparison]:
    rng = np.random.Generator(np.random.PCG64(1))
    for s, season in enumerate(_SEASONS):
        have, result = (years[:, s == SEASON_OF_DAY] for years in (observed, generated))
        for wet, what in ((True, "wet spells"), (False, "dry spells")):
            yield _ks(f"{what} {season}", spells(have, wet), spells(result, wet), rng)
        amounts = [r[r >= WET_DAY] for r in (have[:, :, RAIN].ravel(), result[:, :, RAIN].ravel())]
        yield _ks(f"amounts {season}", amounts[0], amounts[1], rng)


def _ks(what: str, observed: Floats, generated: Floats, rng: np.random.Generator) -> Comparison:
    """Compare two samples of at most 200; the returned values are their means."""
    a, b = (rng.choice(x, min(SUBSAMPLE, x.size), replace=False) for x in (observed, generated))
    points = np.concatenate([a, b])
    shares = [np.searchsorted(np.sort(x), points, side="right") / x.size for x in (a, b)]
    distance = float(np.abs(shares[0] - shares[1]).max())
    allowed = _KS_AT_1_PERCENT * float(np.sqrt((a.size + b.size) / (a.size * b.size)))
    return Comparison(
        "distribution", what, float(observed.mean()), float(generated.mean()), distance, allowed
    )


def _persistence(have: Statistics, result: Statistics) -> Iterator[Comparison]:
    for v, name in enumerate(OBSERVED_ORDER):
        a, b = float(have.autocorrelation[v]), float(result.autocorrelation[v])
        yield Comparison("lag-1 autocorrelation", name, a, b, abs(b - a), 0.1)


def _between_years(have: Statistics, result: Statistics) -> Iterator[Comparison]:
    for name in ("TEMP", "IRRAD", "RAIN"):
        a, b = have.between_years[name], result.between_years[name]
        yield Comparison("between years", f"{name} April to September", a, b, _relative(a, b), 0.20)


def _relative(observed: float, generated: float) -> float:
    return abs(generated - observed) / max(abs(observed), 1e-12)
