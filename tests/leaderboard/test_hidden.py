"""Hidden scenarios: promised, run, revealed; and the secret is in nothing that anyone sees."""

import dataclasses
import stat

import pytest
import yaml
from good_submission import CARD, TASK

import agbench
from agbench import leaderboard
from agbench.cli.app import app
from agbench.data import catalog
from agbench.errors import ConfigError
from agbench.leaderboard import rounds, scoring
from agbench.leaderboard.verify import hidden, verified

SECRET = "a-secret-that-nobody-knows-0123456789"


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "keep" / "secret"
    path.parent.mkdir()
    path.write_text(SECRET + "\n")
    return path


@pytest.fixture
def expert(tmp_path_factory):
    """Return a submission of the task's own expert, on a board of its own."""
    root = tmp_path_factory.mktemp("expert")
    agbench.evaluate(TASK, "standard-practice", out=root / "result")
    card = {
        **CARD,
        "agent": "practice",
        "method": "rule",
        "training": {},
        "policy": {"format": "rule", "name": "standard-practice"},
    }
    return leaderboard.submit([root / "result"], card, root / "leaderboard")


def everything(folder):
    """Return all that stands in the files of a folder, and their names."""
    return b"\n".join(
        str(p).encode() + (p.read_bytes() if p.is_file() else b"") for p in sorted(folder.rglob("*"))
    )


def test_a_round_promises_a_secret_and_keeps_its_promise(tmp_path):
    board, file = tmp_path / "leaderboard", tmp_path / "keep" / "drawn"
    opened = rounds.open_round(board, file, 7)
    drawn = file.read_text().strip()
    assert len(drawn) == 64
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert drawn.encode() not in everything(board)
    assert rounds.current(board) == opened
    closed = rounds.close_round(board, file)
    assert (closed.revealed, closed.sha256, closed.scenarios) == (drawn, opened.sha256, 7)
    with pytest.raises(ConfigError, match="no round is open"):
        rounds.current(board)
    with pytest.raises(ConfigError, match="is the secret of an earlier round"):
        rounds.open_round(board, file)
    assert rounds.open_round(board, tmp_path / "keep" / "other").round == 2
    path = board / rounds.FILE
    path.write_text(path.read_text().replace(drawn, "f" * 64))
    with pytest.raises(ConfigError, match="not the one whose SHA-256 was published"):
        rounds.load(board)


def test_secrets_that_are_none_are_refused(tmp_path, secret):
    board = tmp_path / "leaderboard"
    short = tmp_path / "short"
    for content in ("guess me", "guess me too, 20 byte", "two\nlines of more than thirty-two letters"):
        short.write_text(content)
        with pytest.raises(ConfigError) as caught:
            rounds.open_round(board, short)
        assert content not in str(caught.value)
    board.mkdir()
    (board / "secret").write_text(SECRET)
    with pytest.raises(ConfigError, match="is on the board"):
        rounds.open_round(board, board / "secret")
    opened = rounds.open_round(board, secret)
    with pytest.raises(ConfigError, match="round 1 is open; close it first"):
        rounds.open_round(board, tmp_path / "other")
    other = tmp_path / "other"
    other.write_text(SECRET + "x")
    for refuse in (lambda: hidden.HiddenRuns(opened, other), lambda: rounds.close_round(board, other)):
        with pytest.raises(ConfigError, match="is not the secret whose SHA-256 was published") as caught:
            refuse()
        assert SECRET not in str(caught.value)


def test_the_expert_is_100_and_the_secret_decides_the_seasons(tmp_path, expert, child, secret):
    submission = leaderboard.check(expert, child)
    runs = {}
    for text in (SECRET, SECRET + "2", SECRET):
        secret.write_text(text)
        opened = rounds.open_round(tmp_path / f"board-{len(runs)}", secret, 5)
        result = hidden.HiddenRuns(opened, secret).run(submission)
        assert runs.setdefault(text, result) == result
        score = scoring.hidden_score(submission.task, result)
        assert score.seeds == pytest.approx([100.0])
        assert result.floor == [0.0] * 5
        assert len(set(result.expert)) == 5
    assert runs[SECRET].expert != runs[SECRET + "2"].expert


def test_a_submission_rises_to_hidden_by_the_command_and_shows_no_secret(copy, tmp_path, secret, capsys):
    board = tmp_path / "leaderboard"

    def run(*words, code=None):
        assert app([*words, "--board", str(board)], standalone_mode=False) == code
        return capsys.readouterr()

    before = everything(copy)
    outputs = [run("leaderboard", "round", "open", "--secret", str(secret), "--scenarios", "5")]
    outputs += [run("leaderboard", "hidden", "--secret", str(secret))]
    outputs += [run("leaderboard", "reproduce", str(copy))]
    outputs += [run("leaderboard", "score", "--json")]
    printed = "".join(s.out + s.err for s in outputs)
    assert "round 1, 5 hidden scenarios, score -" in printed
    (record,) = board.glob("verified/*/*/*.yaml")
    assert list(yaml.safe_load(record.read_text())["levels"]) == ["replayed", "reproduced", "hidden"]
    result = [*yaml.safe_load(record.read_text())["hidden"]["objective"]]
    assert result == [0, 1]
    assert SECRET not in printed
    assert SECRET.encode() not in everything(board)
    assert everything(copy) == before
    with pytest.raises(ConfigError, match="round 1 is open: its secret is not known"):
        run("leaderboard", "round", "repeat", "1")
    run("leaderboard", "round", "close", "--secret", str(secret))
    secret.unlink()
    assert "round 1 again, 5 scenarios as written" in run("leaderboard", "round", "repeat", "1").out
    content = yaml.safe_load(record.read_text())
    content["hidden"]["objective"][1][2] += 1.0
    record.write_text(yaml.safe_dump(content, sort_keys=False))
    assert (
        "hidden of seed 1: running it again gives different values"
        in run("leaderboard", "round", "repeat", "1", code=1).out
    )


def test_rows_show_the_hidden_score(copy, child, tmp_path, secret):
    submission = leaderboard.check(copy, child)
    opened = rounds.open_round(tmp_path / "other", secret, 5)
    result = hidden.HiddenRuns(opened, secret).run(submission)
    saved = verified.save(tmp_path / "leaderboard", submission, "hidden", hidden=result)
    row = scoring.row(submission, saved)
    assert (row.level, row.round) == ("hidden", 1)
    assert len(row.hidden.seeds) == 2
    assert row.hidden.seeds != row.scores["test"].seeds
    assert row.hidden.metrics.keys() == submission.task.metrics.keys()
    assert verified.load(tmp_path / "leaderboard", submission).hidden == result


def test_tasks_without_a_generator_say_so(copy, child):
    with pytest.raises(ConfigError, match="greenhouse-gym-v1 has no hidden scenarios: the site schiphol"):
        hidden.with_hidden(catalog.task("greenhouse-gym-v1"), 5)
    submission = leaderboard.check(copy, child)
    assert hidden.obstacle(submission) is None
    without = dataclasses.replace(submission, card=submission.card.model_copy(update={"policy": None}))
    assert hidden.obstacle(without) == "it has no policy that could be run."
    elsewhere = submission.task.splits["test"].model_copy(update={"site": "bleiswijk"})
    moved = submission.task.model_copy(update={"splits": {"test": elsewhere}})
    assert "the site bleiswijk has no climate" in hidden.obstacle(dataclasses.replace(submission, task=moved))
