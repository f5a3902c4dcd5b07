"""What goes in comes out: water, nitrogen and dry matter balance under any management."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agbench
from agbench.field_season import parameters_of, site_series
from agbench.simulators import models
from agbench.simulators.calendar import CropCalendar
from agbench.simulators.lintul3 import VARIABLES, build_world
from agbench.simulators.lintul3.run import run_season

TOLERANCE = 1e-9  # relative to the largest term
FIRST, LAST = date(1976, 1, 1), date(1989, 1, 1)  # unbroken weather
POOLS = (
    "LAI ANLV ANST ANRT ANSO WLVG WLVD WST WSO WRT WDRT TNSOIL WA NUPTT NLOSSL NLOSSR TGROWTH "
    "TRUNOF TTRAN TEVAP TDRAIN TEXPLO TIRRIG ROOTD"
).split()


@st.composite
def soils(draw):
    """Soils with ascending water contents, from sand to clay, and any drainage."""
    dry, wilting, field, saturated = np.cumsum(
        [draw(st.floats(low, high)) for low, high in ((0.01, 0.1), (0.02, 0.2), (0.05, 0.25), (0.05, 0.3))]
    )
    return {
        "WCAD": dry,
        "WCWP": wilting,
        "WCFC": field,
        "WCST": saturated,
        "WCWET": draw(st.floats(0.05, 0.95)) * (saturated - field) + field,
        "WCI": draw(st.floats(0.0, 1.0)) * (saturated - dry) + dry,
        "WCSUBS": draw(st.floats(0.0, 1.0)) * (saturated - dry) + dry,
        "DRATE": draw(st.floats(0.0, 100.0)),
        "RTMIN": draw(st.floats(0.0, 0.2)),
        "TNSOILI": draw(st.floats(0.0, 30.0)),
        "IRRIGF": draw(st.sampled_from([False, False, True])),
        "WMFAC": draw(st.booleans()),
    }


@st.composite
def seasons(draw):
    """A season: its table of all variables, its inputs, and the parameters it ran with."""
    start = FIRST + timedelta(days=draw(st.integers(0, (LAST - FIRST).days)))
    days = draw(st.integers(30, 330))
    late = draw(st.integers(0, 40))
    soil = draw(soils())
    calendar = CropCalendar(start + timedelta(days=late))
    model = models.find("lintul3-wheat")
    parameters = parameters_of(model, "crop", "winter-wheat-nl") | soil
    end = start + timedelta(days=days)
    world = build_world("lintul3-wheat", parameters, site_series("wageningen"), calendar, start, end)
    seed = draw(st.integers(0, 2**32 - 1))
    inputs = management(np.random.default_rng(seed), days + 1)
    return run_season(world, inputs), inputs, world.parameters, late


def management(rng, days):
    """Return effective nitrogen [kg ha-1] and irrigation [cm] of each day, mostly none."""
    often = rng.uniform(0.0, 0.2, 2)
    amounts = np.stack([rng.uniform(0.0, 120.0, days), rng.uniform(0.0, 6.0, days)], axis=1)
    inputs = np.where(rng.uniform(size=(days, 2)) < often, amounts, 0.0)
    inputs[0] = 0.0
    return inputs


def column(table, *names):
    """Return the sum of some variables a day."""
    return sum(table[:, VARIABLES.column(name)] for name in names)


def require_closed(found, expected):
    scale = np.maximum(np.abs(expected).max(), 1.0)
    assert np.abs(found - expected).max() <= TOLERANCE * scale


@settings(max_examples=150, deadline=None)
@given(seasons())
def test_the_water_balance_closes(season):
    table, _, p, _ = season
    gained = column(table, "TRAIN", "TEXPLO", "TIRRIG")
    lost = column(table, "TRUNOF", "TTRAN", "TEVAP", "TDRAIN")
    require_closed(column(table, "WA") + lost, 1000.0 * p["ROOTDI"] * p["WCI"] + gained)


@settings(max_examples=150, deadline=None)
@given(seasons())
def test_the_nitrogen_of_crop_and_soil_is_all_accounted_for(season):
    table, inputs, p, late = season
    growing = column(table, "STAGE") > 0.0
    table, inputs = table[growing], inputs[: len(table)]
    crop = column(table, "ANLV", "ANST", "ANRT", "ANSO")
    lost = column(table, "NLOSSL", "NLOSSR")
    uptake = column(table, "NUPTT")
    if not growing.any():
        return
    require_closed(crop + lost, crop[0] + uptake)
    before = 0.1 * inputs[:late, 0].sum()
    applied = before + np.concatenate([[0.0], 0.1 * np.cumsum(inputs[late:-1, 0])])
    applied[0] = 0.0
    supplied = p["RNMIN"] * np.arange(len(table))
    require_closed(column(table, "TNSOIL") + uptake, p["TNSOILI"] + applied + supplied)


@settings(max_examples=150, deadline=None)
@given(seasons())
def test_what_has_grown_is_in_living_and_dead_organs(season):
    table, *_ = season
    table = table[column(table, "STAGE") > 0.0]
    organs = column(table, "WLVG", "WLVD", "WST", "WSO", "WRT", "WDRT")
    if len(table):
        require_closed(organs, organs[0] + column(table, "TGROWTH"))


@settings(max_examples=300, deadline=None)
@given(seasons())
def test_no_pool_is_ever_negative_or_no_number(season):
    table, *_ = season
    assert np.isfinite(table).all()
    for name in POOLS:
        assert column(table, name).min() >= -1e-9, name


@settings(max_examples=100, deadline=None)
@given(seasons())
def test_every_variable_stays_within_its_declared_bounds(season):
    table, *_ = season
    for variable in VARIABLES:
        values = column(table, variable.name)
        assert values.min() >= variable.low, variable.name
        assert values.max() <= variable.high, variable.name


@pytest.mark.parametrize(
    "overrides",
    [{}, {"doses": {"N": [0, 100], "IRRIG": [0, 5]}, "action__kind": "continuous"}],
    ids=["menu", "any amount of nitrogen and water"],
)
def test_ten_thousand_random_episodes_are_finite(overrides):
    envs = agbench.make_vec("wheat-nitrogen-v1", 256, **overrides)
    rng = np.random.default_rng(5)
    space = envs.single_action_space
    envs.reset(seed=0)
    episodes = 0
    while episodes < 10_000:
        if overrides:
            actions = rng.uniform(-1.0, 1.0, (256, *space.shape)).astype(np.float32)
        else:
            actions = rng.integers(space.n, size=256)
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        assert np.isfinite(observations).all()
        assert np.isfinite(rewards).all()
        assert np.isfinite(envs.core.simulator.state).all()
        episodes += int((terminated | truncated).sum())
