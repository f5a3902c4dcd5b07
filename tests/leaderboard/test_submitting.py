"""Submitting: whole or not at all, and what comes out passes check and replay."""

import errno
import os
import shutil
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
import yaml
from good_submission import CARD, TASK, snapshot

import agbench
from agbench import leaderboard
from agbench.errors import ConfigError, ResultError
from agbench.untrusted import RefusedError


def test_a_good_submission_is_in_its_place_and_passes(made, child):
    result = leaderboard.check(made.folder, child)
    assert made.folder == made.board / "submissions/board-wheat-v1/ppo-small/1.0"
    assert result.objective("test").shape == (2, 11)
    assert result.splits == ["test"]
    assert sorted(p.name for p in made.root.iterdir() if p.name.startswith(".")) == []


def test_replay_gives_every_number_again_to_the_last_bit(made, child):
    result = leaderboard.replay(leaderboard.check(made.folder, child))
    assert (result.episodes, result.exact, result.largest_difference) == (22, True, 0.0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"agent": "../evil"}, "agent: '../evil' is not a name"),
        ({"agent": "<b>x</b>"}, "is not a name"),
        ({"agent": "PPO-Small"}, "differs from ppo-small only in its case"),
        ({"version": "1.0"}, "a row never changes"),
        ({"agent": "thief"}, "exactly the same policy as one of ppo-small"),
        ({"agent": "thief", "policy": None}, "all results have exactly the actions of ppo-small"),
        ({"version": "2.0", "method": "magic"}, "method: 'magic' is not one of"),
        ({"version": "2.0", "autors": ["me"]}, "unknown key 'autors'. Did you mean 'authors'"),
    ],
)
def test_a_refused_submission_leaves_the_board_as_it_was(made, change, reason):
    before = snapshot(made.root)
    policies = [] if "policy" in change else made.policies
    with pytest.raises(RefusedError, match=reason):
        leaderboard.submit(made.results, {**CARD, **change}, made.board, policies)
    assert snapshot(made.root) == before


def test_the_number_of_results_and_policies_must_fit(made):
    with pytest.raises(ResultError, match="test has 2 results, but there are 3 training seeds"):
        leaderboard.submit(made.results, CARD, made.board, made.policies, seeds=[1, 2, 3])
    with pytest.raises(ConfigError, match="1 policy files; mlp needs 2"):
        leaderboard.submit(made.results, {**CARD, "version": "3"}, made.board, made.policies[:1])
    with pytest.raises(ResultError, match="nothing to submit"):
        leaderboard.submit([], CARD, made.board)


@pytest.mark.parametrize(
    ("task", "splits", "told"),
    [
        ("wheat-nitrogen-v1", ["test"], "results on test and shift; none is on shift. .* --split shift"),
        ("wheat-nitrogen-v1", ["shift"], "none is on test. Make one: agbench evaluate wheat-nitrogen-v1"),
        (TASK, ["test", "train"], "results on test; leave that on train out"),
    ],
)
def test_a_split_that_lacks_or_is_too_much_is_named_with_what_to_do(tmp_path, task, splits, told):
    for split in splits:
        agbench.evaluate(task, "zero", split, tmp_path / split)
    card = {**CARD, "method": "rule", "training": {}, "policy": {"format": "rule", "name": "zero"}}
    with pytest.raises(ResultError, match=told):
        leaderboard.submit([tmp_path / split for split in splits], card, tmp_path / "leaderboard")
    assert not (tmp_path / "leaderboard").exists()


def test_a_result_folder_that_is_given_twice_is_refused(made, tmp_path):
    (tmp_path / "other").symlink_to(made.results[0])
    for again in (made.results[0], made.results[0].parent / "." / made.results[0].name, tmp_path / "other"):
        with pytest.raises(ResultError, match="is given twice; a result is that of one training seed"):
            leaderboard.submit([made.results[0], again], {**CARD, "version": "4"}, made.board, made.policies)


def test_a_copy_of_a_result_counts_as_no_other_seed(made, tmp_path, child):
    shutil.copytree(made.results[0], tmp_path / "copy")
    twice = [made.results[0], tmp_path / "copy"]
    folder = leaderboard.submit(twice, {**CARD, "version": "4", "policy": None}, tmp_path / "leaderboard")
    result = leaderboard.check(folder, child)
    assert result.distinct_seeds == (0,)
    assert result.equal_seeds == [(0, 1)]


def test_of_two_submits_of_one_version_the_second_is_refused_in_words(made, monkeypatch):
    """Another process puts its row there after our checks and before our move."""
    real, folder = os.rename, made.board / "submissions" / TASK / "ppo-small" / "9"

    def late(source, target):
        if Path(target) == folder and not folder.exists():
            shutil.copytree(source, folder)
        return real(source, target)

    monkeypatch.setattr(os, "rename", late)
    with pytest.raises(RefusedError, match="9 of ppo-small exists already; a row never changes"):
        leaderboard.submit(made.results, {**CARD, "version": "9"}, made.board, made.policies)
    shutil.rmtree(folder)
    assert not list(made.root.rglob(".submitting-*"))


def test_a_board_on_a_disk_of_its_own_takes_submissions(made, tmp_path, monkeypatch):
    board, real = tmp_path / "leaderboard", os.rename
    leaderboard.submit(made.results, CARD, board, made.policies)

    def within_the_board(source, target):
        if board not in Path(source).parents:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), str(source), None, str(target))
        real(source, target)

    monkeypatch.setattr(os, "rename", within_the_board)
    folder = leaderboard.submit(made.results, {**CARD, "version": "9"}, board, made.policies)
    assert (folder / "submission.yaml").is_file()
    assert sorted(path.name for path in board.iterdir()) == ["submissions"]


def test_what_a_killed_submit_left_is_swept_a_day_later(made, tmp_path):
    board = tmp_path / "leaderboard"
    for version, drafts in (("1", tmp_path), ("2", board)):  # before there is a board, beside it
        old, young = drafts / ".submitting-old", drafts / ".submitting-young"
        for folder in (old, young):
            folder.mkdir()
            (folder / "half").write_text("half")
        os.utime(old, (1.0, 1.0))
        leaderboard.submit(made.results, {**CARD, "version": version}, board, made.policies)
        assert young.exists()
        assert not old.exists()


def test_the_day_of_a_submission_is_on_its_card(made):
    card = yaml.safe_load((made.folder / "submission.yaml").read_text())
    assert date.fromisoformat(card["submitted"]) <= datetime.now(UTC).date()


def test_training_seeds_may_have_any_numbers(made, tmp_path):
    folder = leaderboard.submit(made.results, CARD, tmp_path / "b", made.policies, seeds=[42, 7])
    assert sorted(p.name for p in (folder / "test").iterdir()) == ["seed-42", "seed-7"]
    assert yaml.safe_load((folder / "submission.yaml").read_text())["training"]["seeds"] == [42, 7]
    shutil.rmtree(tmp_path / "b")
