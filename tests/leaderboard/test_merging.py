"""What a merge keeps of the checks of rows: builds read it, checks do not, and pages are the same."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from agbench.leaderboard import board as places
from agbench.leaderboard.checks import kept, results
from agbench.leaderboard.checks.kept import KeptResults
from agbench.leaderboard.checks.submission import check
from agbench.leaderboard.merging import merge
from agbench.leaderboard.page import build
from agbench.untrusted import RefusedError

OURS = Path(__file__).parents[2] / "leaderboard"


@pytest.fixture
def board(copy):
    """Return a board of one row, merged."""
    root = copy.parents[3]
    merge(root)
    return root


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
    monkeypatch.setattr(kept, "closure_hash", lambda *_: "other code")
    merge(board)
    assert json.loads(gzip.decompress(kept_file(board).read_bytes())).keys() == {"known_by", "results"}
    assert kept_file(board).read_bytes() != before


@pytest.mark.parametrize("damage", ["cut off", "empty", "other data", "of another row", "gone"])
def test_what_is_damaged_is_checked_again(board, tmp_path, damage):
    expected, path = site(board, tmp_path, "expected"), kept_file(board)
    if damage == "cut off":
        path.write_bytes(path.read_bytes()[:-20])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "other data":
        path.write_bytes(gzip.compress(b'{"results": []}'))
    elif damage == "of another row":
        content = json.loads(gzip.decompress(path.read_bytes()))
        path.write_bytes(gzip.compress(json.dumps({**content, "known_by": "0" * 64}).encode()))
    else:
        path.unlink()
    assert site(board, tmp_path, "again") == expected


def test_a_changed_file_is_refused_whatever_was_kept(board, copy, child):
    table = copy / "test/seed-0/episodes.parquet"
    table.write_bytes(table.read_bytes() + b" ")
    with pytest.raises(RefusedError, match="not the one in submission"):
        check(copy, child, kept=KeptResults(board=board))


def test_a_check_does_not_believe_what_was_kept(board, copy, child):
    """Whoever can change the folder of kept checks changes pages at most, never a check or a verification."""
    path = kept_file(board)
    content = json.loads(gzip.decompress(path.read_bytes()))
    content["results"][0]["columns"]["steps"][0] += 1
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    believed = check(copy, child, kept=KeptResults(board=board)).results[0].columns["steps"]
    assert check(copy, child).results[0].columns["steps"] == [believed[0] - 1, *believed[1:]]


def test_what_is_refused_or_gone_has_nothing_kept(board, copy):
    twin = board / places.CHECKED / "board-wheat-v1/gone/1.0.json.gz"
    twin.parent.mkdir()
    shutil.copyfile(kept_file(board), twin)
    refused = copy.with_name("2.0")
    shutil.copytree(copy, refused)
    merge(board)
    assert not twin.exists()
    assert [path.name for path in (board / places.CHECKED).rglob("*.gz")] == [f"{copy.name}.json.gz"]


def test_what_is_kept_of_our_rows_is_what_their_checks_find(child):
    """A build of the shipped board checks nothing again: `agbench leaderboard merged --add` keeps that so."""
    folders = places.submissions(OURS)
    missing = [f for f in folders if not kept.place(OURS, "/".join(f.parts[-3:])).is_file()]
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
