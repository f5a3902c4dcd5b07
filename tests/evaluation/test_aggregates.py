"""Aggregates: against rliable's numbers, and against what can be worked out by hand.

rliable's strata are tasks here, and a stratum alone is one task with one scenario: there crossed
resampling and rliable's are the same, draw for draw.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from agbench.evaluation import aggregates
from agbench.evaluation.aggregates import AGGREGATES, Resampled

NUMBERS = json.loads((Path(__file__).parents[1] / "reference/rliable/numbers.json").read_text())
OURS, THEIRS = np.array(NUMBERS["ours"]), np.array(NUMBERS["theirs"])
STRATA = range(OURS.shape[1])
RUNS = np.array([80.0, 90.0, 100.0, 110.0, 400.0])
EXACT = {"rel": 1e-12, "abs": 1e-12}


def rliables_draws(*shapes):
    """Return which runs rliable draws in each replication, an array (replications, *shape) a shape."""
    generator = np.random.RandomState(NUMBERS["seed"])
    drawn = [[generator.choice(shape[0], shape) for shape in shapes] for _ in range(NUMBERS["replications"])]
    return [np.array(each) for each in zip(*drawn, strict=True)]


def one_scenario(values, runs):
    """Return runs (n,) of one task and scenario, resampled as chosen (resamples, n)."""
    only = np.zeros((len(runs), 1), int)
    return Resampled(values, aggregates.crossed(values[:, None], runs, only))


@pytest.mark.parametrize("stratum", STRATA)
@pytest.mark.parametrize("name", ["iqm", "mean"])
def test_a_tasks_aggregates_and_their_intervals_are_rliables(name, stratum):
    expected = NUMBERS["strata"][stratum]
    (runs,) = rliables_draws((len(OURS), 1))
    result = one_scenario(OURS[:, stratum], runs[:, :, 0]).interval(AGGREGATES[name])
    assert list(result) == pytest.approx([expected[name], *expected[f"{name}_interval"]], **EXACT)


def test_the_interquartile_mean_of_many_scores_is_rliables():
    assert aggregates.interquartile_mean(OURS.ravel()) == pytest.approx(NUMBERS["values"]["iqm"], **EXACT)


@pytest.mark.parametrize("across", ["mean", "median"])
def test_a_suites_aggregates_and_their_intervals_are_rliables(across):
    (runs,) = rliables_draws(OURS.shape)
    tasks = [one_scenario(OURS[:, i], runs[:, :, i]) for i in STRATA]
    result = aggregates.over_tasks([task.by(aggregates.mean) for task in tasks], AGGREGATES[across]).interval
    expected = [NUMBERS["values"][across], *NUMBERS["intervals"][across]]
    assert list(result) == pytest.approx(expected, **EXACT)


def test_the_probability_of_improvement_is_rliables():
    result = aggregates.improvement_interval(OURS, THEIRS, 10)
    assert result.value == pytest.approx(NUMBERS["probability_of_improvement"], **EXACT)


@pytest.mark.parametrize("scale", [1.0, 1e-3, 3e5])
def test_values_that_differ_by_the_order_of_a_sum_are_equal(scale):
    ours = np.array([[1.0, 2.0, 3.0, 4.0]]) * scale
    near = ours * (1.0 + np.array([1e-13, -1e-13, 0.0, 1e-12]))
    assert aggregates.improvement_interval(ours, near, 10).value == 0.5
    assert aggregates.improvement_interval(near, ours, 10).value == 0.5
    apart = ours + np.array([1e-5, -1e-5, 1e-5, 1e-5]) * max(1.0, scale)
    assert aggregates.improvement_interval(ours, apart, 10).value == 0.25
    lost = np.array([[-np.inf, -np.inf, 3.0 * scale, np.nan]])
    assert aggregates.improvement_interval(ours, lost, 10).value == pytest.approx((1 + 1 + 0.5 + 0) / 4)


def test_improvements_that_are_resampled_part_by_part_are_the_same(monkeypatch):
    whole = aggregates.improvement_interval(OURS, THEIRS, 100)
    monkeypatch.setattr(aggregates, "_BLOCK", 7 * len(OURS) * len(THEIRS))
    parts = aggregates.improvement_interval(OURS, THEIRS, 100)
    assert list(parts) == pytest.approx(list(whole), rel=1e-12)
    assert parts.low < parts.value < parts.high


@pytest.mark.parametrize("stratum", STRATA)
def test_the_interval_of_the_improvement_over_one_run_is_rliables(stratum):
    expected = NUMBERS["strata"][stratum]
    runs, _ = rliables_draws((len(OURS), 1), (1, 1))
    chances = aggregates.improvement_chances(OURS[:, [stratum]], THEIRS[1:2, [stratum]])
    result = one_scenario(chances[:, 0], runs[:, :, 0]).interval(aggregates.mean)
    assert list(result) == pytest.approx(
        [expected["improvement"], *expected["improvement_interval"]], **EXACT
    )


def test_the_performance_profile_is_rliables():
    result = aggregates.performance_profile(OURS, np.array(NUMBERS["thresholds"]))
    assert result == pytest.approx(NUMBERS["profile"], **EXACT)


@pytest.mark.parametrize("name", ["iqm", "mean"])
def test_our_own_draws_give_nearly_rliables_interval(name):
    expected = NUMBERS["strata"][2][f"{name}_interval"]
    result = aggregates.resample(OURS[:, [2]], 20_000).interval(AGGREGATES[name])
    assert [result.low, result.high] == pytest.approx(expected, abs=3.0)


def test_the_median_of_runs_is_not_their_mean():
    """The example of docs/leaderboard.md: one seed of five far above the others."""
    result = aggregates.resample(np.stack([RUNS - 10.0, RUNS + 10.0], axis=1), 2000)
    assert result.interval(aggregates.median).value == 100.0
    assert result.interval(aggregates.mean).value == 156.0
    assert result.interval(aggregates.interquartile_mean).value == 100.0
    assert result.interval(aggregates.median) != result.interval(aggregates.mean)
    assert set(aggregates.median(result.drawn)) > set(RUNS)


def test_aggregates_of_every_resample_are_one_call():
    batch = np.stack([OURS[:, 0], OURS[:, 0] + 1.0])
    for statistic in AGGREGATES.values():
        assert statistic(batch).tolist() == [float(statistic(row)) for row in batch]


@pytest.mark.parametrize("runs", range(1, 10))
def test_aggregates_are_the_same_wherever_values_lie_in_memory(runs):
    batch = np.random.default_rng(runs).normal(size=(50, runs)).round(1)
    for statistic in AGGREGATES.values():
        expected = [float(statistic(row)) for row in batch]
        assert statistic(batch).tolist() == expected
        assert statistic(np.asfortranarray(batch)) == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert np.array_equal(aggregates.interquartile_mean(batch[:, :1]), batch[:, 0])


def test_the_worst_tenth_counts_the_last_value_by_the_share_that_is_left():
    assert aggregates.worst_tenth(np.arange(20.0)) == 0.5
    assert aggregates.worst_tenth(np.arange(11.0)) == pytest.approx((0.0 + 0.1 * 1.0) / 1.1)
    assert aggregates.worst_tenth(np.array([7.0])) == 7.0


@pytest.mark.parametrize("name", AGGREGATES)
def test_of_one_run_every_aggregate_is_its_value_a_plain_number(name):
    statistic = AGGREGATES[name]
    assert json.dumps(statistic(np.array([1.5]))) == "1.5"
    assert statistic(np.array([[1.5], [-2.0]])).tolist() == [1.5, -2.0]


def test_one_run_and_equal_scenarios_have_an_interval_of_no_width():
    assert aggregates.resample(np.full((1, 9), 4.0), 200).interval(aggregates.mean) == (4.0, 4.0, 4.0)


def test_crossed_resamples_vary_as_in_theory():
    """With one run, the mean over scenarios varies by the scenarios' deviation over sqrt(n)."""
    values = np.random.default_rng(3).normal(size=(1, 100))
    drawn = aggregates.resample(values, 20_000).drawn[:, 0]
    assert drawn.std() == pytest.approx(values.std() / 10.0, rel=0.03)


def test_all_runs_of_a_resample_meet_the_same_scenarios():
    """Two equal runs stay equal in every resample; drawn within each run they would part."""
    values = np.tile(np.random.default_rng(4).normal(size=(1, 30)), (2, 1))
    drawn = aggregates.resample(values, 500).drawn
    assert np.array_equal(drawn[:, 0], drawn[:, 1])
    assert drawn.std() > 0.1


def test_a_suite_is_the_mean_of_its_tasks():
    tasks = [
        aggregates.resample(np.full(shape, value), 100) for shape, value in (((3, 4), 10.0), ((5, 2), 30.0))
    ]
    result = aggregates.over_tasks([task.by(aggregates.interquartile_mean) for task in tasks])
    assert result.interval == (20.0, 20.0, 20.0)
