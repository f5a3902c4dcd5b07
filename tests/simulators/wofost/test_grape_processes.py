"""Phenology, cold hardiness and organs of grapes by hand: worked examples, and what equations promise."""

import datetime as dt

import numpy as np
import pytest

from agbench.simulators.wofost import cold_hardiness, grape_phenology, wofost_grape
from agbench.simulators.wofost.grape_columns import (
    BUD_BREAK,
    ECODORMANT,
    ENDODORMANT,
    FLOWERING,
    RIPE,
    VERAISON,
)
from agbench.simulators.wofost.parameters import TABLES


class Record(dict):
    """Numbers by name, 0 where none was set: what the kernels see of a row, a world or a day."""

    def __missing__(self, name):
        return 0.0

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


CHARDONNAY = {
    "TBASEM": 10.79,
    "TEFFMX": 25.6,
    "TSUMEM": 47.2,
    "TSUM1": 230.2,
    "TSUM2": 605.14,
    "TSUM3": 422.14,
    "TSUM4": 1000.0,
    "DVSM": 2.0,
    "DVSEND": 3.0,
    "MLDORM": 13.25,
    "MLFALL": 11.25,
    "Q10C": 2.17,
    "CSUMDB": 119.0,
    "HCINIT": -11.8,
    "HCMIN": -1.2,
    "HCMAX": -25.7,
    "TENDO": 14.0,
    "TECO": 3.0,
    "ENACCLIM": 0.1,
    "ECACCLIM": 0.02,
    "ENDEACCLIM": 0.1,
    "ECDEACCLIM": 0.08,
    "THETA": 7.0,
    "HCBB": -2.2,
    "LTESPAN": 4.0,
    "LTGREEN": -2.75,
    "LTGSPAN": 1.1,
}
REPAIRED = ("SOUND", *(f"REPAIR_P{number}" for number in (6, 7, 9, 10, 11, 12, 15)))


def vine(stage, sound=True, **own):
    """Return a row at a stage, and the parameters of a setting."""
    p = Record(CHARDONNAY, **dict.fromkeys(REPAIRED, float(sound)))
    s = Record(STAGE=stage, BUDS_ALIVE=1.0, SHOOTS_ALIVE=1.0, HC=p.HCINIT, HCY=p.HCINIT, DOPB=-1.0, **own)
    return s, p


def develop(s, p, low=5.0, high=15.0, photoperiod=12.0, today=0.0):
    """Let a day pass."""
    for name in ("DTSUME", "DTSUM", "DVR", "DCU"):
        s[name] = 0.0
    w = Record(TMIN=low, TMAX=high, DAYLP=photoperiod)
    grape_phenology.grape_development_rates(s, p, w, today)
    grape_phenology.integrate_grape_development(s, p, today + 1.0)


@pytest.mark.parametrize(("low", "high", "units"), [(5, 20, 2.839583333333335), (15, 32, 11.490555555555558)])
def test_heat_units_of_the_specification(low, high, units):
    assert grape_phenology.heat_units(low, high, Record(CHARDONNAY)) == pytest.approx(units, rel=1e-14)


def test_heat_units_of_a_constant_day():
    p = Record(CHARDONNAY)
    assert grape_phenology.heat_units(20.79, 20.79, p) == pytest.approx(10.0)
    assert grape_phenology.heat_units(40.0, 40.0, p) == pytest.approx(25.6 - 10.79)
    assert grape_phenology.heat_units(-5.0, 10.0, p) == 0.0


def test_chilling_is_a_unit_an_extreme_at_freezing_and_falls_with_warmth():
    p = Record(CHARDONNAY)
    assert grape_phenology.chilling_units(0.0, 0.0, p) == pytest.approx(2.0)
    assert grape_phenology.chilling_units(0.0, 10.0, p) == pytest.approx(1.0 + 1.0 / 2.17)


def test_chilling_counts_in_closed_buds_alone():
    august = (dt.date(1991, 8, 1) - dt.date(1970, 1, 1)).days
    for sound, closed, counts in ((True, 0.0, False), (False, 0.0, True), (True, 1.0, True)):
        s, p = vine(RIPE, sound, BUDS_CLOSED=closed)
        develop(s, p, photoperiod=15.0, today=august)
        assert (s.CSUM > 0.0) == counts


GREEN = [BUD_BREAK, FLOWERING, VERAISON, RIPE]


@pytest.mark.parametrize("stage", GREEN)
def test_short_days_of_autumn_close_buds_and_shorter_ones_end_every_green_stage(stage):
    s, p = vine(stage, DAY_LENGTH=13.3)
    develop(s, p, photoperiod=13.26)
    assert (s.BUDS_CLOSED, s.DOC) == (0.0, 0.0)
    develop(s, p, photoperiod=13.24, today=1.0)
    assert (s.BUDS_CLOSED, s.DOC) == (1.0, 2.0)
    develop(s, p, photoperiod=11.26, today=40.0)
    assert stage == s.STAGE
    develop(s, p, photoperiod=11.24, today=41.0)
    assert (s.STAGE, s.PHENOLOGY, s.DOLF) == (ENDODORMANT, 5.0, 42.0)


@pytest.mark.parametrize("stage", GREEN)
def test_a_frost_that_kills_half_of_the_leaves_ends_the_season_once_buds_have_closed(stage):
    for closed in (0.0, 1.0):
        s, p = vine(stage, DAY_LENGTH=13.0, BUDS_CLOSED=closed, FROST_LEAVES=0.6)
        develop(s, p, photoperiod=14.0)
        assert (s.STAGE == ENDODORMANT) == (closed > 0.0)


def test_as_published_short_days_end_the_season_of_those_alone_that_came_to_veraison():
    for stage in GREEN:
        s, p = vine(stage, sound=False, DAY_LENGTH=13.3)
        develop(s, p, photoperiod=13.24)
        assert (s.STAGE == ENDODORMANT) == (stage in (VERAISON, RIPE))


def test_short_days_of_spring_close_no_buds():
    s, p = vine(BUD_BREAK, DAY_LENGTH=12.0)
    develop(s, p, photoperiod=12.1)
    assert (s.STAGE, s.BUDS_CLOSED) == (BUD_BREAK, 0.0)


def test_chilling_then_warmth_open_the_buds():
    s, p = vine(ENDODORMANT, CSUM=118.0, BUDS_CLOSED=1.0)
    develop(s, p, 0.0, 0.0)
    assert s.STAGE == ECODORMANT
    days = 0
    while s.STAGE == ECODORMANT:
        develop(s, p, 20.79, 20.79)
        days += 1
    assert days == 5  # of 10 degC each, to 47.2 degC d
    assert (s.STAGE, s.DVS, s.BUDS_CLOSED) == (BUD_BREAK, 0.0, 0.0)


def harden(s, p, temperature, days):
    """Let days of one temperature act on the buds."""
    for _ in range(days):
        s.DACC = s.ACC = s.HCR = s.DHR = s.DCR = 0.0
        cold_hardiness.hardiness_rates(s, p, temperature)
        cold_hardiness.integrate_hardiness(s, p)


def test_hardiness_of_a_day_by_hand():
    s, p = vine(ENDODORMANT)
    harden(s, p, 4.0, 1)
    assert pytest.approx(-10.0 * 0.1 * (1.0 - 10.6 / 24.5)) == s.ACC
    assert pytest.approx(-11.8 + s.ACC) == s.HC
    assert round(s.HC, 2) == s.LTE50


def test_hardiness_stays_within_its_bounds():
    s, p = vine(ENDODORMANT)
    harden(s, p, -30.0, 200)
    assert pytest.approx(-25.7, abs=0.01) == s.HC
    s.STAGE = ECODORMANT
    harden(s, p, 30.0, 200)
    assert pytest.approx(-1.2, abs=0.01) == s.HC


def test_warmth_softens_only_buds_that_have_been_cold():
    s, p = vine(ENDODORMANT)
    harden(s, p, 20.0, 1)
    assert s.HC == p.HCINIT
    harden(s, p, 4.0, 1)
    before = s.HC
    harden(s, p, 20.0, 1)
    assert before < s.HC
    chilled, p = vine(ECODORMANT)
    harden(chilled, p, 20.0, 1)
    assert chilled.HC > p.HCINIT


def test_bud_break_is_predicted_where_hardiness_crosses_its_threshold():
    s, p = vine(ECODORMANT)
    days = 0
    while s.DOPB < 0.0:
        harden(s, p, 15.0, 1)
        days += 1
        cold_hardiness.change_buds(s, p, ECODORMANT, 1.0, float(days))
    assert p.HCBB <= s.HC
    assert s.HCY < p.HCBB
    assert days == s.DOPB
    assert s.PREDBB == s.LTE50


def test_the_buds_of_a_new_winter_start_anew():
    s, p = vine(VERAISON, DCSUM=-400.0, DHSUM=70.0, PREDBB=-2.1, FROST_WORST=0.4, BUDS_CLOSED=1.0)
    s.HC, s.BUDS_ALIVE, s.SHOOTS_ALIVE = -2.75, 0.6, 0.6
    cold_hardiness.change_buds(s, p, VERAISON, 0.0, 300.0)
    assert (s.HC, s.BUDS_ALIVE, s.DCSUM, s.DHSUM, s.FROST_WORST) == (-11.8, 1.0, 0.0, 0.0, 0.0)
    assert s.SHOOTS_ALIVE == 0.6  # those that still bear this year's fruit


def test_a_vine_that_starts_in_ecodormancy_is_hard():
    s, p = vine(ECODORMANT)
    cold_hardiness.start_hardiness(s, p)
    assert s.HC == p.HCMAX
    s, p = vine(BUD_BREAK, FROST_WORST=0.9, DCSUM=-300.0)  # of vines that stood here before
    cold_hardiness.start_hardiness(s, p)
    assert (s.FROST_WORST, s.DCSUM, s.SHOOTS_ALIVE) == (0.0, 0.0, 1.0)
    assert s.HC == p.LTGREEN


def freeze(s, p, least):
    """Let a night of this least temperature act."""
    s.FROST_KILL = 0.0
    cold_hardiness.frost_rates(p, s, least)
    cold_hardiness.integrate_frost(s)


@pytest.mark.parametrize(("stage", "half", "span"), [(ECODORMANT, -20.0, 4.0), (FLOWERING, -2.75, 1.1)])
def test_frost_kills_ten_half_and_ninety_percent(stage, half, span):
    for offset, share in ((span / 2.0, 0.1), (0.0, 0.5), (-span / 2.0, 0.9)):
        s, p = vine(stage)
        s.HC = half
        freeze(s, p, half + offset)
        alive = s.BUDS_ALIVE if stage == ECODORMANT else s.SHOOTS_ALIVE
        assert pytest.approx(share) == s.FROST_DAMAGE
        assert pytest.approx(1.0 - share) == alive


def test_the_same_frost_kills_no_more_and_a_harder_one_the_rest():
    s, p = vine(ECODORMANT)
    for _ in range(3):
        freeze(s, p, p.HCINIT)
    assert pytest.approx(0.5) == s.BUDS_ALIVE
    freeze(s, p, p.HCINIT - 2.0)
    assert pytest.approx(0.1) == s.BUDS_ALIVE
    assert pytest.approx(0.9) == s.FROST_DAMAGE


def test_frost_of_winter_and_of_spring_add_up():
    s, p = vine(ECODORMANT)
    freeze(s, p, p.HCINIT)
    s.STAGE = BUD_BREAK
    cold_hardiness.change_buds(s, p, ECODORMANT, 1.0, 100.0)
    freeze(s, p, p.LTGREEN)
    assert pytest.approx(0.25) == s.SHOOTS_ALIVE
    assert pytest.approx(0.75) == s.FROST_DAMAGE


@pytest.mark.parametrize(
    ("stage", "closed", "lost", "hanging_lost"),
    [(FLOWERING, 0.0, 3.0, 1.5), (ECODORMANT, 0.0, 1.0, 0.5), (VERAISON, 1.0, 1.0, 0.5)],
)
def test_fruit_dies_with_green_shoots_and_not_with_closed_buds(stage, closed, lost, hanging_lost):
    s, _ = vine(stage, BUDS_CLOSED=closed, FROST_KILL=0.25, WSO=8.0, DRSO=1.0, HWSO=4.0, DHSO=0.5)
    cold_hardiness.frost_on_fruit(s)
    assert (lost, hanging_lost) == (s.DRSO, s.DHSO)


def test_no_more_fruit_dies_than_there_is():
    s, _ = vine(FLOWERING, FROST_KILL=0.9, WSO=8.0, DRSO=7.0, HWSO=4.0, DHSO=3.0)
    cold_hardiness.frost_on_fruit(s)
    assert (s.DRSO, s.DHSO) == (8.0, 4.0)


def test_frost_kills_leaves_where_it_does_more_than_drought_and_shade():
    for drought, died in ((0.5, 2.5), (3.0, 3.5)):
        s, _ = vine(FLOWERING, FROST_LEAVES=0.25, WLV=8.0, DSLV1=drought, DSLV2=0.25, DALV=0.1)
        s.DSLV = drought + 0.5
        cold_hardiness.frost_on_leaves(s)
        assert (died, died) == (s.DSLV, s.DRLV)


def test_dead_shoots_bear_nothing_and_wood_gets_it():
    s, _ = vine(FLOWERING, FO=0.6, FS=0.3)
    s.SHOOTS_ALIVE = 0.25
    cold_hardiness.bear_on_living_shoots(s)
    assert (pytest.approx(0.15), pytest.approx(0.75)) == (s.FO, s.FS)


def test_the_original_knows_no_frost():
    s, p = vine(ECODORMANT, sound=False)
    freeze(s, p, -40.0)
    assert (s.BUDS_ALIVE, s.FROST_DAMAGE) == (1.0, 0.0)


@pytest.mark.parametrize(("stage", "grown"), [(FLOWERING, 1.0), (ENDODORMANT, 0.0), (ECODORMANT, 0.0)])
def test_all_organs_of_a_green_vine_grow_and_the_roots_alone_of_one_at_rest(stage, grown):
    s, p = vine(stage, GWRT=2.0, GWST=5.0, GWSO=3.0, WRT=100.0, WST=40.0, WSO=20.0, SURPLUS_N=-1.0)
    p.TSUMEM = p.CSUMDB = p.TSUM2 = np.inf  # no other stage begins
    wofost_grape._integrate_as_tree(p, s, np.zeros((len(TABLES), 3, 2)), np.zeros((3, 1)), 0.0)
    assert stage == s.STAGE
    assert [s[name] for name in ("WRT", "WST", "WSO")] == [102.0, 40.0 + 5.0 * grown, 20.0 + 3.0 * grown]
