from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from agbench.simulators.field import pool
from agbench.simulators.field.pool import WorldPool


@dataclass(frozen=True, eq=False)
class Box:
    """A world of two arrays."""

    arrays: dict[str, Any]


def world(number, days=3):
    return Box({"weather": np.arange(days) + 10.0 * number, "scalar": np.array(float(number))})


NOBODY = np.array([-1])


def test_a_world_is_stored_once():
    held, one = WorldPool(), world(1)
    assert held.slot(one, NOBODY) == held.slot(one, NOBODY)
    assert held["weather"][held.slot(one, NOBODY)].tolist() == [10.0, 11.0, 12.0]


def test_equal_worlds_that_are_not_the_same_have_slots_of_their_own():
    held = WorldPool()
    assert held.slot(world(1), NOBODY) != held.slot(world(1), NOBODY)


def test_a_shorter_world_repeats_its_last_entry():
    held = WorldPool()
    long, short = held.slot(world(1, 5), NOBODY), held.slot(world(2, 2), NOBODY)
    assert held["weather"][short].tolist() == [20.0, 21.0, 21.0, 21.0, 21.0]
    assert held["weather"][long].tolist() == [10.0, 11.0, 12.0, 13.0, 14.0]


def test_a_longer_world_leaves_the_earlier_ones_as_they_were():
    held = WorldPool()
    slots = [held.slot(world(i, 3), NOBODY) for i in range(9)]
    long = held.slot(world(9, 7), NOBODY)
    for i, slot in enumerate(slots):
        assert held["weather"][slot].tolist() == [10.0 * i + k for k in (0, 1, 2, 2, 2, 2, 2)]
        assert held["scalar"][slot] == i
    assert held["weather"][long, -1] == 96.0


def test_a_full_pool_reuses_slots_that_no_row_uses(monkeypatch):
    monkeypatch.setattr(pool, "_KEPT", 4)
    held = WorldPool()
    worlds = [world(i) for i in range(4)]
    slots = [held.slot(w, np.array([0, 1])) for w in worlds]
    new = held.slot(world(9), np.array(slots[:2]))
    assert new in slots[2:]
    assert held["weather"][new, 0] == 90.0
    assert [held["weather"][s, 0] for s in slots[:2]] == [0.0, 10.0]
    again = held.slot(worlds[2], np.array([*slots[:2], new]))
    assert held["weather"][again, 0] == 20.0
    assert held["weather"][new, 0] == 90.0


def test_a_full_pool_with_all_in_use_grows(monkeypatch):
    monkeypatch.setattr(pool, "_KEPT", 2)
    held = WorldPool()
    slots = [held.slot(world(i), np.arange(i)) for i in range(12)]
    assert len(set(slots)) == 12


@pytest.mark.parametrize("count", [1, 3, 1500])
def test_many_seasons_through_one_pool_stay_themselves(count):
    held = WorldPool()
    for i in range(count):
        slot = held.slot(world(i, 3 + i % 4), NOBODY)
        assert held["weather"][slot, 0] == 10.0 * i
    assert len(held.worlds) <= 1024
