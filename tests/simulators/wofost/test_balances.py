"""Nothing appears or vanishes, and nothing is negative, in the sound setting."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seasons import CROPS, SOILS, beyond_ponded, random_management, random_world

from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.variables import STANDING, VARIABLES_NPK
from agbench.simulators.wofost.world import LIMITATIONS

ORGANS = ("LV", "ST", "RT", "SO")
POOLS = [
    *(f"{x}AMOUNT{o}" for x in "NPK" for o in ORGANS),
    *(name.replace("x", x) for x in "NPK" for name in ("SURFACE_x", "xSOIL", "xAVAIL", "RxUPTAKE")),
    *(f"RRUNOFF_{x}" for x in "NPK"),
    *("WLV", "WST", "WSO", "WRT", "DWLV", "DWST", "DWSO", "DWRT", "HWSO", "LAI"),
    *("SM", "WC", "WLOW", "SS", "EVS", "EVW", "TRA", "WTRA", "RIN", "DTSR", "PERC", "LOSS"),
]
POOL_COLUMNS = VARIABLES_NPK.columns(POOLS)


class Rows:
    """A batch's columns by name."""

    def __init__(self, state):
        self.state = state.copy()

    def __getitem__(self, name):
        return self.state[:, VARIABLES_NPK.column(name)]

    def sum(self, *names):
        return sum(self[name] for name in names)


def nutrient_gap(now, before, x):
    """Return what a day's change of a nutrient in the crop leaves unexplained [kg ha-1]."""
    stores = [f"{x}AMOUNT{o}" for o in ORGANS] + [f"{x}lossesTotal", f"{x}HARVESTED"]
    sources = [f"{x}UPTAKETOTAL"] + (["NFIXTOTAL"] if x == "N" else [])
    return now.sum(*stores) - before.sum(*stores) - now.sum(*sources) + before.sum(*sources)


def soil_gap(now, parameters, x, days):
    """Return what the balance of a nutrient in the soil since the start leaves unexplained."""
    brought = parameters[f"{x}SOILBASE"] + parameters[f"{x}AVAILI"]
    brought = brought + parameters[f"BG_{x}_SUPPLY"] * days
    brought = brought + now[f"TOT{x}"] + now[f"{x}SUPPLIED"]
    there = now.sum(f"SURFACE_{x}", f"{x}SOIL", f"{x}AVAIL", f"FERT_{x}_SUPPLY")
    gone = now.sum(f"TOT{x}_RUNOFF", f"{x}LEACHED", f"{x}SPILLED", f"{x}UPTAKETOTAL")
    return brought - there - gone


def biomass_gap(now, before):
    """Return what a day's change of biomass leaves unexplained [kg ha-1]."""
    stores = ("TWLV", "TWST", "TWSO", "TWRT", "HARVESTED")
    return now.sum(*stores) - before.sum(*stores) - before["DMI"]


def check_balances(crop, limitation, seed, soils=(None,) * 4):
    """Hold every day of random seasons on these soils (None: any) against its balances."""
    rng = np.random.default_rng(seed)
    drawn = [random_world(rng, crop, limitation, soil=soil) for soil in soils]
    n = len(drawn)
    parameters = {
        name: np.array([given[name] for _, given in drawn])
        for name, value in drawn[0][1].items()
        if isinstance(value, float) and all(name in given for _, given in drawn)
    }
    simulator = WofostSimulator("wofost-npk", n)
    simulator.reset([world for world, _ in drawn])
    now, beyond = Rows(simulator.state), np.zeros(n)
    while not simulator.finished.all():
        before = now
        simulator.advance(random_management(rng, n), 1)
        now = Rows(simulator.state)
        beyond += beyond_ponded(before, now)
        both = (now["CROP"] == STANDING) & (before["CROP"] == STANDING)
        assert np.isfinite(now.state).all()
        assert now.state[:, POOL_COLUMNS].min() >= -1e-12
        assert abs(now.sum("WBALRT")).max() < 1e-9
        assert abs(now["WBALTT"] + beyond).max() < 1e-9
        assert abs(biomass_gap(now, before)[both]).max(initial=0.0) < 1e-6
        for x in "NPK":
            assert abs(nutrient_gap(now, before, x)[both]).max(initial=0.0) < 1e-6
            assert abs(soil_gap(now, parameters, x, simulator.elapsed)).max() < 1e-6


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(crop=st.sampled_from(CROPS), limitation=st.sampled_from(LIMITATIONS), seed=st.integers(0, 2**32 - 1))
def test_balances_close(crop, limitation, seed):
    check_balances(crop, limitation, seed)


def test_a_day_that_takes_more_than_is_ponded_is_told():
    """Of 1.0017 cm a day of 1.09 cm takes all; the balance lacks what it is said to take beyond."""
    check_balances("barley-1", "pp", 10282)


@pytest.mark.slow
@pytest.mark.parametrize("limitation", LIMITATIONS)
def test_balances_close_for_every_variety_on_every_soil(limitation):
    assert len(CROPS) == 63
    assert len(SOILS) == 10
    for seed, crop in enumerate(CROPS):
        check_balances(crop, limitation, seed, SOILS)


@pytest.mark.slow
def test_never_nan_never_negative_over_100000_seasons():
    rng = np.random.default_rng(2026)
    per_world, days = 50, 5
    for draw in range(2000):
        crop, limitation = CROPS[draw % len(CROPS)], LIMITATIONS[draw % len(LIMITATIONS)]
        world, _ = random_world(rng, crop, limitation)
        simulator = WofostSimulator("wofost-npk", per_world)
        simulator.reset([world] * per_world)
        while not simulator.finished.all():
            simulator.advance(random_management(rng, per_world), days)
            assert np.isfinite(simulator.state).all(), (draw, crop, limitation)
            least = simulator.state[:, POOL_COLUMNS].min(axis=0)
            assert least.min() >= -1e-12, (draw, crop, limitation, POOLS[least.argmin()])
