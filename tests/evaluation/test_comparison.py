"""Comparisons: scores from means, and only what can be compared."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.errors import ResultError
from agbench.evaluation import anchors
from agbench.evaluation.comparison import compare, load_results, score

TASK = "wheat-nitrogen-v1"
YEARS = [1986, 2004]


@pytest.fixture(scope="module")
def results():
    return {p: agbench.evaluate(TASK, p, years=YEARS) for p in ("zero", "advisor", "ceres")}


def test_policies_come_from_worst_to_best_scored_by_the_task_s_constant(results):
    rows = compare([results["ceres"], results["zero"], results["advisor"]])
    assert [row.policy for row in rows] == ["zero", "advisor", "ceres"]
    assert rows[0].score == (0.0, 0.0, 0.0)
    gain = anchors.gain(anchors.load(catalog.task(TASK)))
    above = results["ceres"].objective - results["zero"].objective
    assert rows[2].score.value == pytest.approx(100.0 * above.mean() / gain)
    assert 100.0 * above.min() / gain <= rows[2].score.low <= rows[2].score.high <= 100.0 * above.max() / gain


def test_the_expert_is_what_others_are_paired_with(results):
    floor, expert, oracle = compare(list(results.values()))
    assert expert.to_expert is None
    paired = results["ceres"].objective - results["advisor"].objective
    assert oracle.to_expert.difference.value == pytest.approx(paired.mean())
    assert oracle.to_expert.improvement == (1.0, 1.0, 1.0)
    assert oracle.to_expert.difference.low >= paired.min() > 0.0
    assert not oracle.to_expert.tie
    assert floor.to_expert.improvement.value == np.mean(results["advisor"].objective < 0.0)


def test_the_anchored_floor_stands_in_for_one_that_was_not_given(results):
    with_floor = compare([results["zero"], results["ceres"]])[1]
    alone = compare([results["ceres"]])[0]
    assert alone.score == pytest.approx(with_floor.score)
    assert alone.to_expert is None


def test_without_anchors_that_fit_there_is_no_score(results):
    other = agbench.evaluate(TASK, "random", years=YEARS, beta=5.0)
    assert score(other) is None
    generated = agbench.evaluate(TASK, "zero", split="validation")
    assert score(generated) is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"beta": 5.0}, "differ in their version of the task"),
        ({"split": "train", "years": [1985]}, "differ in their split"),
        ({"years": [1986, 2005]}, "ran different scenarios"),
    ],
)
def test_what_cannot_be_compared_is_refused(results, change, expected):
    other = agbench.evaluate(TASK, "random", **{"years": YEARS, **change})
    with pytest.raises(ResultError, match=expected):
        compare([results["zero"], other])


def test_the_same_policy_twice_is_refused(results):
    with pytest.raises(ResultError, match="more than one result of zero"):
        compare([results["zero"], results["zero"]])


def test_a_folder_of_results_is_read_whole(results, tmp_path):
    for name, result in results.items():
        result.save(tmp_path / name)
    assert [r.policy for r in load_results([tmp_path])] == ["advisor", "ceres", "zero"]


def test_a_folder_without_results_is_named(tmp_path):
    with pytest.raises(ResultError, match="neither this folder nor its folders hold a result"):
        load_results([tmp_path])
