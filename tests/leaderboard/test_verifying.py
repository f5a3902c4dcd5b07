"""Trust levels, scores and the command: a submission's way up, and what brings it down."""

import errno
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from good_submission import CARD, TASK, resign
from hostile import cell, put
from in_process import command

import agbench
from agbench import leaderboard
from agbench.cli.options import print_json
from agbench.data import catalog
from agbench.errors import ResultError
from agbench.evaluation import anchors
from agbench.evaluation.machine import kind
from agbench.leaderboard import episodes, scoring
from agbench.leaderboard.verify import verified, verifying
from agbench.leaderboard.verify.reproducing import reproduce
from agbench.untrusted import RefusedError, tables
from agbench.untrusted.confined import confined


@pytest.fixture
def checked(copy, child):
    return leaderboard.check(copy, child)


def test_a_submission_rises_from_claimed_to_reproduced_and_never_falls(checked, tmp_path):
    board = tmp_path / "leaderboard"
    assert verified.load(board, checked).level == "claimed"
    verified.save(board, checked, "reproduced", exact=True)
    assert verified.save(board, checked, "replayed", exact=True).level == "reproduced"
    assert verified.load(board, checked).exact == {kind(): True}
    verified.withdraw(board, checked)
    assert verified.load(board, checked).level == "claimed"


def test_a_row_whose_episodes_could_not_be_kept_stays_due(copy, checked, monkeypatch):
    board = copy.parents[3]

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(episodes, "write_bytes", full)
        with pytest.raises(OSError, match="No space left"):
            verifying.replayed(board, checked)
    assert verifying.due(board) == [copy]
    verifying.replayed(board, checked)
    assert verifying.due(board) == []
    assert episodes.path(board, checked).is_file()


def test_what_was_verified_does_not_hold_for_other_files(copy, child, checked, tmp_path):
    board = tmp_path / "leaderboard"
    verified.save(board, checked, "replayed", exact=True)
    (copy / "submission.yaml").write_text((copy / "submission.yaml").read_text() + "# changed\n")
    assert verified.load(board, leaderboard.check(copy, child)).level == "claimed"


def test_reproducing_runs_the_policy_and_finds_the_same(checked):
    result = reproduce(checked)
    assert (result.episodes, result.exact) == (22, True)


def test_reproducing_runs_an_onnx_policy(made_onnx, child):
    result = reproduce(leaderboard.check(made_onnx, child))
    assert (result.episodes, result.exact) == (22, True)


def test_a_trace_that_the_policy_does_not_produce_is_detected(copy, child):
    put("bias_1", np.array([9.0, 0.0, 0.0]), "policy/seed-0.npz")(copy)
    resign(copy)
    changed = leaderboard.check(copy, child)
    leaderboard.replay(changed)  # the trace itself is honest
    with pytest.raises(RefusedError, match=r"test/seed-0/actions.npz: .*the submitted policy takes others"):
        reproduce(changed)


@pytest.mark.parametrize("name", ["standard-practice", pytest.param("ceres", marks=pytest.mark.slow)])
def test_experts_and_oracles_come_through_the_same_door(tmp_path, child, name):
    result = agbench.evaluate(TASK, name, out=tmp_path / "result")
    method = "oracle" if result.information == "model" else "rule"
    card = {**CARD, "agent": name, "method": method, "policy": {"format": "rule", "name": name}}
    del card["training"]
    folder = leaderboard.submit([tmp_path / "result"], card, tmp_path / "leaderboard")
    actual = leaderboard.check(folder, child)
    assert leaderboard.replay(actual).exact
    assert reproduce(actual).exact
    score = scoring.score(actual, "test")
    assert score.iqm.value == pytest.approx(44.9 if name == "standard-practice" else 100.0, abs=0.2)
    assert score.beats_expert.value >= 0.5
    assert len(score.regret) == len(score.difference) == 11
    assert min(score.regret) >= 0.0


def test_a_schedule_of_ones_own_is_a_rule_and_an_oracle_of_ones_own_is_none(tmp_path, child):
    settings = tmp_path / "mine.yaml"
    settings.write_text(
        "policy: schedule\nsummary: s\nsource: s\nsettings:\n    input: N\n    plan:\n"
        '        - {date: "03-01", amount: 60.0}\n'
    )
    agbench.evaluate(TASK, str(settings), out=tmp_path / "result")
    card = {**CARD, "method": "rule", "training": {}, "policy": {"format": "rule"}}
    folder = leaderboard.submit([tmp_path / "result"], card, tmp_path / "leaderboard", [settings])
    assert reproduce(leaderboard.check(folder, child)).exact
    for old, new, reason in (
        ("policy: schedule", "policy: ceres", "policy: a ceres settings file"),
        ("input: N", "input: P", "unknown input 'P'"),
        ("03-01", "13-41", "not a day of the year"),
        ("summary: s", "summary: !!python/name:os.system", "tags are not allowed"),
    ):
        (folder / "policy/rule.yaml").write_text(settings.read_text().replace(old, new))
        resign(folder)
        with pytest.raises(RefusedError, match=reason):
            leaderboard.check(folder, child)


def test_scores_are_made_of_the_episodes_and_the_anchors(checked, tmp_path):
    row = scoring.row(checked, verified.save(tmp_path / "leaderboard", checked, "reproduced", exact=True))
    assert row.not_eligible == "2 of 5 seeds"
    score = row.scores["test"]
    gain = anchors.of_split(catalog.task(TASK), "test").gain
    by_seed = [100.0 * j / gain for j in (-229.360, -34.182)]
    assert score.seeds == pytest.approx(by_seed, rel=2e-3)
    assert score.iqm.value == pytest.approx(np.mean(by_seed), rel=2e-3)
    assert score.iqm.low < score.iqm.value < score.iqm.high < 100.0
    assert score.worst_tenth < checked.objective("test").mean()
    assert set(score.metrics) == {"nitrogen", "yield", "uptake"}


def limited(monkeypatch, limit):
    """Give the task a limit of constraint costs."""
    monkeypatch.undo()
    values = anchors.of_split(catalog.task(TASK), "test")
    changed = replace(values, limit=limit, floor=values.floor - 1000.0)
    monkeypatch.setattr(scoring.anchors, "of_split", lambda task, split: changed)


def test_what_an_infeasible_submission_scores_above_0_does_not_count(checked, monkeypatch):
    for result in checked.results:
        result.columns["cost"][:] = [0.5, *[2.0] * 9, 0.0]
    limited(monkeypatch, limit=1.8)
    good = scoring.score(checked, "test")
    assert (good.feasible, good.limit) == (True, 1.8)
    assert good.cost == pytest.approx(18.5 / 11)
    assert good.violating == pytest.approx(10 / 11)
    assert good.iqm.value > 0.0
    limited(monkeypatch, limit=1.6)
    bad = scoring.score(checked, "test")
    assert not bad.feasible
    assert bad.iqm.value == bad.iqm.high == max(bad.seeds) == 0.0
    assert bad.iqm_without_limit == good.iqm
    assert scoring.counted(checked, "test").max() == 0.0
    suite = scoring.suite({"a": {TASK: scoring.measured(checked, "test")}}, [[TASK]])["a"]
    assert (suite.score.value, suite.median.value) == (0.0, 0.0)


def test_the_median_of_training_seeds_is_not_their_mean(checked):
    """Five seeds, of which one is far above the others in every scenario."""
    first = checked.results[0]
    seeds = []
    for seed, shift in enumerate((0.0, 1.0, 2.0, 3.0, 400.0)):
        columns = {**first.columns, "return": [v + shift for v in first.columns["return"]]}
        behaviour = first.behaviour._replace(fingerprint=first.fingerprint + seed)
        seeds.append(replace(first, seed=seed, columns=columns, behaviour=behaviour))
    training = checked.card.training.model_copy(update={"seeds": [0, 1, 2, 3, 4]})
    card = checked.card.model_copy(update={"training": training})
    score = scoring.score(replace(checked, card=card, results=seeds), "test")
    assert score.median.value == pytest.approx(score.seeds[2])
    assert score.mean.value == pytest.approx(np.mean(score.seeds))
    assert score.mean.value > score.median.value + 100.0


def test_numbers_too_large_for_a_score_are_named_and_leave_json_whole(copy, tmp_path):
    """Whatever a check lets pass: no NaN in a row, in JSON, or in an exit without a word."""
    with confined(tables.READER) as child:
        good = leaderboard.check(copy, child)
    for result in good.results:
        result.columns["return"][:] = [1e308] * 11
    with np.errstate(all="ignore"), pytest.raises(ResultError, match=r"ppo-small 1.0: scores.test.\w+ is"):
        scoring.row(good, verified.load(tmp_path / "leaderboard", good))
    (copy / "submission.yaml").write_text("format: 2")
    printed, errors = command("leaderboard", "score", "--json", cwd=tmp_path, code=1)
    assert json.loads(printed) == []
    assert "left out" in errors


def test_json_has_null_where_there_is_no_finite_number(capsys):
    print_json({"a": [1.0, float("nan")], "b": {"c": float("inf")}})
    assert json.loads(capsys.readouterr().out) == {"a": [1.0, None], "b": {"c": None}}


def test_the_path_from_a_result_to_a_score_in_the_terminal(tmp_path):
    command("evaluate", TASK, "-p", "standard-practice", "-o", "r", cwd=tmp_path)
    who = ("--agent", "grower", "--version", "1", "--author", "A", "--contact", "a@example.org")
    how = ("--method", "rule", "--rule", "standard-practice")
    _, error = command("submit", "r", *who, *how, cwd=tmp_path, code=2)
    assert "there is no board at leaderboard" in error
    assert not (tmp_path / "leaderboard").exists()
    printed, _ = command("submit", "r", *who, *how, "--new-board", cwd=tmp_path)
    assert "next: agbench leaderboard reproduce leaderboard/submissions/board-wheat-v1/grower/1" in printed
    assert "wrote leaderboard/submissions/board-wheat-v1/grower/1" in printed
    printed, _ = command("leaderboard", "reproduce", cwd=tmp_path)
    assert "11 episodes reproduced" in printed
    (row,) = json.loads(command("leaderboard", "score", "--json", cwd=tmp_path)[0])
    assert (row["level"], row["stale"], row["not_eligible"]) == ("reproduced", False, "")
    assert row["rank"] is None
    assert row["exact"] == {kind(): True}
    values = anchors.of_split(catalog.task(TASK), "test")
    assert row["scores"]["test"]["iqm"][0] == pytest.approx(values.scores(values.expert).mean())
    assert "grower 1" in command("leaderboard", "score", cwd=tmp_path)[0]
    _, error = command("submit", "r", *who, *how, cwd=tmp_path, code=2)
    assert "a row never changes" in error


def test_a_forgery_ends_the_command_with_code_1_and_loses_its_level(copy, tmp_path):
    board = tmp_path / "leaderboard"
    command("leaderboard", "replay", cwd=tmp_path)
    assert len(list(board.glob("verified/*/*/*.yaml"))) == 1
    cell("return", 0, 900.0)(copy)
    resign(copy)
    printed, _ = command("leaderboard", "replay", cwd=tmp_path, code=1)
    assert "refused" in printed
    assert "claims 900" in printed
    assert list(board.glob("verified/*/*/*.yaml")) == []


def test_a_copy_among_the_submissions_is_named(copy, tmp_path):
    twin = copy.parents[1] / "twin" / "1.0"
    shutil.copytree(copy, twin)
    card = twin / "submission.yaml"
    card.write_text(card.read_text().replace("agent: ppo-small", "agent: twin"))
    printed, _ = command("leaderboard", "check", str(twin), cwd=tmp_path, code=1)
    assert "exactly the same policy as one of ppo-small" in printed


def test_what_lies_among_the_submissions_without_being_one_is_named(copy, tmp_path):
    (copy.parent / "[red]run.sh").write_text("rm -rf")
    (copy.parents[1] / "elsewhere").symlink_to("/etc")
    printed, _ = command("leaderboard", "check", cwd=tmp_path, code=1)
    assert printed.count("refused") == 2
    assert printed.count("does not belong among the submissions") == 2
    assert printed.count("good") == 1
