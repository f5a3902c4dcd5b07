"""Residues of crops and the leaching of nitrogen: what a rotation adds to the pools of the soil.

The remains of a crop, with the organs that died during its season, join the residues, which release
their nutrients at first order. The response to temperature is that of H.S. Yang and B.H. Janssen (2000), A
mono-component model of carbon mineralization with a dynamic rate constant, European Journal of Soil Science
51, 517-529. Residues take up no mineral nitrogen while they rot, although straw in fact immobilises some.

Water that drains out of the rootable depth carries nitrogen at the concentration of the mobile soil water:
S.L. Neitsch et al. (2011), Soil and Water Assessment Tool, theoretical documentation 2009, equations 4:2.1.2
to 4:2.1.3, with all of the soil as one layer. Phosphorus and potassium are bound to the soil and stay.

Reads: LOSS from water balance; NAVAIL, RxAVAIL from soil nutrients; RNUPTAKE, xAMOUNTLV, xAMOUNTST,
    xAMOUNTRT, xAMOUNTSO, xlossesTotal from nutrients; TEMP from weather.
Sets: RESIDUE_x, xRELEASED, xSOWN, NDRAINED [kg ha-1]; RxRELEASED, RNDRAINED, RxAVAIL [kg ha-1 d-1] (x: N, P,
    K).
"""

from collections.abc import Callable
from typing import Any

from agbench.compiled import kernel
from agbench.compiled.elementary import exp
from agbench.simulators.wofost.tables import limit

_REFERENCE = 9.0  # degC, at which rates are stated
_LEAST, _MOST = -1.0, 27.0  # degC; below nothing rots, above no faster
_DOUBLING = 9.0  # K
_LN_2 = 0.6931471805599453

Kernel = Callable[..., None]


@kernel
def decomposition_by_warmth(temperature: float) -> float:
    """Return the rate of decomposition at a `temperature` [degC] over that at 9 degC [-].

    Yang and Janssen (2000): linear from -1 to 9 degC, then twice as fast every 9 K up to 27 degC.
    """
    if temperature <= _REFERENCE:
        return 0.1 * (max(temperature, _LEAST) - _LEAST)
    return exp(_LN_2 * (min(temperature, _MOST) - _REFERENCE) / _DOUBLING)


def _residues(x: str) -> tuple[Kernel, Kernel, Kernel, Kernel]:
    """Return the kernels of nutrient `x`: what is sown, what crops leave, rates, integration."""
    residue, released, sown = f"RESIDUE_{x}", f"{x}RELEASED", f"{x}SOWN"
    leaves, stems, roots, storage = (f"{x}AMOUNT{organ}" for organ in ("LV", "ST", "RT", "SO"))
    dead, rate, change, share = f"{x}lossesTotal", f"R{x}RELEASED", f"R{x}AVAIL", f"{x}RESIDUE_FR"

    @kernel
    def sow(s: Any) -> None:
        s[sown] += s[leaves] + s[stems] + s[roots] + s[storage]

    @kernel
    def leave(s: Any) -> None:
        s[residue] += s[leaves] + s[stems] + s[roots] + s[storage] + s[dead]

    @kernel
    def rates(s: Any, p: Any, warmth: float) -> None:
        s[rate] = s[residue] * limit(0.0, 1.0, p[share] * warmth)
        s[change] += s[rate]

    @kernel
    def integrate(s: Any) -> None:
        s[residue] -= s[rate]
        s[released] += s[rate]

    return sow, leave, rates, integrate


_sow_n, _leave_n, _rates_n, _integrate_n = _residues("N")
_sow_p, _leave_p, _rates_p, _integrate_p = _residues("P")
_sow_k, _leave_k, _rates_k, _integrate_k = _residues("K")


@kernel
def count_seed(s: Any) -> None:
    """Book the nutrients that a crop which has just been sown brings in."""
    _sow_n(s)
    _sow_p(s)
    _sow_k(s)


@kernel
def leave_residues(s: Any) -> None:
    """Turn all living and dead organs of a crop into residues."""
    _leave_n(s)
    _leave_p(s)
    _leave_k(s)


@kernel
def residue_rates(s: Any, p: Any, temperature: float) -> None:
    """Set release and leaching of the day [kg ha-1 d-1], once the rates of the soil pools are set."""
    warmth = decomposition_by_warmth(temperature)
    _rates_n(s, p, warmth)
    _rates_p(s, p, warmth)
    _rates_k(s, p, warmth)
    mobile = (1.0 - p.ANION_EXCLUSION) * p.SM0 * p.RDMSOL
    share = p.NDRAIN_SHARE * (1.0 - exp(-s.LOSS / mobile))
    s.RNDRAINED = max(0.0, s.NAVAIL - s.RNUPTAKE) * share
    s.RNAVAIL -= s.RNDRAINED


@kernel
def integrate_residues(s: Any) -> None:
    """Advance residues, and what left with drainage, by a day."""
    _integrate_n(s)
    _integrate_p(s)
    _integrate_k(s)
    s.NDRAINED += s.RNDRAINED
