"""The first rows and what is merged: made through the door, resumable, and never changed afterwards."""

import hashlib
import os
import re
import shutil
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from agbench import files
from agbench.errors import ConfigError
from agbench.evaluation import anchors, provenance, references
from agbench.evaluation.references import ROLES
from agbench.leaderboard import first_rows, submitting
from agbench.leaderboard.board import VERIFIED, submissions
from agbench.leaderboard.checks import merged
from agbench.leaderboard.keeping import keep
from agbench.leaderboard.verify.verifying import unreproduced

TASK = "board-wheat-v1"
OWN = ("floor", "expert")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """Return a board with the floor and the expert of a quick task, and the results they are made of."""
    root = tmp_path_factory.mktemp("first")
    board, kept = root / "leaderboard", root / "kept"
    rows = [first_rows.make(TASK, role, board, kept) for role in ("floor", "expert")]
    merged.add(board)
    return board, kept, rows


@pytest.fixture
def board(first, tmp_path):
    shutil.copytree(first[0], tmp_path / "leaderboard")
    return tmp_path / "leaderboard"


def test_first_rows_are_replayed_to_the_last_bit_and_reproduced(first):
    board, _, rows = first
    assert [row.name for row in rows] == [f"{TASK}/floor/1", f"{TASK}/expert/1"]
    assert all(row.replay.exact and row.replay.episodes == 11 for row in rows)
    assert "equal to the last bit" in str(rows[0])
    levels = [list(yaml.safe_load(p.read_text())["levels"]) for p in board.glob("verified/*/*/1.yaml")]
    assert levels == [["replayed", "reproduced"]] * 2


def test_references_that_were_replayed_are_not_due_to_be_reproduced(board):
    for record in board.glob("verified/*/*/1.yaml"):
        content = yaml.safe_load(record.read_text())
        del content["levels"]["reproduced"]
        record.write_text(yaml.safe_dump(content))
    assert unreproduced(board) == []
    (floor,) = board.glob("verified/*/floor/1.yaml")
    floor.unlink()
    assert [row.parts[-2] for row in unreproduced(board)] == ["floor"]
    card = next(board.glob("submissions/*/expert/1/submission.yaml"))
    card.write_text(card.read_text().replace("The AgBench authors", "A. Grower"))
    assert [row.parts[-2] for row in unreproduced(board)] == ["expert", "floor"]


def test_a_row_that_stands_is_left_and_an_outdated_one_replaced_where_it_may_be(first, board):
    kept = first[1]
    assert "verified before" in str(first_rows.make(TASK, "floor", board, kept))
    shutil.rmtree(board / "verified")
    assert first_rows.make(TASK, "floor", board, kept).replay.exact
    card = board / "submissions" / TASK / "floor/1/submission.yaml"
    card.write_text(card.read_text().replace("task_hash: ", "task_hash: 0"))
    assert "--overwrite" in first_rows._attempt(TASK, "floor", board, kept, False, True)[0]
    assert first_rows.make(TASK, "floor", board, kept, overwrite=True).replay.exact


@pytest.mark.slow_except("None", "2", "4")
@pytest.mark.parametrize("killed_at", [None, 1, 2, 3, 4])
def test_a_row_is_there_until_the_one_that_replaces_it_is_whole(first, board, monkeypatch, killed_at):
    """`killed_at`: before which renaming; None: while the new row is made."""
    folder = board / "submissions" / TASK / "floor/1"
    card = folder / "submission.yaml"
    card.write_text(card.read_text().replace("task_hash: ", "task_hash: 0"))
    before, moved = card.read_bytes(), []
    usual = os.rename

    def rename(*names):
        moved.append(names)
        if len(moved) >= (killed_at or 1):
            raise KeyboardInterrupt
        usual(*names)

    with monkeypatch.context() as patched:
        if killed_at is None:
            patched.setattr(submitting, "_fill", rename)
        else:
            patched.setattr(os, "rename", rename)
            patched.setattr(files, "recover", lambda folder: None)  # a process that is killed does no more
        with pytest.raises(KeyboardInterrupt):
            first_rows.make(TASK, "floor", board, first[1], overwrite=True)
    kept = [path.read_bytes() for path in folder.parent.rglob("submission.yaml")]
    assert before in kept
    again = first_rows.make(TASK, "floor", board, first[1], overwrite=True)
    assert again.replay.exact if killed_at != 4 else "verified before" in str(again)
    assert [path.name for path in folder.parent.iterdir()] == ["1"]
    assert card.read_bytes() != before
    assert not list(board.glob(".submitting-*"))


def test_a_row_that_another_process_replaces_is_refused(first, board):
    folder = board / "submissions" / TASK / "floor/1"
    with files.alone(folder, RuntimeError):
        said = first_rows._attempt(TASK, "floor", board, first[1], True, True)[0]
    assert "another process is writing it" in said


def test_a_row_that_another_run_puts_there_meanwhile_is_verified(first, board, monkeypatch):
    folder, usual = board / "submissions" / TASK / "floor/1", submitting._fill
    shutil.move(folder, board / "theirs")
    shutil.rmtree(board / "verified")

    def fill(*arguments):
        usual(*arguments)
        shutil.copytree(board / "theirs", folder)

    monkeypatch.setattr(submitting, "_fill", fill)
    assert first_rows.make(TASK, "floor", board, first[1]).replay.exact
    assert [path.name for path in folder.parent.iterdir()] == ["1"]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_row_and_a_kept_result_hold_for_the_hash_of_their_own_task(first, board, monkeypatch):
    kept = first[1]
    part = references.Part(TASK, "floor", "test")
    assert references.kept(part, kept) is not None
    monkeypatch.setattr(provenance, "simulator_hash", lambda task: digest(task.task))
    assert references.kept(part, kept) is None
    shutil.copytree(kept, board.parent / "kept")
    assert first_rows.make(TASK, "floor", board, board.parent / "kept").replay is not None
    (record,) = board.glob("verified/*/floor/1.yaml")
    levels = yaml.safe_load(record.read_text())["levels"]
    assert {code["simulator_hash"] for code in levels.values()} == {digest(TASK)}


def test_references_are_run_on_the_splits_that_are_reported_an_oracle_on_test():
    result = references.parts(first_rows.catalog.task("wheat-nitrogen-v1"))
    assert [(p.role, p.split) for p in result] == [
        *((role, split) for role in ("floor", "blind", "expert") for split in ("test", "shift")),
        ("oracle", "test"),  # scores take it on test alone
    ]
    result = references.parts(first_rows.catalog.task("wofostgym-wheat-v1"))
    assert {p.split for p in result} == {"test"}


@pytest.mark.parametrize("role", ROLES)
def test_a_first_rows_card_claims_no_score_that_it_does_not_have(role):
    spec = first_rows.catalog.task("wheat-nitrogen-v1")
    values = anchors.of_split(spec, "test")
    told = SimpleNamespace(policy=references.policy_name(spec, role), information="model")
    notes = first_rows._card(spec.task, role, told)["notes"]
    claimed = [float(number) for number in re.findall(r"score of (-?\d+)", notes)]
    assert claimed == ([] if role in ("blind", "expert") else [values.scores(getattr(values, role)).mean()])


@pytest.fixture
def anchored(first, monkeypatch):
    """Return the quick task with a floor and an expert alone, and anchors made of what was kept."""
    task = first_rows.catalog.task(TASK)
    held = {(role, "test"): references.kept(references.Part(TASK, role, "test"), first[1]) for role in OWN}
    made = anchors.assemble(task, held)
    parts = [part for part in references.parts(task) if part.role in OWN and part.split == "test"]
    monkeypatch.setattr(references, "parts", lambda _: parts)
    monkeypatch.setattr(anchors, "outdated", lambda _: None)
    monkeypatch.setattr(anchors, "_read", lambda *_: made)
    monkeypatch.setattr(anchors, "_of_split", anchors._of_split.__wrapped__)  # nothing is kept of it
    return made


def test_results_are_kept_from_the_board_and_no_policy_is_run(first, anchored, tmp_path, monkeypatch):
    assert [str(part) for part in keep(TASK, first[0], tmp_path)] == [f"{TASK}  {role}  test" for role in OWN]
    monkeypatch.setattr(references, "evaluate", None)  # to call it would raise
    for part in references.parts(TASK):
        own, taken = (references.kept(part, root) for root in (first[1], tmp_path))
        assert own.episodes.equals(taken.episodes)
        assert (own.policy, own.information) == (taken.policy, taken.information)
        assert references.run(part, tmp_path)[0] == references.place(part, tmp_path)
        standing = first_rows.make(TASK, part.role, first[0], tmp_path)
        assert "verified before" in str(standing)
    assert list(keep(TASK, first[0], tmp_path)) == []


def test_no_result_is_kept_that_the_anchors_do_not_hold(first, anchored, tmp_path, monkeypatch):
    next(iter(anchored.splits["test"].values())).__dict__["expert"] += 1e-9
    with pytest.raises(ConfigError, match="expert  test: the row on the board and the stored anchors differ"):
        list(keep(TASK, first[0], tmp_path))
    monkeypatch.setattr(anchors, "outdated", lambda _: "anchors do not fit.")
    with pytest.raises(ConfigError, match=r"do not fit\. Rows can be kept only while anchors fit"):
        list(keep(TASK, first[0], tmp_path))


def test_a_row_that_the_board_lacks_is_named(anchored, tmp_path):
    with pytest.raises(ConfigError, match=rf"floor  test: .* has no such row\. .* first-rows {TASK}"):
        list(keep(TASK, tmp_path, tmp_path))


def changed_card(folder):
    (folder / "submission.yaml").write_text("agent: other\n")
    return "can no longer be read"


def changed_episode(folder):
    path = folder / "test/seed-0/episodes.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    return "episodes.parquet was changed after"


def added_file(folder):
    (folder / "test/seed-0/more.yaml").write_text("a: 1\n")
    return "more.yaml was added after"


def taken_file(folder):
    (folder / "test/seed-0/actions.npz").unlink()
    return "actions.npz was taken away after"


def gone(folder):
    shutil.rmtree(folder)
    return "was merged and is gone"


def renamed_author(folder):
    path = folder / "submission.yaml"
    path.write_text(path.read_text().replace("The AgBench authors", "Somebody else"))
    return "submission.yaml was changed after"


def no_text(folder):
    (folder / "submission.yaml").write_bytes(b"\xff")
    return "was merged and can no longer be read"


def no_yaml(folder):
    (folder / "submission.yaml").write_text("files: [")
    return "was merged and can no longer be read"


def no_files(folder):
    (folder / "submission.yaml").write_text("agent: expert\n")
    return "was merged and can no longer be read"


def no_mapping(folder):
    (folder / "submission.yaml").write_text("[1, 2]\n")
    return "was merged and can no longer be read"


def no_card(folder):
    (folder / "submission.yaml").unlink()
    return "was merged and can no longer be read"


def a_link(folder):
    (folder / "notes").symlink_to(folder / "submission.yaml")
    return "was merged and can no longer be read"


UNREADABLE = [no_text, no_yaml, no_files, no_mapping, no_card, a_link]


@pytest.mark.parametrize(
    "change", [*UNREADABLE, changed_card, changed_episode, added_file, taken_file, gone, renamed_author]
)
def test_a_merged_row_that_changes_is_noticed(board, change):
    assert merged.changes(board) == []
    reason = change(board / "submissions" / TASK / "expert/1")
    (result,) = merged.changes(board)
    assert reason in result
    assert "submit what is better as a new version" in result
    with pytest.raises(merged.ConfigError, match="A merged row never changes"):
        merged.add(board)


def test_new_rows_are_added_to_the_index_and_the_old_ones_stay(board):
    twin = board / "submissions" / TASK / "expert/2"
    shutil.copytree(twin.with_name("1"), twin)
    before = merged.read(board)
    assert merged.add(board) == [f"{TASK}/expert/2"]
    assert before.items() < merged.read(board).items()


def test_no_merged_row_of_ours_has_changed():
    assert merged.changes(ROOT / "leaderboard") == []


def test_every_file_of_ours_is_small():
    files = [path for path in (ROOT / "leaderboard").rglob("*") if path.is_file()]
    assert [str(p) for p in files if p.stat().st_size > 2_000_000] == []


def test_all_our_rows_are_in_the_index_and_verified():
    board = ROOT / "leaderboard"
    names = {"/".join(folder.parts[-3:]) for folder in submissions(board)}
    own = {name for name in names if name.split("/")[1] in references.ROLES}
    assert own <= set(merged.read(board))
    assert all((board / VERIFIED / f"{name}.yaml").is_file() for name in own)


def test_the_rows_that_take_longest_are_begun_first(monkeypatch, tmp_path):
    begun, said = [], []

    class Pool(nullcontext):
        def submit(self, function, task, role, *job):
            begun.append((task, role))
            result = Future()
            result.set_result((f"{task} {role}", role != "floor"))
            return result

        def __enter__(self):
            return self

    monkeypatch.setattr(first_rows, "ProcessPoolExecutor", lambda *_: Pool())
    rows = [(TASK, "floor"), ("greenhouse-tomato-v1", "floor"), (TASK, "oracle"), (TASK, "expert")]
    bad = first_rows.make_all(rows, tmp_path, tmp_path, False, True, 2, said.append)
    efforts = [references.effort(references.Part(*row, "test")) for row in begun]
    assert efforts == sorted(efforts, reverse=True)
    assert sorted(begun) == sorted(rows)
    assert bad == 2
    assert sorted(said) == sorted(f"{task} {role}" for task, role in rows)
