"""Actions of long seasons: spread over several files, each small, and held against each other."""

import shutil

import numpy as np
import pytest
from good_submission import CARD, TASK, resign

import agbench
from agbench import leaderboard
from agbench.errors import ResultError
from agbench.evaluation import Result, result
from agbench.untrusted import RefusedError


@pytest.fixture
def long(tmp_path, monkeypatch):
    """Return the folder of a submission whose actions take several files."""
    monkeypatch.setattr(result, "PART_BYTES", 1000)
    agbench.evaluate(TASK, "standard-practice", out=tmp_path / "result")
    rule = {"format": "rule", "name": "standard-practice"}
    card = {**CARD, "method": "rule", "training": {}, "policy": rule}
    return leaderboard.submit([tmp_path / "result"], card, tmp_path / "leaderboard")


def test_parts_are_read_as_one_and_replayed(long, child, tmp_path):
    names = sorted(path.name for path in (long / "test/seed-0").iterdir())
    assert names == ["actions-1.npz", "actions-2.npz", "actions.npz", "episodes.parquet", "result.yaml"]
    assert leaderboard.replay(leaderboard.check(long, child)).exact
    whole = Result.load(tmp_path / "result")
    again = agbench.evaluate(TASK, "standard-practice")
    assert all(np.array_equal(a, b) for a, b in zip(whole.actions, again.actions, strict=True))


def test_a_part_that_lacks_is_named(long, child, tmp_path):
    (tmp_path / "result/actions-1.npz").unlink()
    with pytest.raises(ResultError, match=r"incomplete result, actions-1.npz missing"):
        Result.load(tmp_path / "result")
    (long / "test/seed-0/actions-1.npz").unlink()
    with pytest.raises(RefusedError, match=r"actions-1.npz: missing"):
        leaderboard.check(long, child)


def test_an_episode_in_two_parts_is_refused(long, child):
    folder = long / "test/seed-0"
    shutil.copyfile(folder / "actions-1.npz", folder / "actions-2.npz")
    resign(long)
    with pytest.raises(RefusedError, match=r"actions-2.npz: episode_\d+: is in another file too"):
        leaderboard.check(long, child)
