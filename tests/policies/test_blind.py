"""Random blind calendars: of every action space, of every form, and as seeded."""

from functools import cache
from hashlib import sha256

import numpy as np
import pytest

from agbench.data import catalog
from agbench.envs.core import BatchCore
from agbench.envs.family import build, family
from agbench.policies.tuning.blind import calendars

SPACES = (
    "wheat-limits-v1",  # four inputs
    "maize-sow-harvest-v1",
    "wheat-maize-rotation-v1",
    "jujube-orchard-v1",
    "sunflower-farm-v1",  # one dose for all fields
    "sunflower-farm-fields-v1",  # a dose a field
    "farm-nitrogen-v1",
    "greenhouse-setpoint-v1",  # a menu of temperatures
    "greenhouse-setpoint-continuous-v1",
    "greenhouse-tomato-v1",  # controls by increments
)


@cache
def made(name):
    task = catalog.task(name)
    return build(task, "test"), family(task).longest(task) // task.step


def drawn(name, count, seed=0):
    parts, steps = made(name)
    return parts, calendars(parts, count, steps, np.random.default_rng(seed))


@pytest.mark.parametrize("name", SPACES)
def test_calendars_of_every_action_space_lie_in_it(name):
    parts, result = drawn(name, 4)
    space = parts.actions.space
    assert result.shape == (4, made(name)[1], *(space.shape or ()))
    assert result.dtype == space.dtype
    assert all(space.contains(action) for sequence in result for action in sequence[::17])
    assert len({sequence.tobytes() for sequence in result}) >= 3
    np.testing.assert_array_equal(result, drawn(name, 4)[1])
    assert not np.array_equal(result, drawn(name, 4, seed=1)[1])


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("wheat-limits-v1", "4f298d4bd85e1ccb"),
        ("wheat-maize-rotation-v1", "1aceef157ded1939"),
        ("jujube-orchard-v1", "4a4ffdacf304774a"),
        ("sunflower-farm-fields-v1", "e2f2a6715083c8d9"),
        ("greenhouse-setpoint-v1", "3bba63dfecf3a84e"),
    ],
)
def test_a_seed_gives_the_calendars_that_it_always_gave(name, digest):
    """Blind calendars are anchors, drawn from these chances: others would be another reference."""
    assert sha256(drawn(name, 40)[1].astype("<i8").tobytes()).hexdigest()[:16] == digest


def in_turn(given):
    """Return whether three or more inputs are given one after another, over and over."""
    cycle = len(set(given))
    return cycle >= 3 and len(given) > 20 and given[cycle:] == given[:-cycle]


def test_among_the_calendars_of_a_menu_are_rotations_of_inputs_and_sparse_ones():
    parts, result = drawn("wofostgym-wheat-v1", 400)  # daily
    names = [next(iter(parts.actions.amounts(code)), None) for code in range(parts.actions.space.n)]
    inputs = [[names[code] for code in sequence if code] for sequence in result]
    assert sum(map(in_turn, inputs)) >= 10
    assert sum(1 <= len(given) <= 6 for given in inputs) >= 40
    assert sum(len(given) > 80 for given in inputs) >= 40


def test_most_calendars_keep_to_the_limits_of_a_task_and_some_do_not():
    parts, result = drawn("wheat-limits-v1", 200)
    limits = parts.task.reward.limits
    totals = [
        {name: sum(parts.actions.amounts(code).get(name, 0.0) for code in sequence) for name in limits}
        for sequence in result
    ]
    within = [all(total[name] <= limits[name] + 1e-9 for name in limits) for total in totals]
    assert 0.6 < np.mean(within) < 1.0


@pytest.mark.parametrize(("name", "most"), [("maize-sow-harvest-v1", 1), ("wheat-maize-rotation-v1", 99)])
def test_calendars_sow_and_harvest_after_it(name, most):
    parts, result = drawn(name, 50)
    labels = [parts.actions.amounts(code) for code in range(parts.actions.space.n)]
    for sequence in result:
        work = [w for code in sequence for w in ("PLANT", "HARVEST") if w in labels[code]]
        assert work[::2] == ["PLANT"] * len(work[::2])
        assert work[1::2] == ["HARVEST"] * len(work[1::2])
        assert len(work[::2]) <= most
    assert sum(any("PLANT" in labels[code] for code in sequence) for sequence in result) == len(result)


def test_an_orchards_years_are_alike():
    parts, result = drawn("jujube-orchard-v1", 20)
    year = min(result.shape[1], 365 // parts.task.season.step_days)
    for sequence in result:
        np.testing.assert_array_equal(sequence, np.resize(sequence[:year], len(sequence)))


@pytest.mark.parametrize("name", ["greenhouse-setpoint-v1", "greenhouse-setpoint-continuous-v1"])
def test_set_points_are_the_same_at_the_same_hour_of_every_day(name):
    _, result = drawn(name, 20)
    for sequence in result:
        np.testing.assert_array_equal(sequence, np.resize(sequence[:24], sequence.shape))
    halves = result[:, :12], result[:, 12:24]
    assert not np.array_equal(*halves)  # but not the same all day


def test_controls_given_by_increments_come_to_the_same_levels_every_day():
    parts, result = drawn("greenhouse-tomato-v1", 4)
    a_day, present, seen = 288, np.zeros((4, 6)), []
    for step in range(3 * a_day):
        present = parts.actions.moved(result[:, step].astype(np.float64), present)
        seen.append(present)
    np.testing.assert_allclose(seen[a_day : 2 * a_day], seen[2 * a_day :], atol=1e-6)
    assert np.max(seen) > 0.5


def test_controls_start_from_where_an_episode_starts():
    parts, (sequence, *_) = drawn("greenhouse-tomato-v1", 1)
    core = BatchCore(parts, 1)
    core.reset([0], [parts.scenarios.keys[0]])
    present = parts.actions.present(core)
    for action in sequence[:30]:
        core.step(action[None], np.ones(1, np.bool_))
        present = parts.actions.moved(action[None].astype(np.float64), present)
        np.testing.assert_allclose(parts.actions.present(core), present, atol=1e-6)
