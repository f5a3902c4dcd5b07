"""Comparisons: scores from means, and only what can be compared."""

import pytest

import agbench
from agbench.errors import ResultError
from agbench.evaluation.comparison import compare, load_results

TASK = "wheat-nitrogen-v1"
YEARS = [1986, 1994, 2004]


@pytest.fixture(scope="module")
def results():
    return {p: agbench.evaluate(TASK, p, years=YEARS) for p in ("zero", "advisor", "ceres")}


def test_policies_come_from_worst_to_best_with_floor_0_and_expert_100(results):
    rows = compare([results["ceres"], results["zero"], results["advisor"]])
    assert [row.policy for row in rows] == ["zero", "advisor", "ceres"]
    assert rows[0].score == 0.0
    assert rows[1].score == 100.0
    means = [results[row.policy].objective.mean() for row in rows]
    assert rows[2].score == pytest.approx(100.0 * (means[2] - means[0]) / (means[1] - means[0]))
    assert rows[2].chance_worse == 0.0
    assert rows[1].chance_worse is None


def test_without_floor_and_expert_there_is_no_score(results):
    assert compare([results["ceres"]])[0].score is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"beta": 5.0}, "differ in their version of the task"),
        ({"split": "train", "years": [1985]}, "differ in their split"),
        ({"years": [1986, 1994, 2005]}, "ran different scenarios"),
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
