"""Growth: light use, its reduction by stress, and the partitioning of dry matter.

Reads: DVS, DVR from phenology; WST from the day.
"""

from typing import Any

from agbench.compiled import kernel
from agbench.compiled.elementary import exp

PAR_FRACTION = 0.5  # share of global radiation; Monteith and Unsworth 1990, Spitters 1990


@kernel
def nitrogen_reduction(nni: float, p: Any) -> float:
    """Return the reduction of light use by nitrogen stress, NRF [-] (Shibu et al. 2010)."""
    return exp(-p.NLUE * (1.0 - nni))


@kernel
def potential_growth(radiation: float, lai: float, p: Any) -> float:
    """Return growth without stress [g m-2 d-1]: LUE x intercepted PAR (Monteith 1977).

    `radiation` is global radiation [MJ m-2 d-1]; interception follows Lambert and Beer.
    """
    return p.LUE * PAR_FRACTION * radiation * (1.0 - exp(-p.K * lai))


@kernel
def _rescaled(modified: float, original: float) -> float:
    """Return by how much the other organs' shares change when one organ's share is modified."""
    return (1.0 - modified) / (1.0 - original) if original < 1.0 else 1.0


@kernel
def partition(
    roots: float, leaves: float, stems: float, storage: float, tranrf: float, nni: float, p: Any
) -> tuple[float, float, float, float]:
    """Return the shares of growth of roots, leaves, stems, storage organs [-] under stress.

    Where water is the harder stress, roots gain (LINTUL-2); where nitrogen is, leaves lose. As published,
    roots may take more than there is, and the shoot shrinks; in the sound setting they take at most all.
    """
    if tranrf < nitrogen_reduction(nni, p):
        more_roots = max(1.0, 1.0 / (tranrf + 0.5))
        if p.SOUND == 1.0 and roots * more_roots > 1.0:
            more_roots = 1.0 / roots
        modified = roots * more_roots
        shoot = _rescaled(modified, modified / more_roots)
        return modified, leaves * shoot, stems * shoot, storage * shoot
    fewer_leaves = exp(-p.NPART * (1.0 - nni))
    modified = leaves * fewer_leaves
    others = _rescaled(modified, modified / fewer_leaves)
    return roots * others, modified, stems * others, storage * others


@kernel
def stem_reserves(s: Any, p: Any) -> float:
    """Return stem reserves moved to the grain [g m-2 d-1] after DVSNT.

    WST x DVR x FRTRL, a part of lintul3-wheat (Kallenberg et al. 2023); FRTRL is 0 in lintul3.
    """
    return s.WST * s.DVR * p.FRTRL if s.DVS > p.DVSNT else 0.0
