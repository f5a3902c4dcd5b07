"""Phenology of perennial crops: years of growth, dormancy, and rest until warmth comes.

Solow, Saisubramanian and Fern (2025), WOFOSTGym.

Reads: TEMP from weather; DTSUME, DTSUM, DVR from phenology.
Sets: DATBE, DSNG, DSD, DCYCLE [d]; AGE, SHORTENING, AUTUMN, DVS, STAGE, FIN, IN_CROP [-]; RDEM [d d-1];
    DAY_LENGTH [h]; TSUME, TSUM [degC d]; DOE, DOA, DOM [date].
"""

from collections.abc import Callable
from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.civil_calendar import month_and_day
from agbench.simulators.wofost.phenology import (
    development_rates,
    emerges,
    integrate_vernalisation,
    start_phenology,
)
from agbench.simulators.wofost.variables import (
    DEAD,
    DORMANT,
    EMERGING,
    MATURE,
    REPRODUCTIVE,
    SOWING,
    VEGETATIVE,
)
from agbench.variables import Floats

_AT_REST = -0.1  # DVS until bud break
_IN_DORMANCY = -0.2  # DVS in dormancy
_EQUINOX = 12.0  # h; day length before the first day


@kernel
def start_perennial(s: Any, p: Any, today: float) -> None:
    """Put the crop at rest, at bud break or, where it starts dormant, before its rest."""
    start_phenology(s, p, today)
    s.AGE = p.AGEI
    s.DAY_LENGTH = _EQUINOX
    if p.START_DORMANT > 0.0:
        s.STAGE = SOWING


@kernel
def perennial_rates(s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set DTSUME, DTSUM [degC], DVR [d-1] and RDEM [d d-1]."""
    s.SHORTENING = 1.0 if w.DAYLP < s.DAY_LENGTH else 0.0
    s.DAY_LENGTH = w.DAYLP
    if s.STAGE == SOWING:
        s.RDEM = 1.0 if w.TEMP > p.TBASEM else 0.0
    elif s.STAGE != DORMANT:
        development_rates(s, p, tables, w)


@kernel
def integrate_age(s: Any, p: Any, today: float) -> None:
    """Advance AGE on the day of the year on which the crop started."""
    if month_and_day(int(today)) == month_and_day(int(s.DOP)):
        s.AGE += 1.0


@kernel
def _count_days(s: Any) -> None:
    """Advance the counts of warm days at rest and of days without development."""
    s.DATBE = 0.0 if s.RDEM == 0.0 else s.DATBE + s.RDEM
    resting = s.STAGE == EMERGING or s.STAGE == SOWING
    s.DSNG = s.DSNG + 1.0 if s.DVR == 0.0 and not resting else 0.0


@kernel
def _finish(s: Any) -> None:
    """End the crop with this day."""
    s.FIN = 1.0
    s.IN_CROP = 0.0


@kernel
def _advance_stage(s: Any, p: Any, today: float) -> None:
    """Enter the next stage of a growing crop where its threshold is reached."""
    ends = 0.0
    if s.STAGE == VEGETATIVE and s.DVS >= 1.0:
        s.STAGE = REPRODUCTIVE
        s.DVS = 1.0
        s.DOA = today
    elif s.STAGE == REPRODUCTIVE and s.DVS >= p.DVSM:
        s.STAGE = MATURE
        s.DVS = p.DVSM
        s.DOM = today
        ends = p.END_MATURITY
    elif s.STAGE == MATURE and s.DVS >= p.DVSEND:
        s.STAGE = DEAD
        s.DVS = p.DVSEND
        ends = p.END_DEATH
    if ends > 0.0:
        _finish(s)


@kernel
def _leave_rest(s: Any, p: Any, today: float) -> None:
    """Enter stage vegetative at bud break."""
    if emerges(p, s):
        s.STAGE = VEGETATIVE
        s.DVS = 0.0
        s.DOE = today
        if p.END_EMERGENCE > 0.0:
            _finish(s)


@kernel
def _end_of_cycle(s: Any, p: Any) -> bool:
    """Return whether a crop goes dormant: it has not developed, or has grown, for long enough."""
    return s.DSNG >= p.DORM or s.DCYCLE >= p.DCYCLEMAX


@kernel
def _integrate_sums(s: Any, p: Any, today: float) -> None:
    """Advance vernalisation, temperature sums, stage, counts of days and age."""
    if p.IDSL >= 2.0 and s.STAGE == VEGETATIVE:
        integrate_vernalisation(s, p, today)
    s.TSUME += s.DTSUME
    s.DVS += s.DVR
    s.TSUM += s.DTSUM
    _count_days(s)
    integrate_age(s, p, today)


@kernel
def _end_rest(s: Any, p: Any) -> None:
    """Leave rest once some days in a row were warm, and sum temperatures up to bud break."""
    if s.DATBE >= p.DTBEM:
        s.STAGE = EMERGING
        s.DVS = _AT_REST
        s.DATBE = 0.0


def published_phenology(reset: Callable[..., None]) -> Callable[..., None]:
    """Return the kernel of a day of phenology as published; `reset` is what dormancy does to the crop."""

    @kernel
    def integrate_dormancy(s: Any, p: Any, tables: Floats, leaves: Floats) -> None:
        if s.DSD >= p.DORMCD:
            s.STAGE = SOWING
            s.DVS = _AT_REST
            s.DSD = 0.0
            return
        if s.DSD == 0.0:
            s.DCYCLE = 0.0
            s.DVS = _IN_DORMANCY
            reset(s, p, tables, leaves)
        s.DSD += 1.0

    @kernel
    def integrate_phenology(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
        """Advance development by a day, to the next stage where its threshold is reached."""
        _integrate_sums(s, p, today)
        if s.STAGE == SOWING:
            _end_rest(s, p)
        elif s.STAGE == EMERGING:
            s.DCYCLE += 1.0
            _leave_rest(s, p, today)
        elif s.STAGE == DEAD:
            s.DCYCLE += 1.0
            if _end_of_cycle(s, p):
                s.STAGE = DORMANT
                s.DVS = _AT_REST
                s.DSD = 0.0
        elif s.STAGE == DORMANT:
            integrate_dormancy(s, p, tables, leaves)
        else:
            s.DCYCLE += 1.0
            _advance_stage(s, p, today)
            if _end_of_cycle(s, p) or s.DAY_LENGTH < p.MLDORM:
                s.STAGE = DORMANT

    return integrate_phenology


@kernel
def _ripen(s: Any, p: Any, today: float) -> None:
    """Enter the next stage of a tree; old leaves stay until autumn."""
    if s.STAGE == MATURE:
        s.DVS = min(s.DVS, p.DVSEND)
    else:
        _advance_stage(s, p, today)


@kernel
def _pass_autumn(s: Any) -> bool:
    """Count cold days of autumn in DSNG; return whether days become longer again.

    It is autumn while days become shorter and are shorter than nights.
    """
    if s.SHORTENING > 0.0 and s.DAY_LENGTH < _EQUINOX:
        s.AUTUMN = 1.0
        s.DSNG += 1.0 if s.DVR == 0.0 else 0.0
    return s.AUTUMN > 0.0 and s.SHORTENING == 0.0


@kernel
def integrate_tree_phenology(s: Any, p: Any, today: float) -> None:
    """Advance the development of a tree by a day.

    Leaves fall in autumn where DVSEND is past, or after DORM cold days of it, at midwinter, on days
    shorter than MLDORM, or when the cycle has lasted too long. A cold spell in spring does no more than
    delay (P2): low temperature ends the growth of apple and pear (O.M. Heide, A.K. Prestrud (2005), Tree
    Physiology 25, 109-114). Dormancy lasts DORMCD days; rest then ends by warmth, and buds break by the
    temperature sum TSUMEM.
    """
    cold = s.DSNG
    _integrate_sums(s, p, today)
    s.DSNG = cold
    if s.STAGE == SOWING:
        _end_rest(s, p)
    elif s.STAGE == EMERGING:
        _leave_rest(s, p, today)
    elif s.STAGE == DORMANT:
        s.DSD += 1.0
        if s.DSD >= p.DORMCD:
            s.STAGE = SOWING
            s.DVS = _AT_REST
            s.DSD = 0.0
    else:
        s.DCYCLE += 1.0
        _ripen(s, p, today)
        midwinter = _pass_autumn(s)
        old = s.DVS >= p.DVSEND and s.AUTUMN > 0.0
        if old or midwinter or _end_of_cycle(s, p) or s.DAY_LENGTH < p.MLDORM:
            if p.END_DEATH > 0.0:
                _finish(s)
            begin_dormancy(s)


@kernel
def begin_dormancy(s: Any) -> None:
    """Begin a year of a tree: no development, no sums."""
    s.STAGE = DORMANT
    s.DVS = _IN_DORMANCY
    s.TSUM = s.TSUME = 0.0
    s.VERN = s.ISVERNALISED = s.VERN_FORCED = 0.0
    s.DCYCLE = s.DSNG = s.DSD = s.DATBE = s.AUTUMN = 0.0
    s.ASSIMILATION_DAYS = 0.0
