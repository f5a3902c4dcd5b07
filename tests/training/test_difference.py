"""In what two runs differ, in words."""

import pytest

from agbench.training.difference import difference

MINE = {"steps": 64, "settings": {"gamma": 0.9, "network": {"layers": [8]}}, "teacher": {"policy": "advisor"}}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, None),
        ({"other": 1}, None),
        ({"steps": 128}, "its steps is 128, this one's 64"),
        (
            {"settings": {"gamma": 0.9, "network": {"layers": [16]}}},
            "its settings.network.layers is [16], this one's [8]",
        ),
        (
            {"settings": {"gamma": 0.9, "network": None}},
            "its settings.network is None, this one's {'layers': [8]}",
        ),
        ({"teacher": None}, "its teacher is None, this one's {'policy': 'advisor'}"),
        ({"teacher": {"policy": "advisor", "seed": 1}}, "its teacher.seed is 1, this one's None"),
    ],
)
def test_the_innermost_key_that_differs_is_named(changes, said):
    assert difference(MINE | changes, MINE) == said
