"""Rows on the page: what ranks are by, what is left out, what is drawn and what is given away."""

import csv
import dataclasses
import re
import shutil
from types import SimpleNamespace

import pytest
from good_submission import TASK

from agbench.errors import ConfigError
from agbench.evaluation import anchors, provenance
from agbench.files import write_text
from agbench.leaderboard import beacon, rounds, scoring, standings
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.page import build, entries, plots, suite_views, views
from agbench.leaderboard.page.heat import HeatCell
from agbench.leaderboard.page.rendering import Pages
from agbench.leaderboard.standings import Ran
from agbench.leaderboard.verify.hidden import HiddenRun
from agbench.leaderboard.verify.verified import Code


def hidden_run(seeds, score, gain, cost=0.0):
    """Return a run in which every seed has nearly the same score in each of five hidden scenarios."""
    near = (0.0, 1.0, -1.0, 2.0, -2.0)
    return HiddenRun(
        objective={seed: [(score + more) * gain / 100.0 for more in near] for seed in seeds},
        cost={seed: [cost] * 5 for seed in seeds},
        metrics={"nitrogen": 1.0, "yield": 1.0, "uptake": 1.0},
    )


@pytest.fixture(scope="module")
def board(shown, tmp_path_factory):
    """Return a board with a closed round of four agents: two that tie, one infeasible, one far below."""
    copy = tmp_path_factory.mktemp("round") / "leaderboard"
    shutil.copytree(shown.board, copy, ignore=shutil.ignore_patterns("site"))
    submissions = [s for _, s in judged(copy) if isinstance(s, CheckedSubmission)]
    task, chosen = submissions[0].task, submissions[:4]
    gain = anchors.gain(anchors.load(task))
    flat = HiddenRun(objective={0: [0.0] * 5}, cost={0: [0.0] * 5}, metrics=dict.fromkeys(task.metrics, 0.0))
    expert = hidden_run([0], 80.0, gain)
    ran = [Ran("floor", "1", flat, reference="floor"), Ran("expert", "1", expert, reference="expert")]
    for submission, (score, cost) in zip(
        chosen, ((77.0, 0.0), (77.01, 0.0), (99.0, 50.0), (-40.0, 0.0)), strict=True
    ):
        run = hidden_run(submission.distinct_seeds, score, gain, cost)
        ran.append(Ran(submission.card.agent, submission.card.version, run, submission))
    ran[2] = dataclasses.replace(ran[2], run=varied(ran[2].run))
    secret = copy.parent / "keep" / "secret"
    (entry,) = rounds.open_round(copy, [TASK], secret, 5)
    keys = [f"key/{i}" for i in range(5)]
    write_text(standings.values_path(copy, TASK, 1), standings.values_text(ran, keys))
    code = Code(simulator_hash=provenance.simulator_hash(task), agbench="0", machine="a machine")
    standings.save(copy, standings.table(entry, task, ran, code, closed=True))
    rounds.replace(copy, [rounds.closed(entry, secret)])
    built = build(copy, cache=shown.cache, episodes=0)
    names = [submission.card.agent for submission in chosen]
    return SimpleNamespace(path=copy, site=built.site, names=names, submissions=submissions, gain=gain)


def varied(run):
    """Return a run whose values differ from scenario to scenario otherwise than the others'."""
    objective = {
        s: [v + d for v, d in zip(o, (1.0, -1.0, 0.5, -0.5, 0.0), strict=True)]
        for s, o in run.objective.items()
    }
    return run.model_copy(update={"objective": objective})


def rows(site):
    with (site / "data" / f"{TASK}.csv").open() as file:
        return list(csv.DictReader(file))


def readme(board):
    """Return the lines of the Markdown tables, a list of cells each."""
    text = (board.path / "README.md").read_text()
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]


def round_rows(board, suffix=""):
    with (board.site / "data" / f"{TASK}-round-1{suffix}.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_round_is_ranked_by_itself_with_ties(board):
    result = {row["agent"]: row for row in round_rows(board)}
    one, two, infeasible, last = (result[name] for name in board.names)
    assert result["expert"]["rank"] == "1"
    assert one["rank"] == two["rank"], "they tie"
    assert float(one["score"]) != float(two["score"])
    assert float(infeasible["score"]) == 0.0
    assert infeasible["feasible"] == "no"
    assert float(last["score"]) < 0.0
    assert int(last["rank"]) == max(int(row["rank"]) for row in result.values()) == 6
    for row in rows(board.site):
        shown = result.get(row["agent"])
        if shown and shown["version"] == row["version"]:
            assert row["rank_in_last_round"] == shown["rank"]
        else:
            assert (row["rank_in_last_round"], bool(row["not_ranked_because"])) == ("", True)


def test_rows_of_a_round_have_no_numbers_of_another_split(board):
    """All columns of the round's table are of the round; all of the public one of public splits."""
    row = next(row for row in round_rows(board) if row["agent"] == board.names[1])
    assert float(row["mean"]) == pytest.approx(77.01)
    assert float(row["median"]) == pytest.approx(77.01)
    assert float(row["less_expert"]) == pytest.approx(77.01 - 80.0)
    assert float(row["beats_expert"]) == 0.0
    assert {r["split"] for r in rows(board.site)} == {"test"}
    assert "iqm" not in row


def test_every_two_agents_of_a_closed_round_are_compared(board):
    pairs = {(row["agent"], row["other"]): row for row in round_rows(board, "-pairs")}
    assert len(pairs) == 6 * 5 / 2
    names = [f"{name}/1" for name in board.names]
    pair = pairs.get((names[0], names[1])) or pairs[(names[1], names[0])]
    assert pair["tie"] == "yes"
    assert float(pair["difference_low"]) < 0.0 < float(pair["difference_high"])
    values = (board.site / "data" / f"{TASK}-round-1-values.csv").read_text()
    assert values == standings.values_path(board.path, TASK, 1).read_text()


def test_the_suite_ranks_by_closed_rounds_and_not_by_public_scores(board):
    bench, every = suite_views.suites(entries.collect(board.path, 0)[0], board.path)
    assert (bench.name, every.name, every.groups) == ("Bench", "All tasks", [[TASK]])
    assert bench.without == ["wheat-limits-v1"]
    assert bench.ranked == []
    assert {row.rank for row in [*bench.public, *every.public]} == {None}
    ranks = {row.agent: row.rank for row in every.ranked}
    assert ranks["expert"] == 1
    assert ranks[board.names[0]] == ranks[board.names[1]]
    by_agent = {row.agent: row for row in every.ranked}
    assert by_agent[board.names[1]].scores.score.value == pytest.approx(77.01)
    assert by_agent[board.names[2]].infeasible == 1
    assert any("Ranked in rounds" in line for line in (board.path / "README.md").read_text().splitlines())


def test_infeasible_rows_are_marked_in_the_tables(board):
    text = (board.site / "tasks" / f"{TASK}.html").read_text()
    assert text.count('<span class="bad">infeasible</span>') == 1
    lines = (board.path / "README.md").read_text().splitlines()
    (line,) = [line for line in lines if line.endswith("infeasible |")]
    assert board.names[2].replace("-", "") in line.replace("\\", "").replace("-", "")


def test_an_open_round_gives_away_neither_values_nor_pairs(board, shown, tmp_path):
    copy = tmp_path / "leaderboard"
    shutil.copytree(board.path, copy, ignore=shutil.ignore_patterns("site"))
    table = standings.load(copy, TASK, 1)
    (entry,) = rounds.open_round(copy, [TASK], tmp_path / "keep" / "secret", 5)
    standings.save(
        copy,
        table.model_copy(
            update={
                "round": 2,
                "rows": [standings._rounded(r.model_copy(update={"details": None})) for r in table.rows],
            }
        ),
    )
    standings.values_path(copy, TASK, 1).with_name("2.csv").write_text("agent\nshould not be here\n")
    site = build(copy, cache=shown.cache, episodes=0).site
    names = {path.name for path in (site / "data").iterdir()}
    assert f"{TASK}-round-2.csv" in names
    assert not {f"{TASK}-round-2-values.csv", f"{TASK}-round-2-pairs.csv"} & names
    text = (site / "tasks" / f"{TASK}.html").read_text()
    assert entry.sha256 in text
    assert "Open: scores are rounded to what their intervals support" in text
    by_pulse = entry.model_copy(update={"sha256": None, "pulse": beacon.first_after(entry.closes)})
    rounds.replace(copy, [by_pulse])
    build(copy, cache=shown.cache, episodes=0)
    for page in (site / "index.html", site / "tasks" / f"{TASK}.html", copy / "README.md"):
        assert f"pulse {by_pulse.pulse}" in re.sub(r"<[^>]+>", "", page.read_text())


@pytest.mark.parametrize(
    ("file", "change", "told"),
    [
        ("1.csv", None, "1.csv is missing: a closed round has a table and values"),
        ("1.yaml", None, "1.yaml is missing: it is closed"),
        ("1.yaml", lambda text: text.replace("round: 1", "round: 7"), f"is the table of {TASK} round 7"),
        (
            "1.yaml",
            lambda text: text.replace("agent: expert", "agent: nobody"),
            "nobody/1 is in the table and not among",
        ),
        ("1.csv", lambda text: text[: len(text) // 3], "cannot be read|values for|not among the values"),
        (
            "1.csv",
            lambda text: re.sub(r",[-\d.e]+,0\.0\n", ",nan,0.0\n", text, count=1),
            "'nan' is no finite",
        ),
        ("1.csv", lambda text: "\n".join(sorted(text.splitlines(), reverse=True)), "cannot be read"),
    ],
)
def test_a_closed_round_that_is_broken_is_named(board, shown, tmp_path, file, change, told):
    copy = tmp_path / "leaderboard"
    shutil.copytree(board.path, copy, ignore=shutil.ignore_patterns("site"))
    path = standings.path(copy, TASK, 1).with_name(file)
    if change is None:
        path.unlink()
    else:
        good = path.read_text()
        path.write_text(change(good))
        assert path.read_text() != good
    with pytest.raises(ConfigError, match=told):
        build(copy, cache=shown.cache, episodes=0)
    assert not (copy / "site").exists()


def test_a_row_that_cannot_be_scored_costs_no_other_row(shown, tmp_path, monkeypatch):
    """Neither an error that was foreseen nor any other stops the page; each is said."""
    score, draw = scoring.row, Pages.submission

    def broken_score(submission, level, known=None):
        if submission.card.agent == "agent-0002":
            raise ZeroDivisionError("float division by <b>zero</b>\x07")
        return score(submission, level, known)

    def broken_page(self, row, others):
        if row.entry.card.agent == "agent-0004":
            raise ValueError("cannot convert float NaN to integer")
        draw(self, row, others)

    monkeypatch.setattr(scoring, "row", broken_score)
    monkeypatch.setattr(Pages, "submission", broken_page)
    copy = tmp_path / "leaderboard"
    shutil.copytree(shown.board, copy)
    built = build(copy, cache=shown.cache, episodes=0)
    reasons = {refused.folder.parent.name: refused.reason for refused in built.refused}
    assert reasons == {
        "agent-0002": "ZeroDivisionError: float division by <b>zero</b>?",
        "agent-0004": "ValueError: cannot convert float NaN to integer",
    }
    assert built.submissions == 10 - len(built.refused)
    assert {row["agent"] for row in rows(built.site)}.isdisjoint(reasons)
    assert not any((built.site / "submissions" / TASK / agent).exists() for agent in reasons)
    assert "agent-0004" not in (built.site / "index.html").read_text()


def test_a_fault_of_the_machine_is_no_fault_of_a_row(shown, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "somewhere")

    monkeypatch.setattr(scoring, "row", full)
    with pytest.raises(OSError, match="No space left"):
        build(shown.board, cache=shown.cache)


def test_profiles_are_steps_of_expert_and_oracle_and_every_other_row_once(shown, monkeypatch):
    result = entries.collect(shown.board, 0)[0]
    values = anchors.of_split(result[0].task, "test")
    expert = values.scores(values.expert)[None]
    score = scoring.counted
    monkeypatch.setattr(
        scoring,
        "counted",
        lambda submission, split: expert if submission is result[0].submission else score(submission, split),
    )
    (view,) = views.tasks(result, shown.board)
    lines = plots.profiles(view)["lines"]
    names = [line["name"] for line in lines]
    assert names[:2] == ["expert", "oracle"]
    assert result[0].name not in names
    assert len(names) == len(set(names)) == 7
    for line in lines:
        assert line["x"] == sorted(line["x"])
        assert line["y"] == sorted(line["y"], reverse=True), "a profile goes down in steps"
        assert line["y"][-1] == 0.0
    every = [expert, values.scores(values.oracle), *(scoring.counted(e.submission, "test") for e in result)]
    highest = max(scores.max() for scores in every)
    assert max(line["x"][-1] for line in lines) == pytest.approx(highest, abs=0.06)


def test_agents_over_the_suite_can_be_searched_by_author(shown):
    text = (shown.built.site / "suites/all-tasks.html").read_text()
    result = re.findall(r'data-text="([^"]*)"', text)
    assert sum("a. grower" in words for words in result) >= 5
    assert all(words.startswith("agent-") for words in result)


@pytest.mark.parametrize(("score", "shade"), [(-30.0, 0), (34.0, 3), (36.0, 4), (100.0, 10), (250.0, 10)])
def test_ten_points_of_a_score_are_a_shade_of_the_heat_map(score, shade):
    assert HeatCell(score, "agent.html", False).shade == shade
