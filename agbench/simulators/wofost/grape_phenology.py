"""Phenology of grape vines: chilling, forcing by hourly heat units, day length.

The short days of autumn close the buds; leaves and fruit stay until days are shorter still or frost
comes. Chilling ends endodormancy, then warmth ends ecodormancy with bud break, and leads to bloom, veraison
and ripeness. As published, the vine rests as soon as days are short, once it has reached veraison.

Chilling: I. Garcia de Cortazar-Atauri, N. Brisson, J.P. Gaudillere (2009), Performance of several models for
predicting budburst date of grapevine (Vitis vinifera L.), International Journal of Biometeorology 53, 317-326
(BRIN, after Bidabe). Heat units and their parameters by cultivar: D. Zapata, M. Salazar-Gutierrez, B. Chaves,
M. Keller, G. Hoogenboom (2017), Predicting key phenological stages for 17 grapevine cultivars (Vitis vinifera
L.), American Journal of Enology and Viticulture 68, 60-72; W. Solow et al. (2025), WOFOSTGym.

Reads: TMIN, TMAX from weather; FROST_LEAVES from cold hardiness.
Sets: DTSUME, DTSUM [degC]; DVR, DCU [d-1]; STAGE, PHENOLOGY, DVS, CSUM, CHILLING_ON, BUDS_CLOSED,
    AUTUMN, SHORTENING [-]; TSUME, TSUM [degC d]; DAY_LENGTH [h]; DOB, DOL, DOV, DOR, DON, DOC, DOLF [date].
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

_CLOSED = -0.1  # DVS in ecodormancy
_FATAL = 0.5  # -; share of leaves killed by a frost that lets all of them fall
_FIRST_OF_AUGUST = 801  # as month_and_day has it
_CODES = (1.0, 2.0, 3.0, 4.0, 5.0, 0.0)  # PHENOLOGY of bud break, bloom, veraison, ripe, endo-, ecodormancy


@kernel
def start_grape_phenology(s: Any, p: Any) -> None:
    """Put the vine at bud break, or into ecodormancy."""
    s.DOB = s.DOL = s.DOV = s.DOR = s.DON = s.DOC = s.DOLF = s.DOH = -1.0
    s.DAY_LENGTH = 0.0
    if p.START_EMERGED > 0.0:
        s.STAGE = BUD_BREAK
        s.DVS = p.DVSI
        s.PHENOLOGY = _code(BUD_BREAK)
    else:
        begin_grape_rest(s, p)


@kernel
def begin_grape_rest(s: Any, p: Any) -> None:
    """Put the vine into ecodormancy, its buds closed."""
    s.STAGE = ECODORMANT
    s.DVS = _CLOSED
    s.PHENOLOGY = _code(ECODORMANT)
    s.TSUM = s.TSUME = s.CSUM = s.AUTUMN = 0.0
    s.BUDS_CLOSED = p.SOUND


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
        s.CHILLING_ON = 1.0
    return s.CHILLING_ON > 0.0 and s.STAGE != ECODORMANT


@kernel
def _chills_closed_buds(p: Any, s: Any, today: float) -> bool:
    return s.BUDS_CLOSED > 0.0 and s.STAGE != ECODORMANT


_chills = repaired("P7", published=_chills_from_august, sound=_chills_closed_buds)
"""Whether cold counts as chilling; unrepaired, it does from August on, in open buds too."""


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
def _stay_open(p: Any, s: Any, today: float) -> None:
    return


@kernel
def _close_on_short_days(p: Any, s: Any, today: float) -> None:
    if s.BUDS_CLOSED == 0.0 and s.SHORTENING > 0.0 and s.DAY_LENGTH <= p.MLDORM:
        s.BUDS_CLOSED = s.AUTUMN = 1.0
        s.CSUM = 0.0
        s.DOC = today


_close_buds = repaired("P7", published=_stay_open, sound=_close_on_short_days)
"""Close the buds of any green stage, in either hemisphere (P8); unrepaired, they have no state."""


@kernel
def _short_day_after_veraison(p: Any, s: Any) -> bool:
    return s.DAY_LENGTH <= p.MLDORM and (s.STAGE == VERAISON or s.STAGE == RIPE)


@kernel
def _leaves_fall(p: Any, s: Any) -> bool:
    short = s.SHORTENING > 0.0 and s.DAY_LENGTH <= p.MLFALL
    return s.BUDS_CLOSED > 0.0 and (short or s.FROST_LEAVES >= _FATAL)


_falls_dormant = repaired("P7", published=_short_day_after_veraison, sound=_leaves_fall)
"""Whether the vine goes to rest; unrepaired, a late vine stays green all winter."""


@kernel
def _date_closing(p: Any, s: Any, today: float) -> None:
    s.DOC = today


@kernel
def _date_leaf_fall(p: Any, s: Any, today: float) -> None:
    s.DOLF = today
    s.AUTUMN = 0.0


_date_rest = repaired("P7", published=_date_closing, sound=_date_leaf_fall)
"""Note the day on which the vine goes to rest."""


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
            s.TSUM = s.TSUME = s.CSUM = s.CHILLING_ON = 0.0
            s.DON = today
    elif s.STAGE == ECODORMANT:
        if s.TSUME >= p.TSUMEM:
            _enter(s, BUD_BREAK, 0.0)
            s.DOB = today
            s.BUDS_CLOSED = 0.0
    else:
        _integrate_green(s, p, today)


@kernel
def _integrate_green(s: Any, p: Any, today: float) -> None:
    """Enter the next green stage, or rest where days are short."""
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
    _close_buds(p, s, today)
    if rests:
        s.STAGE = ENDODORMANT
        s.PHENOLOGY = _code(ENDODORMANT)
        _date_rest(p, s, today)


@kernel
def _enter(s: Any, stage: float, dvs: float) -> None:
    """Put the vine into a green stage."""
    s.STAGE = stage
    s.PHENOLOGY = _code(stage)
    s.DVS = dvs
