"""Aggregates: against rliable's numbers, and against what can be worked out by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

from agbench.evaluation import aggregates

NUMBERS = json.loads((Path(__file__).parents[1] / "reference/rliable/numbers.json").read_text())
OURS, THEIRS = np.array(NUMBERS["ours"]), np.array(NUMBERS["theirs"])
STATISTICS = {**aggregates.AGGREGATES, "optimality_gap": aggregates.optimality_gap}
EXACT = {"rel": 1e-12, "abs": 1e-12}


@pytest.mark.parametrize("name", NUMBERS["values"])
def test_aggregates_are_rliables(name):
    assert STATISTICS[name](OURS) == pytest.approx(NUMBERS["values"][name], **EXACT)


def test_the_probability_of_improvement_is_rliables():
    found = aggregates.probability_of_improvement(OURS, THEIRS)
    assert found == pytest.approx(NUMBERS["probability_of_improvement"], **EXACT)


def test_the_performance_profile_is_rliables():
    found = aggregates.performance_profile(OURS, np.array(NUMBERS["thresholds"]))
    assert found == pytest.approx(NUMBERS["profile"], **EXACT)


@pytest.mark.parametrize("name", NUMBERS["intervals"])
def test_intervals_of_the_same_resamples_are_rliables(name):
    generator = np.random.RandomState(NUMBERS["seed"])
    chosen = [generator.choice(len(OURS), OURS.shape) for _ in range(NUMBERS["replications"])]
    drawn = STATISTICS[name](aggregates.resampled(OURS, np.array(chosen)))
    found = aggregates.percentile_interval(0.0, drawn)
    assert [found.low, found.high] == pytest.approx(NUMBERS["intervals"][name], **EXACT)


def test_the_interval_of_the_improvement_is_rliables():
    generator = np.random.RandomState(NUMBERS["seed"])
    chosen = [
        [generator.choice(len(s), s.shape) for s in (OURS, THEIRS)] for _ in range(NUMBERS["replications"])
    ]
    sides = [aggregates.resampled(s, np.array([c[i] for c in chosen])) for i, s in enumerate((OURS, THEIRS))]
    drawn = aggregates.probability_of_improvement(sides[0], sides[1])
    found = aggregates.percentile_interval(0.0, drawn)
    assert [found.low, found.high] == pytest.approx(NUMBERS["improvement_interval"], **EXACT)


@pytest.mark.parametrize("name", NUMBERS["intervals"])
def test_our_own_resamples_give_nearly_rliables_interval(name):
    found = aggregates.stratified_interval(OURS, STATISTICS[name], 20_000)
    assert [found.low, found.high] == pytest.approx(NUMBERS["intervals"][name], abs=3.0)


def test_our_own_resamples_of_the_improvement_are_near_too():
    found = aggregates.improvement_interval(OURS, THEIRS, 20_000)
    assert [found.low, found.high] == pytest.approx(NUMBERS["improvement_interval"], abs=0.03)


def test_a_batch_of_matrices_is_one_call():
    batch = np.stack([OURS, OURS + 1.0])
    for statistic in STATISTICS.values():
        assert statistic(batch).tolist() == [float(statistic(OURS)), float(statistic(OURS + 1.0))]


def test_the_worst_tenth_counts_the_last_value_by_the_share_that_is_left():
    assert aggregates.worst_tenth(np.arange(20.0)) == 0.5
    assert aggregates.worst_tenth(np.arange(11.0)) == pytest.approx((0.0 + 0.1 * 1.0) / 1.1)
    assert aggregates.worst_tenth(np.array([7.0])) == 7.0


def test_one_run_and_equal_scenarios_have_an_interval_of_no_width():
    assert aggregates.crossed_interval(np.full((1, 9), 4.0), aggregates.mean, 200) == (4.0, 4.0, 4.0)


def test_crossed_resamples_vary_as_theory_says():
    """With one run, the mean over scenarios varies by the scenarios' deviation over sqrt(n)."""
    values = np.random.default_rng(3).normal(size=(1, 100))
    drawn = aggregates.crossed_resamples(values, aggregates.mean, 20_000, 0)
    assert drawn.std() == pytest.approx(values.std() / 10.0, rel=0.03)


def test_a_suite_is_the_mean_of_its_tasks():
    one, two = np.full((3, 4), 10.0), np.full((5, 2), 30.0)
    assert aggregates.suite_interval([one, two], [aggregates.interquartile_mean] * 2, 100).value == 20.0
