"""Exports of these tests are compared with their models in a few observations, which tell as much of most.

They come from few episodes, whose weather is generated: that takes longer than their days.
"""

from importlib.util import find_spec

import pytest

OBSERVATIONS, ROWS = (f"agbench.training.export.{name}" for name in ("OBSERVATIONS", "_ROWS"))


@pytest.fixture(autouse=True, scope="module")
def few_observations():
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("stable_baselines3") is not None:
            patch.setattr(OBSERVATIONS, 400)
            patch.setattr(ROWS, 20)
        yield


@pytest.fixture
def all_observations(monkeypatch):
    """Compare in as many observations as for a user."""
    monkeypatch.setattr(OBSERVATIONS, 10_000)
    monkeypatch.setattr(ROWS, 40)
