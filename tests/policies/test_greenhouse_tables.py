"""The tables of greenhouse policies: one batch gives what the protocol's evaluation gives."""

from greenhouse_policies import accuracy, seasons, table

import agbench
from agbench.data import catalog
from agbench.data.overrides import override

SHORT = {"episode__length": "1 d", "simulator__accuracy": "fast"}


def test_the_batch_gives_what_evaluate_gives():
    task = override(catalog.task("greenhouse-winter-v1"), SHORT)
    names = ["rule-based", "random"]
    result = seasons(task, names)
    for name in names:
        alone = agbench.evaluate(task, name).episodes
        batch = result[result["policy"] == name]
        assert batch["scenario"].tolist() == alone["scenario"].tolist()
        assert batch["profit"].tolist() == alone["profit"].tolist()


def test_a_table_has_a_line_a_policy_and_a_column_a_level():
    task = override(catalog.task("greenhouse-gym-v1"), SHORT)
    lines = list(table(task))
    assert lines[0].endswith("| 0 | 0.05 | 0.1 | 0.15 | 0.2 | 0.25 | 0.3 |")
    assert [line.split(" | ")[0] for line in lines[2:4]] == ["| idle", "| rule-based"]


def test_accuracy_compares_the_two_settings():
    lines = list(accuracy(override(catalog.task("greenhouse-winter-v1"), {"episode__length": "2 d"}), 1))
    rows = [[float(x.strip(" |%")) for x in line.split(" | ")[1:]] for line in lines[2:]]
    for exact, same, of_itself, *_ in rows:
        rounding = 1e-4 / abs(exact) * 100.0 + 0.0005
        assert abs(100.0 * abs(same - exact) / abs(exact) - of_itself) < rounding
    assert max(abs(same - exact) for exact, same, *_ in rows) < 0.001
    assert 0 < max(abs(free - exact) for exact, _, _, free, *_ in rows) < 0.01
