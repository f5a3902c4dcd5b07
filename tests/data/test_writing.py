"""Writing YAML: what is written is what is read, and what is short stands on one line."""

import pytest
import yaml

from agbench.data.writing import yaml_text

CONTENT = {
    "policy": "rules",
    "source": "a text: with a colon, " * 20,
    "settings": {
        "rules": [
            {"input": "N", "amount": 20.0, "every": "7 d", "within": {"DVS": [0.0, 1.6]}, "until": None},
            {"input": "P", "amount": 1e-9, "when": "PAVAIL", "below": 10_000.0},
        ],
        "plan": [{"date": "05-02", "input": "yes", "amount": -0.5}] * 3,
        "none": [],
        "tune": {"0.within": [{"DVS": [float(i), 2.0]} for i in range(20)]},
    },
}


def test_what_is_written_is_what_is_read():
    assert yaml.safe_load(yaml_text(CONTENT)) == CONTENT


def test_a_rule_stands_on_one_line_and_a_long_list_on_several():
    lines = yaml_text(CONTENT).splitlines()
    rule = "    - {input: N, amount: 20.0, every: 7 d, within: {DVS: [0.0, 1.6]}, until: null}"
    assert rule in lines
    assert sum("DVS: [" in line for line in lines) == 1 + 20
    assert lines[0] == "policy: rules"


@pytest.mark.parametrize(
    ("made", "most"),
    [(lambda text: {"key": text}, 111), (lambda text: [text], 116), (lambda text: [[text]], 112)],
)
def test_what_counts_up_to_120_characters_stands_on_one_line(made, most):
    lines = [yaml_text({"name": made("x" * letters)}).count("\n") for letters in (most, most + 1)]
    assert lines == [1, 2]
