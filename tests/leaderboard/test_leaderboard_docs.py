"""docs/leaderboard.md: its policy, its numbers and its task are run as they stand there."""

import re
from pathlib import Path

import numpy as np
import pytest

import agbench
from agbench import leaderboard
from agbench.data import catalog
from agbench.data.task import MARGIN
from agbench.evaluation import aggregates, anchors, references
from agbench.leaderboard import scoring, standings
from agbench.leaderboard.checks.sampled import DECISIONS
from agbench.leaderboard.page.download import MOST_PAIRED
from agbench.leaderboard.tracks import BUDGET, TRACKS
from agbench.leaderboard.verify.reproducing import NEAR_TIES
from agbench.policies.networks import heads
from agbench.policies.registry import load_policy
from agbench.testing.data_files import check_file
from agbench.untrusted import tables
from agbench.untrusted.confined import confined

TEXT = (Path(__file__).parents[2] / "docs/leaderboard.md").read_text("utf-8")
TASK = "wheat-nitrogen-v1"


WORDS = " ".join(TEXT.split())


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_worked_example_is_what_the_code_gives(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(blocks("python")[0])
    monkeypatch.syspath_prepend(tmp_path)
    results = [tmp_path / split for split in ("test", "shift")]
    for out in results:
        agbench.evaluate(TASK, load_policy("mine:Mine", TASK), out.name, out=out)
    card = {
        "agent": "three-dressings",
        "version": "1",
        "authors": ["A"],
        "contact": "a@b.org",
        "method": "rule",
    }
    folder = leaderboard.submit(results, card, tmp_path / "leaderboard")
    with confined(tables.READER) as child:
        result = leaderboard.check(folder, child)
    score, values = scoring.score(result, "test"), anchors.of_split(result.task, "test")
    references = result.task.references
    for line, reached in (
        (f"floor, `{references.floor}`", values.floor),
        (f"blind calendar, `{references.blind}`", values.blind),
        (f"expert, `{references.expert}`", values.expert),
        (f"oracle, `{references.oracle}`", values.oracle),
        ("`three-dressings`", result.objective("test")),
    ):
        points = 100.0 * (reached.mean() - values.floor.mean()) / (values.oracle - values.floor).mean()
        assert f"| {line} | {reached.mean():.3f} | {points:.1f} |" in TEXT
    assert f"= {values.gain:.3f} g m-2" in WORDS
    assert f"= {score.iqm.value:.1f}." in WORDS
    years = len(score.difference)
    assert f"| mean of {years} years [g m-2] |" in WORDS
    assert f"more than {standings.FAR:g} points" in WORDS
    assert f"best {MOST_PAIRED} agents" in WORDS
    assert f"a sample of {DECISIONS}," in WORDS
    assert f"at most {BUDGET:,} environment steps" in WORDS
    assert f"in {np.sum(np.array(score.difference) > 0)} of {years} years" in WORDS
    assert f"probability of improvement of {score.beats_expert.value:.2f}." in WORDS
    assert f"({years / 10:g} of {years}) is {score.worst_tenth:.1f}." in WORDS


def test_every_track_is_described():
    for track in TRACKS:
        assert f"| `{track}` |" in TEXT


def test_near_ties_are_what_the_code_counts_as_such():
    assert f"only by rounding ({heads.ROUNDING['float64']:.0e}".replace("e-0", "e-") in WORDS
    assert f", {heads.ROUNDING['float32']:.0e} in an ONNX graph".replace("e-0", "e-") in WORDS
    assert f"At most {100 * NEAR_TIES:g} % of the decisions of a result" in WORDS


def test_the_example_of_several_seeds_is_what_the_code_gives():
    scores = np.array([80.0, 90.0, 100.0, 110.0, 400.0])
    iqm, median, mean = (aggregates.AGGREGATES[name](scores) for name in ("iqm", "median", "mean"))
    assert f"an interquartile mean of {iqm:.1f}, a median of {median:.1f} and a mean of {mean:.1f}" in WORDS
    assert f"of the expert is 2.0, up to {2.0 * (1.0 + MARGIN):.1f} is feasible" in WORDS
    assert "quarter" in TEXT
    assert f"{scoring.RESAMPLES:,}" in TEXT


def test_the_task_of_the_documentation_runs(tmp_path, monkeypatch):
    task, expert = blocks("yaml")
    name = "wheat-fortnight-v1"
    for path, text in ((f"tasks/{name}.yaml", task), (f"baselines/{name}/two-dressings.yaml", expert)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.setenv(catalog.PATH_VARIABLE, str(tmp_path))
    assert check_file(tmp_path / f"tasks/{name}.yaml") is None
    assert check_file(tmp_path / f"baselines/{name}/two-dressings.yaml") is None
    made = anchors.of_kept(name, tmp_path / "kept")
    anchors.save(made, tmp_path)
    result = anchors.of_split(catalog.task(name), "test")
    assert result.scores(result.expert).mean() == pytest.approx(100.0)  # there is no oracle
    assert result.expert.mean() > result.floor.mean() == 0.0
    assert [(p.role, p.split) for p in references.parts(catalog.task(name))] == [
        ("floor", "test"),
        ("expert", "test"),
    ]


@pytest.mark.parametrize("block", blocks("sh"))
def test_every_command_of_the_documentation_exists(block):
    from agbench.cli.app import app
    from agbench.cli.leaderboard import leaderboard as group

    verbs = {command.callback.__name__.rstrip("_") for command in app.registered_commands}
    inner = {command.name for command in group.registered_commands}
    for line in re.findall(r"^agbench (.+)$", block, re.MULTILINE):
        words = line.split()
        if words[0] == "leaderboard":
            assert words[1] in inner | {"build", "serve"}, line
        else:
            assert words[0] in verbs, line
