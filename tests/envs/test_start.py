"""Starting rows together: as if each were seeded and reset by itself."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.policies.playing import seeds_of

TASK = "wheat-inputs-v1"  # its soils are drawn


def _parts():
    return build(catalog.task(TASK), "test")


def _after_a_dose(core):
    actions = np.arange(core.n) % core.parts.actions.space.n
    core.step(actions, np.ones(core.n, bool))
    return core.simulator.state.copy(), core.observations.copy()


def test_rows_that_start_together_are_those_seeded_and_reset_one_by_one():
    parts = _parts()
    keys = [parts.scenarios.keys[i] for i in (0, 1, 0, 2, 1, 0)]
    seeds = [3, 4, 3, 3, 4, 5]
    together, alone = BatchCore(parts, 6), BatchCore(parts, 6)
    together.start(keys, seeds)
    for row, seed in enumerate(seeds):
        alone.seed(row, seed)
    alone.reset(range(6), keys)
    np.testing.assert_array_equal(together.observations, alone.observations)
    for one, other in zip(_after_a_dose(together), _after_a_dose(alone), strict=True):
        np.testing.assert_array_equal(one, other)
    assert together.worlds[0] is together.worlds[2]
    assert together.worlds[0] is not together.worlds[5]  # another seed draws another soil


def test_a_second_start_is_as_the_first_was():
    parts = _parts()
    core = BatchCore(parts, 3)
    keys, seeds = list(parts.scenarios.keys[:3]), [0, 1, 2]
    core.start(keys, seeds)
    worlds, first = list(core.worlds), _after_a_dose(core)
    core.start(keys, seeds)
    for one, other in zip(first, _after_a_dose(core), strict=True):
        np.testing.assert_array_equal(one, other)
    assert all(one is other for one, other in zip(worlds, core.worlds, strict=True))
    core.start(keys[::-1], seeds)
    assert core.scenario.tolist() == keys[::-1]
    assert not core.applied.any()


def test_a_start_needs_a_seed_for_every_row():
    parts = _parts()
    with pytest.raises(ValueError, match="shorter"):
        BatchCore(parts, 2).start(list(parts.scenarios.keys[:2]), [0])


def test_several_rows_take_up_one_saved_episode():
    parts = _parts()
    core = BatchCore(parts, 4)
    core.start([parts.scenarios.keys[0]] * 4, [0, 1, 2, 3])
    _after_a_dose(core)
    saved = core.save(2)
    core.load(range(4), saved)
    assert (core.simulator.state == core.simulator.state[2]).all()
    assert (core.observations == core.observations[2]).all()
    assert all(world is saved.world for world in core.worlds)


def test_fits_draw_the_soil_of_each_scenario_by_a_seed_of_its_own():
    parts = _parts()
    keys = list(parts.scenarios.keys[:5])
    core = BatchCore(parts, 10)
    core.start(keys * 2, seeds_of(parts, keys) * 2)
    nitrogen = [float(world.parameters["NAVAILI"]) for world in core.worlds]
    assert len(set(nitrogen[:5])) == 5
    assert nitrogen[:5] == nitrogen[5:]  # all that is tried in a scenario has the same soil


OTHERS = (
    "greenhouse-tomato-uncertain-v1",
    "sunflower-farm-v1",
    "wheat-maize-rotation-v1",
    "jujube-orchard-v1",
)


@pytest.mark.parametrize("task", OTHERS)
def test_a_shared_start_is_no_other_in_any_family(task):
    parts = build(catalog.task(task), "train")
    first, second = parts.scenarios.keys[:2]
    keys, seeds = [first, second, first], [1, 2, 1]
    together, alone = BatchCore(parts, 3), BatchCore(parts, 3)
    together.start(keys, seeds)
    for row, seed in enumerate(seeds):
        alone.seed(row, seed)
    alone.reset(range(3), keys)
    actions = parts.actions.actions_of(parts.actions.lowest[None].repeat(3, axis=0))
    for _ in range(3):
        np.testing.assert_array_equal(together.observations, alone.observations)
        rewards = [core.step(actions, np.ones(3, bool))[0] for core in (together, alone)]
        np.testing.assert_array_equal(*rewards)
        np.testing.assert_array_equal(together.simulator.state, alone.simulator.state)
