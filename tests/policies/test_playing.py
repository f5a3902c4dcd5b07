"""Many policies in one batch: what tuning plays is what an evaluation plays."""

import pytest

import agbench
from agbench.data import catalog
from agbench.envs.family import build
from agbench.policies.playing import returns_of_policies
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
