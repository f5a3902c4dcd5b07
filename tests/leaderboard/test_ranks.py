"""Who takes part in rounds, what a suite counts, how alike two rows are, and the tracks."""

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from good_submission import TASK

from agbench import leaderboard
from agbench.data import catalog
from agbench.data.submission import Submission, SubmittedPolicy, Training
from agbench.evaluation import provenance
from agbench.leaderboard import eligible, scoring
from agbench.leaderboard.checks import claims, sampled
from agbench.leaderboard.checks.agents import is_reserved
from agbench.leaderboard.checks.claims import check_claims
from agbench.leaderboard.checks.recorded import of_actions
from agbench.leaderboard.checks.sampled import same_decisions
from agbench.leaderboard.checks.versions import natural, newest
from agbench.leaderboard.page.originality import most_alike
from agbench.leaderboard.scoring import MeasuredRuns
from agbench.leaderboard.tracks import TRACKS, tracks
from agbench.leaderboard.verify.verified import Code, Verified
from agbench.untrusted import RefusedError


def reproduced(submission, physics=None):
    physics = physics or provenance.simulator_hash(submission.task)
    code = Code(simulator_hash=physics, agbench="0")
    return Verified(submission=submission.digest, levels={"reproduced": code})


@pytest.mark.parametrize(
    ("method", "information", "why"),
    [
        ("mpc", "model", "looks ahead: a bound"),
        ("mpc", "forecast", ""),
        ("rule", "state", ""),
        ("oracle", "model", "looks ahead: a bound"),
        ("rl", "observation", "2 of 5 seeds"),
    ],
)
def test_what_sees_the_simulator_or_has_few_seeds_is_in_no_round(made, child, method, information, why):
    result = leaderboard.check(made.folder, child)
    card = result.card.model_copy(update={"method": method, "information": information})
    row = replace(result, card=card)
    assert eligible.obstacle(row, reproduced(row)) == why
    if not why:
        assert eligible.obstacle(row, Verified(submission=row.digest)) == "not reproduced"
        assert eligible.obstacle(row, reproduced(row, "1" * 64)) == "reproduced with an earlier version"
        without = replace(row, card=card.model_copy(update={"policy": None}))
        assert eligible.obstacle(without, reproduced(row)) == "brings no policy"


def test_the_newest_version_of_an_agent_is_that_which_people_call_so(made, child):
    result = leaderboard.check(made.folder, child)
    rows = [
        replace(result, card=result.card.model_copy(update={"version": version}))
        for version in ("1.9", "1.10", "1.2")
    ]
    assert [row.card.version for row in newest(rows)] == ["1.10"]
    assert sorted(["1.10", "1.9", "2", "1.9a", "1"], key=natural) == ["1", "1.9", "1.9a", "1.10", "2"]


def reached(*scores):
    """Return what an agent reached whose seeds score the same in each of four scenarios."""
    objective = np.tile(np.array(scores)[:, None] / 100.0, 4)
    return MeasuredRuns(objective, np.zeros(4), np.zeros(4), np.ones(4), 1.0, 0.0)


def suite(groups, **scores):
    agent = {task: reached(score) for task, score in scores.items()}
    ids = [[name.replace("_", "-") + "-v1" for name in group] for group in groups]
    result = scoring.suite({"a": {f"{k.replace('_', '-')}-v1": v for k, v in agent.items()}}, ids)
    return result["a"] if result else None


def test_families_weigh_alike_and_farms_with_fields():
    groups = [["wheat_limits"], ["wheat_layered"], ["sunflower_farm"], ["greenhouse_tomato"]]
    values = {"wheat_limits": 30.0, "wheat_layered": 60.0, "sunflower_farm": 90.0, "greenhouse_tomato": 10.0}
    assert suite(groups, **values).score.value == pytest.approx((60.0 + 10.0) / 2)
    assert suite(groups, **values).median.value == pytest.approx(45.0)


def test_variants_of_a_task_count_as_one():
    groups = [["wheat_limits"], ["potato_runoff", "potato_runoff_no_rain", "potato_runoff_no_total"]]
    values = {"wheat_limits": 90.0, "potato_runoff": 30.0}
    values |= {"potato_runoff_no_rain": 0.0, "potato_runoff_no_total": 60.0}
    assert suite(groups, **values).score.value == pytest.approx((90.0 + 30.0) / 2)
    assert suite([*groups, ["rice_inputs"]], **values) is None


def test_a_disaster_counts_no_less_than_minus_100():
    groups = [["wheat_limits"], ["wheat_layered"]]
    one = suite(groups, wheat_limits=-5000.0, wheat_layered=90.0)
    assert one.score == pytest.approx((-5.0, -5.0, -5.0))
    assert suite(groups, wheat_limits=400.0, wheat_layered=90.0).score.value == pytest.approx(245.0)


def card(method, steps=None, dataset=None):
    training = Training(seeds=[0], steps=steps, dataset=dataset)
    return Submission.model_construct(method=method, training=training)


@pytest.mark.parametrize(
    ("method", "steps", "expected"),
    [
        ("rl", 100_000, ("online-rl", "budgeted")),
        ("rl", 100_001, ("online-rl",)),
        ("rl", None, ("online-rl",)),
        ("il", 1000, ("imitation",)),
        ("offline-rl", None, ("offline-rl",)),
        ("mpc", None, ("planning",)),
        ("rule", None, ("rules",)),
        ("oracle", None, ()),
    ],
)
def test_tracks_follow_from_method_and_steps(method, steps, expected):
    assert tracks(card(method, steps)) == expected
    assert set(expected) <= set(TRACKS)


def test_who_learned_from_a_dataset_besides_is_not_within_the_budget():
    dataset = {"name": "wheat-nitrogen/medium-v1", "sha256": "a" * 64}
    assert tracks(card("rl", 1, dataset)) == ("online-rl",)


@pytest.mark.parametrize(
    "name", ["Expert", "0racle", "fl00r", "b1ind", "ex-pert", "or4cle", "expert.1", "oracle2"]
)
def test_names_that_look_like_a_reference_are_reserved(name):
    assert is_reserved(name)


@pytest.mark.parametrize("name", ["floor-heating", "experts", "ppo", "blindfold", "ppo-2"])
def test_other_names_are_free(name):
    assert not is_reserved(name)


def test_the_share_of_equal_decisions_is_that_of_the_sampled_ones():
    task = catalog.task(TASK)
    ours = [np.zeros(30, np.int64) for _ in range(10)]
    theirs = [episode.copy() for episode in ours]
    for episode in theirs[:5]:
        episode[:] = 1
    shorter = [episode[:15] for episode in ours]
    samples = np.stack([of_actions(one, task).sample for one in (ours, theirs, shorter)])
    shares = same_decisions(samples, samples[0], task)
    assert shares == pytest.approx([1.0, 0.5, 0.5], abs=0.02)


@pytest.mark.parametrize("places", [1, 7, 8, 9, 397, 400, sampled.DECISIONS])
def test_equal_decisions_are_counted_whatever_their_number(places):
    task, generator = catalog.task(TASK), np.random.default_rng(places)
    ours = generator.integers(0, 3, (places, 1)).astype(np.uint8)
    theirs = generator.integers(0, 3, (6, places, 1)).astype(np.uint8)
    theirs[0] = ours
    shares = same_decisions(theirs, ours, task)
    assert shares.tolist() == [float(np.mean(one == ours)) for one in theirs]
    assert shares[0] == 1.0


@pytest.mark.parametrize(
    ("episodes", "decisions", "least"), [(40, 35, 35), (50, 37, 37), (1, 500, 300), (20, 2880, 390)]
)
def test_sampled_decisions_are_not_the_same_ones_in_every_season(episodes, decisions, least):
    chosen = sampled.places(episodes, decisions)
    assert sum(map(len, chosen)) <= sampled.DECISIONS
    assert all(list(one) == sorted(set(one)) and set(one) <= set(range(decisions)) for one in chosen)
    assert len(set().union(*chosen)) >= least
    hours = {place % 288 // 12 for one in chosen for place in one}
    assert decisions < 288 or len(hours) == 24, "all hours of the day"


def test_a_dose_in_a_single_week_of_each_season_is_seen():
    task = catalog.task("wheat-nitrogen-v1")
    for week in range(20):
        ours = [np.zeros(30, np.int64) for _ in range(40)]
        theirs = [episode.copy() for episode in ours]
        for episode in theirs:
            episode[week] = 1
        samples = np.stack([of_actions(one, task).sample for one in (ours, theirs)])
        (share,) = same_decisions(samples[1:], samples[0], task)
        assert share == pytest.approx(29 / 30, abs=0.02), week


def test_how_alike_an_agents_own_seeds_are_is_that_of_the_two_most_similar():
    task = catalog.task(TASK)
    seeds = [[np.full(30, choice, np.int64) for choice in choices] for choices in ((0, 0), (0, 1), (1, 2))]

    def entry(chosen):
        results = [SimpleNamespace(sample=of_actions(one, task).sample) for one in chosen]
        return SimpleNamespace(task=task, submission=SimpleNamespace(of_split=lambda split: results))

    assert most_alike(entry(seeds)) == pytest.approx(0.5, abs=0.02)
    assert most_alike(entry([seeds[0], *seeds])) == 1.0
    assert most_alike(entry(seeds[:1])) is None


def test_amounts_are_equal_within_a_hundredth_of_their_range():
    task = catalog.task("greenhouse-setpoint-continuous-v1")
    ours = np.random.default_rng(0).uniform(-0.9, 0.9, (500, 7)).astype(np.float32)
    near, far = ours + np.float32(0.004), ours.copy()
    far[:, 3] += 0.05
    samples = np.stack([of_actions([one], task).sample for one in (ours, near, far)])
    assert same_decisions(samples, samples[0], task) == pytest.approx([1.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("method", "information", "refused"),
    [
        ("mpc", "model", False),
        ("mpc", "forecast", False),
        ("mpc", "observation", False),
        ("oracle", "model", False),
        ("oracle", "state", True),
        ("rule", "model", True),
        ("rule", "observation", False),
    ],
)
def test_a_predictive_controller_may_plan_with_the_model_and_others_may_not(
    made, child, method, information, refused, monkeypatch
):
    monkeypatch.setattr(claims, "PLANNERS", {"ceres"})
    card = leaderboard.check(made.folder, child).card
    rule = SubmittedPolicy(format="rule", name="ceres")
    card = card.model_copy(
        update={"method": method, "information": information, "policy": rule, "training": Training(seeds=[0])}
    )
    expected = pytest.raises(RefusedError, match=f"{information} does not fit the method {method}")
    with expected if refused else nullcontext():
        check_claims(card, catalog.task(card.task))
