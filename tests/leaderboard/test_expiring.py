"""Verification expires with the physics, is kept by kind of machine, and is renewed by one command."""

import csv
import json
import shutil

import pytest
import yaml
from good_submission import CARD, TASK, resign
from hostile import cell
from in_process import command
from travelling import Travelling

import agbench
from agbench import leaderboard
from agbench.cli.app import app
from agbench.errors import ConfigError
from agbench.evaluation import machine, provenance
from agbench.leaderboard import rounds, scoring, standings
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.page import build
from agbench.leaderboard.standings import RoundTable
from agbench.leaderboard.verify import verified, verifying
from agbench.leaderboard.verify.verified import EARLIER, Code

ZERO = "0" * 64
OTHER = "linux x86-64 glibc-2.17"


def zero_hash(path, *levels):
    """Give levels of a verified file, by default all, the hash of a physics that no one has."""
    content = yaml.safe_load(path.read_text())
    for level in levels or content["levels"]:
        content["levels"][level]["simulator_hash"] = ZERO
    path.write_text(yaml.safe_dump(content, sort_keys=False))


def run(capsys, board, *words, code=None):
    """Run `agbench leaderboard ...` on a board in this process; return what it printed."""
    assert app(["leaderboard", *words, "--board", str(board)], standalone_mode=False) == code
    return capsys.readouterr().out


@pytest.fixture
def checked(copy, child):
    return leaderboard.check(copy, child)


@pytest.fixture
def board(copy):
    return copy.parents[3]


@pytest.fixture
def record(board, checked):
    """Return the verified file of a row that was reproduced here, now."""
    verified.save(board, checked, "reproduced", exact=True)
    return board / "verified" / TASK / "ppo-small" / "1.0.yaml"


@pytest.fixture
def new_physics(monkeypatch):
    """Let the code of every task have changed."""
    monkeypatch.setattr(provenance, "simulator_hash", lambda task: "1" * 64)


@pytest.fixture(scope="module")
def expired(shown, tmp_path_factory):
    """Return an agent of a board, whose row was reproduced with other physics, and that board."""
    board = tmp_path_factory.mktemp("expired") / "leaderboard"
    shutil.copytree(shown.board, board, ignore=shutil.ignore_patterns("site"))
    rows = [
        scoring.row(s, verified.load(board, s)) for _, s in judged(board) if isinstance(s, CheckedSubmission)
    ]
    best = min((row for row in rows if row.level == "reproduced"), key=lambda row: row.order)
    zero_hash(board / "verified" / TASK / best.agent / f"{best.version}.yaml")
    build(board, cache=shown.cache, episodes=0)
    return best.agent, best.version, board


def test_levels_hold_for_the_physics_they_were_verified_with(board, checked, record, new_physics):
    result = verified.load(board, checked)
    row = scoring.row(checked, result)
    assert (row.level, row.stale, row.exact) == ("reproduced", True, {})
    assert str(row.standing) == f"reproduced, {EARLIER}"
    assert result.due("1" * 64) == "reproduced"
    verified.save(board, checked, "replayed", exact=True)
    result = verified.load(board, checked)
    assert result.level == "reproduced"
    assert result.due("1" * 64) == "reproduced"
    assert scoring.row(checked, result).stale
    verified.save(board, checked, "reproduced", exact=True)
    row = scoring.row(checked, verified.load(board, checked))
    assert (row.stale, row.exact) == (False, {machine.kind(): True})


def test_a_zeroed_hash_is_seen_in_the_page_and_its_tables(expired):
    agent, version, board = expired
    with (board / "site/data" / f"{TASK}.csv").open() as file:
        (row,) = [row for row in csv.DictReader(file) if row["stale"] == "yes"]
    assert (row["agent"], row["version"]) == (agent, version)
    assert (row["trust"], row["exact_kinds"], row["rank_in_last_round"]) == ("reproduced", "0", "")
    line = next(
        text for text in (board / "README.md").read_text().splitlines() if f"{agent} {version}" in text
        .replace("\\", "")
    )  # fmt: skip
    assert f"| reproduced, {EARLIER} |" in line
    task = (board / "site/tasks" / f"{TASK}.html").read_text()
    assert task.count(f'<span class="details">{EARLIER}</span>') == 1
    page = (board / "site/submissions" / TASK / agent / f"{version}.html").read_text()
    assert f'<span class="details">{EARLIER}</span>' in page
    assert "bit-equal" not in page


def test_a_zeroed_hash_is_seen_in_the_command(board, record, capsys):
    message = run(capsys, board, "score")
    assert "reproduced, exact " in message
    assert EARLIER not in message
    zero_hash(record)
    message = run(capsys, board, "score")
    assert "reproduced, earlier " in message
    assert EARLIER in message
    (row,) = json.loads(run(capsys, board, "score", "--json"))
    assert (row["level"], row["stale"], row["exact"]) == ("reproduced", True, {})


def test_a_suite_is_as_current_as_the_least_of_its_rows(expired):
    agent, _, board = expired
    rows = [text for text in (board / "README.md").read_text().splitlines() if text.startswith("| ")]
    over_the_suite = [text for text in rows if text.count("|") == 5 and f"| {agent} |" in text]
    assert over_the_suite
    assert all(text.endswith(f"{EARLIER} |") for text in over_the_suite)


def test_what_is_exact_is_kept_by_kind_of_machine(board, checked, record, monkeypatch):
    here = machine.kind()
    monkeypatch.setattr(machine, "kind", lambda: OTHER)
    verified.save(board, checked, "replayed", exact=False)
    assert verified.load(board, checked).exact == {here: True, OTHER: False}
    row = scoring.row(checked, verified.load(board, checked))
    assert str(row.standing) == "reproduced, bit-equal on 1 of 2 kinds"
    verified.save(board, checked, "replayed", exact=True)
    assert verified.load(board, checked).exact == {here: True, OTHER: True}
    monkeypatch.undo()
    verified.save(board, checked, "replayed", exact=False)
    assert verified.load(board, checked).exact == {here: False, OTHER: True}


def test_what_was_exact_with_other_physics_is_not_kept(board, checked, record, monkeypatch):
    monkeypatch.setattr(machine, "kind", lambda: OTHER)
    monkeypatch.setattr(provenance, "simulator_hash", lambda task: "1" * 64)
    verified.save(board, checked, "replayed", exact=True)
    assert verified.load(board, checked).exact == {OTHER: True}


def test_kinds_and_near_ties_are_on_the_page(shown, tmp_path):
    board = tmp_path / "leaderboard"
    shutil.copytree(shown.board, board, ignore=shutil.ignore_patterns("site"))
    path = board / "verified" / TASK / "agent-0002" / "1.yaml"
    content = yaml.safe_load(path.read_text())
    kinds = {f"{OTHER} (library without fma)": False, "macos arm64 neon macos-14": True}
    path.write_text(yaml.safe_dump({**content, "exact": kinds, "near_ties": 1}))
    build(board, cache=shown.cache, episodes=0)
    page = (board / "site/submissions" / TASK / "agent-0002/1.html").read_text()
    assert "bit-equal on 1 of 2 kinds, 1 near-tie" in page
    assert f"{OTHER} (library without fma): no" in page
    assert "macos arm64 neon macos-14: yes" in page
    assert "bit-equal on 1 of 2 kinds, 1 near-tie |" in (board / "README.md").read_text()


@pytest.fixture
def rows(copy, tmp_path, child):
    """Return a board with a row as of now, one that is outdated, one that is new, by the agent's name."""
    board = copy.parents[3]
    for name in ("zero", "standard-practice"):
        agbench.evaluate(TASK, name, out=tmp_path / name)
        card = {**CARD, "agent": name, "method": "rule", "policy": {"format": "rule", "name": name}}
        del card["training"]
        leaderboard.submit([tmp_path / name], card, board)
    result = {s.card.agent: s for _, s in judged(board) if isinstance(s, CheckedSubmission)}
    verified.save(board, result["ppo-small"], "reproduced", exact=True)
    verified.save(board, result["zero"], "reproduced", exact=True)
    zero_hash(board / "verified" / TASK / "zero" / "1.0.yaml")
    return board


def level(board, agent):
    content = yaml.safe_load((board / "verified" / TASK / agent / "1.0.yaml").read_text())
    assert all(code["simulator_hash"] != ZERO for code in content["levels"].values())
    return list(content["levels"])


def test_replaying_what_is_stale_does_what_is_due_and_no_more(rows, capsys):
    before = (rows / "verified" / TASK / "ppo-small" / "1.0.yaml").stat().st_mtime_ns
    message = run(capsys, rows, "replay", "--stale").splitlines()
    assert len(message) == 2
    assert message[0].startswith(
        f"good  1/2  {TASK} standard-practice 1.0: 11 episodes replayed, equal to the"
    )
    assert message[1].startswith(f"good  2/2  {TASK} zero 1.0: 11 episodes reproduced, equal to the last bit")
    assert level(rows, "standard-practice") == ["replayed"]
    assert level(rows, "zero") == ["replayed", "reproduced"]
    assert (rows / "verified" / TASK / "ppo-small" / "1.0.yaml").stat().st_mtime_ns == before
    assert run(capsys, rows, "replay", "--stale").startswith("nothing is due")
    assert json.loads(run(capsys, rows, "replay", "--stale", "--json")) == []
    with pytest.raises(ConfigError, match="is no engine"):
        app(["leaderboard", "replay", "--stale", "--on", "rai", "--board", str(rows)], standalone_mode=False)


def test_rows_that_travel_to_workers_are_renewed_as_here(rows):
    due = verifying.due(rows, None)
    verdicts = list(verifying.verify_all(verifying.To(rows), rows, due, on=Travelling()))
    assert [verdict.good for verdict in verdicts] == [True, True]
    assert level(rows, "standard-practice") == ["replayed"]
    assert level(rows, "zero") == ["replayed", "reproduced"]


@pytest.mark.slow
def test_several_processes_find_the_same(rows, tmp_path):
    printed, _ = command("leaderboard", "replay", "--stale", "--workers", "2", cwd=tmp_path)
    assert sorted(line.split()[0] for line in printed.splitlines()) == ["good", "good"]
    assert level(rows, "standard-practice") == ["replayed"]
    assert level(rows, "zero") == ["replayed", "reproduced"]


def test_what_was_interrupted_goes_on_where_it_stopped(rows, capsys, monkeypatch):
    reproduce = verifying.reproduce

    def interrupted(submission):
        raise KeyboardInterrupt

    monkeypatch.setattr(verifying, "reproduce", interrupted)
    assert len(run(capsys, rows, "replay", "--stale", code=1).splitlines()) == 1
    monkeypatch.setattr(verifying, "reproduce", reproduce)
    (message,) = run(capsys, rows, "replay", "--stale").splitlines()
    assert message.startswith(f"good  1/1  {TASK} zero 1.0")


def test_a_stale_row_that_no_longer_holds_ends_the_command_with_code_1(rows, capsys):
    folder = rows / "submissions" / TASK / "standard-practice" / "1.0"
    cell("return", 0, 900.0)(folder)
    resign(folder)
    printed = run(capsys, rows, "replay", "--stale", code=1)
    assert "claims 900" in printed
    assert printed.count("refused  ") == 1
    assert not (rows / "verified" / TASK / "standard-practice" / "1.0.yaml").exists()
    assert level(rows, "zero") == ["replayed", "reproduced"]


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_renewed(rows, capsys):
    path = rows / "verified" / TASK / "standard-practice" / "1.0.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("submission: [")
    printed = run(capsys, rows, "replay", "--stale", code=1)
    assert "standard-practice" in printed
    assert "delete it and verify again" in printed
    assert path.read_text() == "submission: ["
    assert level(rows, "zero") == ["replayed", "reproduced"]


def test_a_round_of_other_physics_is_named(board, checked, record, capsys, tmp_path):
    verified.save(board, checked, "hidden")
    zero_hash(record, "hidden")
    (entry,) = rounds.open_round(board, [TASK], tmp_path / "keep" / "secret")
    code = Code(simulator_hash=ZERO, agbench="0")
    standings.save(board, RoundTable(task=TASK, round=1, scenarios=50, code=code, rows=[]))
    message = run(capsys, board, "replay", "--stale")
    assert "nothing is due" in message
    assert f"{entry.name} was run with an earlier version: agbench leaderboard round run" in message
    assert scoring.row(checked, verified.load(board, checked)).stale


def test_a_changed_task_is_no_row_at_all(board, checked, record, capsys):
    """A card speaks of one task's hash: where the task is another one, the check refuses the row."""
    card = checked.folder / "submission.yaml"
    card.write_text(card.read_text().replace(checked.card.task_hash, "ab" * 32))
    assert "task_hash: not that of board-wheat-v1 here" in run(capsys, board, "replay", "--stale", code=1)


def test_a_seasons_hash_is_that_of_the_rows_own_task(board, checked, record, monkeypatch):
    monkeypatch.setattr(provenance, "simulator_hash", lambda task: ZERO if task.task == TASK else "1" * 64)
    assert scoring.row(checked, verified.load(board, checked)).stale
