"""Mistakes in `agbench submit` and `agbench leaderboard`: a sentence and exit code 2, no traceback."""

import sys

import pytest
from good_submission import CARD, TASK

import agbench
from agbench import leaderboard
from agbench.cli.app import main
from agbench.leaderboard.page import build
from agbench.policies.networks import onnx
from agbench.untrusted import RefusedError

WHO = ("--agent", "mine", "--version", "1", "--author", "A", "--contact", "a@example.org", "--method", "rl")


@pytest.fixture
def output_of(monkeypatch, capsys):
    """Return a function that runs the command and returns what it said to standard error."""

    def run(*words, code=2):
        monkeypatch.setattr(sys, "argv", ["agbench", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == code
        return " ".join(capsys.readouterr().err.replace("│", " ").split())

    return run


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("- a\n- b\n", "card.yaml: a list; expected keys of submission.yaml and values"),
        ("just words\n", "card.yaml: a str; expected keys"),
        ("training: 5\n", "training: 5; expected keys and values: `training: {steps: 1000}`"),
        ("policy: mlp\n", "policy: 'mlp'; expected keys and values: `policy: {format: mlp}`"),
        ("hyperparameters: 7\n", "hyperparameters"),
        ("7: seven\n", "7"),
        ("submitted: 2027-13-01\n", "card.yaml:1: 2027-13-01 is no date or time that a calendar"),
        ("submitted: 2026-11-24\n", ""),
        ("training:\npolicy:\nauthors:\n", ""),
    ],
)
def test_a_card_of_another_form_is_an_error_with_the_right_form(made, tmp_path, output_of, card, words):
    (tmp_path / "card.yaml").write_text(card)
    options = ("--card", tmp_path / "card.yaml", "--steps", 100, "--board", tmp_path / "board", "--new-board")
    code = 2 if words else 0
    result = output_of("submit", made.results[0], *WHO, *options, code=code)
    assert words in result
    assert (tmp_path / "board").exists() == (not words)


def test_what_cannot_be_written_is_named(made, tmp_path, output_of):
    file = tmp_path / "file"
    file.write_text("mine")
    assert "is a file" in output_of("submit", made.results[0], *WHO, "--board", file)
    below = output_of("submit", made.results[0], *WHO, "--new-board", "--board", file / "board")
    assert f"{file}: cannot be read or written" in below
    board = tmp_path / "board"
    (board / "submissions").mkdir(parents=True)
    assert "is a file" in output_of("leaderboard", "build", "--board", board, "--out", file)
    below = output_of("leaderboard", "build", "--board", board, "--out", file / "a" / "site")
    assert f"{file / 'a'}: cannot be read or written: Not a directory." in below
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board", "file"]
    assert [path.name for path in board.iterdir()] == ["submissions"]


def test_without_onnx_only_its_own_rows_are_left_out(copy_onnx, tmp_path, monkeypatch, output_of):
    """The board of everybody else is checked, scored and shown."""
    agbench.evaluate(TASK, "standard-practice", out=tmp_path / "result")
    card = {"agent": "usual", "method": "rule", "policy": {"format": "rule", "name": "standard-practice"}}
    card["training"] = {"seeds": [0], "splits": []}
    board = copy_onnx.parents[3]
    leaderboard.submit([tmp_path / "result"], {**CARD, **card}, board)
    monkeypatch.setattr(onnx, "find_spec", lambda name: None)
    onnx._checker.cache_clear()
    try:
        built = build(board, episodes=0)
        assert built.submissions == 1
        assert [refused.reason for refused in built.refused] == [
            "policy/seed-0.onnx: cannot be checked here: onnx and onnxruntime: not installed. "
            'Install with: pip install "agbench[onnx]"'
        ]
        for verb in ("check", "replay"):
            output_of("leaderboard", verb, "--board", board, code=1)
        assert "not installed" in output_of("leaderboard", "score", "--board", board, code=1)
    finally:
        onnx._checker.cache_clear()


@pytest.mark.parametrize("above", [1, 2], ids=["agent", "task"])
def test_a_folder_above_a_row_is_no_row_and_the_row_is_named(made, child, above):
    with pytest.raises(RefusedError, match=f"name the folder of a version, such as {made.folder}"):
        leaderboard.check(made.folder.parents[above - 1], child)
