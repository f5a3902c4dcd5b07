"""Seasons of a climate: keyed by a site's name and an integer, the same bytes every time."""

import hashlib
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import WeatherError
from agbench.variables import Floats
from agbench.weather.daily import ANGSTROM, DailySeries, derive
from agbench.weather.draws import standard_normal
from agbench.weather.generator.kernel import angot_year, generate
from agbench.weather.generator.parameters import KNOTS, SEASON_OF_DAY, WET_DAY, GeneratorParameters, daily

OBSERVED_ORDER: Final = ("IRRAD", "TMIN", "TMAX", "VAP", "WIND", "RAIN")
FIRST_DAY: Final = date(2001, 1, 1)
"""Generated seasons begin here; 2001 and 2002 have 365 days. The year itself means nothing."""

YEARS: Final = 2  # of a season, so that winter crops ripen within it
MOST_YEARS: Final = 40
"""The most years of a generated season."""
_WARMUP = 30  # d, in which wet spells and the fast process forget their start
_DRAWS = 12  # normal numbers a day


@dataclass(frozen=True, eq=False)
class Generator:
    """The weather generator of one place; `latitude` in degrees, `elevation` in m."""

    name: str
    parameters: GeneratorParameters
    latitude: float
    longitude: float
    elevation: float
    angstrom: tuple[float, float] = ANGSTROM

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tables", _tables(self.parameters, self.latitude))

    def observed(self, seed: "int | bytes", years: int = YEARS) -> Floats:
        """Return the rows (365 x years, 6) of a season in the order of `OBSERVED_ORDER`.

        `seed` is the season's number, or 32 secret bytes. More years prolong the same weather.
        """
        return self._rows(seed, np.arange(365 * years) % 365)

    def _rows(self, seed: "int | bytes", days: NDArray[np.int64]) -> Floats:
        """Return a row for each of some days of the year, from 0 on; the first is 1 January."""
        days = np.concatenate([np.arange(365 - _WARMUP, 365), days])
        occurrence, process = _streams(self.name, seed)
        normal = standard_normal(process, (len(days), _DRAWS))
        return generate(self._tables, occurrence.random(len(days)), normal, days, _WARMUP)  # type: ignore[attr-defined]

    def season(self, seed: "int | bytes", years: int = YEARS, until: date | None = None) -> DailySeries:
        """Return a season as a series from `FIRST_DAY` on, with evapotranspiration derived.

        In leap years the last day of December comes twice. What needs no days after `until` need not wait
        for them: the series ends there, and its days are those of the whole season.
        """
        if not 1 <= years <= MOST_YEARS:
            raise WeatherError(f"a generated season has 1 to {MOST_YEARS} years; got {years}.")
        if until is not None and until < FIRST_DAY:
            raise WeatherError(f"a generated season starts on {FIRST_DAY}; it cannot end on {until}.")
        wanted = None if until is None else (until - FIRST_DAY).days + 1
        rows = self._rows(seed, _days_of_year(years)[:wanted])
        columns = {name: rows[:, i] for i, name in enumerate(OBSERVED_ORDER)}
        values = derive(columns, FIRST_DAY, self.latitude, self.elevation, self.angstrom)
        angstrom = f"{self.angstrom[0]:g} {self.angstrom[1]:g}"
        provenance = {"reader": "generator", "site": self.name, "angstrom": angstrom}
        if isinstance(seed, int):
            provenance["season"] = str(seed)
        place = (self.latitude, self.longitude, self.elevation)
        return DailySeries(self.name, FIRST_DAY, values, *place, provenance)


@cache
def _days_of_year(years: int) -> NDArray[np.int64]:
    """Return the day of the year (0 to 364, not to be changed) of each day of years from `FIRST_DAY` on."""
    dates = np.arange(np.datetime64(FIRST_DAY), np.datetime64(FIRST_DAY.replace(year=FIRST_DAY.year + years)))
    days: NDArray[np.int64] = (dates - dates.astype("datetime64[Y]")).astype(np.int64)
    return np.minimum(days, 364)


def _streams(name: str, seed: "int | bytes") -> "tuple[np.random.Generator, np.random.Generator]":
    """Return the generators of wet days and of all else."""
    if isinstance(seed, int) and seed < 0:
        raise WeatherError(f"the number of a generated season must not be negative; got {seed}.")
    number = seed if isinstance(seed, int) else int.from_bytes(seed, "big")
    site = int.from_bytes(hashlib.sha256(name.encode()).digest()[:16], "big")
    children = np.random.SeedSequence([site, number]).spawn(2)
    first, second = (np.random.Generator(np.random.PCG64(child)) for child in children)
    return first, second


def _tables(p: GeneratorParameters, latitude: float) -> tuple[Any, ...]:
    """Return what the kernel reads: monthly numbers of each day, seasonal ones as they are."""
    return (
        daily(p.wet_after),
        daily(p.scale),
        daily(p.shape),
        daily(p.mean),
        daily(p.sd),
        daily(p.dry),
        daily(p.wet),
        *(np.ascontiguousarray(a) for a in (p.dry_spread, p.wet_spread, p.rain_effect)),
        *(np.ascontiguousarray(a) for a in (p.quantiles, p.rain_quantiles)),
        *(np.ascontiguousarray(a) for a in (p.transition, p.innovation, p.mixing)),
        SEASON_OF_DAY,
        angot_year(latitude),
        np.array(KNOTS),
        (p.persistence, 1.0 - 1.0 / p.slow_days, p.rain_odds, p.rain_amount, WET_DAY),
    )
