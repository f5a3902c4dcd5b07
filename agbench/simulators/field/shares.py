"""Whether the partition tables of a crop share out all of its growth, and no more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from agbench.variables import Floats

TOLERANCE: Final = 1e-4  # as in PCSE (pcse.crop.partitioning), which refuses what differs by more
SHARES_OF_SHOOT: Final = ("FRTB", "FLTB", "FSTB", "FOTB")
"""WOFOST's tables: what roots leave is shared by leaves, stems and storage organs."""
SHARES_OF_ALL: Final = ("FRTTB", "FLVTB", "FSTTB", "FSOTB")
"""LINTUL-3's tables of roots, leaves, stems and storage organs, which share all of the growth."""
_LAST_STAGE: Final = 2.0  # DVS at maturity: crops do not read their tables beyond


def wrong_shares(tables: Mapping[str, Floats], names: Sequence[str]) -> str | None:
    """Return at which development stage shares of growth do not add up to 1, and to what; None if they do.

    `names` are `SHARES_OF_SHOOT` or `SHARES_OF_ALL`, as AFGEN tables (3, k) or families by age
    (1 + curves, 3, k); with one of them absent there is nothing to say. Between the abscissae of all
    tables the sum is as near 1 as at them, since tables are piecewise linear.
    """
    if any(name not in tables for name in names):
        return None
    curves = [tables[name] for name in names]
    if any(curve.flags.writeable for curve in curves):
        return _wrong(tuple(names), curves)
    return _known(tuple(names), *map(_Same, curves))


@dataclass(frozen=True, eq=False)
class _Same:
    """A table that cannot change, the same as another if it is the same object; many episodes have it."""

    curve: Floats

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.curve is self.curve

    def __hash__(self) -> int:
        return id(self.curve)


@lru_cache(maxsize=1024)
def _known(names: tuple[str, ...], *same: _Same) -> str | None:
    return _wrong(names, [one.curve for one in same])


def _wrong(names: tuple[str, ...], curves: Sequence[Floats]) -> str | None:
    of_shoot = names == SHARES_OF_SHOOT
    stages = np.unique(np.concatenate([_abscissae(curve) for curve in curves]))
    stages = np.union1d(stages[(stages > 0.0) & (stages < _LAST_STAGE)], [0.0, _LAST_STAGE])
    for age in np.unique(np.concatenate([_ages(curve) for curve in curves])):
        roots, *others = (_values(curve, float(age), stages) for curve in curves)
        total = sum(others) * (1.0 - roots) + roots if of_shoot else sum(others) + roots
        wrong = np.abs(total - 1.0) >= TOLERANCE
        if wrong.any():
            i = int(np.argmax(wrong))
            listed = ", ".join(
                f"{name} {share[i]:g}" for name, share in zip(names, (roots, *others), strict=True)
            )
            formula = (
                f"{names[0]} + ({' + '.join(names[1:])}) x (1 - {names[0]})"
                if of_shoot
                else " + ".join(names)
            )
            return (
                f"shares of growth must add up to 1 at every DVS; at {stages[i]:g} they are {listed}: "
                f"{formula} is {total[i]:.4g}."
            )
    return None


def _abscissae(curve: Floats) -> Floats:
    """Return the development stages of a table, or of all curves of a family."""
    abscissae: Floats = (curve[1] if curve.ndim == 3 else curve)[0]
    return abscissae


def _ages(curve: Floats) -> Floats:
    """Return the ages of a family, 0 for a table."""
    return curve[0, 0] if curve.ndim == 3 else np.zeros(1)


def _values(curve: Floats, age: float, stages: Floats) -> Floats:
    """Return a table at development stages, or a family at an age, between whose curves it interpolates."""
    if curve.ndim == 2:
        return np.interp(stages, curve[0], curve[1])
    by_age = np.array([np.interp(stages, plane[0], plane[1]) for plane in curve[1:]])
    ages = curve[0, 0, : len(by_age)]
    return np.array([np.interp(age, ages, by_age[:, i]) for i in range(len(stages))])
