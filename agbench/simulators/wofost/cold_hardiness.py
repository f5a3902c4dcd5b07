"""Cold hardiness of dormant grape buds, the bud break that it predicts, and what frost kills.

HC is the temperature that kills half of the buds. Cold hardens dormant buds, warmth softens them, the more
in ecodormancy: J.C. Ferguson, J.M. Tarara, L.J. Mills, G.G. Grove, M. Keller (2011), Dynamic thermal time
model of cold hardiness for dormant grapevine buds, Annals of Botany 107, 389-396; J.C. Ferguson, M.M. Moyer,
L.J. Mills, G. Hoogenboom, M. Keller (2014), Modeling dormant bud cold hardiness and budbreak in twenty-three
Vitis genotypes reveals variation by region of origin, American Journal of Enology and Viticulture 65, 59-71.

Frost kills a logistic share of buds or shoots by how far TMIN falls below HC. The tenderest go first: only a
harder frost than any before, since the buds closed or broke, kills more of them.

Reads: TEMP, TMIN from weather; STAGE from grape phenology.
Sets: DHR, DCR, DACC, ACC, HCR [degC d-1]; DHSUM, DCSUM [degC d]; HC, HCY, LTE50, PREDBB [degC]; DOPB [date];
    FROST_KILL [d-1]; FROST_WORST, BUDS_ALIVE, FROST_DAMAGE [-].
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
def start_hardiness(s: Any, p: Any) -> None:
    """Give the buds their hardiness at the start of dormancy, all of them alive."""
    s.HC = s.LTE50 = p.HCINIT
    s.HCY = _UNKNOWN
    s.DOPB = -1.0
    s.BUDS_ALIVE = 1.0
    if s.STAGE == BUD_BREAK:
        _soften(p, s)


@kernel
def _to_green_tissue(p: Any, s: Any) -> None:
    s.HC = s.LTE50 = p.LTGREEN
    s.FROST_WORST = 0.0


_soften = repaired("SOUND", published=unchanged, sound=_to_green_tissue)
"""From bud break on LTE50 is that of green shoots; unrepaired, it stays as it was."""


@kernel
def _of_two_days_ago(p: Any, s: Any) -> float:
    return s.HCY


@kernel
def _of_yesterday(p: Any, s: Any) -> float:
    return s.HC


_hardiness = repaired("P10", published=_of_two_days_ago, sound=_of_yesterday)
"""Hardiness that the rates start from [degC]; it is also defined on the first day (P9)."""


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
    """Set the rates of hardening and softening of dormant buds [degC d-1]; `temperature` in degC."""
    if not resting(s):
        return
    if s.STAGE == ENDODORMANT:
        base, hardening, softening, theta = p.TENDO, p.ENACCLIM, p.ENDEACCLIM, 1.0
    else:
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
    if resting(s):
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
def _harden_from_last_spring(p: Any, s: Any) -> None:
    return


@kernel
def _harden_from_the_start(p: Any, s: Any) -> None:
    s.HC = s.LTE50 = p.HCINIT
    s.DHSUM = s.DCSUM = s.PREDBB = s.FROST_WORST = 0.0
    s.BUDS_ALIVE = 1.0


_close_buds = repaired("SOUND", published=_harden_from_last_spring, sound=_harden_from_the_start)
"""The buds of a new winter are alive and as hard as HCINIT; unrepaired, as hard as those of spring."""


@kernel
def change_buds(s: Any, p: Any, before: float, today: float) -> None:
    """Follow development out of the stage `before`: predict bud break, open and close buds."""
    if before == ECODORMANT and s.STAGE == BUD_BREAK:
        s.DHSUM = s.DCSUM = s.PREDBB = 0.0
    if before in (ECODORMANT, ENDODORMANT):
        threshold = _bud_break_hardiness(p)
        if s.HCY < threshold <= s.HC:
            s.PREDBB = _to_hundredths(s.HC)
            s.DOPB = today
        if s.STAGE == BUD_BREAK:
            _soften(p, s)
    elif s.STAGE == ENDODORMANT:
        _close_buds(p, s)


@kernel
def killed_share(temperature: float, half: float, span: float) -> float:
    """Return the share [-] that a frost kills: half of all at `half`, 10 to 90 % over `span` [degC]."""
    return 1.0 / (1.0 + exp((temperature - half) * (2.0 * _LOGIT_OF_90) / span))


@kernel
def _of_all(p: Any, s: Any, least: float) -> None:
    span = p.LTESPAN if resting(s) else p.LTGSPAN
    share = killed_share(least, s.HC, span)
    if share > s.FROST_WORST:
        s.FROST_KILL = (share - s.FROST_WORST) / (1.0 - s.FROST_WORST)


@kernel
def _none(p: Any, s: Any, least: float) -> None:
    return


frost_rates = repaired("SOUND", published=_none, sound=_of_all)
"""Set FROST_KILL, the share of the living buds or shoots that a night's least temperature kills [d-1]."""


@kernel
def integrate_frost(s: Any) -> None:
    """Count what frost has killed."""
    s.FROST_DAMAGE += s.FROST_KILL * s.BUDS_ALIVE
    s.BUDS_ALIVE -= s.FROST_KILL * s.BUDS_ALIVE
    s.FROST_WORST += s.FROST_KILL * (1.0 - s.FROST_WORST)
