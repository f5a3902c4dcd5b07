"""Submitting: whole or not at all, and what comes out passes check and replay."""

import shutil

import pytest
import yaml
from good_submission import CARD, snapshot

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
        ({"agent": "thief", "policy": None}, "2 of 2 results have exactly the same actions as ppo-small"),
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


def test_one_training_run_submitted_as_two_is_refused(made):
    twice = [made.results[0], made.results[0]]
    with pytest.raises(RefusedError, match="exactly the same as those of seed 0"):
        leaderboard.submit(twice, {**CARD, "version": "4", "policy": None}, made.board)


def test_training_seeds_may_have_any_numbers(made, tmp_path):
    folder = leaderboard.submit(made.results, CARD, tmp_path / "b", made.policies, seeds=[42, 7])
    assert sorted(p.name for p in (folder / "test").iterdir()) == ["seed-42", "seed-7"]
    assert yaml.safe_load((folder / "submission.yaml").read_text())["training"]["seeds"] == [42, 7]
    shutil.rmtree(tmp_path / "b")
