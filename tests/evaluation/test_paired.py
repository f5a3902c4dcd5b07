"""Paired statistics: against an own recomputation in plain NumPy, and what pairing is for."""

import numpy as np
import pytest

from agbench.evaluation import aggregates, paired
from agbench.evaluation.statistics import Interval

RESAMPLES = 4000
GENERATOR = np.random.default_rng(11)
WEATHER = GENERATOR.normal(0.0, 30.0, size=40)
"""What a season does to every agent alike."""


def agent(mean, seeds=5, spread=3.0, noise=4.0):
    """Return the scores of an agent (seeds, scenarios): seeds differ, and every episode has noise."""
    own = mean + GENERATOR.normal(0.0, spread, size=(seeds, 1))
    return own + WEATHER + GENERATOR.normal(0.0, noise, size=(seeds, 40))


def middle_half(values):
    """Return the mean of values without a quarter, rounded down, at each end."""
    cut = len(values) // 4
    return np.sort(values)[cut : len(values) - cut].mean()


def recomputed(ours, theirs, resamples, seed):
    """Return interval of the difference and mean chance of improvement, one resample after the other."""
    generator = np.random.default_rng(seed)
    differences, chances = [], []
    for _ in range(resamples):
        scenarios = generator.integers(0, 40, 40)
        one = ours[generator.integers(0, len(ours), len(ours))][:, scenarios]
        other = theirs[generator.integers(0, len(theirs), len(theirs))][:, scenarios]
        differences.append(middle_half(one.mean(axis=1)) - middle_half(other.mean(axis=1)))
        better = [(a > other).mean() + 0.5 * (a == other).mean() for a in one]
        chances.append(np.mean(better))
    return np.quantile(differences, [0.025, 0.975]), np.quantile(chances, [0.025, 0.975])


def runs(values, stream=0):
    return paired.runs(values, RESAMPLES, stream=stream)


@pytest.mark.slow_except("5-1", "1-1")
@pytest.mark.parametrize(("seeds", "theirs"), [(5, 5), (5, 1), (1, 1), (8, 3)])
def test_intervals_are_those_of_an_own_recomputation(seeds, theirs):
    ours, other = agent(10.0, seeds), agent(0.0, theirs)
    result = paired.compare(runs(ours, 1), runs(other, 2), RESAMPLES)
    (low, high), (least, most) = recomputed(ours, other, RESAMPLES, 99)
    assert result.difference.value == pytest.approx(
        middle_half(ours.mean(axis=1)) - middle_half(other.mean(axis=1))
    )
    near = 0.06 * (high - low)
    assert (result.difference.low, result.difference.high) == (
        pytest.approx(low, abs=near),
        pytest.approx(high, abs=near),
    )
    pairs = [(a > b) + 0.5 * (a == b) for a in ours for b in other]
    assert result.improvement.value == pytest.approx(np.mean(pairs))
    assert (result.improvement.low, result.improvement.high) == pytest.approx((least, most), abs=0.02)


def test_weather_that_all_share_does_not_widen_the_interval_of_a_difference():
    """Alone each agent is known to some +-10 points; paired, the difference to some +-1."""
    ours, other = agent(5.0, 1, 0.0, 2.0), agent(0.0, 1, 0.0, 2.0)
    result = paired.compare(runs(ours, 1), runs(other, 2), RESAMPLES).difference
    alone = runs(ours, 1).interval
    assert alone.high - alone.low > 15.0
    assert result.high - result.low == pytest.approx(2 * 1.96 * np.hypot(2.0, 2.0) / np.sqrt(40), rel=0.35)
    assert alone.low < runs(other, 2).interval.high


def test_seeds_of_two_agents_are_drawn_apart():
    """Two agents of the same five runs differ by chance: seeds are not paired, scenarios are."""
    ours = agent(0.0, 5, 10.0, 0.0)
    result = paired.compare(runs(ours, 1), runs(ours, 2), RESAMPLES)
    assert result.difference.value == 0.0
    assert result.difference.low < -3.0 < 3.0 < result.difference.high
    assert result.tie


def test_an_agent_ties_with_itself():
    ours = agent(0.0, 1)
    result = paired.compare(runs(ours, 1), runs(ours.copy(), 2), RESAMPLES)
    assert result.difference == (0.0, 0.0, 0.0)
    assert result.improvement == (0.5, 0.5, 0.5)
    assert result.tie


def test_ranks_count_who_is_better_by_more_than_chance():
    best, second, alike, last = agent(20.0), agent(10.0), agent(10.0), agent(-20.0)
    drawn = [runs(values, i).drawn for i, values in enumerate((second, last, best, alike))]
    assert paired.ranks(drawn) == [2, 4, 1, 2]
    assert paired.ranks([]) == []
    assert paired.ranks(drawn[:1]) == [1]


def test_one_of_few_lucky_seeds_is_no_lead():
    """Three of ten seeds far above: the middle half hardly moves, and the two tie."""
    ours = agent(0.0, 10, 1.0)
    lucky = ours + np.where(np.arange(10) < 3, 8.0, 0.0)[:, None]
    assert paired.ranks([runs(lucky, 1).drawn, runs(ours, 2).drawn]) == [1, 1]


def test_resamples_meet_the_same_scenarios_whatever_the_number_of_seeds():
    one = aggregates.resample(WEATHER[None], 300, seed=3, stream=1)
    many = aggregates.resample(np.tile(WEATHER, (7, 1)), 300, seed=3, stream=2)
    assert np.allclose(many.drawn, one.drawn, rtol=0, atol=1e-9)
    assert len(set(np.round(one.drawn[:, 0], 9))) > 290


@pytest.mark.parametrize(
    ("low", "high", "tie"),
    [(-1.0, 1.0, True), (1e-9, 1.0, True), (1.1e-9, 1.0, False), (-1.0, -1e-9, True), (-1.0, -1.1e-9, False)],
)
def test_two_tie_where_the_interval_holds_0_but_for_rounding(low, high, tie):
    ends = Interval(0.5 * (low + high), low, high)
    assert paired.Paired(ends, Interval(0.5, 0.4, 0.6)).tie is tie


def test_a_lead_of_rounding_is_none():
    nobody, first, second = np.zeros(100), np.full(100, 1e-9), np.full(100, 1.1e-9)
    assert paired.ranks([nobody, first]) == [1, 1]
    assert paired.ranks([nobody, second]) == [2, 1]
    assert paired.ranks([second, nobody, np.ones(100)]) == [2, 3, 1]
    assert paired.ranks([]) == []
