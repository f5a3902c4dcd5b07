"""Datasets of these tests have an empty picture, which takes longer to draw than they take to make."""

import pytest

from agbench.datasets import card, figure


def empty(told, sample, path):
    path.write_bytes(b"\x89PNG")
    return path


@pytest.fixture(autouse=True, scope="module")
def empty_pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(card, "draw", empty)
        yield


@pytest.fixture
def drawn(monkeypatch):
    """Draw pictures as for a user."""
    monkeypatch.setattr(card, "draw", figure.draw)
