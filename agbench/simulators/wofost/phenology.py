"""Phenology: temperature, day length and vernalisation carry the crop from sowing to maturity.

C.A. van Diepen, J. Wolf, H. van Keulen, C. Rappoldt (1989), WOFOST: a simulation model of crop
production, Soil Use and Management 5, 16-24. Vernalisation: Lewis, Christenson and Wallace as in
van Bussel (2011). The N-P-K model adds ageing after maturity, up to the stage dead.

Reads: TEMP from weather.
Sets: DOS, DOE, DOA, DOM, DOH, DOV [date]; VERNR [d d-1]; VERNFAC, DVS, STAGE, VERN_FORCED,
    ISVERNALISED, FIN, IN_CROP [-]; VERN [d]; TSUME, TSUM [degC d]; DTSUME, DTSUM [degC]; DVR [d-1].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.repairs import repaired
from agbench.simulators.wofost.tables import DTSMTB, VERNRTB, limit, table
from agbench.simulators.wofost.variables import DEAD, EMERGING, MATURE, REPRODUCTIVE, VEGETATIVE
from agbench.variables import Floats

_SOWN = -0.1  # DVS of a crop that has not emerged


@kernel
def start_phenology(s: Any, p: Any, today: float) -> None:
    """Put the crop at sowing or at emergence, on day `today` since 1970-01-01."""
    s.DOS = s.DOE = s.DOA = s.DOM = s.DOH = s.DOV = -1.0
    if p.START_EMERGED > 0.0:
        s.STAGE = VEGETATIVE
        s.DVS = p.DVSI
        s.DOE = today
    else:
        s.STAGE = EMERGING
        s.DVS = _SOWN
        s.DOS = today


@kernel
def day_length_reduction(photoperiod: float, p: Any) -> float:
    """Return the reduction of development by day length [-]; `photoperiod` in hours."""
    if p.IDSL < 1.0:
        return 1.0
    return limit(0.0, 1.0, (photoperiod - p.DLC) / (p.DLO - p.DLC))


@kernel
def vernalisation_rates(s: Any, p: Any, tables: Floats, temperature: float) -> None:
    """Set VERNR and VERNFAC; from VERNDVS on the requirement counts as met."""
    s.VERNR = 0.0
    s.VERNFAC = 1.0
    if s.ISVERNALISED > 0.0:
        return
    if s.DVS < p.VERNDVS:
        s.VERNR = table(tables, VERNRTB, temperature)
        s.VERNFAC = limit(0.0, 1.0, (s.VERN - p.VERNBASE) / (p.VERNSAT - p.VERNBASE))
    else:
        s.VERN_FORCED = 1.0


@kernel
def development_rates(s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set DTSUME, DTSUM [degC] and DVR [d-1] of a crop that has been sown."""
    if s.STAGE == EMERGING:
        s.DTSUME = limit(0.0, p.TEFFMX - p.TBASEM, w.TEMP - p.TBASEM)
        s.DVR = 0.1 * s.DTSUME / p.TSUMEM
    elif s.STAGE == VEGETATIVE:
        reduction = 1.0
        if p.IDSL >= 2.0:
            vernalisation_rates(s, p, tables, w.TEMP)
            reduction = s.VERNFAC
        s.DTSUM = table(tables, DTSMTB, w.TEMP) * reduction * day_length_reduction(w.DAYLP, p)
        s.DVR = s.DTSUM / p.TSUM1
    elif s.STAGE == REPRODUCTIVE:
        s.DTSUM = table(tables, DTSMTB, w.TEMP)
        s.DVR = s.DTSUM / p.TSUM2
    elif s.STAGE == MATURE and p.AGES_AFTER_MATURITY > 0.0:
        s.DTSUM = table(tables, DTSMTB, w.TEMP)
        s.DVR = s.DTSUM / p.TSUM3


@kernel
def integrate_vernalisation(s: Any, p: Any, today: float) -> None:
    """Advance VERN by a day."""
    s.VERN += s.VERNR
    if s.VERN >= p.VERNSAT:
        s.ISVERNALISED = 1.0
        if s.DOV < 0.0:
            s.DOV = today
    else:
        s.ISVERNALISED = s.VERN_FORCED


@kernel
def _emerges_by_stage(p: Any, s: Any) -> bool:
    return s.DVS >= 0.0


@kernel
def _emerges_by_warmth(p: Any, s: Any) -> bool:
    return s.TSUME >= p.TSUMEM


emerges = repaired("P1", published=_emerges_by_stage, sound=_emerges_by_warmth)
"""Accumulated DVS reaches 0 a day late by rounding."""


@kernel
def integrate_development(s: Any, p: Any, today: float) -> None:
    """Advance development by a day, to the next stage where its threshold is reached.

    Sets FIN and clears IN_CROP where the calendar ends the crop at the stage reached.
    """
    if p.IDSL >= 2.0 and s.STAGE == VEGETATIVE:
        integrate_vernalisation(s, p, today)
    s.TSUME += s.DTSUME
    s.DVS += s.DVR
    s.TSUM += s.DTSUM
    ends = 0.0
    if s.STAGE == EMERGING and emerges(p, s):
        s.STAGE = VEGETATIVE
        s.DVS = 0.0
        s.DOE = today
        ends = p.END_EMERGENCE
    elif s.STAGE == VEGETATIVE and s.DVS >= 1.0:
        s.STAGE = REPRODUCTIVE
        s.DVS = 1.0
        s.DOA = today
    elif s.STAGE == REPRODUCTIVE and s.DVS >= p.DVSM:
        s.STAGE = MATURE
        s.DVS = p.DVSM
        s.DOM = today
        ends = p.END_MATURITY
    elif s.STAGE == MATURE and p.AGES_AFTER_MATURITY > 0.0 and s.DVS >= p.DVSEND:
        s.STAGE = DEAD
        s.DVS = p.DVSEND
        ends = p.END_DEATH
    if ends > 0.0:
        s.FIN = 1.0
        s.IN_CROP = 0.0
