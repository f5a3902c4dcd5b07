"""Nothing appears or vanishes in an orchard over ten years, and nothing is negative."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from orchards import Row, biomass_gap, carbohydrate_gap, nutrient_gap, random_inputs, random_orchard, soil_gap
from seasons import beyond_ponded

from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.variables import VARIABLES_PERENNIAL

POOLS = [
    *(f"{x}AMOUNT{o}" for x in "NPK" for o in ("LV", "ST", "RT", "SO", "WD")),
    *(
        name.replace("x", x)
        for x in "NPK"
        for name in ("SURFACE_x", "xSOIL", "xAVAIL", "RxUPTAKE", "RxREMOB")
    ),
    *("WLV", "WST", "WSO", "WRT", "WWD", "WRES", "DWLV", "DWST", "DWSO", "DWRT", "DWWD", "HWSO", "LAI"),
    *("SM", "WC", "WLOW", "SS", "EVS", "EVW", "TRA", "WTRA", "RIN", "DTSR", "PERC", "LOSS", "GASS", "ASRC"),
]
COLUMNS = VARIABLES_PERENNIAL.columns(POOLS)


def gaps(now, parameters, days, beyond):
    """Return the largest gap of each balance, by name; `beyond`: see `beyond_ponded`."""
    found = {"biomass": biomass_gap(now), "carbohydrate": carbohydrate_gap(now)}
    found["water"] = now["WBALTT"] + beyond
    for x in "NPK":
        found[x] = nutrient_gap(now, x)
        brought = {k: np.array([p[k] for p in parameters]) for k in _names(x)}
        found[f"soil {x}"] = soil_gap(now, brought, x, days)
    return {name: float(abs(gap).max()) for name, gap in found.items()}


def _names(x):
    return (f"{x}SOILBASE", f"{x}AVAILI", f"BG_{x}_SUPPLY")


def no_pool_is_negative(state):
    """Assert that all is finite and that no pool, nor percolation, lies below 0."""
    assert np.isfinite(state).all()
    least = state[:, COLUMNS].min(axis=0)
    assert least.min() >= -1e-9, POOLS[int(least.argmin())]


def run_random(seed, n, years, days=1):
    """Return the largest gaps of n random orchards, each with a management of its own."""
    rng = np.random.default_rng(seed)
    drawn = [random_orchard(rng, years) for _ in range(n)]
    simulator = WofostSimulator("wofost-npk", n, crop_type="perennial")
    simulator.reset([world for world, _ in drawn])
    largest = {}
    no_pool_is_negative(simulator.state)  # on the first day, too
    now, beyond = Row(simulator.state), np.zeros(n)
    while not simulator.finished.all():
        before = now
        simulator.advance(random_inputs(rng, n), days)
        now = Row(simulator.state)
        no_pool_is_negative(now.state)
        beyond += beyond_ponded(before, now) if days == 1 else 0.0
        found = gaps(now, [given for _, given in drawn], simulator.elapsed, beyond)
        largest = {name: max(gap, largest.get(name, 0.0)) for name, gap in found.items()}
    return largest


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32 - 1))
def test_balances_close_over_ten_years(seed):
    for name, gap in run_random(seed, 4, 10).items():
        assert gap < 1e-6, name


@pytest.mark.slow
def test_a_thousand_managements_of_ten_years():
    for seed in range(20):
        assert max(run_random(seed, 50, 10, days=5).values()) < 1e-6
