"""A policy file that was made for another task is not submitted unasked."""

import warnings
from dataclasses import replace

import pytest
from good_submission import CARD, MADE_FOR, network
from in_process import command

from agbench import leaderboard
from agbench.errors import AgBenchWarning, ConfigError
from agbench.policies.networks import mlp


def files(folder, made_for):
    """Return the good submission's policies, made for something."""
    networks = (replace(network(seed), made_for=made_for) for seed in (1, 6))
    return [mlp.save(one, folder / f"{i}.npz") for i, one in enumerate(networks)]


def test_a_policy_of_another_task_is_submitted_only_on_purpose(made, tmp_path):
    others = files(tmp_path, replace(MADE_FOR, task="barley-inputs-v1"))
    board = tmp_path / "leaderboard"
    with pytest.raises(ConfigError, match=r"0.npz: was made for barley-inputs-v1, not for board-wheat-v1"):
        leaderboard.submit(made.results, CARD, board, others)
    assert not board.exists()
    folder = leaderboard.submit(made.results, CARD, board, others, other_task=True)
    assert (folder / "policy/seed-0.npz").read_bytes() == others[0].read_bytes()


def test_a_policy_that_does_not_say_what_it_is_for_is_warned_of(made, tmp_path):
    with pytest.warns(AgBenchWarning, match=r"[01].npz: does not say what task it was made for"):
        leaderboard.submit(made.results, CARD, tmp_path / "leaderboard", files(tmp_path, None))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        leaderboard.submit(made.results, CARD, tmp_path / "second", files(tmp_path, MADE_FOR))


def test_the_command_takes_the_option(made, tmp_path):
    others = files(tmp_path, replace(MADE_FOR, task="barley-inputs-v1"))
    board = tmp_path / "leaderboard"
    board.mkdir()
    words = [
        "submit",
        *made.results,
        "--agent",
        "mine",
        "--version",
        "1",
        "--author",
        "A",
        "--contact",
        "a@b.c",
    ]
    words += ["--method", "rl", "--steps", 10, "--board", board]
    words += [word for path in others for word in ("--policy", path)]
    _, said = command(*words, cwd=tmp_path, code=2)
    assert "was made for barley-inputs-v1" in said
    printed, _ = command(*words, "--other-task", cwd=tmp_path)
    assert "wrote" in printed
