"""Oracles held against random blind calendars, and what a challenge counts."""

import contextlib
import io
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from agbench.cli import main
from agbench.data import catalog
from agbench.envs.family import build
from agbench.errors import UnknownNameError
from agbench.evaluation import anchors, challenge, evaluate
from agbench.policies.simple import Recorded
from agbench.policies.tuning.blind import calendars
from agbench.policies.tuning.search import number_of_decisions
from agbench.running import engine_of
from agbench.simulators import threads as threading

QUICK = "wheat-nitrogen-v1"

HELD = (
    "wheat-nitrogen-v1",
    "maize-sow-harvest-v1",
    "wheat-limits-v1",
    "barley-limits-v1",
    "mungbean-inputs-v1",
)


@pytest.mark.slow_except("mungbean-inputs-v1-100")
@pytest.mark.parametrize("count", [100, 1000])
@pytest.mark.parametrize("name", HELD)
def test_no_blind_calendar_of_many_beats_an_oracle(name, count):
    result = challenge.challenge(name, count=count)
    assert result.oracle_holds, "\n".join(challenge.lines(result))


def test_calendars_are_played_as_the_protocol_plays_a_policy():
    task = catalog.task("barley-limits-v1")
    parts = build(task, "test")
    steps = number_of_decisions(parts)
    drawn = calendars(parts, 30, steps, np.random.default_rng(3))
    objective, cost = challenge.play(parts, drawn)
    some = [int(np.argmax(cost.sum(axis=1))), int(np.argmax(objective.mean(axis=1)))]
    assert cost[some[0]].sum() > 0.0
    for i in some:
        result = evaluate(task, Recorded([int(a) for a in drawn[i]]), progress=False)
        np.testing.assert_array_equal(objective[i], result.objective)
        np.testing.assert_array_equal(cost[i], result.by_scenario("cost"))


@pytest.mark.slow
def test_tasks_by_workers_and_seasons_in_threads_change_nothing(monkeypatch):
    calls = []
    inner = threading.run_all
    monkeypatch.setattr(threading, "run_all", lambda given: calls.append(len(given)) or inner(given))
    names, options = [QUICK, "mungbean-inputs-v1"], {"count": 4, "rounds": 1}
    alone = [challenge.content(one) for one in challenge.challenges(names, engine_of(), **options)]
    assert set(calls) <= {1}
    (again,) = challenge.challenges([QUICK], engine_of(), **options, threads=2)
    assert 2 in calls
    assert challenge.content(again) == alone[0]
    workers = challenge.challenges(names, engine_of("processes:2"), **options)
    assert [challenge.content(one) for one in workers] == alone
    assert [content["task"] for content in alone] == names
    twice = challenge.challenges([QUICK, QUICK], engine_of(), **options)
    assert [challenge.content(one) for one in twice] == alone[:1]


def test_a_task_without_anchors_is_named_before_any_is_played(monkeypatch):
    monkeypatch.setattr(challenge, "challenge", None)
    with pytest.raises(UnknownNameError, match="'no-such-task'"):
        challenge.challenges([QUICK, "no-such-task"], engine_of())


@pytest.fixture
def weak(monkeypatch):
    """Lower the stored oracle of the quick task to its expert, where calendars beat it."""
    right = anchors.of_split

    def lowered(task, split):
        stored = right(task, split)
        return replace(stored, oracle=np.minimum(stored.oracle, stored.expert))

    monkeypatch.setattr(anchors, "of_split", lowered)


def run(*arguments, code):
    """Run the command; return what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["agbench", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
    assert (ended.value.code or 0) == code
    return printed.getvalue()


@pytest.fixture
def six_seasons(monkeypatch):
    """Let the quick task have the first six seasons of its test split."""
    right = anchors.of_split

    def first(task, split):
        stored = right(task, split)
        arrays = {key: value for key, value in vars(stored).items() if isinstance(value, np.ndarray)}
        return replace(stored, **{key: values[:6] for key, values in arrays.items()})

    monkeypatch.setattr(anchors, "of_split", first)
    monkeypatch.setattr(challenge, "build", lambda task, split: build(task, split, years=range(1984, 1990)))


@pytest.mark.usefixtures("weak", "six_seasons")
def test_an_oracle_that_is_no_bound_ends_the_command_with_1():
    text = run("challenge", QUICK, "--calendars", "150", code=1)
    assert "oracle      is beaten in" in text
    (content,) = json.loads(run("challenge", QUICK, "--calendars", "150", "--json", code=1))
    assert content["beaten_in"]
    assert max(content["excess"].values()) > challenge.SHARE


def test_an_oracle_that_is_one_ends_it_with_0():
    text = run("challenge", QUICK, "--calendars", "40", code=0)
    assert "40 random blind calendars in 40 scenarios" in text
    assert "oracle      holds" in text


@pytest.mark.usefixtures("six_seasons")
def test_a_second_search_goes_on_from_the_best_calendars_of_each_season():
    alone = challenge.challenge(QUICK, count=60)
    result = challenge.challenge(QUICK, count=60, rounds=2)
    np.testing.assert_array_equal(result.objective, alone.objective)
    assert (result.searched >= alone.best).all()
    assert result.searched.mean() > alone.best.mean()
    assert result.oracle_holds
    assert result.excess.max() < 0.001


def test_calendars_beyond_the_limit_of_costs_do_not_count(monkeypatch):
    played = challenge.Played(np.array([[9.0, 9.0], [2.0, 4.0]]), np.array([[5.0, 5.0], [0.0, 1.0]]))
    stored = anchors.SplitAnchors(np.zeros(2), np.full(2, 3.0), np.full(2, 5.0), np.zeros(2), 1.0, gain=5.0)
    monkeypatch.setattr(anchors, "of_split", lambda task, split: stored)
    monkeypatch.setattr(challenge, "play", lambda parts, sequences: played)
    monkeypatch.setattr(challenge, "build", lambda task, split: build(task, split, years=[1986, 1994]))
    result = challenge.challenge(QUICK, count=2)
    assert result.objective.tolist() == [[2.0, 4.0]]
    assert (result.scores.tolist(), result.above_expert) == ([60.0], 0)
    np.testing.assert_allclose(result.excess, [-0.6, -0.2])
    assert result.oracle_holds
    none = replace(result, objective=result.objective[:0])
    assert none.oracle_holds
    assert "not tried: no calendar keeps the limit" in challenge.lines(none)[-1]
