"""Phenology of perennial crops: years of growth, dormancy, and rest until warmth comes.

Solow, Saisubramanian and Fern (2025), WOFOSTGym.

Reads: TEMP from weather; the rates of phenology.
Sets: DATBE, DSNG, DSD, DCYCLE [d]; AGE [-]; RDEM [d d-1]; DVS, STAGE, FIN, IN_CROP [-]; TSUME, TSUM
    [degC d]; DOS, DOE, DOA, DOM [date].
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
_RESET = -0.2  # DVS in dormancy
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
def count_days(s: Any) -> None:
    """Advance the counts of warm days at rest and of days without development."""
    s.DATBE = 0.0 if s.RDEM == 0.0 else s.DATBE + s.RDEM
    resting = s.STAGE == EMERGING or s.STAGE == SOWING
    s.DSNG = s.DSNG + 1.0 if s.DVR == 0.0 and not resting else 0.0


@kernel
def finish(s: Any) -> None:
    """End the crop with this day."""
    s.FIN = 1.0
    s.IN_CROP = 0.0


@kernel
def advance_stage(s: Any, p: Any, today: float) -> None:
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
        finish(s)


@kernel
def leave_rest(s: Any, p: Any, today: float) -> None:
    """Enter stage vegetative at bud break."""
    if emerges(p, s):
        s.STAGE = VEGETATIVE
        s.DVS = 0.0
        s.DOE = today
        if p.END_EMERGENCE > 0.0:
            finish(s)


@kernel
def end_of_cycle(s: Any, p: Any) -> bool:
    """Return whether a crop has gone without development, or grown, for so long that it goes dormant."""
    return s.DSNG >= p.DORM or s.DCYCLE >= p.DCYCLEMAX


def perennial_integration(reset: Callable[..., None]) -> Callable[..., None]:
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
            s.DVS = _RESET
            reset(s, p, tables, leaves)
        s.DSD += 1.0

    @kernel
    def integrate_perennial(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
        """Advance development by a day, to the next stage where its threshold is reached."""
        if p.IDSL >= 2.0 and s.STAGE == VEGETATIVE:
            integrate_vernalisation(s, p, today)
        s.TSUME += s.DTSUME
        s.DVS += s.DVR
        s.TSUM += s.DTSUM
        count_days(s)
        integrate_age(s, p, today)
        if s.STAGE == SOWING:
            if s.DATBE >= p.DTBEM:
                s.STAGE = EMERGING
                s.DVS = _AT_REST
                s.DATBE = 0.0
        elif s.STAGE == EMERGING:
            s.DCYCLE += 1.0
            leave_rest(s, p, today)
        elif s.STAGE == DEAD:
            s.DCYCLE += 1.0
            if end_of_cycle(s, p):
                s.STAGE = DORMANT
                s.DVS = _AT_REST
                s.DSD = 0.0
        elif s.STAGE == DORMANT:
            integrate_dormancy(s, p, tables, leaves)
        else:
            s.DCYCLE += 1.0
            advance_stage(s, p, today)
            if end_of_cycle(s, p) or s.DAY_LENGTH < p.MLDORM:
                s.STAGE = DORMANT

    return integrate_perennial
