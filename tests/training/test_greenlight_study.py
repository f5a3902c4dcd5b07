"""The study of GreenLight-Gym's Figure 2: its runs are those of an evaluation, and its networks act alike."""

import numpy as np
import pytest
from study_script import loaded

from agbench.data import catalog
from agbench.envs.family import build
from agbench.policies.networks import mlp

pytest.importorskip("stable_baselines3")


@pytest.fixture
def study(monkeypatch):
    return loaded("greenlight_gym/study.py", monkeypatch)


def test_a_network_of_the_study_acts_as_its_policy_does(study, tmp_path):
    parts = build(catalog.task(study.TASK), "test")
    width, drawn = len(parts.observer.entries), np.random.default_rng(0)
    layers = [drawn.normal(size=shape) * 0.3 for shape in ((width, 8), (8, 6))]
    biases = [drawn.normal(size=8), drawn.normal(size=6)]
    scaling = {"mean": drawn.normal(size=width), "scale": np.full(width, 2.0), "clip": 1.0}
    network = mlp.Network(("silu", "identity"), tuple(layers), tuple(biases), "clip", **scaling)
    mlp.save(network, tmp_path / "policy.npz")
    seen = drawn.normal(size=(50, width)) * 3.0
    acted = study.network_act(tmp_path / "policy.npz", parts)(seen, 0)
    np.testing.assert_allclose(acted, network.actions(seen, parts.actions.space), atol=1e-6)
    assert np.ptp(acted) > 0.5


def test_one_run_stands_for_all_where_nothing_is_drawn(study):
    pairs = study.pairs_of(["schiphol/2010-03-01/0", "schiphol/2010-03-01/0.3"], 3)
    assert [number for key, number in pairs if key.endswith("/0")] == [0]
    assert [number for key, number in pairs if key.endswith("/0.3")] == [0, 1, 2]


def test_the_stored_runs_are_one_a_level(study):
    for reference in study.STORED.values():
        runs = study.stored(reference)
        assert list(runs["level"]) == [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]
        np.testing.assert_allclose(runs["return"], runs["profit"] - runs["penalty"], atol=1e-9)
