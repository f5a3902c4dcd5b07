"""Thresholds of the leaderboard: what lies exactly on one, and what lies a little beyond it."""

from types import SimpleNamespace

import numpy as np
import pytest
from good_submission import TASK
from gymnasium import spaces

from agbench.data import catalog
from agbench.leaderboard import eligible, scoring, standings
from agbench.leaderboard.checks import recorded, results, sampled
from agbench.leaderboard.scoring import MeasuredRuns
from agbench.leaderboard.verify import replaying
from agbench.leaderboard.verify.verified import Code, Standing, Verified, standing
from agbench.untrusted import RefusedError

WHEAT, HEATED = catalog.task("wheat-nitrogen-v1"), catalog.task("greenhouse-setpoint-continuous-v1")
ZEROS = "0" * 64


def refused(reason, check, *arguments):
    with pytest.raises(RefusedError, match=reason):
        check(*arguments)


@pytest.mark.parametrize("value", [1e9, -1e9, 0.0])
def test_a_number_of_an_episode_may_be_a_thousand_million(value):
    assert results._check_number(value, "t", "cost of row 0") is None


@pytest.mark.parametrize("value", [1.0000001e9, -1.0000001e9, np.inf, -np.inf, np.nan])
def test_a_larger_number_is_refused(value):
    refused("cost of row 0: ", results._check_number, value, "t", "cost of row 0")


def task_with(worst, objective="return"):
    protocol = SimpleNamespace(objective=objective, worst=worst)
    return SimpleNamespace(protocol=protocol, metrics={}, warmup=0, step=1)


@pytest.mark.parametrize(
    ("worst", "value", "good"),
    [
        (-1400.0, -1400.0013, True),
        (-1400.0, -1400.0015, False),
        (-0.5, -0.5000009, True),
        (-0.5, -0.5000011, False),
    ],
)
def test_an_objective_misses_the_worst_bound_by_rounding_alone(worst, value, good):
    own = value, False, "t", task_with(worst), 0
    if good:
        assert results._check_objective(*own) is None
    else:
        refused("no episode of this task ends below", results._check_objective, *own)


def test_a_failed_episode_has_the_worst_bound_exactly():
    for value, good in ((-1400.0, True), (-1399.0, False), (-1400.001, False)):
        own = value, True, "t", task_with(-1400.0), 3
        if good:
            assert results._check_objective(*own) is None
        else:
            refused("return of row 3: a failed episode must have -1400", results._check_objective, *own)


def columns(**changes):
    """Return a table of one good episode of the task of these tests."""
    row = {"scenario": "w/1", "repeat": 0, "seed": 5, "return": 1.0, "cost": 0.0, "steps": 34}
    row |= dict.fromkeys(catalog.task(TASK).metrics, 1.0)
    row |= {"failed": False, "error": "", "final_state": ZEROS} | changes
    return {name: [value] for name, value in row.items()}


EPISODE = SimpleNamespace(scenario="w/1", repeat=0, seed=5)
FAILED = {"failed": True, "error": "it broke", "return": -1400.0}


@pytest.mark.parametrize("changes", [{}, {"steps": 1}, {**FAILED, "steps": 0}, {**FAILED, "steps": 34}])
def test_an_episode_has_one_to_all_decisions_and_a_failed_one_perhaps_none(changes):
    assert results._check_episodes(columns(**changes), "t", catalog.task(TASK), [EPISODE]) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"steps": 0}, "steps of row 0: 0; an episode has 1 to 34 decisions"),
        ({"steps": 35}, "steps of row 0: 35; an episode has 1 to 34 decisions"),
        ({**FAILED, "steps": -1}, "steps of row 0: -1"),
        ({"cost": -1e-300}, "cost of row 0: .*never negative"),
        ({"scenario": "w/2"}, "scenario of row 0: 'w/2'; the protocol has 'w/1'"),
        ({"repeat": 1}, "repeat of row 0: 1; the protocol has 0"),
        ({"seed": 6}, "seed of row 0: 6; the protocol has 5"),
        ({"yield": np.nan}, "yield of row 0: nan is not a finite number"),
        ({"error": "it broke"}, "error of row 0: a failed episode needs an error"),
        ({**FAILED, "error": ""}, "error of row 0: a failed episode needs an error"),
        ({"final_state": "0" * 63}, "final_state of row 0: not a SHA-256"),
        ({"final_state": "0" * 63 + "G"}, "final_state of row 0: not a SHA-256"),
    ],
)
def test_an_episode_that_is_not_of_the_protocol_is_refused(changes, reason):
    refused(reason, results._check_episodes, columns(**changes), "t", catalog.task(TASK), [EPISODE])
    good, odd = columns(), columns(**changes)
    both = {key: good[key] + odd[key] for key in good}
    reason = reason.replace("row 0", "row 1")
    refused(reason, results._check_episodes, both, "t", catalog.task(TASK), [EPISODE] * 2)


def test_a_budget_can_be_used_up_and_no_more():
    budget = recorded.Budget()
    assert budget.take(499_999_999, "a") is None
    assert budget.take(1, "a") is None
    refused("a: size: the actions of the submission claim more than 500,000,000", budget.take, 1, "a")


@pytest.mark.parametrize(
    ("space", "good", "bad"),
    [
        (spaces.Discrete(3, start=2), [[2, 3, 4]], [[1], [5]]),
        (spaces.MultiDiscrete([3, 2]), [[[0, 0], [2, 1]]], [[[3, 0]], [[0, 2]], [[-1, 0]]]),
        (
            spaces.Box(-1.0, 1.0, (1,), np.float64),
            [[[1.0 + 9e-7], [-1.0 - 9e-7]]],
            [[[1.0 + 1.2e-6]], [[-1.0 - 1.2e-6]], [[np.nan]]],
        ),
    ],
)
def test_actions_lie_in_their_space(space, good, bad):
    for actions in good:
        assert recorded._check_in_space(np.array(actions), space, "f", "episode_00000") is None
    for actions in bad:
        refused("an action outside", recorded._check_in_space, np.array(actions), space, "f", "episode_00000")
    wrong = np.zeros((3, 1, 1))
    refused(r"the shape \(3, 1, 1\)", recorded._check_in_space, wrong, space, "f", "episode_00000")


def test_fingerprints_that_differ_by_a_hundred_thousandth_are_of_the_same_actions():
    ones = np.array([[0.0, 5.0], [1e-5, 5.0], [1.01e-5, 5.0], [0.0, 5.1]])
    assert recorded.same_actions(ones, np.array([0.0, 5.0])).tolist() == [True, True, False, False]


def test_a_sample_holds_levels_of_amounts_and_numbers_of_choices():
    amounts, shares = np.zeros((2, 2), np.float32), np.array([[0.0, 0.25], [1.0, 0.5]])
    assert sampled.sampled(amounts, shares, [2], [np.arange(3)]).tolist() == [[0, 50], [200, 100], [255, 255]]
    choices = np.array([0, 7, 300])
    assert sampled.sampled(choices, np.zeros((3, 1)), [3], [np.arange(1, 4)]).tolist() == [[7], [254], [255]]


def test_decisions_are_equal_or_a_level_apart_where_they_are_amounts():
    ours = np.array([[10], [10], [10], [255], [255]], np.uint8)
    theirs = np.array([[[11], [12], [9], [255], [3]]], np.uint8)
    assert sampled.same_decisions(theirs, ours, HEATED)[0] == pytest.approx(2 / 4)
    assert sampled.same_decisions(theirs, ours, WHEAT)[0] == 0.0
    assert sampled.same_decisions(ours[None], ours, WHEAT)[0] == 1.0
    ended = np.full((2, 1), 255, np.uint8)
    assert sampled.same_decisions(ended[None], ended, WHEAT)[0] == 0.0


def costing(cost, limit):
    return MeasuredRuns(np.zeros((1, 4)), np.full(4, cost), np.zeros(4), np.ones(4), 1.0, limit)


@pytest.mark.parametrize(
    ("cost", "limit", "good"),
    [(1e-9, 0.0, True), (1.2e-9, 0.0, False), (1000.0 + 9e-7, 1000.0, True), (1000.0 + 2e-6, 1000.0, False)],
)
def test_a_limit_of_costs_is_missed_by_rounding_alone(cost, limit, good):
    assert costing(cost, limit).feasible is good


def test_what_is_infeasible_counts_no_more_than_0():
    objective = np.tile([[0.5], [-0.5]], 4)
    for cost, counts in ((0.0, [50.0, -50.0]), (1.0, [0.0, -50.0])):
        costs = np.array([cost, 0.0, 1e-10, 2e-9])
        runs = MeasuredRuns(objective, costs, np.zeros(4), np.ones(4), 1.0, 0.1)
        score = scoring.scored("a/1", runs, {"yield": 2.0}, 3)
        assert score.seeds == pytest.approx(counts)
        assert score.feasible is (cost == 0.0)
        assert score.mean.high <= 0.0 or cost == 0.0
        assert score.iqm_without_limit.high == pytest.approx(50.0)
        assert score.violating == (0.25 if cost == 0.0 else 0.5)
        assert score.cost == pytest.approx(costs.mean())
        assert (score.failed, score.metrics, score.regret) == (3, {"yield": 2.0}, None)
        assert score.difference == (-1.0, -1.0, -1.0, -1.0)


def test_the_regret_is_what_the_oracle_is_better_by():
    runs = MeasuredRuns(
        np.array([[1.0, 2.0]]), np.zeros(2), np.zeros(2), np.ones(2), 1.0, 0.0, np.array([3.0, 2.0])
    )
    score = scoring.scored("a/1", runs, {}, 0)
    assert score.regret == (2.0, 0.0)
    assert score.difference == (0.0, 1.0)


def test_all_numbers_of_nested_data_are_named():
    content = {"a": {"b": [1.0, (2.0, "x")]}, "c": None, "d": 3, "e": 4.0}
    assert list(scoring._numbers(content)) == [(".a.b", 1.0), (".a.b", 2.0), (".e", 4.0)]


def reaching(score):
    """Return what somebody reached who scores the same everywhere."""
    return MeasuredRuns(np.full((1, 4), score / 100.0), np.zeros(4), np.zeros(4), np.zeros(4), 1.0, 0.0)


@pytest.mark.parametrize(("score", "far"), [(10.0, False), (10.01, True), (-50.0, False)])
def test_ten_points_more_on_test_than_in_a_round_are_not_far_above(monkeypatch, score, far):
    monkeypatch.setattr(scoring, "measured", lambda submission, split: reaching(score))
    submission = SimpleNamespace(card=SimpleNamespace(agent="a", version="1"))
    assert standings.is_far_above(submission, reaching(0.0), reaching(0.0)) is far
    # what the expert loses from test to the round is no sign of anything
    assert not standings.is_far_above(submission, reaching(0.0), reaching(score - 100.0))


@pytest.mark.parametrize(
    ("given", "distinct", "why"),
    [(5, 5, ""), (7, 5, ""), (4, 4, "4 of 5 seeds"), (6, 4, "4 of 5 seeds (6 given, 2 act like others)")],
)
def test_five_seeds_that_act_differently_take_part(given, distinct, why):
    card = SimpleNamespace(
        information="observation",
        policy="mlp",
        learned=True,
        training=SimpleNamespace(seeds=list(range(given))),
    )
    own = SimpleNamespace(card=card, distinct_seeds=tuple(range(distinct)), task=WHEAT)
    levels = SimpleNamespace(holds=lambda level, physics: True)
    assert eligible.obstacle(own, levels) == why
    card.learned = False  # rules have one
    assert eligible.obstacle(own, levels) == ""


def code(letter):
    return Code(simulator_hash=letter * 64, agbench="0")


@pytest.mark.parametrize(
    ("levels", "level", "due", "stale"),
    [
        ({}, "claimed", "replayed", False),
        ({"hidden": code("a")}, "hidden", "replayed", False),
        ({"replayed": code("a")}, "replayed", None, False),
        ({"replayed": code("b")}, "replayed", "replayed", True),
        ({"replayed": code("a"), "reproduced": code("a")}, "reproduced", None, False),
        ({"replayed": code("a"), "reproduced": code("b")}, "reproduced", "reproduced", True),
        ({"replayed": code("b"), "reproduced": code("b")}, "reproduced", "reproduced", True),
    ],
)
def test_what_is_verified_again_is_the_highest_level_that_is_outdated(levels, level, due, stale):
    own = Verified(submission=ZEROS, levels=levels, exact={"x": True}, near_ties=2)
    assert (own.level, own.due("a" * 64)) == (level, due)
    assert own.holds("claimed", "c" * 64)
    shown = standing(own, "a" * 64)
    assert (shown.level, shown.stale, shown.near_ties) == (level, stale, 2)
    assert shown.exact == ({"x": True} if own.holds("replayed", "a" * 64) else {})


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (Standing("claimed"), "claimed"),
        (Standing("replayed", exact={"a": True}), "replayed, bit-equal on 1 of 1 kind"),
        (
            Standing("reproduced", exact={"a": True, "b": False}, near_ties=1),
            "reproduced, bit-equal on 1 of 2 kinds, 1 near-tie",
        ),
        (Standing("reproduced", near_ties=2), "reproduced, 2 near-ties"),
        (Standing("replayed", stale=True, near_ties=2), "replayed, verified with an earlier version"),
    ],
)
def test_how_far_a_row_is_verified_is_said_in_a_line(own, words):
    assert str(own) == words


def again(**columns):
    return {"failed": [False], "error": [""], **columns}


def claimed(**columns):
    return SimpleNamespace(columns={"scenario": ["w/1"], "failed": [False], **columns})


@pytest.mark.parametrize(
    ("claim", "found", "difference"),
    [
        (1.0, 1.0, 0.0),
        (2.0, 2.0 + 1.9e-6, 9.5e-7),
        (-2.0, -2.0 - 1.9e-6, 9.5e-7),
        (2.0, 2.0 + 2.1e-6, None),
        (0.0, 9e-10, 0.9),
        (0.0, 1.1e-9, None),
    ],
)
def test_replayed_values_differ_by_a_millionth_at_most(claim, found, difference):
    if difference is None:
        reason = "return of w/1: claims .*, simulating its actions again gives"
        refused(
            reason,
            replaying.compare,
            claimed(**{"return": [claim]}),
            again(**{"return": [found]}),
            "return",
            "t",
        )
    else:
        both = claimed(**{"return": [claim]}), again(**{"return": [found]})
        assert replaying.compare(*both, "return", "t") == pytest.approx(difference)


def test_steps_are_the_same_and_what_cannot_be_replayed_says_why():
    assert replaying.compare(claimed(steps=[30]), again(steps=[30]), "steps", "t", exactly=True) == 0.0
    both = claimed(steps=[10**9]), again(steps=[10**9 + 1])
    refused("steps of w/1: claims", replaying.compare, *both, "steps", "t", True)
    broken = again(steps=[3]) | {"failed": [True], "error": ["it broke"]}
    reason = "its actions cannot be simulated again: it broke"
    refused(reason, replaying.compare, claimed(steps=[30]), broken, "steps", "t", True)
