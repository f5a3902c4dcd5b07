"""What the door once let pass: foreign bytes, long versions, disguised hosts, nearly right returns."""

import errno
import importlib.util
import io
import shutil
import struct
import subprocess
import sys
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

import numpy as np
import pytest
import yaml
from good_submission import CARD, resign
from hostile import cell

from agbench import leaderboard
from agbench.cli.app import main
from agbench.data import catalog
from agbench.data import dataset as recipes
from agbench.data.reading import read_data
from agbench.data.submission import ResultRecord
from agbench.leaderboard.checks import judging, results
from agbench.leaderboard.checks.kept import KeptResults, Known
from agbench.leaderboard.checks.recorded import RecordedBehaviour, of_actions
from agbench.leaderboard.checks.sampled import places
from agbench.leaderboard.checks.task_limits import most_decisions
from agbench.leaderboard.verify import verified
from agbench.leaderboard.verify.verifying import replayed
from agbench.untrusted import RefusedError
from agbench.untrusted.arrays import ArrayLimits, read_npz
from agbench.untrusted.text import read_schema

ROOT = Path(__file__).parents[2]


def packed(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **(arrays or {"a": np.arange(5.0), "b": np.zeros((2, 3), np.float32)}))
    return file.getvalue()


def between(content):
    """Return an archive with bytes between its members and its directory, all offsets made right."""
    end = content.rfind(b"PK\x05\x06")
    (start,) = struct.unpack("<I", content[end + 16 : end + 20])
    return (
        content[:start]
        + b"x" * 1000
        + content[start : end + 16]
        + struct.pack("<I", start + 1000)
        + content[end + 20 :]
    )


def in_headers(directory=False, comment=False):
    """Return a function that packs an archive's arrays with other bytes in the headers of its members."""

    def change(content):
        file = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(file, "w") as archive:
            for name in source.namelist():
                member = zipfile.ZipInfo(name)
                member.comment = b"x" * 1000 * comment
                extra = struct.pack("<HH", 0xCAFE, 50_000) + b"x" * 50_000
                member.extra = extra * (not comment and not directory)
                archive.writestr(member, source.read(name))
                member.extra = extra * directory  # the directory is written last
        return file.getvalue()

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda content: b"MZ" + b"\0" * 1_500_000 + content,
        lambda content: content + b"\0" * 100,
        between,
        lambda content: content[:-2] + struct.pack("<H", 5) + b"hello",
        in_headers(),
        in_headers(directory=True),
        in_headers(comment=True),
    ],
    ids=["before", "behind", "between", "comment", "headers", "directory", "comments of members"],
)
def test_bytes_that_belong_to_no_array_are_refused(change):
    content = packed()
    assert set(read_npz(content, "f", ArrayLimits())) == {"a", "b"}
    changed = change(content)
    with zipfile.ZipFile(io.BytesIO(changed)) as archive:
        assert len(archive.namelist()) == 2  # zipfile itself minds none of them
    with pytest.raises(RefusedError, match="bytes of no array"):
        read_npz(changed, "f", ArrayLimits())


def test_all_arrays_that_numpy_writes_are_read(tmp_path):
    for number in (0, 1, 300):
        arrays = {f"array_{i}": np.full(i % 7, i, np.float64) for i in range(number)}
        for save in (np.savez, np.savez_compressed):
            save(tmp_path / "file.npz", **arrays)
            stored = read_npz((tmp_path / "file.npz").read_bytes(), "f", ArrayLimits())
            assert stored.keys() == arrays.keys()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": "9" * 64}, "at most 32 characters"),
        ({"version": "1.00000000000001"}, "a number of ten digits or more"),
        ({"paper": "https://xn--pple-43d.com/paper"}, "Punycode"),
        ({"code": "https://git.XN--pple-43d.com"}, "Punycode"),
        ({"paper": "https://example.org:65536/paper"}, "has no port 65536"),
        ({"code": "https://example.org:00"}, "has no port 00"),
        ({"hardware": "x" * 500}, "hardware: string should have at most 300 characters"),
        ({"agent": "a" * 65}, "is not a name: at most 64 letters"),
        ({"submitted": "2099-12-31"}, "2099-12-31 is in the future"),
        ({"agent": "0racle"}, "the name of a task's own reference"),
        ({"agent": "fl00r"}, "the name of a task's own reference"),
        ({"submitted": "yesterday"}, "is not a date such as"),
        ({"submitted": "2027-13-01"}, "is not a date such as"),
        ({"submitted": "2026-W01-1"}, "is not a date such as"),
        ({"method": "offline-rl"}, "offline-rl names its dataset by name and sha256"),
        ({"training": {"splits": ["train"], "steps": 0}}, "training.steps: 0: write how many steps"),
        (
            {"method": "offline-rl", "training": {"dataset": {"name": "d", "sha256": "abc"}}},
            "64 hexadecimal digits",
        ),
    ],
)
def test_cards_are_read_closely(made, tmp_path, change, reason):
    board = tmp_path / "leaderboard"
    with pytest.raises(RefusedError, match=reason):
        leaderboard.submit(made.results, {**CARD, **change}, board, made.policies)
    assert not board.exists()


@pytest.mark.parametrize("text", ["31e8042", "1e5", "2027-03-01", "yes", "007", "12_3"])
def test_texts_that_look_like_numbers_are_texts_on_a_card(made, tmp_path, child, text):
    """The first digits of a commit are a good version."""
    card = {**CARD, "agent": text, "version": text, "authors": [text], "hardware": text}
    result = leaderboard.check(leaderboard.submit(made.results, card, tmp_path / "b", made.policies), child)
    own = result.card
    assert (own.agent, own.version, own.authors, own.hardware) == (text, text, [text], text)


def test_a_planner_brings_its_policy(made, tmp_path):
    card = {key: value for key, value in CARD.items() if key not in ("policy", "training")}
    with pytest.raises(RefusedError, match=r"policy: missing: mpc brings its policy.*--rule NAME"):
        leaderboard.submit(made.results, {**card, "method": "mpc"}, tmp_path / "leaderboard")
    leaderboard.submit(made.results, {**card, "method": "rule"}, tmp_path / "leaderboard")


def test_a_planner_is_a_policy_that_plans(made, tmp_path):
    card = {key: value for key, value in CARD.items() if key != "training"}
    rule = {**card, "method": "mpc", "policy": {"format": "rule", "name": "standard-practice"}}
    with pytest.raises(RefusedError, match=r"policy.name: standard-practice plans nothing.*method rule"):
        leaderboard.submit(made.results, rule, tmp_path / "leaderboard")
    schedule = {**card, "method": "mpc", "policy": {"format": "rule"}}
    with pytest.raises(RefusedError, match=r"policy: missing: mpc brings its policy"):
        leaderboard.submit(made.results, schedule, tmp_path / "leaderboard")


def test_what_a_check_did_not_think_of_costs_its_own_row_alone(made, tmp_path, monkeypatch):
    board = tmp_path / "leaderboard"
    good = leaderboard.submit(made.results, CARD, board, made.policies)
    shutil.copytree(good, odd := good.parent.with_name("odd") / good.name)

    def surprised(folder, *args, **kwargs):
        if folder == odd:
            raise ValueError("cannot reshape")
        return leaderboard.check(folder, *args, **kwargs)

    monkeypatch.setattr(judging, "check", surprised)
    found = dict(judging.judged(board))
    assert str(found[odd]) == f"{odd.name}: cannot be checked: ValueError: cannot reshape"
    assert "cannot be checked" not in str(found[good])


def test_an_episode_without_a_decision_has_a_behaviour_too():
    task = catalog.task("wheat-nitrogen-v1")
    none = of_actions([np.zeros(0, np.int64), np.array([1, 0])], task)
    assert none.steps == (0, 2)
    assert (none.sample[: len(places(2, most_decisions(task))[0])] == 255).all()


def test_what_was_checked_is_not_checked_again(made, tmp_path):
    content = yaml.safe_load((made.folder / "test/seed-0/result.yaml").read_text())
    behaviour = RecordedBehaviour(
        np.array([0.1, 1.0]), np.arange(6, dtype=np.uint8).reshape(2, 3), "abc", (3, 4)
    )
    found = Known(read_data(ResultRecord, content, "result"), {"return": [1.5]}, behaviour)
    asked = []
    for key in (1, 1, 2):
        (known,) = KeptResults(tmp_path).known(
            "a/row/1", {"key": key}, lambda key=key: asked.append(key) or [found]
        )
        assert (known.record, known.columns) == (found.record, found.columns)
        assert [np.array_equal(*pair) for pair in zip(known.behaviour, behaviour, strict=True)] == [True] * 4
    assert asked == [1, 2]


def test_a_cache_that_cannot_be_written_saves_nothing_and_costs_nothing(made, tmp_path):
    board = tmp_path / "leaderboard"
    leaderboard.submit(made.results, CARD, board, made.policies)
    (tmp_path / "file").write_text("in the way")
    ((_, found),) = judging.judged(board, kept=KeptResults(tmp_path / "file" / "checks"))
    assert not isinstance(found, RefusedError)


def reworded(record, **changes):
    """Say the task in a record in another order, with other values of its reward."""
    said = yaml.safe_load(record.read_text())
    task = said.pop("content")
    task["reward"] |= changes
    own = dict(reversed(task.items()))
    record.write_text(yaml.safe_dump({**said, "content": own}, sort_keys=False))


def test_a_task_in_other_words_is_read_once_and_never_taken_for_another(copy, child, monkeypatch):
    records = sorted(copy.glob("*/*/result.yaml"))
    for record in records:
        reworded(record)
    resign(copy)
    sizes = []

    def measured(schema, content, name):
        sizes.append(len(content))
        return read_schema(schema, content, name)

    monkeypatch.setattr(results, "read_schema", measured)
    whole = min(record.stat().st_size for record in records)
    found = [leaderboard.check(copy, child).results for _ in range(2)]
    assert [len(one) for one in found] == [len(records)] * 2
    assert len(records) > 1
    assert sum(size >= whole for size in sizes) == 1
    reworded(records[-1], beta=0.0)
    resign(copy)
    with pytest.raises(RefusedError, match=r"content\.reward: differs from board-wheat-v1 here"):
        leaderboard.check(copy, child)


NAMED = {"name": "wheat-nitrogen/medium-v1", "sha256": recipes.made("wheat-nitrogen/medium-v1")[0]}
RECIPE = {
    "summary": "Half a good grower.",
    "behaviour": [{"policy": "standard-practice", "epsilon": {"start": 1.0, "end": 0.5}}],
    "episodes": 100,
    "seed": 7,
}
OWN = {"name": "mine", "sha256": "a" * 64, "recipe": RECIPE}


def offline(dataset):
    """Return the card of an offline agent that learned from a dataset."""
    training = {"splits": ["train"], "dataset": dataset}
    return {**CARD, "method": "offline-rl", "training": training}


@pytest.mark.parametrize("dataset", [NAMED, OWN], ids=["named", "own"])
def test_an_offline_agent_names_a_dataset_that_others_can_make(made, tmp_path, child, dataset):
    folder = leaderboard.submit(made.results, offline(dataset), tmp_path / "leaderboard", made.policies)
    own = leaderboard.check(folder, child).card.training.dataset
    assert own.model_dump(exclude_unset=True) == dataset


@pytest.mark.parametrize(
    ("dataset", "reason"),
    [
        ({**NAMED, "sha256": "a" * 64}, "sha256: not of wheat-nitrogen/medium-v1: it gives 69517f33"),
        ({**NAMED, "recipe": RECIPE}, "is a named dataset: leave its recipe out"),
        ({**NAMED, "name": "wheat-nitrogen/medium-v2"}, "is none of the named datasets"),
        ({"name": "mine", "sha256": "a" * 64}, "add its `recipe`"),
        ({**OWN, "recipe": {**RECIPE, "split": "test"}}, "'test' is none of train"),
        ({**OWN, "recipe": {**RECIPE, "years": [1984]}}, "name a split of the task"),
        ({**OWN, "recipe": {**RECIPE, "scenarios": ["netherlands/1984"]}}, "name a split of the task"),
        ({**OWN, "recipe": {**RECIPE, "overrides": {"beta": 1.0}}}, "name a split of the task"),
        ({**OWN, "recipe": {**RECIPE, "behaviour": [{"policy": "/etc/x.py:Evil"}]}}, "none of .*standard-pr"),
        ({**OWN, "recipe": {**RECIPE, "behaviour": [{"policy": "random", "noise": 0.1}]}}, "take epsilon"),
        ({**OWN, "recipe": {**RECIPE, "episodes": 0}}, "recipe.episodes"),
    ],
)
@pytest.mark.parametrize("method", ["offline-rl", "il"])
def test_a_dataset_that_nobody_else_can_make_is_refused(made, tmp_path, method, dataset, reason):
    board = tmp_path / "leaderboard"
    with pytest.raises(RefusedError, match=reason):
        leaderboard.submit(made.results, {**offline(dataset), "method": method}, board, made.policies)
    assert not board.exists()


def test_returns_that_are_a_little_off_are_not_exact(copy, child):
    first = leaderboard.check(copy, child)
    assert leaderboard.replay(first).exact
    value = first.results[0].columns["return"][3]
    cell("return", 3, value * (1.0 + 9e-7))(copy)
    resign(copy)
    again = leaderboard.replay(leaderboard.check(copy, child))
    assert not again.exact
    assert 8e-7 < again.largest_difference < 1e-6
    board = copy.parents[3]
    replayed(board, leaderboard.check(copy, child))
    assert set(verified.load(board, leaderboard.check(copy, child)).exact.values()) == {False}


def script():
    """Return leaderboard/check-pull-request as a module."""
    loader = SourceFileLoader("check_pull_request", str(ROOT / "leaderboard/check-pull-request"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("key", ["policy:", '"policy":', "'policy' :", "? policy\n:"])
def test_a_policy_is_seen_however_its_key_is_written(copy, key):
    card = copy / "submission.yaml"
    card.write_text(card.read_text().replace("policy:", key, 1))
    assert yaml.safe_load(card.read_text())["policy"] == {"format": "mlp"}
    assert script().brings_policy(copy)
    content = {k: v for k, v in yaml.safe_load(card.read_text()).items() if k != "policy"}
    card.write_text(yaml.safe_dump(content))
    assert not script().brings_policy(copy)


@pytest.mark.parametrize("words", [["leaderboard", "replay"], ["leaderboard", "build"]])
def test_a_full_disk_is_said_in_one_line(copy, monkeypatch, capsys, words):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("agbench.leaderboard.verify.verified.write_text", full)
    monkeypatch.setattr("agbench.leaderboard.page.building.write_text", full)
    monkeypatch.setattr(sys, "argv", ["agbench", *words, "--board", str(copy.parents[3])])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert "a file: cannot be read or written: No space left on device." in capsys.readouterr().err


def test_leftovers_are_not_for_git():
    for name in (".submitting-abc/submission.yaml", "leaderboard/.site-abc/index.html"):
        done = subprocess.run(["git", "check-ignore", "-q", name], cwd=ROOT, check=False)
        assert done.returncode == 0, name
