"""Every task's action map: its inverse gives back the actions, and what they gave."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.actions import Ranges
from agbench.envs.core import BatchCore
from agbench.envs.family import action_map, build, observer
from agbench.errors import ActionError, UnknownNameError
from agbench.testing.traces import draw_actions

SETPOINTS = "greenhouse-setpoint-v1"
GREENHOUSES = [name for name in catalog.names("task") if catalog.task(name).family == "greenhouse"]
FIELDS = [name for name in catalog.names("task") if catalog.task(name).family == "field"]


@pytest.mark.parametrize("name", FIELDS)
def test_amounts_and_doses_round_trip(name):
    task = catalog.task(name)
    actions = action_map(task)
    taken = draw_actions(actions.space, 1, 64, seed=5)[0]
    values = actions.inputs(taken)[:, _columns(task, actions)]
    again = actions.actions_of(values)
    assert again.dtype == actions.space.dtype
    np.testing.assert_array_equal(actions.inputs(again)[:, _columns(task, actions)], values)
    assert np.allclose(again, taken, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "changes"), [*((name, {}) for name in GREENHOUSES), (SETPOINTS, {"action.period": "outside"})]
)
def test_controls_and_set_points_are_found_again_as_a_season_goes_on(name, changes):
    task = override(catalog.task(name), changes)
    core = BatchCore(build(task, "test"), 4)
    for row in range(core.n):
        core.seed(row, row)
    core.reset(range(core.n), [None] * core.n)
    actions = core.parts.actions
    exact = 1e-6 if task.action.kind == "increment" else 0.0  # of a control: an action is a float32
    columns = core.simulator.inputs.columns(actions.names)
    for taken in draw_actions(actions.space, 40, core.n, seed=5):
        values = actions.inputs(taken, core)[:, columns]
        again = actions.actions_of(values, actions.present(core))
        np.testing.assert_allclose(actions.inputs(again, core)[:, columns], values, atol=exact, rtol=0)
        core.step(taken, ~core.over)


def test_a_temperature_is_chosen_for_the_half_of_the_day_that_the_climate_computer_counts():
    core = BatchCore(build(catalog.task(SETPOINTS), "test"), 3)
    for row in range(core.n):
        core.seed(row, row)
    core.reset(range(core.n), [None] * core.n)
    actions, generator = core.parts.actions, np.random.default_rng(3)
    columns = core.simulator.inputs.columns(actions.names)
    dark = core.parts.observer.index("iGlob")
    counted = 0
    for number in range(48):
        expected = generator.uniform(10.0, 35.0, (core.n, 2))
        present = actions.present(core)
        numbers = actions.actions_of(expected, present)
        values = actions.inputs(numbers, core)[:, columns]
        for row, day in enumerate(present[:, 0]):
            requests, got = expected[row, 0 if day else 1], values[row, 0 if day else 1]
            assert abs(got - requests) == np.abs(np.arange(18.0, 29.0) - requests).min()
        counted += int(((present[:, 0] > 0.0) & (core.observations[:, dark] == 0.0)).sum())
        core.step(np.full(core.n, number % 11), ~core.over)
    assert counted > 10  # hours of the lamps before sunrise


@pytest.mark.parametrize("wrong", [np.array([1.0]), np.array([[1]]), np.array([True]), "warm", None])
def test_a_temperature_is_chosen_by_one_whole_number_a_row(wrong):
    with pytest.raises(ActionError, match="is not a whole number from 0 to 10"):
        action_map(catalog.task(SETPOINTS)).inputs(wrong)


@pytest.mark.parametrize("name", GREENHOUSES)
def test_only_names_that_actions_give_are_encoded(name):
    actions = action_map(catalog.task(name))
    for call in (actions.encode, actions.nearest):
        with pytest.raises(UnknownNameError, match="unknown input 'bogus'"):
            call("bogus", 20.0)


@pytest.mark.parametrize("name", catalog.names("task"))
def test_what_an_inverse_reads_is_observed_where_a_policy_needs_it(name):
    task = catalog.task(name)
    seen = observer(task)
    assert [seen.index(entry.name) for entry in seen.entries] == list(range(len(seen.entries)))
    for read in action_map(task).reads:
        assert 0 <= seen.index(read) < len(seen.entries)
    with pytest.raises(UnknownNameError, match="unknown observed variable 'nothing-like-it'"):
        seen.index("nothing-like-it")


def test_what_lies_beyond_a_range_becomes_its_end():
    for name in catalog.names("task"):
        actions = action_map(catalog.task(name))
        if isinstance(actions, Ranges) and not actions.reads:
            expected = np.array([[-np.inf], [np.inf]]).repeat(len(actions.names), axis=1)
            assert actions.actions_of(expected)[:, 0].tolist() == [-1.0, 1.0]


def _columns(task, actions):
    return BatchCore(build(task, "train"), 1).simulator.inputs.columns(actions.names)
