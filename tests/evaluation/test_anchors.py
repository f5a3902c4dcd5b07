"""Anchors: stored for the task as it is, reproduced by simulating again, and what scores make of them."""

import numpy as np
import pytest

from agbench import data
from agbench.errors import ConfigError
from agbench.evaluation import anchors
from agbench.spec.overrides import override

TASK = data.task("wheat-nitrogen-v1")


@pytest.mark.parametrize("split", ["test"])
def test_stored_anchors_are_what_the_references_reach(split):
    stored = anchors.load(TASK).splits[split]
    again = anchors.compute(TASK, [split]).splits[split]
    assert list(stored) == list(again) == TASK.scenarios(split)
    for key, values in again.items():
        assert values.model_dump() == pytest.approx(stored[key].model_dump(), rel=1e-9, abs=1e-9)


def test_every_split_has_its_anchors_and_the_order_is_that_of_the_split():
    for split in TASK.splits:
        found = anchors.of_split(TASK, split)
        assert found.floor.shape == found.expert.shape == (len(TASK.scenarios(split)),)
        assert found.oracle is not None
        assert found.oracle.mean() >= found.expert.mean() > found.floor.mean()


def test_the_floor_scores_0_and_the_expert_100():
    found = anchors.of_split(TASK, "test")
    assert found.scores(found.floor).mean() == pytest.approx(0.0, abs=1e-12)
    assert found.scores(found.expert).mean() == pytest.approx(100.0, rel=1e-12)


def test_scores_are_never_normalised_scenario_by_scenario():
    found = anchors.SplitAnchors(np.array([0.0, 0.0]), np.array([-1.0, 3.0]), None)
    assert found.scores(np.array([2.0, 2.0])).tolist() == [200.0, 200.0]


def test_anchors_of_another_version_of_the_task_are_refused():
    with pytest.raises(ConfigError, match=r"another version .* agbench anchors wheat"):
        anchors.load(override(TASK, {"beta": 5.0}))


def test_a_task_whose_expert_beats_nothing_is_no_task():
    useless = override(TASK, {"beta": 1000.0})
    with pytest.raises(ConfigError, match="beats the floor zero by -"):
        anchors.compute(useless, ["test"])


def test_anchors_are_written_and_read(tmp_path, monkeypatch):
    path = anchors.save(anchors.load(TASK), tmp_path)
    assert path == tmp_path / "anchors/wheat-nitrogen-v1.yaml"
    monkeypatch.setattr(data, "roots", lambda: [tmp_path])
    assert anchors.load(TASK).task == TASK.task
