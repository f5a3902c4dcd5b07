"""Nitrogen: the nutrition index, what the organs demand, take up and hand to the grain.

Reads: WLVG, WST, ANLV, ANST, ANRT, TNSOIL, WRT, ANSO, WSO from the day; DVS from phenology; WC from
    water.
Sets: rNUPTT, rANSO, rNLOSSL, rNLOSSR, rANLV, rANST, rANRT, rTNSOIL [g m-2 d-1]; FERTNS [g m-2].
"""

from typing import Any

from agbench.compiled import kernel

_LOWEST_NNI = 0.001  # -; PCSE keeps the index above zero


@kernel
def nutrition_index(s: Any, p: Any, leaf_maximum: float) -> float:
    """Return the nitrogen nutrition index NNI [-] of leaves and stems (Shibu et al. 2010).

    (actual - residual) / (critical - residual) concentration; critical is FRNX x maximum.
    `leaf_maximum` is the maximum concentration in leaves at the current DVS [g g-1].
    """
    green = s.WLVG + s.WST
    if green <= 0.0:
        return 1.0
    residual = (s.WLVG * p.RNFLV + s.WST * p.RNFST) / green
    critical_leaf = p.FRNX * leaf_maximum
    critical = (critical_leaf * s.WLVG + p.FRNX * (p.LSNR * leaf_maximum) * s.WST) / green
    if critical == residual:
        return 1.0
    actual = (s.ANLV + s.ANST) / green
    return min(max((actual - residual) / (critical - residual), _LOWEST_NNI), 1.0)


@kernel
def translocatable(s: Any, p: Any) -> tuple[float, float, float]:
    """Return the nitrogen above the residue in leaves, stems and roots [g m-2].

    Roots give at most the fraction FNTRT of what leaves and stems can give. Roots may hold less than their
    residue; what they lack then counts as a debt in the published model, which the grain pays. In the sound
    setting they give nothing.
    """
    leaves = max(0.0, s.ANLV - s.WLVG * p.RNFLV)
    stems = max(0.0, s.ANST - s.WST * p.RNFST)
    roots = min((leaves + stems) * p.FNTRT, s.ANRT - s.WRT * p.RNFRT)
    if p.SOUND == 1.0 and roots < 0.0:
        roots = 0.0
    return leaves, stems, roots


@kernel
def demands(s: Any, p: Any, leaf_maximum: float) -> tuple[float, float, float]:
    """Return what leaves, stems and roots lack to their maximum content [g m-2]."""
    leaves = max(leaf_maximum * s.WLVG - s.ANLV, 0.0)
    stems = max(p.LSNR * leaf_maximum * s.WST - s.ANST, 0.0)
    roots = max(p.LRNR * leaf_maximum * s.WRT - s.ANRT, 0.0)
    return leaves, stems, roots


@kernel
def uptake(s: Any, p: Any, demand: float) -> float:
    """Return the uptake from the soil [g m-2 d-1]; it ends at DVSNLT and on soil below wilting."""
    if s.DVS >= p.DVSNLT or s.WC < p.WCWP:
        return 0.0
    return max(0.0, min(demand, s.TNSOIL))


@kernel
def grain_uptake(s: Any, p: Any, available: float) -> float:
    """Return the nitrogen that the storage organs draw from the others [g m-2 d-1].

    `available` is what the other organs can give [g m-2]; supply starts after DVSNT and both
    supply and demand spread over TCNT days.
    """
    demand = max(p.NMAXSO * s.WSO - s.ANSO, 0.0) / p.TCNT
    supply = available / p.TCNT if s.DVS > p.DVSNT else 0.0
    return min(demand, supply)


@kernel
def loss_with_leaves(s: Any, p: Any, dead_leaves: float) -> float:
    """Return the nitrogen that dead leaves [g m-2 d-1] take along [g m-2 d-1]: the residual concentration.

    Leaves may hold less than that, and the published model goes on below 0. In the sound setting they then
    lose the same share of nitrogen as of weight.
    """
    lost = p.RNFLV * dead_leaves
    if p.SOUND == 1.0 and lost > s.ANLV:
        return s.ANLV * (dead_leaves / s.WLVG) if s.WLVG > 0.0 else 0.0
    return lost


@kernel
def loss_with_roots(s: Any, p: Any, dead_roots: float) -> float:
    """Return the nitrogen that dead roots [g m-2 d-1] take along [g m-2 d-1], as `loss_with_leaves` does."""
    lost = p.RNFRT * dead_roots
    if p.SOUND == 1.0 and lost > s.ANRT:
        return s.ANRT * (dead_roots / s.WRT) if s.WRT > 0.0 else 0.0
    return lost


@kernel
def nitrogen_rates(s: Any, p: Any, leaf_maximum: float, dead_leaves: float, dead_roots: float) -> None:
    """Set the rates of nitrogen in organs and soil [g m-2 d-1].

    `dead_leaves` and `dead_roots` are weights that die [g m-2 d-1]; their nitrogen is lost. Fertiliser that
    awaits its day (FERTNS) enters the soil now.
    """
    give_leaves, give_stems, give_roots = translocatable(s, p)
    give = give_leaves + give_stems + give_roots
    want_leaves, want_stems, want_roots = demands(s, p, leaf_maximum)
    want = want_leaves + want_stems + want_roots
    s.rNUPTT = uptake(s, p, want)
    s.rANSO = grain_uptake(s, p, give)
    taken = s.rNUPTT / want if want > 0.0 else 0.0
    moved = s.rANSO / give if give != 0.0 else 0.0
    s.rNLOSSL = loss_with_leaves(s, p, dead_leaves)
    s.rNLOSSR = loss_with_roots(s, p, dead_roots)
    s.rANLV = want_leaves * taken - give_leaves * moved - s.rNLOSSL
    s.rANST = want_stems * taken - give_stems * moved
    s.rANRT = want_roots * taken - give_roots * moved - s.rNLOSSR
    s.rTNSOIL = s.FERTNS - s.rNUPTT + p.RNMIN
    s.FERTNS = 0.0
