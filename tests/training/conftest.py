"""Exports of these tests are compared with their models in a few observations, which tell as much of most."""

from importlib.util import find_spec

import pytest

EXPORT = "agbench.training.export.OBSERVATIONS"


@pytest.fixture(autouse=True, scope="module")
def few_observations():
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("stable_baselines3") is not None:
            patch.setattr(EXPORT, 400)
        yield


@pytest.fixture
def all_observations(monkeypatch):
    """Compare in as many observations as for a user."""
    monkeypatch.setattr(EXPORT, 10_000)
