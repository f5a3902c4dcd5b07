"""What goes in comes out: water, nitrogen and dry matter balance under any management."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agbench
from agbench.simulation.parameters import parameters_of
from agbench.simulators import models
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.lintul3 import VARIABLES, Lintul3Simulator, build_world
from agbench.weather.site import site_series

TOLERANCE = 1e-9  # relative to the largest term
FIRST, LAST = date(1976, 1, 1), date(1989, 1, 1)  # unbroken weather
ORGANS = ("WLVG", "WLVD", "WST", "WSO", "WRT", "WDRT")
NITROGEN = ("ANLV", "ANST", "ANRT", "ANSO", "TNSOIL", "NUPTT", "NLOSSL", "NLOSSR")
WATER = ("WA", "TRUNOF", "TTRAN", "TEVAP", "TDRAIN", "TEXPLO", "TIRRIG")
POOLS = (*ORGANS, *NITROGEN, *WATER, "LAI", "TGROWTH", "ROOTD")


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
        # no nitrogen at all is where organs starve: drawn often, for it seldom is by chance
        "RTMIN": draw(st.just(0.0) | st.floats(0.0, 0.2)),
        "TNSOILI": draw(st.just(0.0) | st.floats(0.0, 30.0)),
        "IRRIGF": draw(st.sampled_from([False, False, True])),
        "WMFAC": draw(st.booleans()),
    }


@dataclass(frozen=True)
class Season:
    """All variables of every day, the inputs, the parameters, and the day on which the crop came."""

    start: date
    seed: int
    soil: dict[str, float]
    late: int
    table: Any = field(repr=False)
    inputs: Any = field(repr=False)
    parameters: Any = field(repr=False)

    @property
    def growing(self):
        """The table from the crop's start on."""
        return self.table[column(self.table, "STAGE") > 0.0]


@st.composite
def seasons(draw):
    """A season on any soil, in any weather window, under any management."""
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
    table = Lintul3Simulator(1).season(world, inputs)
    return Season(start, seed, soil, late, table, inputs, world.parameters)


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


def require_closed(result, expected):
    scale = np.maximum(np.abs(expected).max(), 1.0)
    assert np.abs(result - expected).max() <= TOLERANCE * scale


def require_water(season):
    """The water balance closes."""
    table, p = season.table, season.parameters
    gained = column(table, "TRAIN", "TEXPLO", "TIRRIG")
    lost = column(table, "TRUNOF", "TTRAN", "TEVAP", "TDRAIN")
    require_closed(column(table, "WA") + lost, 1000.0 * p["ROOTDI"] * p["WCI"] + gained)
    arrived = 10.0 * np.cumsum(season.inputs[: len(table), 1])
    irrigated = column(table, "TIRRIG")
    if p["IRRIGF"] == 0.0:
        require_closed(irrigated[1:], arrived[:-1])


def require_nitrogen_of_crop(season):
    """The nitrogen of the crop is what it took up less what died."""
    table = season.growing
    if len(table):
        crop = column(table, "ANLV", "ANST", "ANRT", "ANSO")
        lost = column(table, "NLOSSL", "NLOSSR")
        require_closed(crop + lost, crop[0] + column(table, "NUPTT"))


def require_nitrogen_of_soil(season):
    """The nitrogen of the soil is all accounted for."""
    table, p = season.growing, season.parameters
    if not len(table):
        return
    applied_before = 0.1 * season.inputs[: season.late, 0].sum()
    during = 0.1 * np.cumsum(season.inputs[season.late :, 0])
    applied = np.concatenate([[0.0], applied_before + during])[: len(table)]
    supplied = p["RNMIN"] * np.arange(len(table))
    result = column(table, "TNSOIL") + column(table, "NUPTT")
    require_closed(result, p["TNSOILI"] + applied + supplied)


def require_organs(season):
    """What has grown is in living and dead organs."""
    table = season.growing
    if len(table):
        organs = column(table, *ORGANS)
        require_closed(organs, organs[0] + column(table, "TGROWTH"))


def require_pools(season):
    """No pool is ever negative or no number."""
    assert np.isfinite(season.table).all()
    for name in POOLS:
        assert column(season.table, name).min() >= -1e-9, name


def require_bounds(season):
    """Every variable stays within its declared bounds."""
    for variable in VARIABLES:
        values = column(season.table, variable.name)
        assert values.min() >= variable.low, variable.name
        assert values.max() <= variable.high, variable.name


@settings(max_examples=300, deadline=None)
@given(seasons())
def test_balances_close_and_nothing_is_negative_or_beyond_its_bounds(season):
    require_water(season)
    require_nitrogen_of_crop(season)
    require_nitrogen_of_soil(season)
    require_organs(season)
    require_pools(season)
    require_bounds(season)


BARREN = {
    "WCAD": 0.05, "WCWP": 0.1, "WCFC": 0.3, "WCWET": 0.4, "WCST": 0.45, "WCI": 0.3, "WCSUBS": 0.3,
    "DRATE": 40.0, "IRRIGF": 0.0, "WMFAC": 0.0, "RTMIN": 0.0, "TNSOILI": 0.0,
}  # fmt: skip


def test_the_grain_owes_starved_roots_nothing():
    # without any nitrogen in the soil roots come to hold less than their residual concentration; as
    # published, what they lack counts as a debt, which the grain pays
    tables, parameters = {}, parameters_of(models.find("lintul3-wheat"), "crop", "winter-wheat-nl") | BARREN
    start = date(1980, 1, 16)
    for setting in ("sound", "published"):
        world = build_world(
            "lintul3-wheat",
            parameters,
            site_series("wageningen"),
            CropCalendar(start),
            start,
            start + timedelta(days=300),
            setting=setting,
        )
        tables[setting] = Lintul3Simulator(1).season(world, np.zeros((301, 2)))
    lacking = column(tables["sound"], "WRT") * world.parameters["RNFRT"] - column(tables["sound"], "ANRT")
    assert lacking.max() > 0.01
    assert column(tables["published"], "ANSO").min() < -0.01
    for name in NITROGEN:
        assert column(tables["sound"], name).min() >= 0.0, name
    assert np.diff(column(tables["sound"], "ANSO")).min() >= 0.0


@pytest.mark.parametrize(
    "overrides",
    [{}, {"doses": {"N": [0, 100], "IRRIG": [0, 5]}, "action__kind": "continuous"}],
    ids=["menu", "any amount of nitrogen and water"],
)
@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_episodes_are_finite(overrides, count):
    envs = agbench.make_vec("wheat-nitrogen-v1", 256, **overrides)
    rng = np.random.default_rng(5)
    space = envs.single_action_space
    envs.reset(seed=0)
    episodes = 0
    while episodes < count:
        if overrides:
            actions = rng.uniform(-1.0, 1.0, (256, *space.shape)).astype(np.float32)
        else:
            actions = rng.integers(space.n, size=256)
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        assert np.isfinite(observations).all()
        assert np.isfinite(rewards).all()
        assert np.isfinite(envs.core.simulator.state).all()
        episodes += int((terminated | truncated).sum())
