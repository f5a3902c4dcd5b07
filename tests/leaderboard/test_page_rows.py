"""Rows on the page: what ranks are by, what is left out, what is drawn and what is given away."""

import csv
import re
import shutil
from types import SimpleNamespace

import pytest
from good_submission import TASK

from agbench.data import catalog
from agbench.evaluation import anchors
from agbench.leaderboard import scoring
from agbench.leaderboard.checks.judging import judged
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.page import build, entries, views
from agbench.leaderboard.page.rendering import Pages
from agbench.leaderboard.verify import verified
from agbench.leaderboard.verify.verified import HiddenRun


def hidden_run(submission, score, cost=0.0):
    """Return a run in which every seed has the same score in each of five hidden scenarios."""
    seeds = submission.card.training.seeds
    return HiddenRun(
        round=3,
        sha256="0" * 64,
        floor=[0.0] * 5,
        expert=[200.0] * 5,
        expert_cost=[0.0] * 5,
        objective={seed: [2.0 * score] * 5 for seed in seeds},
        cost={seed: [cost] * 5 for seed in seeds},
        metrics=dict.fromkeys(submission.task.metrics, 1.0),
        failed=0,
    )


@pytest.fixture(scope="module")
def board(shown, tmp_path_factory):
    """Return a board with two ranked rows run in hidden scenarios: the last one, and one infeasible."""
    copy = tmp_path_factory.mktemp("hidden") / "leaderboard"
    shutil.copytree(shown.board, copy, ignore=shutil.ignore_patterns("site"))
    submissions = {s.card.agent: s for _, s in judged(copy) if isinstance(s, CheckedSubmission)}
    ranked = [row["agent"] for row in rows(shown.built.site) if row["rank"]]
    for agent, score, cost in ((ranked[-1], 77.0, 0.0), (ranked[-2], 99.0, 50.0)):
        verified.save(copy, submissions[agent], "hidden", hidden=hidden_run(submissions[agent], score, cost))
    built = build(copy, cache=shown.cache, episodes=0)
    return SimpleNamespace(
        path=copy,
        site=built.site,
        best=ranked[-1],
        infeasible=ranked[-2],
        others=ranked[:-2],
        submissions=submissions,
    )


def rows(site):
    with (site / "data" / f"{TASK}.csv").open() as file:
        return list(csv.DictReader(file))


def readme(board):
    """Return the lines of the Markdown tables, a list of cells each."""
    text = (board.path / "README.md").read_text()
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]


def test_the_table_for_download_has_what_ranks_are_by(board):
    result = rows(board.site)
    first, second = (next(r for r in result if r["agent"] == a) for a in (board.best, board.infeasible))
    assert (first["split"], first["ranked_by"], first["round"]) == ("test", "no", "3")
    by = [row for row in result if row["ranked_by"] == "yes"]
    assert [row["agent"] for row in by[:3]] == [board.best, board.infeasible, board.others[0]]
    assert [row["split"] for row in by[:3]] == ["hidden", "hidden", "test"]
    assert [row["rank"] for row in by[:3]] == ["1", "2", "3"]
    assert [float(row["iqm"]) for row in by[:2]] == pytest.approx([77.0, 0.0])
    assert [row["feasible"] for row in by[:2]] == ["yes", "no"]
    assert (by[1]["cost"], by[1]["limit"], by[1]["violating"]) == ("50.0", "0.0", "1.0")
    assert float(by[1]["iqm_without_limit"]) == pytest.approx(99.0)
    assert float(first["regret"]) > 0.0
    assert by[0]["regret"] == ""  # hidden scenarios have no oracle
    assert second["feasible"] == "yes"


def test_the_suite_is_ranked_by_what_tasks_are_ranked_by(board):
    (bench, suite) = views.suites(entries.collect(board.path, 0)[0])
    assert (bench.name, suite.name, suite.groups) == ("Bench", "All tasks", [[TASK]])
    assert {(row.rank, row.scores, row.why) for row in bench.rows if len(row.entries) == 1} == {
        (None, None, "1 of 2 tasks")
    }
    ranked = [row.agent for row in suite.rows if row.rank]
    assert ranked == [board.best, board.infeasible, *board.others]
    by_agent = {row.agent: row for row in suite.rows}
    assert by_agent[board.best].scores.score.value == pytest.approx(77.0)
    assert [by_agent[agent].scores.hidden for agent in ranked[:3]] == [1, 1, 0]
    assert by_agent[board.infeasible].scores.score.value == 0.0
    table = [cells for cells in readme(board) if len(cells) == 6 and cells[1] == board.best]
    assert table[0][4] == "1 of 1"


def test_a_suite_over_two_tasks_takes_each_tasks_own_split(board):
    submission = board.submissions[board.best]
    other = catalog.task("wheat-limits-v1")
    moved = submission.card.model_copy(update={"task": other.task})
    twin = CheckedSubmission(submission.folder, moved, submission.task, submission.results, {}, "0" * 64)
    run = hidden_run(submission, 60.0)
    both = [(submission, run), (twin, None)]
    result = scoring.suite(both, [[TASK], [other.task]])[board.best]
    on_test = scoring.score(submission, "test")
    assert result.score.value == pytest.approx((60.0 + on_test.iqm.value) / 2)
    assert result.median.value == pytest.approx((60.0 + on_test.mean.value) / 2)
    assert result.hidden == 1
    assert scoring.suite(both, [[TASK]])[board.best].score.value == pytest.approx(60.0)
    assert scoring.suite(both, [[TASK], [other.task], ["rice-inputs-v1"]]) == {}


def test_views_of_a_task_count_as_one(board):
    submission = board.submissions[board.best]

    def at(task, score):
        card = submission.card.model_copy(update={"task": task})
        row = CheckedSubmission(submission.folder, card, submission.task, submission.results, {}, "0" * 64)
        return row, hidden_run(row, score)

    rows = [at("a-v1", 90.0), at("b-v1", 30.0), at("c-v1", 0.0), at("d-v1", 60.0)]
    result = scoring.suite(rows, [["a-v1"], ["b-v1", "c-v1", "d-v1"]])[board.best]
    assert result.score.value == result.median.value == pytest.approx((90.0 + 30.0) / 2)
    apart = scoring.suite(rows, [["a-v1"], ["b-v1"], ["c-v1"], ["d-v1"]])[board.best]
    assert apart.score.value == pytest.approx(180.0 / 4)


def test_infeasible_rows_are_marked_in_the_tables(board):
    scores = {cells[1]: cells[2] for cells in readme(board) if len(cells) == 9}
    marked = [agent for agent, score in scores.items() if score.endswith(", infeasible")]
    assert [agent.split()[0] for agent in marked] == [board.infeasible]
    page = next((board.site / "submissions" / TASK / board.infeasible).glob("*.html")).read_text()
    assert "infeasible: beyond a constraint" in page


def test_a_row_that_cannot_be_scored_costs_no_other_row(shown, tmp_path, monkeypatch):
    """Neither an error that was foreseen nor any other stops the page; each is said."""
    score, draw = scoring.row, Pages.submission

    def broken_score(submission, level):
        if submission.card.agent == "agent-0002":
            raise ZeroDivisionError("float division by <b>zero</b>\x07")
        return score(submission, level)

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


def test_files_of_the_site_are_not_those_of_the_board(shown):
    for values in (shown.built.site / "files").rglob("*"):
        own = shown.board / "submissions" / values.relative_to(shown.built.site / "files")
        assert own.is_dir() or not own.samefile(values)


def test_profiles_are_steps_of_expert_and_oracle_and_every_other_row_once(shown, monkeypatch):
    result = entries.collect(shown.board, 0)[0]
    values = anchors.of_split(result[0].task, "test")
    expert = values.scores(values.expert[None])
    score = scoring.counted
    monkeypatch.setattr(
        scoring,
        "counted",
        lambda submission, split: expert if submission is result[0].submission else score(submission, split),
    )
    (view,) = views.tasks(result)
    drawing, names = views.profiles(view)
    assert names[:2] == ["expert", "oracle"]
    assert result[0].name not in names
    assert (
        len(names)
        == len(set(names))
        == 2 + len(view.ranked[:5]) - (result[0].name in _names(view.ranked[:5]))
    )
    paths = re.findall(r'<path class="line s\d" d="M\d+ \d+((?:l-?\d+ -?\d+)+)"/>', str(drawing))
    assert len(paths) == len(names)
    for path in paths:
        for x, y in re.findall(r"l(-?\d+) (-?\d+)", path):
            assert x == "0" or y == "0", "a profile goes down in steps"
            assert int(x) >= 0
            assert int(y) >= 0
    highest = max(scoring.counted(e.submission, "test").max() for e in result if e.row.ranked)
    ticks = [float(t) for t in re.findall(r'text-anchor="middle" class="">(\d+)<', str(drawing))]
    assert max(ticks) >= 0.7 * max(highest, expert.max())


def _names(ranked):
    return [row.entry.name for row in ranked]


def test_agents_over_the_suite_can_be_searched_by_author(shown):
    text = (shown.built.site / "index.html").read_text()
    result = re.findall(r'data-text="([^"]*)"', text)
    assert sum("a. grower" in words for words in result) >= 5
    assert all(words.startswith("agent-") for words in result)
