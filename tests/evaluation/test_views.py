"""Oracles of views: what was found for a task is played again where only less is seen of it."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.data.suites import suites
from agbench.errors import ResultError
from agbench.evaluation import evaluate, references
from agbench.evaluation.references import Part
from agbench.evaluation.runner import replay_in

POTATO = next(group for group in suites()["core"].groups if group[0] == "potato-runoff-v1")


@pytest.mark.parametrize("view", POTATO[1:])
def test_a_view_has_the_original_of_which_it_shows_less(view):
    assert references.original(Part(view, "oracle", "shift")) == Part(POTATO[0], "oracle", "shift")
    assert references.original(Part(view, "expert", "shift")) is None


@pytest.mark.parametrize("name", [POTATO[0], "sunflower-farm-fields-v1", "wheat-nitrogen-v1"])
def test_a_task_and_a_view_with_other_actions_have_no_original(name):
    assert references.original(Part(name, "oracle", "test")) is None


@pytest.mark.parametrize("policy", ["advisor", "evolved"])
def test_the_reference_policies_of_views_are_those_of_the_task(policy):
    first, *others = (text_of(name, policy) for name in POTATO)
    assert all(other == first for other in others)


def text_of(name, policy):
    return catalog.find_baseline(name, policy).read_text("utf-8")


def test_the_oracle_of_a_view_plays_what_was_kept_of_the_task(tmp_path):
    solved = evaluate(
        POTATO[0], "zero", out=references.place(Part(POTATO[0], "oracle", "test"), tmp_path), progress=False
    )
    part = Part(POTATO[1], "oracle", "test")
    folder, _ = references.run(part, tmp_path)
    result = references.kept(part, tmp_path)
    assert folder == references.place(part, tmp_path)
    assert result.task.task == POTATO[1]
    assert result.objective.tolist() == solved.objective.tolist()
    for again, actions in zip(result.actions, solved.actions, strict=True):
        assert np.array_equal(again, actions)


def test_oracles_of_views_come_after_those_of_their_tasks(tmp_path):
    parts = [Part(name, "oracle", "test") for name in reversed(POTATO[:2])]
    for part in parts:
        evaluate(part.task, "zero", out=references.place(part, tmp_path), progress=False)
    done = []
    references.run_all(parts, tmp_path, done=lambda part, seconds: done.append(part.task))
    assert done == POTATO[:2]


def test_a_task_whose_world_differs_is_no_view():
    result = evaluate(POTATO[0], "advisor", progress=False)
    with pytest.raises(
        ResultError, match="potato-inputs-v1: actions of advisor in potato-runoff-v1 give something"
    ):
        replay_in(catalog.task("potato-inputs-v1"), result, "unused")
