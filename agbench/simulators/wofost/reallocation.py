"""Reallocation of dry weight from leaves and stems to storage organs, WOFOST 8.1.

From REALLOC_DVS on, fixed shares of the leaves and stems of that day move at fixed rates.

Reads: DVS from phenology; WST from stems; WLV from leaves.
Sets: REALLOC_LV, REALLOC_ST, REALLOC_SO [kg ha-1 d-1]; LV_REALLOCATED, ST_REALLOCATED, WST_REALLOC,
    WLV_REALLOC [kg ha-1].
"""

from typing import Any

from agbench.compiled import kernel


@kernel
def _moving(pool: float, moved: float, rate: float) -> float:
    """Return how much of a `pool` moves today, given the amount `moved` so far [kg ha-1 d-1]."""
    return min(pool * rate, pool - moved) if moved < pool else 0.0


@kernel
def reallocation_rates(s: Any, p: Any) -> None:
    """Set what leaves and stems lose and storage organs gain [kg ha-1 d-1]."""
    if s.DVS < p.REALLOC_DVS:
        return
    if s.WST_REALLOC < 0.0:
        s.WST_REALLOC = s.WST * p.REALLOC_STEM_FRACTION
        s.WLV_REALLOC = s.WLV * p.REALLOC_LEAF_FRACTION
    s.REALLOC_LV = _moving(s.WLV_REALLOC, s.LV_REALLOCATED, p.REALLOC_LEAF_RATE)
    s.REALLOC_ST = _moving(s.WST_REALLOC, s.ST_REALLOCATED, p.REALLOC_STEM_RATE)
    s.REALLOC_SO = (s.REALLOC_LV + s.REALLOC_ST) * p.REALLOC_EFFICIENCY


@kernel
def integrate_reallocation(s: Any) -> None:
    """Advance the sums of what has moved."""
    s.LV_REALLOCATED += s.REALLOC_LV
    s.ST_REALLOCATED += s.REALLOC_ST
