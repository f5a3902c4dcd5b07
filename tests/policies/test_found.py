"""Plans that searches found: their text, how they play, and that an oracle never ends below them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.errors import ConfigError
from agbench.policies.field import found
from agbench.policies.field.evolution import EvolutionSettings, Evolved
from agbench.policies.field.found import FoundSettings, Plans
from agbench.policies.playing import actions_of, padded
from agbench.policies.registry import interface_of, load_policy

WHEAT = "wheat-inputs-v1"
SMALL = {"start": "zero", "population": 16, "generations": 1, "clones": 16, "rounds": 1, "joined": 1}


@given(st.lists(st.integers(0, 3) | st.integers(0, 16), max_size=60))
def test_a_plan_is_read_as_it_was_written_but_for_nothing_at_its_end(numbers):
    text = found.written(numbers)
    read = found.read(text)
    assert read.tolist() == np.trim_zeros(np.array(numbers, dtype=int), "b").tolist()
    assert len(text.split()) <= len(numbers)


def test_equal_numbers_stand_together():
    assert found.written([0, 0, 3, 0, 5, 5, 5, 0, 0]) == "0x2 3 0 5x3"
    assert found.read("0x2 3 0 5x3").tolist() == [0, 0, 3, 0, 5, 5, 5]


def plans(**by_scenario):
    task = catalog.task(WHEAT)
    return task, Plans("found", FoundSettings(plans=by_scenario), interface_of(task))


def test_a_plan_plays_in_its_scenario_and_nothing_in_others():
    task = catalog.task(WHEAT)
    parts = build(task, "test")
    first, second = parts.scenarios.keys[:2]
    _, policy = plans(**{first: "0x3 2 0x2 5"})
    core = BatchCore(parts, 2)
    core.start([first, second], [1, 2])
    for row, expected in ((0, [0, 0, 0, 2, 0, 0, 5, 0]), (1, [0] * 8)):
        policy.plan(core, row)
        policy.reset(0)
        assert [policy(None) for _ in range(8)] == expected
    assert policy.plan_of(second) is None


def test_plans_that_no_menu_has_are_refused_with_their_scenario():
    with pytest.raises(ConfigError, match=r"plans\.netherlands/1990: action 99 lies outside the menu"):
        plans(**{"netherlands/1990": "0x3 99"})
    with pytest.raises(ValueError, match="'3,4': a plan is numbers of the menu"):
        FoundSettings(plans={"netherlands/1990": "0 3,4"})
    with pytest.raises(ConfigError, match="plans are of a menu"):
        Plans("found", FoundSettings(plans={"x": "1"}), interface_of(catalog.task("farm-nitrogen-v1")))


def oracle(kept, task=None, **changes):
    """Return a small oracle whose file names `known`."""
    task = task or catalog.task(WHEAT)
    interface = interface_of(task)

    def load(name):
        return kept if name == "found" else load_policy(name, task)

    interface = type(interface)(interface.task, interface.actions, interface.observer, load)
    settings = EvolutionSettings(**SMALL, **changes)
    return Evolved("oracle", settings, interface)


def test_an_oracle_ends_no_lower_than_the_plan_that_is_known():
    parts = build(catalog.task(WHEAT), "test")
    key, other = parts.scenarios.keys[:2]
    core = BatchCore(parts, 1)
    core.start([key], [0])
    start = core.save(0)
    expert = load_policy("advisor", catalog.task(WHEAT))
    known = actions_of(parts, expert, start)
    _, kept = plans(**{key: found.written(known)})
    with_it, without = oracle(kept, known="found"), oracle(None)
    value = with_it.worth(parts, start)
    solved = with_it.solve(parts, start)
    alone = without.solve(parts, start)
    reached = value(np.stack([solved, alone]))
    assert reached[1] < value(np.resize(known, (1, len(solved))))[0] <= reached[0]
    core.start([other], [0])
    start = core.save(0)
    np.testing.assert_array_equal(
        oracle(kept, known="found").solve(parts, start), oracle(None).solve(parts, start)
    )


def test_known_names_plans_and_takes_rounds():
    with pytest.raises(ConfigError, match="known: found is not of the kind found"):
        oracle(load_policy("zero", catalog.task(WHEAT)), known="found")
    with pytest.raises(ValueError, match="known: joined says for how many rounds"):
        EvolutionSettings(start="zero", known="found")


@pytest.mark.parametrize(
    ("name", "policy", "change"),
    [
        ("maize-inputs-v1", "evolved", {"action.doses.N": [0, 20, 40, 60, 90, 120]}),
        ("wheat-maize-rotation-v1", "receding", {"action.kind": "continuous"}),
    ],
)
def test_an_oracle_of_other_actions_searches_without_what_is_known(name, policy, change, monkeypatch):
    task = catalog.task(name)
    made, make = [], Plans.__init__

    def counted(self, *arguments):
        made.append(self)
        make(self, *arguments)

    monkeypatch.setattr(Plans, "__init__", counted)
    load_policy(policy, task)
    assert len(made) == 1
    load_policy(policy, override(task, change))
    assert len(made) == 1


def test_of_a_plan_that_is_longer_than_a_season_its_beginning_counts():
    task = override(catalog.task(WHEAT), {"season.end": "04-01"})
    parts = build(task, "test")
    key = parts.scenarios.keys[0]
    core = BatchCore(parts, 1)
    core.start([key], [0])
    start = core.save(0)
    _, kept = plans(**{key: "0x20 2 0x60 3"})
    solver = oracle(kept, task, known="found")
    value = solver.worth(parts, start)
    solved = solver.solve(parts, start)
    assert len(solved) < 81
    beginning = padded(found.read("0x20 2"), len(solved), 0)
    assert value(solved[None])[0] >= value(beginning[None])[0]
