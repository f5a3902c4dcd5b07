"""Copies and what is none: trivial edits are found, honest training that collapses is not refused."""

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from daily_tasks import DAILY
from good_submission import CARD, MADE_FOR, TASK, network, resign
from test_agents import FLOOR, refusals, twin

import agbench
from agbench import leaderboard
from agbench.data import catalog
from agbench.data.submission import Submission, SubmittedPolicy
from agbench.leaderboard.checks.duplicates import _EarlierRow, _refuse_actions
from agbench.leaderboard.checks.policy_identity import identities
from agbench.leaderboard.checks.recorded import Budget, RecordedActions, of_actions, same_actions
from agbench.leaderboard.checks.task_limits import most_decisions
from agbench.leaderboard.submitting import described
from agbench.policies.networks import mlp
from agbench.untrusted import RefusedError

ROOT = Path(__file__).parents[2]
GREENHOUSE = catalog.task("greenhouse-setpoint-continuous-v1")


def lazy(bias):
    """Return a network that always does nothing."""
    bias = np.array([bias, 0.0, 0.0])
    return mlp.Network(("identity",), (np.zeros((12, 3)),), (bias,), "argmax", made_for=MADE_FOR)


@pytest.fixture(scope="module")
def collapsed(tmp_path_factory):
    """Return policies that all do nothing, their results, and a board with the task's floor."""
    root = tmp_path_factory.mktemp("collapsed")
    agbench.evaluate(TASK, "zero", out=root / "floor")
    leaderboard.submit([root / "floor"], FLOOR, root / "leaderboard", official=True)
    for seed in range(4):
        mlp.save(lazy(1.0 + seed), root / f"{seed}.npz")
        agbench.evaluate(TASK, mlp.load(root / f"{seed}.npz", TASK), out=root / f"result-{seed}")
    return root


def sent(root, agent, seeds, **changes):
    results = [root / f"result-{seed}" for seed in seeds]
    policies = [root / f"{seed}.npz" for seed in seeds] if changes.get("policy", 1) else []
    return leaderboard.submit(results, {**CARD, "agent": agent, **changes}, root / "leaderboard", policies)


def test_seeds_that_collapse_to_the_floor_can_be_submitted_and_are_noted(collapsed, child):
    result = leaderboard.check(sent(collapsed, "one", (0, 1)), child)
    assert result.equal_seeds == [(0, 1)]
    assert result.distinct_seeds == (0,)
    assert described(result).endswith("22 episodes; the same actions in seeds 0 and 1")
    sent(collapsed, "two", (2, 3))  # does what the floor does, as the other: that is nobody's


def test_a_collapse_that_brings_no_other_policies_is_refused(collapsed):
    results = [collapsed / "result-2", collapsed / "result-3"]
    policies = [collapsed / "2.npz", collapsed / "2.npz"]
    with pytest.raises(RefusedError, match="two training seeds have exactly the same policy"):
        leaderboard.submit(results, {**CARD, "agent": "three"}, collapsed / "leaderboard", policies)
    with pytest.raises(RefusedError, match="all results have exactly the actions of floor"):
        sent(collapsed, "three", (2,), policy=None)


def test_who_calls_himself_a_reference_frees_no_actions(copy):
    board = copy.parents[3]
    twin(copy, "oracle")
    thief = twin(copy, "thief")
    mlp.save(network(8), thief / "policy/seed-0.npz")
    mlp.save(network(9), thief / "policy/seed-1.npz")
    resign(thief)
    assert "all results have exactly the actions of oracle" in refusals(board, [thief])["thief/1.0"]


def test_the_policy_of_a_reference_under_another_name_is_refused(collapsed):
    rule = {"method": "rule", "training": {}, "policy": {"format": "rule", "name": "zero"}}
    with pytest.raises(RefusedError, match="exactly the same policy as one of floor"):
        leaderboard.submit(
            [collapsed / "floor"], {**CARD, "agent": "mine", **rule}, collapsed / "leaderboard"
        )


def test_a_network_that_was_packed_anew_is_the_same(tmp_path):
    card = Submission.model_construct(policy=SubmittedPolicy(format="mlp"))
    values = network(1)
    mlp.save(values, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    for name, array in arrays.items():
        if array.dtype.kind == "f":
            arrays[name] = np.where(array == 0.0, -0.0, array.astype(np.float64))
    np.savez(tmp_path / "b.npz", **dict(reversed(arrays.items())))
    files = {name: (tmp_path / name).read_bytes() for name in ("a.npz", "b.npz")}
    result = identities(card, catalog.task(TASK), files)
    assert result["policy/a.npz"] == result["policy/b.npz"]
    mlp.save(network(2), tmp_path / "c.npz")
    files["c.npz"] = (tmp_path / "c.npz").read_bytes()
    assert len(set(identities(card, catalog.task(TASK), files).values())) == 2
    arrays["bias_0"] = np.nextafter(arrays["bias_0"], 9.0)  # not bit-equal: shown as like, not refused
    np.savez(tmp_path / "d.npz", **arrays)
    files["d.npz"] = (tmp_path / "d.npz").read_bytes()
    assert len(set(identities(card, catalog.task(TASK), files).values())) == 3


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("60", "60.0", True), ("[0, 1]", "[-0.0, 1.0]", True), ("1", "true", False), ("60", "'60'", False)],
)
def test_settings_are_compared_as_numbers(one, other, same):
    card = Submission.model_construct(policy=SubmittedPolicy(format="rule"))
    lines = "policy: rules\nsummary: s\nsource: s\nsettings: {amount: %s, when: early}\n"
    files = {f"{name}.yaml": (lines % value).encode() for name, value in (("a", one), ("b", other))}
    first, second = identities(card, catalog.task(TASK), files).values()
    assert (first == second) == same


def known(actions, task=GREENHOUSE):
    return of_actions(actions, task).fingerprint


def season(seed=0):
    generator = np.random.default_rng(seed)
    return generator.uniform(-1, 1, (1440, 7)).astype(np.float32)


@pytest.mark.parametrize(
    "edit",
    [
        lambda a: a + np.float32(1e-6),
        lambda a: np.where(a == 0.0, -0.0, a).astype(np.float32),
        lambda a: np.concatenate([a[:-1], a[-1:] + np.float32(1e-4)]),
        lambda a: a + np.random.default_rng(1).normal(0.0, 1e-5, a.shape).astype(np.float32),
    ],
)
def test_trivial_edits_are_detected(edit):
    ours, theirs = season(), edit(season())
    assert same_actions(known([ours]), known([theirs]))


@pytest.mark.parametrize("other", [season(1), season()[::-1], season()[:-1], season() * 0.99, -season()])
def test_other_actions_are_others(other):
    assert not same_actions(known([season()]), known([other]))


def test_one_other_dose_in_a_season_is_another_season():
    task = catalog.task(TASK)
    one = np.zeros(33, np.int64)
    for week in range(33):
        two = one.copy()
        two[week] = 1
        assert not same_actions(known([one], task), known([two], task))


@pytest.mark.slow_except(*DAILY)
@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "leaderboard/submissions").iterdir()))
def test_no_recorded_season_of_ours_is_longer_than_the_longest(name):
    result = sorted((ROOT / "leaderboard/submissions" / name).glob("*/*/*/*/*.parquet"))
    longest = max(int(pd.read_parquet(path)["steps"].max()) for path in result)
    most = most_decisions(catalog.task(name))
    assert longest <= most
    if name.startswith("greenhouse"):
        assert longest == most  # their seasons have one length
    else:
        assert most <= 400


def test_all_actions_of_a_submission_have_one_budget(copy):
    folder = "test/seed-0"
    files = {f"{folder}/actions.npz": (copy / folder / "actions.npz").read_bytes()}
    budget = Budget(5000)
    RecordedActions(files, folder, catalog.task(TASK), 11, budget)
    with pytest.raises(RefusedError, match="claim more than 5,000 bytes once unpacked"):
        RecordedActions(files, folder, catalog.task(TASK), 11, budget)


def test_the_steps_of_every_episode_are_given_or_of_none(copy):
    folder = "test/seed-0"
    files = {f"{folder}/actions.npz": (copy / folder / "actions.npz").read_bytes()}
    with pytest.raises(ValueError, match="shorter"):
        RecordedActions(files, folder, catalog.task(TASK), 11, Budget(), [30] * 10)


@pytest.mark.parametrize(
    ("copied", "refused"), [((), False), ((0, 1), False), ((0, 1, 2), False), ((0, 1, 2, 3), True)]
)
def test_all_results_must_be_copies_and_exactly_half_is_none(copied, refused):
    """Of four seeds; what is alike in some is shown as a figure, not refused."""
    digests = [f"copied {i}" if i in copied else f"own {i}" for i in range(4)]
    results = [SimpleNamespace(behaviour=SimpleNamespace(digest=digest)) for digest in digests]
    ours = SimpleNamespace(card=Submission.model_construct(policy=None), of_split=lambda split: results)
    theirs = _EarlierRow(
        SimpleNamespace(agent="other"), False, frozenset(f"copied {i}" for i in range(4)), set()
    )
    with pytest.raises(RefusedError, match="exactly the actions of other") if refused else nullcontext():
        _refuse_actions(ours, [theirs])
