"""Every result has the score that the leaderboard would give it, and says where nothing was played."""

from pathlib import Path

import numpy as np
import pytest
from travelling import Travelling

import agbench
from agbench.data import catalog
from agbench.errors import AgBenchWarning
from agbench.evaluation import Result, aggregates, anchors

TASK = "wheat-nitrogen-v1"


class Broken:
    name, information = "broken", "observation"

    def reset(self, seed):
        pass

    def __call__(self, observation):
        raise ZeroDivisionError("no plan")


class Fragile(Broken):
    """Fails in all episodes but the first."""

    name = "fragile"
    begun = 0

    def reset(self, seed):
        self.begun += 1

    def __call__(self, observation):
        if self.begun > 1:
            raise ZeroDivisionError("no plan")
        return 0


def test_a_result_has_the_boards_score_with_its_interval(tmp_path):
    task = catalog.task(TASK)
    result = agbench.evaluate(TASK, "standard-practice", out=tmp_path / "result")
    scores = anchors.of_split(task, "test").scores(result.objective)
    value, low, high = result.score
    assert value == pytest.approx(scores.mean())
    assert low < value < high
    drawn = aggregates.resample(scores[None], 5000, seed=3).drawn[:, 0]
    spread = drawn.std()
    assert (low, high) == pytest.approx(np.quantile(drawn, (0.025, 0.975)), abs=0.2 * spread)
    assert Result.load(tmp_path / "result").score == result.score


def test_floor_is_0_for_sure():
    value, low, high = agbench.evaluate(TASK, "zero").score
    assert value == pytest.approx(0.0, abs=1e-9)
    assert low <= value <= high


def test_a_task_or_scenarios_without_anchors_have_no_score():
    assert agbench.evaluate(TASK, "zero", beta=5.0, years=[1984]).score is None
    assert agbench.evaluate(TASK, "zero", "validation").score is None


def test_some_of_the_anchored_scenarios_are_scored_against_their_own_floor():
    some = agbench.evaluate(TASK, "advisor", years=[1984, 1993])
    gain = anchors.gain(anchors.load(catalog.task(TASK)))
    assert some.score.value == pytest.approx(100.0 * some.objective.mean() / gain)


def test_a_policy_that_fails_in_every_episode_is_warned_of():
    with pytest.warns(AgBenchWarning, match=r"all 2 episodes of broken failed.*ZeroDivisionError: no plan"):
        result = agbench.evaluate(TASK, Broken(), years=[1984, 1986])
    assert result.failed == 2
    with pytest.warns(AgBenchWarning, match="all 2 episodes of broken failed"):
        agbench.evaluate(TASK, Broken(), years=[1984, 1986], on=Travelling())


def test_an_episode_whose_numbers_are_none_has_failed(tmp_path, monkeypatch):
    text = (Path(__file__).parents[2] / "crops/winter-wheat-nl.yaml").read_text()
    (tmp_path / "crops").mkdir()
    own = text.replace("ROOTDM: 1.2 m", "ROOTDM: 0.0 m").replace("crop: winter-wheat-nl", "crop: rootless")
    (tmp_path / "crops/rootless.yaml").write_text(own)
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))
    with pytest.warns(
        AgBenchWarning, match=r"all 1 episodes of advisor failed, .*SimulationError: return is nan"
    ):
        result = agbench.evaluate(TASK, "advisor", years=[1984], crop="rootless")
    assert result.failed == 1
    assert result.objective.tolist() == [result.task.protocol.worst]
    assert np.isfinite(result.episodes[["cost", *result.task.metrics]].to_numpy(np.float64)).all()


def test_a_failure_that_ends_in_a_full_stop_keeps_one():
    class Ended(Broken):
        def __call__(self, observation):
            raise ValueError("no plan.")

    with pytest.warns(AgBenchWarning, match=r"no plan\. They count as the task's worst bound\."):
        agbench.evaluate(TASK, Ended(), years=[1984])


def test_one_that_fails_in_some_is_not():
    assert agbench.evaluate(TASK, Fragile(), years=[1984, 1986]).failed == 1


def test_the_command_prints_the_score_or_that_all_failed(tmp_path, monkeypatch, capsys):
    import typer

    from agbench.cli.app import app

    monkeypatch.chdir(tmp_path)
    app(["evaluate", TASK, "-p", "zero"], standalone_mode=False)
    line = next(line for line in capsys.readouterr().out.splitlines() if line.strip().startswith("score"))
    assert float(line.split()[1]) == pytest.approx(0.0, abs=0.05)
    (tmp_path / "mine_broken.py").write_text(
        "class Broken:\n"
        "    name, information = 'broken', 'observation'\n"
        "    def reset(self, seed): pass\n"
        "    def __call__(self, observation): raise ZeroDivisionError('[red]\\n:boom:')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.warns(AgBenchWarning, match="all 40 episodes"):
        code = app(["evaluate", TASK, "-p", "mine_broken:Broken"], standalone_mode=False)
    assert code == 1 or isinstance(code, typer.Exit)
    assert "all 40 episodes failed, the first with ZeroDivisionError: [red] :boom:" in capsys.readouterr().out
