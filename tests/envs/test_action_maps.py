"""Every task's action map: its inverse gives back the actions, and what they gave."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.envs.actions import Ranges
from agbench.envs.core import BatchCore
from agbench.envs.family import action_map, build, observer
from agbench.envs.greenhouse.actions import TemperatureMenu
from agbench.errors import UnknownNameError
from agbench.testing.traces import draw_actions

GREENHOUSES = [name for name in catalog.names("task") if catalog.task(name).family == "greenhouse"]


@pytest.mark.parametrize("name", [n for n in catalog.names("task") if n not in GREENHOUSES])
def test_amounts_and_doses_round_trip(name):
    task = catalog.task(name)
    actions = action_map(task)
    taken = draw_actions(actions.space, 1, 64, seed=5)[0]
    values = actions.inputs(taken)[:, _columns(task, actions)]
    again = actions.actions_of(values)
    assert again.dtype == actions.space.dtype
    np.testing.assert_array_equal(actions.inputs(again)[:, _columns(task, actions)], values)
    assert np.allclose(again, taken, atol=1e-6)


@pytest.mark.parametrize("name", GREENHOUSES)
def test_controls_and_set_points_round_trip_during_a_season(name):
    core = BatchCore(build(catalog.task(name), "test"), 4)
    for row in range(core.n):
        core.seed(row, row)
    core.reset(range(core.n), [None] * core.n)
    actions = core.parts.actions
    columns = core.simulator.inputs.columns(actions.names)
    for taken in draw_actions(actions.space, 40, core.n, seed=5):
        values = actions.inputs(taken, core)[:, columns]
        again = actions.actions_of(values, _present(core))
        np.testing.assert_allclose(actions.inputs(again, core)[:, columns], values, atol=1e-6, rtol=0)
        core.step(taken, ~core.over)


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


def _present(core):
    """What the inverse of a greenhouse's actions starts from, as the simulator has it."""
    actions, greenhouse = core.parts.actions, core.simulator
    if isinstance(actions, TemperatureMenu):
        return actions.is_day(greenhouse)[:, None].astype(float)
    return greenhouse.controls[:, actions.columns] if actions.reads else None
