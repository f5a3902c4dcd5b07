"""Cold hardiness of dormant grape buds, the bud break that it predicts, and what frost kills.

HC is the temperature that kills half of the buds. Cold hardens dormant buds, warmth softens them, the more
in ecodormancy: J.C. Ferguson, J.M. Tarara, L.J. Mills, G.G. Grove, M. Keller (2011), Dynamic thermal time
model of cold hardiness for dormant grapevine buds, Annals of Botany 107, 389-396; J.C. Ferguson, M.M. Moyer,
L.J. Mills, G. Hoogenboom, M. Keller (2014), Modeling dormant bud cold hardiness and budbreak in twenty-three
Vitis genotypes reveals variation by region of origin, American Journal of Enology and Viticulture 65, 59-71.

Frost kills a logistic share of closed buds, or of green shoots with their fruit, by how far TMIN falls below
HC. The tenderest go first: only a harder frost than any before, since the buds closed or broke, kills more of
them. Leaves grow anew, so that each frost kills its share of them. What dead shoots would have borne goes to
wood.

Reads: TEMP, TMIN from weather; STAGE from grape phenology;
    WLV, DSLV1, DSLV2, DALV from leaves; WSO, HWSO from storage organs; BUDS_CLOSED from grape phenology.
Sets: DHR, DCR, DACC, ACC, HCR [degC d-1]; DHSUM, DCSUM [degC d]; HC, HCY, LTE50, PREDBB [degC]; DOPB [date];
    FROST_KILL, FROST_LEAVES [d-1]; FROST_WORST, BUDS_ALIVE, SHOOTS_ALIVE, FROST_DAMAGE, FO, FS [-]; DSLV3,
    DSLV, DRLV, DRSO, DHSO [kg ha-1 d-1].
"""

import math
from typing import Any, Final

from agbench.compiled import kernel
from agbench.compiled.elementary import exp, pow
from agbench.simulators.wofost.grape_columns import BUD_BREAK, ECODORMANT, ENDODORMANT
from agbench.simulators.wofost.grape_phenology import resting
from agbench.simulators.wofost.repairs import repaired, unchanged
from agbench.simulators.wofost.tables import limit

_UNKNOWN: Final = -99.0  # degC; hardiness of the day before the first
_HC_AT_BUD_BREAK: Final = ((-1.2, -2.2), (-2.5, -6.4))
"""HCMIN [degC], and HC at bud break [degC], of V. vinifera and of V. labruscana (Ferguson et al. 2014)."""
_LOGIT_OF_90: Final = math.log(9.0)  # -; half the logit between 10 and 90 %


@kernel
def _of_autumn(p: Any) -> float:
    return p.HCINIT


@kernel
def _of_winter(p: Any) -> float:
    return p.HCMAX


_first_hardiness = repaired("P9", published=_of_autumn, sound=_of_winter)
"""Hardiness of buds in ecodormancy at the start [degC]: chilling has ended, so that they are hard."""


@kernel
def start_hardiness(s: Any, p: Any) -> None:
    """Give the buds, or green shoots, their hardiness at the start, all of them alive."""
    s.HC = s.LTE50 = _first_hardiness(p)
    s.HCY = _UNKNOWN
    s.DOPB = -1.0
    s.DHSUM = s.DCSUM = s.PREDBB = s.FROST_WORST = 0.0
    s.BUDS_ALIVE = s.SHOOTS_ALIVE = 1.0
    if s.STAGE == BUD_BREAK:
        _open_buds(p, s)


@kernel
def _to_green_shoots(p: Any, s: Any) -> None:
    s.HC = s.LTE50 = p.LTGREEN
    s.SHOOTS_ALIVE = s.BUDS_ALIVE
    s.FROST_WORST = 0.0


_open_buds = repaired("SOUND", published=unchanged, sound=_to_green_shoots)
"""Let the living buds become shoots, which are as tender as green tissue; unrepaired, HC does not change."""


@kernel
def hardens(s: Any) -> bool:
    """Return whether the buds are closed."""
    return resting(s) or s.BUDS_CLOSED > 0.0


@kernel
def _of_two_days_ago(p: Any, s: Any) -> float:
    return s.HCY


@kernel
def _of_yesterday(p: Any, s: Any) -> float:
    return s.HC


_hardiness = repaired("P10", published=_of_two_days_ago, sound=_of_yesterday)
"""Hardiness that the rates start from [degC]; unrepaired, undefined on the first day."""


@kernel
def _has_been_cold(p: Any, s: Any) -> bool:
    return s.DCSUM != 0.0


@kernel
def _has_been_chilled(p: Any, s: Any) -> bool:
    return s.DCSUM != 0.0 or s.STAGE == ECODORMANT


_softens = repaired("P11", published=_has_been_cold, sound=_has_been_chilled)
"""Whether warmth can soften buds: after the first cold, as in Ferguson et al. (2011), and in ecodormancy."""


@kernel
def hardiness_rates(s: Any, p: Any, temperature: float) -> None:
    """Set the rates of hardening and softening of closed buds [degC d-1]; `temperature` in degC."""
    if not hardens(s):
        return
    base, hardening, softening, theta = p.TENDO, p.ENACCLIM, p.ENDEACCLIM, 1.0
    if s.STAGE == ECODORMANT:
        base, hardening, softening, theta = p.TECO, p.ECACCLIM, p.ECDEACCLIM, p.THETA
    width = p.HCMIN - p.HCMAX
    hardiness = _hardiness(p, s)
    s.DHR = max(0.0, temperature - base)
    s.DCR = min(0.0, temperature - base)
    if _softens(p, s):
        s.DACC = s.DHR * softening * (1.0 - pow((hardiness - p.HCMAX) / width, theta))
    s.ACC = s.DCR * hardening * (1.0 - (p.HCMIN - hardiness) / width)
    s.HCR = s.DACC + s.ACC


@kernel
def integrate_hardiness(s: Any, p: Any) -> None:
    """Advance hardiness by a day, before development moves to its next stage."""
    s.HCY = s.HC
    if hardens(s):
        s.HC = limit(p.HCMAX, p.HCMIN, s.HC + s.HCR)
    s.DCSUM += s.DCR
    s.LTE50 = _to_hundredths(s.HC)
    if s.STAGE == ECODORMANT:
        s.DHSUM += s.DHR


@kernel
def _to_hundredths(x: float) -> float:
    return math.floor(100.0 * x + 0.5) / 100.0


@kernel
def _by_least_hardiness(p: Any) -> float:
    for least, threshold in _HC_AT_BUD_BREAK:
        if least == p.HCMIN:
            return threshold
    return -math.inf


@kernel
def _by_parameter(p: Any) -> float:
    return p.HCBB


_bud_break_hardiness = repaired("P12", published=_by_least_hardiness, sound=_by_parameter)
"""Hardiness at which buds break [degC]; unrepaired, only two values of HCMIN have one."""


@kernel
def change_buds(s: Any, p: Any, before: float, closed: float, today: float) -> None:
    """Follow development: predict bud break, open and close buds.

    `before` is the stage before development moved on, `closed` BUDS_CLOSED then. New buds are alive, and as
    hard as HCINIT.
    """
    if before == ECODORMANT and s.STAGE == BUD_BREAK:
        s.DHSUM = s.DCSUM = s.PREDBB = 0.0
    if before in (ECODORMANT, ENDODORMANT):
        threshold = _bud_break_hardiness(p)
        if s.HCY < threshold <= s.HC:
            s.PREDBB = _to_hundredths(s.HC)
            s.DOPB = today
        if s.STAGE == BUD_BREAK:
            _open_buds(p, s)
    elif closed < s.BUDS_CLOSED:
        s.HC = s.LTE50 = p.HCINIT
        s.DHSUM = s.DCSUM = s.PREDBB = s.FROST_WORST = 0.0
        s.BUDS_ALIVE = 1.0


@kernel
def killed_share(temperature: float, half: float, span: float) -> float:
    """Return the share [-] that a frost kills: half of all at `half`, 10 to 90 % over `span` [degC]."""
    return 1.0 / (1.0 + exp((temperature - half) * (2.0 * _LOGIT_OF_90) / span))


@kernel
def _by_hardiness(p: Any, s: Any, least: float) -> None:
    share = killed_share(least, s.HC, p.LTESPAN if hardens(s) else p.LTGSPAN)
    if share > s.FROST_WORST:
        s.FROST_KILL = (share - s.FROST_WORST) / (1.0 - s.FROST_WORST)
    if not resting(s):
        s.FROST_LEAVES = killed_share(least, p.LTGREEN, p.LTGSPAN)


@kernel
def _none(p: Any, s: Any, least: float) -> None:
    return


frost_rates = repaired("SOUND", published=_none, sound=_by_hardiness)
"""Set FROST_KILL and FROST_LEAVES [d-1], what a least temperature kills of buds or shoots, and of leaves."""


@kernel
def integrate_frost(s: Any) -> None:
    """Count what frost has killed of closed buds, or of shoots."""
    if hardens(s):
        killed = s.FROST_KILL * s.BUDS_ALIVE
        s.BUDS_ALIVE -= killed
    else:
        killed = s.FROST_KILL * s.SHOOTS_ALIVE
        s.SHOOTS_ALIVE -= killed
    s.FROST_DAMAGE += killed
    s.FROST_WORST += s.FROST_KILL * (1.0 - s.FROST_WORST)


@kernel
def frost_on_leaves(s: Any) -> None:
    """Let frost kill leaves, where it does more than drought and shading."""
    s.DSLV3 = s.WLV * s.FROST_LEAVES
    s.DSLV += max(0.0, s.DSLV3 - max(s.DSLV1, s.DSLV2))
    s.DRLV = min(max(s.DSLV, s.DALV), s.WLV)


@kernel
def frost_on_fruit(s: Any) -> None:
    """Let fruit die with the shoots that bear it."""
    if not hardens(s):
        s.DRSO = min(s.WSO, s.DRSO + s.FROST_KILL * s.WSO)
        s.DHSO = min(s.HWSO, s.DHSO + s.FROST_KILL * s.HWSO)


@kernel
def bear_on_living_shoots(s: Any) -> None:
    """Give wood what dead shoots would have borne as fruit."""
    unborne = s.FO * (1.0 - s.SHOOTS_ALIVE)
    s.FO -= unborne
    s.FS += unborne
