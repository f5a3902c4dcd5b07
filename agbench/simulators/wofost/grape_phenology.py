"""Phenology of grape vines: chilling, forcing by hourly heat units, day length.

A vine rests from the short days of autumn on. Chilling ends endodormancy, warmth then ends ecodormancy:
bud break. Warmth brings on bloom, veraison and ripeness.

Chilling: I. Garcia de Cortazar-Atauri, N. Brisson, J.P. Gaudillere (2009), Performance of several models for
predicting budburst date of grapevine (Vitis vinifera L.), International Journal of Biometeorology 53, 317-326
(BRIN, after Bidabe). Heat units and their parameters by cultivar: D. Zapata, M. Salazar-Gutierrez, B. Chaves,
M. Keller, G. Hoogenboom (2017), Predicting key phenological stages for 17 grapevine cultivars (Vitis vinifera
L.), American Journal of Enology and Viticulture 68, 60-72; W. Solow et al. (2025), WOFOSTGym.

Reads: TMIN, TMAX from weather.
Sets: DTSUME, DTSUM [degC]; DVR [d-1]; DCU [d-1]; STAGE, PHENOLOGY, DVS, CSUM, CHILLING, SHORTENING [-];
    TSUME, TSUM [degC d]; DAY_LENGTH [h]; DOB, DOL, DOV, DOR, DON, DOC [date].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.compiled.elementary import pow
from agbench.simulators.wofost.civil_calendar import month_and_day
from agbench.simulators.wofost.grape_columns import (
    BUD_BREAK,
    ECODORMANT,
    ENDODORMANT,
    FLOWERING,
    RIPE,
    VERAISON,
)
from agbench.simulators.wofost.repairs import repaired
from agbench.simulators.wofost.tables import limit

_CLOSED = -0.1  # DVS of closed buds in ecodormancy
_FIRST_OF_AUGUST = 801  # as month_and_day has it
_CODES = (1.0, 2.0, 3.0, 4.0, 5.0, 0.0)  # PHENOLOGY of bud break, bloom, veraison, ripe, endo-, ecodormancy


@kernel
def start_grape_phenology(s: Any, p: Any) -> None:
    """Put the vine at bud break, or into ecodormancy."""
    s.DOB = s.DOL = s.DOV = s.DOR = s.DON = s.DOC = s.DOH = -1.0
    s.DAY_LENGTH = 0.0
    if p.START_EMERGED > 0.0:
        s.STAGE = BUD_BREAK
        s.DVS = p.DVSI
        s.PHENOLOGY = _code(BUD_BREAK)
    else:
        s.STAGE = ECODORMANT
        s.DVS = _CLOSED
        s.PHENOLOGY = _code(ECODORMANT)


@kernel
def _code(stage: float) -> float:
    """Return the code of a stage in the original: 0 ecodormant to 5 endodormant."""
    return _CODES[int(stage - BUD_BREAK)]


@kernel
def resting(s: Any) -> bool:
    """Return whether the vine is dormant."""
    return s.STAGE == ENDODORMANT or s.STAGE == ECODORMANT


@kernel
def heat_units(low: float, high: float, p: Any) -> float:
    """Return the mean of 24 hourly temperatures above TBASEM, at most TEFFMX - TBASEM [degC].

    Temperature rises from `low` to `high` [degC] over 12 hours, and falls likewise.
    """
    slope = (high - low) / 12.0
    most = p.TEFFMX - p.TBASEM
    total = 0.0
    for hour in range(1, 13):
        total += limit(0.0, most, low + hour * slope - p.TBASEM)
    for hour in range(13, 25):
        total += limit(0.0, most, high - (hour - 12) * slope - p.TBASEM)
    return max(0.0, total / 24.0)


@kernel
def chilling_units(low: float, high: float, p: Any) -> float:
    """Return the chilling of a day with these extremes [degC] (BRIN, Equation 1) [-]."""
    return pow(p.Q10C, -high / 10.0) + pow(p.Q10C, -low / 10.0)


@kernel
def _chills_from_august(p: Any, s: Any, today: float) -> bool:
    if month_and_day(int(today)) == _FIRST_OF_AUGUST:
        s.CHILLING = 1.0
    return s.CHILLING > 0.0 and s.STAGE != ECODORMANT


@kernel
def _chills_in_dormancy(p: Any, s: Any, today: float) -> bool:
    return s.STAGE == ENDODORMANT


_chills = repaired("P7", published=_chills_from_august, sound=_chills_in_dormancy)
"""Whether cold counts as chilling; unrepaired, it does in green stages from August on."""


@kernel
def _ages_in_dormancy(p: Any, s: Any, warmth: float) -> None:
    s.DTSUM = warmth
    s.DVR = warmth / p.TSUM4


@kernel
def _rests_in_dormancy(p: Any, s: Any, warmth: float) -> None:
    return


_develop_in_dormancy = repaired("P15", published=_ages_in_dormancy, sound=_rests_in_dormancy)
"""Unrepaired, DVS and TSUM rise in endodormancy."""


@kernel
def grape_development_rates(s: Any, p: Any, w: Any, today: float) -> None:
    """Set DTSUME, DTSUM [degC], DVR [d-1] and DCU [d-1], and what day length says of the season."""
    if _chills(p, s, today):
        s.DCU = chilling_units(w.TMIN, w.TMAX, p)
    s.SHORTENING = 1.0 if w.DAYLP < s.DAY_LENGTH else 0.0
    s.DAY_LENGTH = w.DAYLP
    warmth = heat_units(w.TMIN, w.TMAX, p)
    if s.STAGE == ECODORMANT:
        s.DTSUME = warmth
        s.DVR = 0.1 * warmth / p.TSUMEM
        return
    if s.STAGE == ENDODORMANT:
        _develop_in_dormancy(p, s, warmth)
        return
    s.DTSUM = warmth
    if s.STAGE == BUD_BREAK:
        s.DVR = warmth / p.TSUM1
    elif s.STAGE == FLOWERING:
        s.DVR = warmth / p.TSUM2
    elif s.STAGE == VERAISON:
        s.DVR = warmth / p.TSUM3
    else:
        s.DVR = warmth / p.TSUM4


@kernel
def _short_day_after_veraison(p: Any, s: Any) -> bool:
    return s.DAY_LENGTH <= p.MLDORM and (s.STAGE == VERAISON or s.STAGE == RIPE)


@kernel
def _short_day_in_autumn(p: Any, s: Any) -> bool:
    return s.DAY_LENGTH <= p.MLDORM and s.SHORTENING > 0.0


_falls_dormant = repaired("P7", published=_short_day_after_veraison, sound=_short_day_in_autumn)
"""Whether day length sends the vine to rest; repaired, from any green stage, in either hemisphere."""


@kernel
def _carry_over(p: Any, s: Any) -> None:
    return


@kernel
def _start_anew(p: Any, s: Any) -> None:
    s.CSUM = s.TSUM = 0.0


_begin_chilling = repaired("P7", published=_carry_over, sound=_start_anew)
"""What endodormancy begins with; unrepaired, with the chilling of green stages."""


@kernel
def integrate_grape_development(s: Any, p: Any, today: float) -> None:
    """Advance development by a day, to the next stage where its threshold is reached."""
    s.TSUME += s.DTSUME
    s.DVS += s.DVR
    s.TSUM += s.DTSUM
    s.CSUM += s.DCU
    s.PHENOLOGY = _code(s.STAGE)
    if s.STAGE == ENDODORMANT:
        if s.CSUM >= p.CSUMDB:
            s.STAGE = ECODORMANT
            s.DVS = _CLOSED
            s.TSUM = s.TSUME = s.CSUM = s.CHILLING = 0.0
            s.DON = today
    elif s.STAGE == ECODORMANT:
        if s.TSUME >= p.TSUMEM:
            _enter(s, BUD_BREAK, 0.0)
            s.DOB = today
    else:
        _integrate_green(s, p, today)


@kernel
def _integrate_green(s: Any, p: Any, today: float) -> None:
    """Take the next green stage, and rest where days are short."""
    rests = _falls_dormant(p, s)
    if s.STAGE == BUD_BREAK and s.DVS >= 1.0:
        _enter(s, FLOWERING, 1.0)
        s.DOL = today
    elif s.STAGE == FLOWERING and s.DVS >= p.DVSM:
        _enter(s, VERAISON, p.DVSM)
        s.DOV = today
    elif s.STAGE == VERAISON and s.DVS >= p.DVSEND:
        _enter(s, RIPE, p.DVSEND)
        s.DOR = today
    if rests:
        s.STAGE = ENDODORMANT
        s.PHENOLOGY = _code(ENDODORMANT)
        s.DOC = today
        _begin_chilling(p, s)


@kernel
def _enter(s: Any, stage: float, dvs: float) -> None:
    """Put the vine into a green stage."""
    s.STAGE = stage
    s.PHENOLOGY = _code(stage)
    s.DVS = dvs
