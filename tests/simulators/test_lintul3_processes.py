"""Process functions of LINTUL-3 against values computed by hand from their sources.

Equations: Shibu et al. 2010 (Eur. J. Agron. 32, 255-271) and the LINTUL3 manual; phenology: Supit et
al. 1994; soil evaporation: Stroosnijder 1987; wheat: Kallenberg et al. 2023.
"""

import math

import numpy as np
import pytest

from agbench.simulators.field import afgen
from agbench.simulators.lintul3 import day, growth, leaf_area, nitrogen, phenology, water
from agbench.simulators.lintul3.parameters import RECORD
from agbench.simulators.lintul3.variables import VARIABLES
from agbench.weather.daily import DAILY


def record(dtype, values):
    """Return a record as the kernels take it, zero but for what is given."""
    result = np.zeros(1, dtype=dtype).view(np.recarray)[0]
    for name, value in values.items():
        result[name] = value
    return result


def state(**values):
    return record(VARIABLES.record_type(), values)


def parameters(**values):
    return record(RECORD, values)


def sky(**values):
    return record(DAILY.record_type(), values)


def test_growth_is_light_use_times_intercepted_par():
    # Monteith 1977: LUE 3 g/MJ, PAR 0.5 x 20 MJ, interception 1 - exp(-0.6 x 2) = 0.69881
    p = parameters(LUE=3.0, K=0.6)
    result = growth.potential_growth(20.0, 2.0, p)
    assert result == pytest.approx(3.0 * 10.0 * 0.6988057880877978, rel=1e-12)


def test_nitrogen_reduces_light_use_exponentially():
    # Shibu 2010: exp(-NLUE (1 - NNI)), NLUE 0.2, NNI 0.5: exp(-0.1)
    result = growth.nitrogen_reduction(0.5, parameters(NLUE=0.2))
    assert result == pytest.approx(0.9048374180359595, rel=1e-12)
    assert growth.nitrogen_reduction(1.0, parameters(NLUE=0.2)) == 1.0


def test_drought_moves_growth_to_the_roots():
    # TRANRF 0.3 < NRF 1: roots x 1/(0.3 + 0.5) = 1.25, the shoot shares (1 - 0.5)/(1 - 0.4) = 5/6
    p = parameters(NLUE=0.2, NPART=1.0)
    result = growth.partition(0.4, 0.3, 0.2, 0.1, 0.3, 1.0, p)
    assert result == pytest.approx((0.5, 0.25, 1 / 6, 1 / 12))


def test_mild_drought_leaves_the_roots_their_share():
    # TRANRF 0.8 < NRF 1, but 1/(0.8 + 0.5) < 1: the modification is at least 1
    p = parameters(NLUE=0.2, NPART=1.0)
    result = growth.partition(0.4, 0.3, 0.2, 0.1, 0.8, 1.0, p)
    assert result == pytest.approx((0.4, 0.3, 0.2, 0.1))


@pytest.mark.parametrize(("sound", "roots"), [(1.0, 1.0), (0.0, 1.2)])
def test_roots_take_at_most_all_of_the_growth(sound, roots):
    # TRANRF 0: roots 0.6 x 1/(0 + 0.5) = 1.2 as published
    p = parameters(NLUE=0.2, NPART=1.0, SOUND=sound)
    result = growth.partition(0.6, 0.2, 0.2, 0.0, 0.0, 1.0, p)
    assert result == pytest.approx((roots, *[0.2 * (1.0 - roots) / 0.4] * 2, 0.0), abs=1e-15)


@pytest.mark.parametrize(
    ("area", "sound", "lost"),
    # 0.03 of the area ages; 2 of 40 g m-2 starve: 2 x 0.02 = 0.04 by today's specific leaf area, or 1/20
    [(0.8, 1.0, 0.064), (0.8, 0.0, 0.064), (0.03, 1.0, 0.03 * 0.08), (0.03, 0.0, 0.0409), (0.0, 1.0, 0.0)],
)
def test_leaves_lose_no_more_area_than_stands(area, sound, lost):
    s, p = state(LAI=area, WLVG=40.0), parameters(SOUND=sound)
    assert leaf_area.area_lost(s, p, 0.03, 2.0, 0.02) == pytest.approx(lost, rel=1e-12)


@pytest.mark.parametrize(
    ("nitrogen_held", "sound", "lost"), [(0.5, 1.0, 0.008), (0.002, 1.0, 0.0001), (0.002, 0.0, 0.008)]
)
def test_dead_leaves_take_no_more_nitrogen_than_they_hold(nitrogen_held, sound, lost):
    # 2 of 40 g m-2 die: 2 x 0.004 g, or 1/20 of what is held
    s, p = state(ANLV=nitrogen_held, WLVG=40.0), parameters(RNFLV=0.004, SOUND=sound)
    assert nitrogen.loss_with_leaves(s, p, 2.0) == pytest.approx(lost, rel=1e-12)


def test_nitrogen_shortage_takes_from_the_leaves():
    # NRF exp(-0.2 x 0.5) < TRANRF 1: leaves x exp(-0.5), others x (1 - 0.30327)/(1 - 0.5)
    p = parameters(NLUE=0.2, NPART=1.0)
    roots, leaves, stems, grain = growth.partition(0.2, 0.5, 0.2, 0.1, 1.0, 0.5, p)
    assert leaves == pytest.approx(0.5 * math.exp(-0.5))
    assert (roots, stems, grain) == pytest.approx(np.array([0.2, 0.2, 0.1]) * 1.3934693402873666)


@pytest.mark.parametrize("tranrf", [0.05, 0.4, 1.0])
@pytest.mark.parametrize("nni", [0.001, 0.5, 1.0])
def test_what_is_partitioned_is_all_of_the_growth(tranrf, nni):
    p = parameters(NLUE=0.2, NPART=1.0)
    shares = growth.partition(0.25, 0.35, 0.3, 0.1, tranrf, nni, p)
    assert sum(shares) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(("dvs", "moved"), [(0.9, 0.0), (1.0, 0.0), (1.2, 400.0 * 0.015 * 0.2)])
def test_stems_feed_the_grain_after_anthesis_only(dvs, moved):
    # Kallenberg 2023: WST x DVR x FRTRL beyond DVSNT
    s, p = state(WST=400.0, DVR=0.015, DVS=dvs), parameters(FRTRL=0.2, DVSNT=1.0)
    assert growth.stem_reserves(s, p) == pytest.approx(moved)


def test_juvenile_leaves_grow_exponentially_with_warmth():
    # LINTUL (Spitters & Schapendonk 1990): LAI (exp(RGRL dT) - 1) x stress
    s = state(LAI=0.1, WC=0.3, DVS=0.05, TRANRF=0.8, NNI=0.9)
    p = parameters(WCWP=0.2, LAII=0.05, RGRL=0.009, NLAI=1.0)
    result = leaf_area.leaf_area_growth(s, p, 0.022, 5.0, 10.0)
    assert result == pytest.approx(0.1 * (math.exp(0.09) - 1.0) * 0.8 * math.exp(-0.1))


def test_later_leaves_grow_with_their_weight():
    s = state(LAI=2.0, WC=0.3, DVS=0.5)
    result = leaf_area.leaf_area_growth(s, parameters(WCWP=0.2), 0.022, 5.0, 10.0)
    assert result == pytest.approx(0.11)


@pytest.mark.parametrize(
    ("lai", "tsum", "expected"),
    [
        (3.0, 500.0, 0.0),  # neither old nor shaded
        (6.0, 500.0, 0.03 * 0.5),  # shaded: RDRSHM (LAI - LAICR) / LAICR
        (6.0, 1200.0, 0.02),  # old: RDRT, the larger
    ],
)
def test_leaves_die_of_age_or_of_shade(lai, tsum, expected):
    s, p = state(LAI=lai, TSUM=tsum), parameters(TSUMAG=1133.0, RDRSHM=0.03, LAICR=4.0)
    assert leaf_area.relative_leaf_death(s, p, 0.02) == pytest.approx(expected)


def test_leaves_die_of_nitrogen_shortage():
    s = state(WLVG=100.0, NNI=0.6)
    result = leaf_area.leaf_death_by_nitrogen(s, parameters(RDRNS=0.03))
    assert result == pytest.approx(100.0 * 0.03 * 0.4)


NITROGEN = parameters(
    RNFLV=0.01, RNFST=0.002, RNFRT=0.002, FRNX=0.5, LSNR=0.5, LRNR=0.5, FNTRT=0.15,
    TCNT=10.0, NMAXSO=0.02, DVSNT=1.0, DVSNLT=1.3, WCWP=0.2, RNMIN=0.01,
)  # fmt: skip


def test_the_nutrition_index_is_actual_over_critical():
    # residual (1 + 0.2)/200 = 0.006; critical 0.5 (0.04 x 100 + 0.02 x 100)/200 = 0.015;
    # actual 2.1/200 = 0.0105: (0.0105 - 0.006)/(0.015 - 0.006) = 0.5
    s = state(WLVG=100.0, WST=100.0, ANLV=1.5, ANST=0.6)
    assert nitrogen.nutrition_index(s, NITROGEN, 0.04) == pytest.approx(0.5)


@pytest.mark.parametrize(("leaves", "index"), [(0.1, 0.001), (10.0, 1.0)])
def test_the_nutrition_index_stays_between_its_bounds(leaves, index):
    s = state(WLVG=100.0, WST=100.0, ANLV=leaves, ANST=0.1)
    assert nitrogen.nutrition_index(s, NITROGEN, 0.04) == index


def test_organs_give_what_lies_above_their_residue():
    # leaves 3 - 1, stems 1 - 0.2, roots min(0.15 x 2.8, 1 - 0.1)
    s = state(WLVG=100.0, WST=100.0, WRT=50.0, ANLV=3.0, ANST=1.0, ANRT=1.0)
    assert nitrogen.translocatable(s, NITROGEN) == pytest.approx((2.0, 0.8, 0.42))


@pytest.mark.parametrize(("sound", "roots"), [(1.0, 0.0), (0.0, -0.06)])
@pytest.mark.parametrize("leaves", [3.0, 0.5])
def test_starved_roots_give_nothing(sound, roots, leaves):
    # roots hold 0.04 of a residue of 0.002 x 50 = 0.1
    p = parameters(RNFLV=0.01, RNFST=0.002, RNFRT=0.002, FNTRT=0.15, SOUND=sound)
    s = state(WLVG=100.0, WST=100.0, WRT=50.0, ANLV=leaves, ANST=0.1, ANRT=0.04)
    assert nitrogen.translocatable(s, p) == pytest.approx((max(leaves - 1.0, 0.0), 0.0, roots), abs=1e-15)


@pytest.mark.parametrize(
    ("nitrogen_held", "sound", "lost"), [(0.5, 1.0, 0.004), (0.001, 1.0, 0.00005), (0.001, 0.0, 0.004)]
)
def test_dead_roots_take_no_more_nitrogen_than_they_hold(nitrogen_held, sound, lost):
    # 2 of 40 g m-2 die: 2 x 0.002 g, or 1/20 of what is held
    s, p = state(ANRT=nitrogen_held, WRT=40.0), parameters(RNFRT=0.002, SOUND=sound)
    assert nitrogen.loss_with_roots(s, p, 2.0) == pytest.approx(lost, rel=1e-12)


def test_organs_want_what_they_lack_to_their_maximum():
    s = state(WLVG=100.0, WST=100.0, WRT=50.0, ANLV=3.0, ANST=3.0, ANRT=0.4)
    assert nitrogen.demands(s, NITROGEN, 0.04) == pytest.approx((1.0, 0.0, 0.6))


@pytest.mark.parametrize(
    ("dvs", "water_content", "taken"),
    [(0.5, 0.3, 2.0), (1.3, 0.3, 0.0), (0.5, 0.1, 0.0)],
    ids=["as much as there is", "too late", "too dry"],
)
def test_uptake_ends_late_and_on_dry_soil(dvs, water_content, taken):
    s = state(DVS=dvs, WC=water_content, TNSOIL=2.0)
    assert nitrogen.uptake(s, NITROGEN, 5.0) == taken


@pytest.mark.parametrize(("dvs", "drawn"), [(0.9, 0.0), (1.1, 0.3)])
def test_grain_draws_nitrogen_after_anthesis(dvs, drawn):
    # demand (0.02 x 500 - 2)/10 = 0.8, supply 3/10
    s = state(DVS=dvs, WSO=500.0, ANSO=2.0)
    assert nitrogen.grain_uptake(s, NITROGEN, 3.0) == pytest.approx(drawn)


SOIL = {
    "WCAD": 0.1, "WCWP": 0.2, "WCFC": 0.4, "WCWET": 0.45, "WCST": 0.5, "WCSUBS": 0.2,
    "DRATE": 30.0, "WMFAC": 0.0, "IRRIGF": 0.0, "TRANCO": 8.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "share"),
    # critical content: 0.2 + 2/(2 + 8) x 0.2 = 0.24
    [(0.15, 0.0), (0.22, 0.5), (0.3, 1.0), (0.475, 0.5), (0.5, 0.0)],
    ids=["wilted", "dry", "moist", "wet", "saturated"],
)
def test_transpiration_falls_on_dry_and_on_waterlogged_soil(content, share):
    s = state(PTRAN=2.0, WC=content)
    assert water.transpiration(s, parameters(**SOIL)) == pytest.approx(2.0 * share)


def test_rice_transpires_on_waterlogged_soil():
    s = state(PTRAN=2.0, WC=0.5)
    assert water.transpiration(s, parameters(**SOIL | {"WMFAC": 1.0})) == 2.0


def test_bare_soil_dries_by_the_root_of_the_days_since_rain():
    # Stroosnijder 1987: third dry day: 3 mm (sqrt 3 - sqrt 2)
    s = state(PEVAP=3.0, WA=40.0, DSLR=2.0)
    result = water.soil_evaporation(s, parameters(**SOIL), 0.0, 100.0)
    assert result == pytest.approx(3.0 * (math.sqrt(3.0) - math.sqrt(2.0)))
    assert s.DSLR == 3.0


def test_rain_resets_the_drying():
    s = state(PEVAP=3.0, WA=40.0, DSLR=9.0)
    assert water.soil_evaporation(s, parameters(**SOIL), 0.6, 100.0) == 3.0
    assert s.DSLR == 1.0


def test_evaporation_stops_at_air_dryness():
    s = state(PEVAP=3.0, WA=11.0, DSLR=9.0)
    assert water.soil_evaporation(s, parameters(**SOIL), 0.6, 100.0) == pytest.approx(1.0)


def test_water_above_field_capacity_drains_and_above_saturation_runs_off():
    # 100 mm layer at 48 mm: after 40 mm of rain, 1 mm evaporation, 2 mm transpiration 85 mm:
    # 30 mm drain (DRATE), 85 - 30 - 50 = 5 mm run off
    s = state(ROOTD=0.1, WA=48.0, TRAN=2.0, PEVAP=1.0, DSLR=1.0, RROOTD=0.01)
    water.water_rates(s, parameters(**SOIL), 40.0, 0.0)
    assert (s.rTDRAIN, s.rTRUNOF) == pytest.approx((30.0, 5.0))
    assert s.rTEXPLO == pytest.approx(2.0)
    assert s.rWA == pytest.approx(50.0 + 2.0 - 48.0)


@pytest.mark.parametrize(("flooded", "target"), [(0.0, 40.0), (1.0, 50.0)])
def test_automatic_irrigation_fills_the_soil(flooded, target):
    p = parameters(**SOIL | {"IRRIGF": 1.0, "WMFAC": flooded})
    s = state(ROOTD=0.1, WA=25.0, TRAN=2.0, PEVAP=1.0, DSLR=1.0, RROOTD=0.0)
    water.water_rates(s, p, 1.0, 0.0)
    assert s.WA + s.rWA == pytest.approx(target)


def phenology_parameters(**changed):
    values = {
        "IDSL": 0.0, "DLO": 16.0, "DLC": 8.0, "TSUM1": 1000.0, "TSUM2": 500.0, "TSUMEM": 100.0,
        "TBASEM": 2.0, "TEFFMX": 20.0, "VERNSAT": 40.0, "VERNBASE": 8.0, "VERNDVS": 0.3,
    }  # fmt: skip
    return parameters(**values | changed)


TABLES = afgen.stack(
    [afgen.build("t", [0.0, 0.0, 50.0, 50.0])] * 8
    + [afgen.build("v", [-4.0, 0.0, 3.0, 1.0, 10.0, 1.0, 17.0, 0.0])],
    4,
)


def stage(number, **more):
    return state(STAGE=number, DVS=0.1, **more)


@pytest.mark.parametrize(
    ("temperature", "sum_", "rate"), [(1.0, 0.0, 0.0), (12.0, 10.0, 0.01), (30.0, 18.0, 0.018)]
)
def test_a_sown_crop_develops_by_effective_temperature(temperature, sum_, rate):
    s = stage(1.0)
    w = sky(TEMP=temperature, DAYLP=12.0)
    phenology.development_rates(s, phenology_parameters(), TABLES, w)
    assert pytest.approx((sum_, rate)) == (s.DTSUME, s.DVR)


@pytest.mark.parametrize(("number", "rate"), [(2.0, 0.015), (3.0, 0.03), (4.0, 0.0)])
def test_development_is_temperature_over_the_stage_s_sum(number, rate):
    s = stage(number)
    w = sky(TEMP=15.0, DAYLP=12.0)
    phenology.development_rates(s, phenology_parameters(), TABLES, w)
    assert pytest.approx(rate) == s.DVR


def test_short_days_slow_development_before_anthesis():
    # (12 - 8)/(16 - 8) = 0.5
    s = stage(2.0)
    w = sky(TEMP=15.0, DAYLP=12.0)
    phenology.development_rates(s, phenology_parameters(IDSL=1.0), TABLES, w)
    assert pytest.approx(7.5) == s.DTSUM


def test_vernalisation_slows_development_until_the_cold_has_come():
    # VERN 24 d: (24 - 8)/(40 - 8) = 0.5; at 6.5 degC a day counts fully
    s = stage(2.0)
    s.VERN = 24.0
    p = phenology_parameters(IDSL=2.0)
    phenology.development_rates(s, p, TABLES, sky(TEMP=6.5, DAYLP=16.0))
    assert pytest.approx((0.5, 1.0, 3.25)) == (s.VERNFAC, s.VERNR, s.DTSUM)


def test_two_applications_before_emergence_both_wait():
    s = state(FERTNS=0.0, STAGE=0.0)
    for _ in range(2):
        day.fertilise(s, parameters(SOUND=1.0), 3.0)
    assert s.FERTNS == 6.0


def test_the_published_setting_forgets_what_comes_before_the_crop():
    s = state(FERTNS=0.0, STAGE=0.0)
    day.fertilise(s, parameters(SOUND=0.0), 3.0)
    assert s.FERTNS == 0.0
