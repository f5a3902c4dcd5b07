"""The generator's parameters as arrays, to and from the climate of a site file."""

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data.climate import Climate
from agbench.errors import ConfigError
from agbench.variables import Floats

ELEMENTS: Final = ("IRRAD", "TMIN", "TMAX", "VAP", "WIND")
"""The variables except rain; IRRAD is the ratio to the radiation above the atmosphere."""

OCCURRENCE: Final = ("dry_dry", "dry_wet", "wet_dry", "wet_wet")
WET_DAY: Final = 0.01  # cm d-1; rain of a wet day is at least this (0.1 mm, as LARS-WG)
KNOTS: Final = (-3.0, -2.0, -1.2, -0.6, 0.0, 0.6, 1.2, 2.0, 3.0)
"""Normal scores at which the quantiles of an element are given."""

_MONTHS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_MIDDLES = np.cumsum(_MONTHS) - _MONTHS / 2.0
MONTH_OF_DAY: Final[NDArray[np.int64]] = np.repeat(np.arange(12), _MONTHS)
"""Month (0 to 11) of each day of a year of 365 days."""

SEASON_OF_DAY: Final[NDArray[np.int64]] = (MONTH_OF_DAY + 1) % 12 // 3
"""Season (0: December to February) of each day of a year of 365 days."""


@dataclass(frozen=True, eq=False)
class GeneratorParameters:
    """Arrays of the generator; months are 12, seasons 4, elements 5 in the order of `ELEMENTS`.

    A day is wet with probability `wet_after` (4, 12), whose odds a slow process shifts; a wet day
    brings `scale` x exp(`shape` x the `rain_quantiles` (4, 9) at a normal score) cm, at least
    WET_DAY; the score keeps `persistence` of yesterday's. The normal score of an element is
    `dry` + `dry_spread` x r, or `wet` + `wet_spread` x r + `rain_effect` x the score of rain. r is
    the sum of a fast vector, which follows `transition` and `innovation` (4, 5, 5), and of the slow
    process, six correlated AR(1) series with a memory of `slow_days` mixed by `mixing` (6, 6); the
    sixth moves the log-odds of rain by `rain_odds` and the log of its amount by `rain_amount`.
    Value = `mean` + `sd` x the `quantiles` (5, 4, 9) at the score. Monthly numbers are joined by
    straight lines.
    """

    wet_after: Floats
    scale: Floats
    shape: Floats
    persistence: float
    rain_quantiles: Floats
    mean: Floats
    sd: Floats
    dry: Floats
    wet: Floats
    dry_spread: Floats
    wet_spread: Floats
    rain_effect: Floats
    quantiles: Floats
    transition: Floats
    innovation: Floats
    slow_days: float
    mixing: Floats
    rain_odds: float
    rain_amount: float

    def rounded(self) -> "GeneratorParameters":
        """Return the parameters with the four digits that a site file holds."""
        return GeneratorParameters(**{f.name: _four_digits(getattr(self, f.name)) for f in fields(self)})


_ELEMENT_KEYS = ("mean", "sd", "dry", "wet", "dry_spread", "wet_spread", "rain_effect", "quantiles")


def from_climate(climate: Climate) -> GeneratorParameters:
    """Return the arrays of a climate; raises `ConfigError` where an element is missing."""
    if set(climate.elements) != set(ELEMENTS):
        raise ConfigError(
            f"climate.elements has {', '.join(climate.elements)}; it must have {', '.join(ELEMENTS)}."
        )
    elements = [climate.elements[name] for name in ELEMENTS]
    return GeneratorParameters(
        wet_after=np.array([getattr(climate.occurrence, name) for name in OCCURRENCE]),
        scale=np.array(climate.amounts.scale),
        shape=np.array(climate.amounts.shape),
        persistence=climate.amounts.persistence,
        rain_quantiles=np.array(climate.amounts.quantiles),
        **{key: np.array([getattr(e, key) for e in elements]) for key in _ELEMENT_KEYS},
        transition=np.array([d.transition for d in climate.dynamics]),
        innovation=np.array([d.innovation for d in climate.dynamics]),
        slow_days=climate.slow.days,
        mixing=np.array(climate.slow.mixing),
        rain_odds=climate.slow.rain_odds,
        rain_amount=climate.slow.rain_amount,
    )


def to_climate(parameters: GeneratorParameters, source: str) -> Climate:
    """Return the climate of a site file."""
    p = parameters.rounded()
    elements = {
        name: {key: getattr(p, key)[i].tolist() for key in _ELEMENT_KEYS} for i, name in enumerate(ELEMENTS)
    }
    dynamics = [
        {"transition": a.tolist(), "innovation": b.tolist()}
        for a, b in zip(p.transition, p.innovation, strict=True)
    ]
    slow = {"days": p.slow_days, "mixing": p.mixing.tolist()}
    slow |= {"rain_odds": p.rain_odds, "rain_amount": p.rain_amount}
    content: dict[str, Any] = {
        "source": source,
        "occurrence": {name: row.tolist() for name, row in zip(OCCURRENCE, p.wet_after, strict=True)},
        "amounts": {
            "scale": p.scale.tolist(),
            "shape": p.shape.tolist(),
            "persistence": p.persistence,
            "quantiles": p.rain_quantiles.tolist(),
        },
        "elements": elements,
        "dynamics": dynamics,
        "slow": slow,
    }
    return Climate.model_validate(content)


def daily(monthly: Floats) -> Floats:
    """Return monthly numbers (..., 12) for each day of the year (..., 365), joined by lines."""
    before, weight = _positions()
    low, high = monthly[..., before], monthly[..., (before + 1) % 12]
    values: Floats = np.ascontiguousarray(low + (high - low) * weight)
    return values


@lru_cache(maxsize=1)
def _positions() -> tuple[NDArray[np.int64], Floats]:
    """Return for each day the month whose middle lies before it, and how far on it is [-]."""
    day = np.arange(365) + 0.5
    before = (np.searchsorted(_MIDDLES, day, side="right") - 1) % 12
    span = (np.roll(_MIDDLES, -1)[before] - _MIDDLES[before]) % 365.0
    return before, ((day - _MIDDLES[before]) % 365.0) / span


def _four_digits(value: Any) -> Any:
    rounded = np.array([float(f"{x:.4g}") for x in np.ravel(value)]).reshape(np.shape(value))
    return rounded if rounded.ndim else float(rounded)
