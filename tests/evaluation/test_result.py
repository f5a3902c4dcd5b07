"""Result folders: whole or not there, and damage is named."""

import io
import os
import shutil
import sys
import warnings

import numpy as np
import pytest
import yaml

import agbench
from agbench.cli.app import main
from agbench.errors import ResultError, UnknownNameError
from agbench.evaluation import Result
from agbench.files import sha256


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "random"
    agbench.evaluate("wheat-nitrogen-v1", "random", years=[1984, 1994], out=folder)
    return folder


@pytest.fixture
def copy(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "copy")


def test_a_result_comes_back_as_it_was(saved):
    result = Result.load(saved)
    again = agbench.evaluate("wheat-nitrogen-v1", "random", years=[1984, 1994])
    assert result.episodes.equals(again.episodes)
    assert [a.tolist() for a in result.actions] == [a.tolist() for a in again.actions]
    assert result.task == again.task
    assert result.record["data"] == again.record["data"]


def test_a_folder_may_have_a_name_that_is_not_utf_8(saved, tmp_path, monkeypatch):
    folder = tmp_path / os.fsdecode(b"\xe9")
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("a file system without such names")
    Result.load(saved).save(folder)
    assert sha256(folder / "episodes.parquet") == sha256(saved / "episodes.parquet")
    assert Result.load(folder).episodes.equals(Result.load(saved).episodes)
    printed = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="strict")
    words = ["agbench", "evaluate", "wheat-nitrogen-v1", "-p", "zero", "--split", "shift", "-o", str(folder)]
    for where, name, value in (
        (sys, "stdout", printed),
        (sys, "argv", words),
        (sys, "path", [*sys.path]),
        (warnings, "showwarning", warnings.showwarning),
    ):
        monkeypatch.setattr(where, name, value)
    with pytest.raises(SystemExit) as ended:
        main()
    printed.flush()
    assert ended.value.code == 0
    assert printed.buffer.getvalue().endswith(b"/\xe9/\n")


def test_the_record_names_versions_hashes_and_no_machine(saved):
    record = yaml.safe_load((saved / "result.yaml").read_text())
    assert set(record["machine"]) == {"system", "processor", "kind"}
    assert record["versions"]["agbench"] == agbench.__version__
    assert all(len(record[key]) == 64 for key in ("task_hash", "simulator_hash"))
    assert set(record["data"]) == {"crop winter-wheat-nl", "soil cropgym-nl", "weather netherlands"}


@pytest.mark.parametrize("name", ["result.yaml", "episodes.parquet", "actions.npz"])
def test_a_missing_file_is_named(copy, name):
    (copy / name).unlink()
    with pytest.raises(ResultError, match=rf"incomplete result, {name} missing"):
        Result.load(copy)


@pytest.mark.parametrize("name", ["episodes.parquet", "actions.npz"])
def test_a_file_cut_in_half_is_named(copy, name):
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(ResultError, match=rf"{name}: its SHA-256 is not the one"):
        Result.load(copy)


def test_what_is_no_archive_of_arrays_is_said_without_advice_to_load_it_unsafely(copy):
    path, record = copy / "actions.npz", copy / "result.yaml"
    before = sha256(path)
    path.write_bytes(b"MZ" + path.read_bytes())
    record.write_text(record.read_text().replace(before, sha256(path)))
    with pytest.raises(ResultError, match=r"cannot be read: actions.npz is no npz file of arrays\.$"):
        Result.load(copy)


def test_a_record_cut_in_half_is_named(copy):
    text = (copy / "result.yaml").read_text()
    for share in (0.1, 0.3, 0.5, 0.9):
        (copy / "result.yaml").write_text(text[: int(share * len(text))])
        with pytest.raises((ResultError, agbench.errors.ConfigError), match=r"result\.yaml"):
            Result.load(copy)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ResultError, match="no such result folder"):
        Result.load(tmp_path / "nothing")


def test_another_format_is_refused(copy):
    text = (copy / "result.yaml").read_text().replace("format: 1", "format: 99", 1)
    (copy / "result.yaml").write_text(text)
    with pytest.raises(ResultError, match="format 99; this version reads 1"):
        Result.load(copy)


def test_a_task_changed_inside_the_record_is_refused(copy):
    text = (copy / "result.yaml").read_text().replace("beta: 10.0", "beta: 9.0", 1)
    (copy / "result.yaml").write_text(text)
    with pytest.raises(ResultError, match="task_hash is not that of its content"):
        Result.load(copy)


def test_saving_over_something_else_is_refused(saved, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ResultError, match="is a folder of something else"):
        Result.load(saved).save(tmp_path)
    with pytest.raises(ResultError, match=r"notes.txt is a file, not a folder"):
        Result.load(saved).save(tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_what_is_in_the_way_of_a_result_is_named_before_it_is_played(tmp_path):
    def policy(observation):
        raise AssertionError("it was played")

    (tmp_path / "notes.txt").write_text("mine")
    for place in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(ResultError, match="a result would replace it"):
            agbench.evaluate("wheat-nitrogen-v1", policy, out=place, progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def never(observation):
    raise AssertionError("it was played")


def refused(out, words):
    with pytest.raises(ResultError, match=words):
        agbench.evaluate("wheat-nitrogen-v1", never, out=out, progress=False)


@pytest.mark.parametrize("name", ["thesis.tex", "actions-0.npz", "nested/result.yaml"])
def test_what_lies_beside_an_older_result_is_named_before_it_is_played_and_stays(copy, name):
    (copy / name).parent.mkdir(exist_ok=True)
    (copy / name).write_text("mine")
    words = f"copy has {name.split('/')[0]} beside its result: a result would replace it"
    refused(copy, words)
    with pytest.raises(ResultError, match=words):
        Result.load(copy).save(copy)
    assert (copy / name).read_text() == "mine"
    assert [path.name for path in copy.parent.iterdir()] == ["copy"]


def test_what_appears_beside_a_result_while_the_next_is_written_stays(copy, monkeypatch):
    result, write = Result.load(copy), Result._write

    def meanwhile(self, folder):
        write(self, folder)
        (copy / "thesis.tex").write_text("mine")

    monkeypatch.setattr(Result, "_write", meanwhile)
    with pytest.raises(ResultError, match=r"copy has thesis\.tex beside its result"):
        result.save(copy)
    assert (copy / "thesis.tex").read_text() == "mine"
    Result.load(copy)


def test_the_current_folder_is_no_place_for_a_result(copy, monkeypatch):
    monkeypatch.chdir(copy)
    refused(".", "copy is the current folder, and would be replaced by another")
    with pytest.raises(ResultError, match="copy is the current folder"):
        Result.load(copy).save(copy)
    Result.load(copy)
    (copy / "empty").mkdir()
    monkeypatch.chdir(copy / "empty")
    refused(".", "empty is the current folder")
    assert os.listdir() == []


def test_a_link_leads_to_the_result_that_is_replaced_and_to_nothing_is_refused(saved, copy):
    link, dangling = copy.with_name("link"), copy.with_name("dangling")
    link.symlink_to("copy")
    dangling.symlink_to("nowhere")
    refused(dangling, r"dangling is a symbolic link to .*nowhere, where nothing is\.")
    agbench.evaluate("wheat-nitrogen-v1", "zero", years=[1984], out=link, progress=False)
    assert Result.load(copy).policy == "zero"
    Result.load(saved).save(link)
    assert Result.load(copy).policy == "random"
    assert link.is_symlink()
    assert sorted(os.listdir(copy.parent)) == ["copy", "dangling", "link"]


def test_a_result_that_a_killed_run_had_moved_aside_comes_back_before_the_next_is_played(copy):
    drafts = copy.with_name(".copy.replacing")
    (drafts / "new").mkdir(parents=True)
    copy.rename(drafts / "old")
    with pytest.raises(UnknownNameError):
        agbench.evaluate("wheat-nitrogen-v1", "no-such-policy", out=copy, progress=False)
    Result.load(copy)
    assert os.listdir(copy.parent) == ["copy"]


def test_saving_again_replaces_the_result_and_leaves_nothing_behind(saved, tmp_path):
    result = Result.load(saved)
    result.save(tmp_path / "a")
    result.save(tmp_path / "a")
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == [
        "actions.npz",
        "episodes.parquet",
        "result.yaml",
    ]
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_the_summary_is_the_mean_with_an_interval_around_it(saved):
    result = Result.load(saved)
    for name in ("return", "nitrogen", "yield", "uptake"):
        value, low, high = result.summary[name]
        assert value == pytest.approx(np.mean(result.episodes[name]), rel=1e-12)
        assert low <= value <= high
