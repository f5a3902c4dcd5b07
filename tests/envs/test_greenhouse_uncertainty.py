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


@pytest.mark.parametrize(("parameters", "least"), [("sound", "0.4286"), ("published", "0.8571")])
def test_a_level_that_leads_a_parameter_out_of_its_bounds_is_refused(parameters, least):
    """theta, 0.7, is the curvature of a curve that has none above 1."""
    most = f"theta .* must be above 0, at most 1, which a level of {least} reaches"
    with pytest.raises(ConfigError, match=f"scenario .*: uncertainty: a level of 0.9 would draw {most}"):
        start(TOMATO, uncertainty__parameters=parameters, uncertainty__level=0.9)
    env = start(UNCERTAIN, uncertainty__parameters=parameters)
    with pytest.raises(ConfigError, match=f"a level of 0.95 would draw {most}"):
        env.reset(options={"scenario": "wageningen/1977-03-01/0.95"})
    start(TOMATO, uncertainty__parameters=parameters, uncertainty__level=float(least) - 1e-3)


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
