"""What a merge keeps of the checks of rows: builds read it, checks do not, and pages are the same."""

import gzip
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from agbench.cli.app import app
from agbench.compiled import closure
from agbench.errors import ConfigError
from agbench.leaderboard import board as places
from agbench.leaderboard import first_rows
from agbench.leaderboard.checks import checked, kept, merged, results, submitted_policy
from agbench.leaderboard.checks.kept import KeptResults
from agbench.leaderboard.checks.submission import check
from agbench.leaderboard.merging import merge
from agbench.leaderboard.page import build
from agbench.untrusted import RefusedError

PLAIN = kept._plain
OURS = Path(__file__).parents[2] / "leaderboard"


@pytest.fixture
def board(copy):
    """Return a board of one row, merged."""
    root = copy.parents[3]
    merge(root)
    return root


@pytest.fixture
def first_board(tmp_path):
    """Return a merged board of one row that names a policy of the task."""
    first_rows.make("board-wheat-v1", "floor", tmp_path / "first", tmp_path / "kept", reproducing=False)
    merge(tmp_path / "first")
    return tmp_path / "first"


def kept_file(board):
    (path,) = (board / places.CHECKED).rglob("*.json.gz")
    return path


def site(board, tmp_path, name):
    """Return the files of a site that a build with an empty cache makes."""
    out = build(board, tmp_path / name, cache=tmp_path / f"{name}-cache").site
    return {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def refuse_to_check(*_):
    raise AssertionError("what is kept is of other code; to renew it: agbench leaderboard merged --add")


def test_a_build_checks_no_merged_row_again_and_makes_the_same_page(board, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(results, "found", refuse_to_check)
        with_kept = site(board, tmp_path, "with")
    shutil.rmtree(board / places.CHECKED)
    assert site(board, tmp_path, "without") == with_kept


def test_a_merge_checks_again_only_what_other_code_found(board, monkeypatch):
    before = kept_file(board).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(results, "found", refuse_to_check)
        merge(board)
        assert kept_file(board).read_bytes() == before
    monkeypatch.setattr(checked, "closure_hash", lambda *_: "other code")
    merge(board)
    assert kept_file(board).read_bytes() != before


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-20])


def empty(path):
    path.write_bytes(b"")


def no_json(path):
    path.write_bytes(gzip.compress(b"0" * 64 + b"\n["))


def edited(path):
    digest, _, content = gzip.decompress(path.read_bytes()).partition(b"\n")
    results = json.loads(content)
    results[0].update(sample="", shape=[0])
    path.write_bytes(gzip.compress(digest + b"\n" + json.dumps(results).encode()))


def bomb(path):
    path.write_bytes(gzip.compress(bytes(200_000_000)))


def link(path):
    path.unlink()
    path.symlink_to("/dev/zero")


def pipe(path):
    path.unlink()
    os.mkfifo(path)


def folder(path):
    path.unlink()
    (path / "inner").mkdir(parents=True)


DAMAGES = [cut_off, empty, no_json, edited, bomb, link, pipe, folder, Path.unlink]


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_checked_again(board, copy, child, damage):
    expected = check(copy, child).results
    damage(kept_file(board))
    for one, other in zip(check(copy, child, kept=KeptResults(board=board)).results, expected, strict=True):
        assert (one.record, one.columns) == (other.record, other.columns)
        assert all(map(np.array_equal, one.behaviour, other.behaviour))


@pytest.mark.parametrize("damage", [cut_off, empty, no_json, edited, bomb, Path.unlink])
def test_a_merge_mends_what_is_damaged(board, damage):
    before = kept_file(board).read_bytes()
    damage(kept_file(board))
    merge(board)
    assert kept_file(board).read_bytes() == before


@pytest.mark.parametrize("damage", [link, pipe, folder])
def test_a_merge_names_what_is_no_file_of_its_own_and_touches_nothing(board, damage):
    path = kept_file(board)
    damage(path)
    with pytest.raises(ConfigError, match=r"1.0.json.gz: is none of the files that a merge keeps there"):
        merge(board)
    assert os.path.lexists(path)


def test_a_merge_follows_no_link_out_of_its_folder(board, tmp_path):
    (board / places.CHECKED).rename(tmp_path / "elsewhere")
    (board / places.CHECKED).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="checked: is none of the files"):
        merge(board)
    assert len(list((tmp_path / "elsewhere").rglob("*.json.gz"))) == 1


@pytest.mark.parametrize(
    "module",
    ["untrusted/confined", "untrusted/tables", "leaderboard/checks/kept", "leaderboard/checks/sampled"],
)
def test_what_other_code_found_is_not_read(tmp_path, module):
    """Code that reaches the check as an argument, as a name at run time or in another process counts too."""
    shutil.copytree(
        closure.PACKAGE, tmp_path / "agbench", ignore=shutil.ignore_patterns("__pycache__", "static")
    )
    before = closure.Sources(tmp_path / "agbench").hash(checked._ROOTS)
    path = tmp_path / "agbench" / f"{module}.py"
    path.write_text(path.read_text() + "\n\ndef more():\n    return 1\n")
    assert closure.Sources(tmp_path / "agbench").hash(checked._ROOTS) != before


@pytest.mark.parametrize("limit", ["most_decisions", "action_space", "observation_size"])
def test_what_was_found_under_other_limits_of_the_task_is_not_read(board, copy, child, monkeypatch, limit):
    usual = getattr(results, limit)
    monkeypatch.setattr(results, limit, lambda task: None if limit == "action_space" else usual(task) + 1)
    monkeypatch.setattr(results, "found", refuse_to_check)
    with pytest.raises(AssertionError, match="other code"):
        check(copy, child, kept=KeptResults(board=board))


def test_a_policy_that_the_task_no_longer_has_is_refused_whatever_was_kept(first_board, child, monkeypatch):
    folder = next((first_board / "submissions").glob("*/floor/1"))
    kept = KeptResults(board=first_board)
    check(folder, child, kept=kept)
    monkeypatch.setattr(submitted_policy, "policies", lambda task: ["random"])
    with pytest.raises(RefusedError, match="is none of random"):
        check(folder, child, kept=kept)


def test_a_changed_file_is_refused_whatever_was_kept(board, copy, child):
    table = copy / "test/seed-0/episodes.parquet"
    table.write_bytes(table.read_bytes() + b" ")
    with pytest.raises(RefusedError, match="not the one in submission"):
        check(copy, child, kept=KeptResults(board=board))


def test_a_check_does_not_believe_what_was_kept(board, copy, child, monkeypatch):
    """Whoever can change the folder of kept checks changes pages at most, never a check or a verification."""
    kept_file(board).write_bytes(b"")
    monkeypatch.setattr(kept, "_plain", lambda result: {**PLAIN(result), "steps": [5]})
    merge(board)
    assert check(copy, child, kept=KeptResults(board=board)).results[0].behaviour.steps == (5,)
    assert check(copy, child).results[0].behaviour.steps != (5,)


def test_what_is_refused_or_gone_has_nothing_kept_and_is_not_merged(board, copy):
    twin = board / places.CHECKED / "board-wheat-v1/gone/1.0.json.gz"
    twin.parent.mkdir()
    shutil.copyfile(kept_file(board), twin)
    refused = copy.with_name("2.0")
    shutil.copytree(copy, refused)
    before = merged.read(board)
    done = merge(board)
    assert done.new == []
    assert list(done.refused) == [f"board-wheat-v1/{copy.parent.name}/2.0"]
    assert "the folder is '2.0'" in next(iter(done.refused.values()))
    assert merged.read(board) == before
    assert not twin.parent.exists()
    assert [path.name for path in (board / places.CHECKED).rglob("*.gz")] == [f"{copy.name}.json.gz"]


def test_a_draft_of_another_merge_stays_until_it_is_a_day_old(board):
    draft = kept_file(board).with_name(".1.0.json.gz.new.gz")
    draft.write_bytes(b"")
    merge(board)
    assert draft.is_file()
    os.utime(draft, (0, 0))
    merge(board)
    assert [path.name for path in draft.parent.iterdir()] == ["1.0.json.gz"]


def test_the_command_says_what_it_refuses(board, copy, capsys):
    shutil.copytree(copy, copy.with_name("2.0"))
    assert app(["leaderboard", "merged", "--add", "--board", str(board)], standalone_mode=False) == 1
    said = capsys.readouterr().out
    assert f"refused  board-wheat-v1/{copy.parent.name}/2.0" in said
    assert "1 merged rows, none changed; 0 of them new." in said


def test_what_is_kept_of_our_rows_is_what_their_checks_find(child):
    """A build of the shipped board checks nothing again: `agbench leaderboard merged --add` keeps that so."""
    folders = places.submissions(OURS)
    missing = [f for f in folders if not checked.place(OURS, "/".join(f.parts[-3:])).is_file()]
    assert missing == []
    for folder in folders[::20]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(results, "found", refuse_to_check)
            before = check(folder, child, kept=KeptResults(board=OURS)).results
        for one, other in zip(before, check(folder, child).results, strict=True):
            assert one.record == other.record
            assert one.columns == other.columns
            assert one.behaviour.digest == other.behaviour.digest
            assert one.behaviour.steps == other.behaviour.steps
            np.testing.assert_array_equal(one.sample, other.sample)
            np.testing.assert_allclose(one.fingerprint, other.fingerprint, rtol=0, atol=1e-9)
