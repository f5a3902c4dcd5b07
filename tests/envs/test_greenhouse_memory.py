"""Rows of greenhouse tasks with clouds of their own: a window of weather each, and the same episodes."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import agbench
from agbench.envs.core import BatchCore
from agbench.envs.greenhouse.ahead import price_table, prices_of
from agbench.weather.day_by_day import DayByDay

CONTINUOUS, UNCERTAIN = "greenhouse-setpoint-continuous-v1", "greenhouse-tomato-uncertain-v1"


def started(name, rows, **overrides):
    core = agbench.make_vec(name, num_envs=rows, split="train", **overrides).core
    for row in range(rows):
        core.seed(row, row)
    core.reset(range(rows), [None] * rows)
    return core


def with_whole_tables(core):
    """Return a copy of a batch whose worlds hold their weather and errors as arrays."""
    result = BatchCore(core.parts, core.n)
    for row in range(core.n):
        saved = core.save(row)
        world = replace(
            saved.world,
            weather=np.ascontiguousarray(saved.world.weather),
            beside=tuple(np.ascontiguousarray(table) for table in saved.world.beside),
        )
        bare = replace(saved.simulation.row, world=world)
        result.load(row, replace(saved, world=world, simulation=replace(saved.simulation, row=bare)))
    return result


def play(core, steps, seed=0):
    generator = np.random.default_rng(seed)
    size = core.parts.actions.space.shape
    seen = []
    for _ in range(steps):
        actions = generator.uniform(-1.0, 1.0, (core.n, *size)).astype(np.float32)
        rewards, *_ = core.step(actions, np.ones(core.n, dtype=np.bool_))
        seen.append((core.observations.copy(), rewards))
    return [part.tobytes() for pair in seen for part in pair]


@pytest.mark.parametrize(("name", "step", "steps"), [(CONTINUOUS, "1 h", 60), (UNCERTAIN, "1 h", 60)])
def test_windows_give_the_episodes_of_whole_tables(name, step, steps):
    core = started(name, 3, episode__step=step, simulator__accuracy="fast")
    assert isinstance(core.worlds[0].weather, DayByDay)
    whole = with_whole_tables(core)
    assert core.observations.tobytes() == whole.observations.tobytes()
    assert play(core, steps) == play(whole, steps)


def test_a_row_jumps_back_and_between_rows():
    core = started(CONTINUOUS, 2, simulator__accuracy="fast")
    play(core, 5)
    early = pickle.loads(pickle.dumps(core.save(0)))
    later = play(core, 40)
    for row in (0, 1):
        core.load(row, early)
    ahead = play(core, 2)
    other = with_whole_tables(core)
    core.load(0, early)
    core.load(1, early)
    assert play(core, 2) == ahead
    assert play(core, 30, 3) == play(other, 30, 3)
    assert later


def test_windows_take_little_memory():
    core = started(CONTINUOUS, 8)
    play(core, 2)
    tables = core.simulator._tables
    held = tables._values.nbytes / 8 + len(pickle.dumps(core.worlds[0]))
    assert held < 40_500


def test_prices_that_never_change_are_held_once():
    hours = np.arange(48.0)
    prices = np.column_stack([np.full(48, 1.6), hours, np.full(48, -0.0), hours[::-1]])
    table = price_table(prices, np.array([-1.0, 12.0, -1.0, 13.0]))
    assert len(table) == 12 + 48 + 48 + 2
    assert prices_of(table, 48).tobytes() == prices.tobytes()
    assert prices_of(table, 50)[48:, 1].tolist() == [47.0, 47.0]
