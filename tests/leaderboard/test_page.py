"""The page as files: the same bytes each time, whole or not at all, ranks as the rules have them."""

import base64
import csv
import gzip
import json
import os
import re
import shutil
import threading
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from good_submission import snapshot
from in_process import command

from agbench.data import catalog
from agbench.envs import AgBenchEnv
from agbench.envs.family import build as build_parts
from agbench.envs.family import family
from agbench.errors import ConfigError
from agbench.leaderboard import episodes, scoring
from agbench.leaderboard.checks import results
from agbench.leaderboard.checks.submission import check
from agbench.leaderboard.page import build
from agbench.leaderboard.page.entries import entry
from agbench.leaderboard.page.serving import server

TASK = "board-wheat-v1"
SEASONS = re.compile(r'data-seasons="([^"]*)"')
ON_BOARD = "../submissions"  # where a site finds the files of the board that it lies on


@pytest.fixture(scope="module")
def board(shown):
    return shown.board


@pytest.fixture(scope="module")
def cache(shown):
    return shown.cache


@pytest.fixture(scope="module")
def built(shown):
    return shown.built


def rows_of(site):
    with (site / "data" / f"{TASK}.csv").open() as file:
        return list(csv.DictReader(file))


def test_a_second_build_gives_the_same_bytes_and_simulates_nothing(board, cache, built, monkeypatch):
    before = snapshot(board)
    monkeypatch.setattr("agbench.leaderboard.episodes._simulated", None)
    assert build(board, cache=cache) == built
    assert snapshot(board) == before
    assert not [path for path in board.iterdir() if path.name.startswith(".")]


def test_a_damaged_record_of_a_season_is_made_again(board, cache, built, tmp_path):
    shutil.copytree(cache, tmp_path / "cache")
    for i, path in enumerate(sorted((tmp_path / "cache" / "episodes").glob("*/*.json"))[:3]):
        whole = path.read_text()
        path.write_text(["", whole[:-9], whole.replace('"days":', '"days":1')][i])
    again = build(board, tmp_path / "site", cache=tmp_path / "cache", files=ON_BOARD)
    assert snapshot(again.site) == snapshot(built.site)
    assert snapshot(tmp_path / "cache") == snapshot(cache)


def test_what_was_checked_before_is_not_checked_again_unless_it_is_damaged(
    board, cache, built, tmp_path, monkeypatch
):
    shutil.copytree(cache, tmp_path / "cache")
    with monkeypatch.context() as patch:
        patch.setattr(results, "_check_table", None)
        again = build(board, tmp_path / "site", cache=tmp_path / "cache", files=ON_BOARD)
        assert snapshot(again.site) == snapshot(built.site)
    for i, path in enumerate(sorted((tmp_path / "cache" / "checks").glob("*/*.json"))[:4]):
        whole = path.read_text()
        path.write_text(["", whole.partition("\n")[2], whole + " ", "[" * 100_000][i])
    for kind in ("checks", "scores"):  # each file under the other's name
        one, other = sorted((tmp_path / "cache" / kind).glob("*/*.json"))[-2:]
        texts = one.read_text(), other.read_text()
        one.write_text(texts[1])
        other.write_text(texts[0])
    again = build(board, tmp_path / "site", cache=tmp_path / "cache", files=ON_BOARD)
    assert snapshot(again.site) == snapshot(built.site)
    assert snapshot(tmp_path / "cache") == snapshot(cache)


def test_the_board_keeps_seasons_until_their_row_is_verified_again(board, tmp_path, child, monkeypatch):
    copy = tmp_path / "leaderboard"
    shutil.copytree(board, copy, ignore=shutil.ignore_patterns("site"))
    submission = check(sorted((copy / "submissions").glob("*/*/*"))[1], child)
    episodes.keep(copy, submission)
    monkeypatch.setattr(episodes.provenance, "simulator_hash", lambda task: "0" * 64)
    shown = episodes.shown(submission, 3, tmp_path / "empty", copy)
    assert all(one.earlier for one in shown)
    monkeypatch.setattr(episodes, "_simulated", None)
    with pytest.raises(TypeError):  # other physics: simulated anew
        episodes.keep(copy, submission)


def test_public_scores_give_no_rank(built):
    rows = rows_of(built.site)
    assert {row["rank_in_last_round"] for row in rows} == {""}
    scores = [float(row["iqm"]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    why = {row["not_ranked_because"] for row in rows}
    assert {"brings no policy", "looks ahead: a bound"} <= why
    text = (built.site / "tasks" / f"{TASK}.html").read_text()
    assert "Public test: can be overfitted" in text
    assert "No round was run yet, so that nobody has a rank." in text


def test_a_build_says_how_far_it_is(board, cache, tmp_path):
    told = []
    build(
        board, tmp_path / "site", cache=cache, progress=lambda done, total, name: told.append((done, total))
    )
    assert told[:10] == [(i, 10) for i in range(10)]
    assert len(told) > 10  # the pages, too


def test_what_a_killed_build_left_is_swept_a_day_later(board, cache, tmp_path):
    left, other, draft = tmp_path / ".site-old", tmp_path / ".site-mine", board / ".submitting-old"
    for folder in (left, other, draft):
        folder.mkdir()
    (left / ".agbench-leaderboard").write_text("")
    (other / "thesis.tex").write_text("years of work")
    for folder in (left, other, draft):
        os.utime(folder, (1.0, 1.0))
    build(board, tmp_path / "site", cache=cache, episodes=0)
    assert not left.exists()
    assert not draft.exists()
    assert other.exists()


def test_episodes_that_the_verification_kept_are_not_simulated(board, tmp_path, child, monkeypatch):
    copy = tmp_path / "leaderboard"
    shutil.copytree(board, copy, ignore=shutil.ignore_patterns("site"))
    folder = sorted((copy / "submissions").glob("*/*/*"))[1]
    submission = check(folder, child)
    episodes.keep(copy, submission)
    simulated = episodes.shown(submission, 3, tmp_path / "own")
    monkeypatch.setattr(episodes, "_simulated", None)
    shown = episodes.shown(submission, 3, tmp_path / "empty", copy)
    assert [one.role for one in shown] == ["median", "worst", "best"]
    assert shown == simulated
    episodes.path(copy, submission).write_bytes(b"damaged")
    with pytest.raises(TypeError):
        episodes.shown(submission, 3, tmp_path / "empty", copy)


def test_scores_that_are_kept_are_not_resampled(board, tmp_path, child, monkeypatch):
    submission = check(sorted((board / "submissions").glob("*/*/*"))[0], child)
    first = entry(board, submission, 0, tmp_path)
    monkeypatch.setattr(scoring, "scored", None)
    assert entry(board, submission, 0, tmp_path) == first
    renamed = replace(submission, card=submission.card.model_copy(update={"agent": "other"}))
    for other, folder in ((renamed, tmp_path), (submission, tmp_path / "empty")):
        with pytest.raises(TypeError):
            entry(board, other, 0, folder)
    (file, *_) = (tmp_path / "scores").rglob("*.json")
    whole = file.read_text()
    for damaged in (whole[:-9], whole.replace('"iqm":[', '"iqm":[9')):
        file.write_text(damaged)
        with pytest.raises(TypeError):
            entry(board, submission, 0, tmp_path)


def test_a_site_elsewhere_has_copies_of_all_files_or_the_address_of_them(board, cache, built, tmp_path):
    site = build(board, tmp_path / "site", cache=cache, episodes=0).site
    assert snapshot(site / "files") == snapshot(board / "submissions")
    for values in (site / "files").rglob("*"):
        own = board / "submissions" / values.relative_to(site / "files")
        assert own.is_dir() or not own.samefile(values)
    address = "https://example.org/board/submissions"
    site = build(board, tmp_path / "site", cache=cache, episodes=0, files=address).site
    assert not (site / "files").exists()
    page = next((site / "submissions").rglob("*.html"))
    assert f'href="{address}/{TASK}/{page.parent.name}/1/submission.yaml"' in page.read_text()


def test_every_submission_has_its_files_and_its_seasons(board, built):
    pages = sorted((built.site / "submissions").rglob("*.html"))
    assert len(pages) == 10
    for page in pages:
        text = page.read_text()
        assert text.count('<details class="episode"') == 3
        assert "could not be simulated" not in text
        assert "The submission claims" not in text
        own = board / "submissions" / TASK / page.parent.name / page.stem
        links = re.findall(r'href="([^"]*)" download', text)
        assert {(page.parent / link).resolve() for link in links} == {
            path.resolve() for path in own.rglob("*") if path.is_file()
        }
        (packed,) = SEASONS.findall(text)
        content = gzip.decompress(base64.b64decode(packed)).decode()
        assert not re.search(r"\.0[],]", content)  # whole numbers are written as such
        seasons = json.loads(content)
        assert len(seasons) == text.count("data-season=") == 3
        for season in seasons:
            for panel in season["panels"]:
                assert all(len(curve["y"]) == len(panel["x"]) for curve in panel["curves"])
                assert all(gap > 0.0 for gap in panel["x"][1:])
            reward = season["panels"][-1]["curves"]
            assert [curve["name"] for curve in reward] == ["reward", "sum so far"]


def test_hostile_texts_are_inert_on_the_page_and_in_the_tables(board, built):
    folder = sorted((board / "submissions").glob("*/*/*"))[0]
    page = built.site / folder.relative_to(board).with_name(f"{folder.name}.html")
    assert "&lt;script&gt;document.title" in page.read_text()
    assert "{{ 7*7 }}" in page.read_text()
    for path in [*built.site.rglob("*.html"), board / "README.md"]:
        text = path.read_text()
        assert not re.search(r"<script>|<img|href=\"(?!https://|#|[./a-zA-Z0-9-]+[\"#])", text), path


def test_a_bad_submission_is_left_out_and_reported(board, cache, tmp_path):
    copy = tmp_path / "leaderboard"
    shutil.copytree(board, copy)
    bad = sorted((copy / "submissions").glob("*/*/*"))[1]
    (bad / "submission.yaml").write_text("format: 2")
    out, _ = command("leaderboard", "build", "--board", copy, "--episodes", 0, cwd=tmp_path, code=1)
    assert "left out" in out
    assert "9 submissions to 1 task\n" in out
    assert bad.parent.name not in (copy / "README.md").read_text()
    assert "<h2>Episodes</h2>" not in next((copy / "site/submissions").rglob("*.html")).read_text()


def test_only_a_site_is_ever_replaced(board, tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ConfigError, match="is not a site"):
        build(board, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(ConfigError, match="there is no board at"):
        build(tmp_path / "nowhere")


def test_the_current_folder_is_not_replaced_by_a_site(board, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="is the current folder, and would be replaced"):
        build(board, Path("."))
    assert not list(tmp_path.iterdir())


def test_a_build_that_breaks_leaves_the_old_site(board, cache, built, monkeypatch):
    before = snapshot(board)

    def broken(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr("agbench.leaderboard.page.building.write_board", broken)
    with pytest.raises(OSError, match="full"):
        build(board, cache=cache)
    assert snapshot(board) == before


def test_an_empty_board_has_a_page(tmp_path):
    (tmp_path / "submissions").mkdir()
    built = build(tmp_path)
    assert "there are no submissions yet" in (built.site / "index.html").read_text()


def test_the_server_shows_the_page_and_nothing_above_it(built):
    with server(built.site, 0) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{running.server_port}"
        with urllib.request.urlopen(f"{root}/") as answer:
            assert "AgBench leaderboard" in answer.read().decode()
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        for name in ("submission.yaml", "test/seed-0/actions.npz"):
            own = f"submissions/{TASK}/agent-0003/1/{name}"
            with urllib.request.urlopen(f"{root}/{own}") as answer:
                assert answer.read() == (built.site.parent / own).read_bytes()
        above = ("/../README.md", "/%2e%2e/README.md", "/submissions/%2e%2e/README.md")
        for path in ("/submissions/", "/tasks/", *above):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(root + path)
        with pytest.raises(ConfigError, match="cannot be used"):
            server(built.site, running.server_port)
        running.shutdown()


def test_serving_without_a_page_names_the_build_command(tmp_path):
    _, message = command("leaderboard", "serve", "--board", tmp_path, cwd=tmp_path, code=2)
    assert "Build it: agbench leaderboard build" in message


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda actions: actions, ""),
        (lambda actions: np.append(actions, 0), "there are actions after the episode's end."),
        (lambda actions: actions[:-1], "the actions end before the episode does."),
        (lambda actions: np.append(actions[:-1], 7), "ActionError: "),
    ],
    ids=["whole", "one too many", "one too few", "a wrong one"],
)
def test_a_drawn_episode_says_what_kept_its_actions_from_being_played(change, problem):
    task = "wheat-nitrogen-v1"
    env = AgBenchEnv(build_parts(catalog.task(task), "test"))
    plot = family(env.task).plot(env.core)
    env.reset(options={"scenario": "netherlands/1984"})
    steps = 1
    while not env.step(0)[2]:
        steps += 1
    record = episodes.simulated(env, plot, "netherlands/1984", 0, change(np.zeros(steps, dtype=np.int64)))
    assert record.problem.startswith(problem)
    assert bool(record.problem) == bool(problem)
