"""Many policies in one batch: what tuning plays is what an evaluation plays."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.policies.playing import play, returns_of_actions, returns_of_policies
from agbench.policies.registry import load_policy

YEARS = [1984, 1985, 1986]


@pytest.mark.parametrize("name", ["millet-inputs-v1", "wheat-planting-v1"])
def test_tuning_plays_the_fields_that_an_evaluation_draws(name):
    """The soil of a field is drawn by an episode's seed: with one seed for all, all fields would be one."""
    task = catalog.task(name)
    evaluated = agbench.evaluate(task, "advisor", "train", years=YEARS, progress=False)
    keys = list(evaluated.episodes["scenario"])
    parts = build(task, "train", years=YEARS)
    values = returns_of_policies(parts, [load_policy("advisor", task) for _ in keys], keys)
    assert values == pytest.approx(evaluated.episodes["return"].to_numpy(), rel=1e-12)


@pytest.mark.parametrize("name", ["wheat-limits-v1", "wheat-nitrogen-v1"])
def test_sequences_are_played_from_the_start_that_was_saved(name):
    """In the same field too, where fields are drawn."""
    parts = build(catalog.task(name), "train")
    core = BatchCore(parts, 1)
    core.seed(0, 3)
    core.reset([0], [None])
    start = core.save(0)
    sequence = np.resize(np.array([0, 1, 0, 0]), 40)
    own = play(core, lambda _, number: sequence[None, min(number, 39)])
    assert returns_of_actions(BatchCore(parts, 2), start, np.stack([sequence] * 2)).tolist() == [own[0]] * 2
