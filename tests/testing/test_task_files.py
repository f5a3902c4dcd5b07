"""Files of tasks that can be read and could not be evaluated, or whose points would mean nothing."""

from pathlib import Path

import pytest
import yaml

from agbench.data import catalog
from agbench.evaluation import anchors
from agbench.testing.data_files import check_file

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"protocol": {"repeats": 10**9}}, "protocol.repeats: 1,000,000,000; it must be at most 10,000."),
        ({"protocol": {"bootstrap": 10**12}}, "protocol.bootstrap: 1,000,000,000,000; it must be at most"),
        ({"protocol": {"training_splits": ["test"]}}, "protocol.training_splits: test is what policies are"),
        ({"protocol": {"training_splits": ["tests"]}}, "protocol.training_splits: tests is no split."),
        ({"splits": {"test": ...}}, "splits: 'test' is missing, on which policies are compared."),
        ({"references": {"expert": "zero"}}, "references: floor and expert are both zero; 0 and 100 points"),
        (
            {"protocol": {"objective_unit": "t ha-1"}},
            "protocol.objective_unit: 't ha-1' is not the unit of the objective: reward.unit is 'g m-2'.",
        ),
        (
            {"protocol": {"objective": "yield"}},
            "protocol.objective_unit: 'g m-2' is not the unit of the objective: metrics.yield.unit is 't ha",
        ),
        (
            {"metrics": {"nitrogen": {"input": "N", "unit": "kg ha-1", "meaning": " "}}},
            "metrics.nitrogen.meaning: there is nothing",
        ),
        (
            {"metrics": {"nitrogen": {"input": "N", "unit": "lbs acre-1", "meaning": "applied"}}},
            "metrics.nitrogen.unit: 'lbs acre-1'; N is in 'kg ha-1'. Give the factor between the two.",
        ),
        (
            {
                "metrics": {
                    "leaves": {"state": "LAI", "unit": "m2 m-2", "meaning": "leaf area", "factor": 0.0}
                }
            },
            "metrics.leaves.factor: 0; every value would be 0.",
        ),
        (
            {"reward": {"unit": "kg ha-1"}, "protocol": {"objective_unit": "kg ha-1"}},
            "reward.unit: 'kg ha-1'; WSO is in 'g m-2'.",
        ),
    ],
)
def test_what_nobody_could_evaluate_is_refused(tmp_path, changes, message):
    content = yaml.safe_load((ROOT / "tasks/wheat-nitrogen-v1.yaml").read_text())
    for section, values in changes.items():
        for key, value in values.items():
            content[section].pop(key, None)
            content[section] |= {} if value is ... else {key: value}
    path = tmp_path / "tasks" / "wheat-nitrogen-v1.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(content))
    assert check_file(path).startswith(f"{path}: {message}")


def test_no_reference_may_be_below_what_an_episode_that_fails_gets(monkeypatch):
    task = catalog.task("wheat-nitrogen-v1")
    higher = task.model_copy(update={"protocol": task.protocol.model_copy(update={"worst": 5.0})})
    path = catalog.find_anchors(task.task)
    monkeypatch.setattr(anchors, "outdated", lambda task: None)
    assert check_file(path) is None
    monkeypatch.setattr(catalog, "task", lambda name: higher)
    assert "below the task's protocol.worst, 5, which an episode that fails gets" in check_file(path)
