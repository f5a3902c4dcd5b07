"""Is a fitted generator like its observations? The criteria, and the share of them that pass."""

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
class Finding:
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


def check(generator: Generator, series: DailySeries, count: int = CHECKED_SEASONS) -> list[Finding]:
    """Return all comparisons of `count` generated seasons with the observed complete years."""
    if count < _LEAST_SEASONS:
        raise WeatherError(
            f"seasons: a spread needs at least {_LEAST_SEASONS} generated seasons to compare; got {count}."
        )
    observed = whole_years(series)
    generated = generated_years(generator, count)
    have, found = statistics(observed), statistics(generated)
    return [
        *_means(have, found),
        *_spreads(have, found),
        *_wet_shares(have, found),
        *_distributions(observed, generated),
        *_persistence(have, found),
        *_between_years(have, found),
    ]


def share_passed(findings: list[Finding]) -> dict[str, tuple[int, int]]:
    """Return for each criterion how many comparisons pass, and of how many."""
    found: dict[str, tuple[int, int]] = {}
    for finding in findings:
        passed, total = found.get(finding.criterion, (0, 0))
        found[finding.criterion] = (passed + finding.passed, total + 1)
    return found


def _means(have: Statistics, found: Statistics) -> Iterator[Finding]:
    for v, name in enumerate(OBSERVED_ORDER):
        for m, month in enumerate(_MONTHS):
            a, b = float(have.mean[v, m]), float(found.mean[v, m])
            kelvin = name in _TEMPERATURES
            off = abs(b - a) if kelvin else _relative(a, b)
            yield Finding("monthly mean", f"{name} {month}", a, b, off, 0.3 if kelvin else 0.03)


def _spreads(have: Statistics, found: Statistics) -> Iterator[Finding]:
    for v, name in enumerate(OBSERVED_ORDER):
        for m, month in enumerate(_MONTHS):
            a, b = float(have.sd[v, m]), float(found.sd[v, m])
            yield Finding("standard deviation", f"{name} {month}", a, b, _relative(a, b), 0.10)


def _wet_shares(have: Statistics, found: Statistics) -> Iterator[Finding]:
    for m, month in enumerate(_MONTHS):
        a, b = float(have.wet_share[m]), float(found.wet_share[m])
        yield Finding("wet-day share", month, a, b, abs(b - a), 0.03)


def _distributions(observed: Floats, generated: Floats) -> Iterator[Finding]:
    rng = np.random.Generator(np.random.PCG64(1))
    for s, season in enumerate(_SEASONS):
        have, found = (years[:, s == SEASON_OF_DAY] for years in (observed, generated))
        for wet, what in ((True, "wet spells"), (False, "dry spells")):
            yield _ks(f"{what} {season}", spells(have, wet), spells(found, wet), rng)
        amounts = [r[r >= WET_DAY] for r in (have[:, :, RAIN].ravel(), found[:, :, RAIN].ravel())]
        yield _ks(f"amounts {season}", amounts[0], amounts[1], rng)


def _ks(what: str, observed: Floats, generated: Floats, rng: np.random.Generator) -> Finding:
    """Compare two samples of at most 200; the values told are their means."""
    a, b = (rng.choice(x, min(SUBSAMPLE, x.size), replace=False) for x in (observed, generated))
    points = np.concatenate([a, b])
    shares = [np.searchsorted(np.sort(x), points, side="right") / x.size for x in (a, b)]
    distance = float(np.abs(shares[0] - shares[1]).max())
    allowed = _KS_AT_1_PERCENT * float(np.sqrt((a.size + b.size) / (a.size * b.size)))
    return Finding("distribution", what, float(observed.mean()), float(generated.mean()), distance, allowed)


def _persistence(have: Statistics, found: Statistics) -> Iterator[Finding]:
    for v, name in enumerate(OBSERVED_ORDER):
        a, b = float(have.autocorrelation[v]), float(found.autocorrelation[v])
        yield Finding("lag-1 autocorrelation", name, a, b, abs(b - a), 0.1)


def _between_years(have: Statistics, found: Statistics) -> Iterator[Finding]:
    for name in ("TEMP", "IRRAD", "RAIN"):
        a, b = have.between_years[name], found.between_years[name]
        yield Finding("between years", f"{name} April to September", a, b, _relative(a, b), 0.20)


def _relative(observed: float, generated: float) -> float:
    return abs(generated - observed) / max(abs(observed), 1e-12)
