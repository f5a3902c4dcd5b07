"""Greenhouse environments whose crop parameters are uncertain."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.simulators.greenlight.parameters.uncertain import uncertain_columns

TOMATO = "greenhouse-tomato-v1"
UNCERTAIN = "greenhouse-tomato-uncertain-v1"


def start(task, **overrides):
    env = agbench.make(task, **{"episode__length": "1 d", **overrides}).unwrapped
    env.reset(seed=0)
    return env


def test_levels_of_uncertainty_perturb_the_listed_parameters_at_every_step():
    env = start(UNCERTAIN, every="step")
    env.reset(seed=1, options={"scenario": "wageningen/1977-03-01/0.3"})
    usual = env.core.worlds[0].parameters
    drawn = []
    for _ in range(3):
        env.step(np.zeros(6, np.float32))
        drawn.append(env.core.simulator.parameters[0].copy())
    listed = len(uncertain_columns(env.task.uncertainty.parameters))
    assert (drawn[0] != drawn[1]).sum() == listed == 28
    assert (np.abs(np.array(drawn) - usual) <= 0.3 * np.abs(usual) * (1 + 1e-12)).all()
    env.reset(seed=1, options={"scenario": "wageningen/1977-03-01/0"})
    env.step(np.zeros(6, np.float32))
    assert (env.core.simulator.parameters[0] == env.core.worlds[0].parameters).all()


def test_uncertainty_may_be_drawn_once_an_episode():
    env = start(UNCERTAIN, every="episode")
    env.reset(seed=1, options={"scenario": "wageningen/1977-03-01/0.2"})
    first = env.core.simulator.parameters[0].copy()
    env.step(np.zeros(6, np.float32))
    assert (env.core.simulator.parameters[0] == first).all()
    env.reset(seed=2, options={"scenario": "wageningen/1977-03-01/0.2"})
    assert (env.core.simulator.parameters[0] != first).sum() == 28


@pytest.mark.parametrize(("parameters", "listed", "part"), [("sound", 28, 1.0), ("published", 34, 0.5)])
def test_uncertain_parameters_may_be_a_named_list(parameters, listed, part):
    """The published list is drawn from U(-d/2, d/2), the sound one from U(-d, d)."""
    env = start(UNCERTAIN, every="step", uncertainty__parameters=parameters)
    env.reset(seed=3, options={"scenario": "wageningen/1977-03-01/0.3"})
    usual = env.core.worlds[0].parameters
    changed, greatest = set(), 0.0
    for _ in range(8):
        env.step(np.zeros(6, np.float32))
        drawn = env.core.simulator.parameters[0]
        changed |= set(np.flatnonzero(drawn != usual))
        greatest = max(greatest, np.abs(drawn[list(changed)] / usual[list(changed)] - 1).max())
    assert len(changed) == listed
    assert 0.9 * part * 0.3 < greatest <= part * 0.3


def test_the_named_list_is_the_one_of_the_task():
    listed = uncertain_columns(catalog.task(UNCERTAIN).uncertainty.parameters)
    assert listed.tolist() == uncertain_columns("sound").tolist()


def test_an_unknown_list_of_parameters_is_refused():
    with pytest.raises(ConfigError, match="published"):
        start(UNCERTAIN, uncertainty__parameters="publshed")


@pytest.mark.parametrize(("parameters", "most"), [("sound", 0.4285), ("published", 0.8571)])
def test_a_level_that_leads_a_parameter_out_of_its_bounds_is_refused(parameters, most):
    """theta, 0.7, is the curvature of a curve that has none above 1."""
    told = f"theta .* must be 0.007 to 1. Levels up to {most} are allowed"
    with pytest.raises(ConfigError, match=f"v1: uncertainty.level: a level of 0.9 would draw {told}"):
        start(TOMATO, uncertainty__parameters=parameters, uncertainty__level=0.9)
    env = start(UNCERTAIN, uncertainty__parameters=parameters)
    key = "wageningen/1977-03-01/0.95"
    with pytest.raises(
        ConfigError, match=f"v1, scenario {key}: uncertainty: a level of 0.95 would .* {told}"
    ):
        env.reset(options={"scenario": key})
    start(TOMATO, uncertainty__parameters=parameters, uncertainty__level=most)


def test_a_parameter_at_its_bound_has_no_level():
    at_bound = {"simulator__parameters": {"theta": 1.0}, "uncertainty__parameters": ["theta"]}
    with pytest.raises(ConfigError, match=r"would draw theta .* Leave it out of uncertainty.parameters"):
        start(TOMATO, uncertainty__level=0.1, **at_bound)


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("hAir", "capAir, capTop, capCo2Air, capCo2Top follow"),
        ("hGh", "capTop, capCo2Top follow"),
        ("hFlr", "capFlr follows"),
        ("rhoAir0", "rhoAirCap follows"),
    ],
)
def test_parameters_from_which_others_follow_are_not_drawn(name, following):
    """A house that was drawn higher than its roof had air above the screens of a negative volume."""
    with pytest.raises(ConfigError, match=f"uncertainty.parameters: {name} .* cannot be drawn: {following}"):
        start(TOMATO, uncertainty__parameters=[name], uncertainty__level=0.1)


def test_a_level_that_draws_a_boiler_too_large_for_its_floor_is_refused():
    strong = {"simulator__parameters": {"pBoil": 1e5}, "uncertainty__parameters": ["pBoil"]}
    start(TOMATO, uncertainty__level=0.4, **strong)
    with pytest.raises(
        ConfigError, match=r"level of 0.5 may draw .*: pBoil .* 150000 W for all 144 m2 of floor"
    ):
        start(TOMATO, uncertainty__level=0.5, **strong)


def test_any_task_may_be_uncertain():
    usual = start(TOMATO)
    env = start(TOMATO, uncertainty__parameters="sound", uncertainty__level=0.1)
    before = usual.core.simulator.parameters[0].copy()
    generator = np.random.default_rng()
    generator.bit_generator.state = env.np_random.bit_generator.state
    env.step(env.action_space.sample())
    listed = uncertain_columns("sound")
    drawn = before[listed] * (1.0 + generator.uniform(-0.1, 0.1, len(listed)))
    np.testing.assert_array_equal(env.core.simulator.parameters[0, listed], drawn)
