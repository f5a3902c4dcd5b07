"""Evaluations: the same for any number of workers, resumed, replayed, failures kept."""

import hashlib

import numpy as np
import pytest

import agbench
from agbench.data.places import find_baseline
from agbench.envs.scenarios import episode_seed
from agbench.errors import UnknownNameError
from agbench.evaluation import Result, provenance, replay, runner

TASK = "wheat-nitrogen-v1"
YEARS = [1986, 1994, 2004]


class Failing:
    """Fails in one scenario, after some steps."""

    name = "failing"
    information = "observation"

    def __init__(self, at):
        self.at = at
        self.episode = -1

    def reset(self, seed):
        self.episode += 1
        self.step = 0

    def __call__(self, observation):
        self.step += 1
        if self.episode == self.at and self.step > 3:
            raise RuntimeError("the pump broke")
        return 0


def same(a, b):
    return a.episodes.equals(b.episodes) and all(
        np.array_equal(x, y) for x, y in zip(a.actions, b.actions, strict=True)
    )


def test_every_scenario_of_the_split_is_run_once_in_order():
    result = agbench.evaluate(TASK, "zero")
    expected = [f"netherlands/{y}" for y in range(1984, 2024)]
    assert result.episodes["scenario"].tolist() == expected
    assert result.failed == 0


def test_any_number_of_workers_gives_the_same_result():
    assert same(
        agbench.evaluate(TASK, "random", years=YEARS),
        agbench.evaluate(TASK, "random", years=YEARS, workers=2),
    )


def test_replayed_actions_give_the_recorded_metrics_to_the_last_bit(tmp_path):
    agbench.evaluate(TASK, "random", years=YEARS, out=tmp_path / "r")
    stored = Result.load(tmp_path / "r")
    assert same(stored, replay(stored))


def test_a_changed_action_shows_in_the_replay():
    result = agbench.evaluate(TASK, "zero", years=YEARS)
    result.actions[1][8] = 2
    again = replay(result)
    differs = (again.episodes["final_state"] != result.episodes["final_state"]).tolist()
    assert differs == [False, True, False]
    assert again.episodes["return"][1] != 0.0


def test_a_failed_episode_is_recorded_and_scored_at_the_worst_bound():
    result = agbench.evaluate(TASK, Failing(at=1), years=YEARS)
    assert result.episodes["failed"].tolist() == [False, True, False]
    assert result.episodes["return"].tolist() == [0.0, result.task.protocol.worst, 0.0]
    assert result.episodes["error"][1] == "RuntimeError: the pump broke"
    assert len(result.actions[1]) == 3


def test_an_action_outside_the_space_is_a_failed_episode():
    class Greedy(Failing):
        def __call__(self, observation):
            return 3

    result = agbench.evaluate(TASK, Greedy(at=-1), years=[1984])
    assert "lies outside the menu" in result.episodes["error"][0]


def test_a_run_that_was_cut_off_goes_on_where_it_stopped(tmp_path, monkeypatch):
    ran = []
    original = runner.roll_out

    def counted(env, policy, episode):
        if len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(episode.scenario)
        return original(env, policy, episode)

    monkeypatch.setattr(runner, "roll_out", counted)
    with pytest.raises(KeyboardInterrupt):
        agbench.evaluate(TASK, "random", years=YEARS, out=tmp_path / "r")
    assert not (tmp_path / "r").exists()

    monkeypatch.setattr(runner, "roll_out", lambda *a: (ran.append(a[2].scenario), original(*a))[1])
    result = agbench.evaluate(TASK, "random", years=YEARS, out=tmp_path / "r")
    assert ran == [f"netherlands/{y}" for y in YEARS]
    assert same(result, agbench.evaluate(TASK, "random", years=YEARS))
    assert [p.name for p in tmp_path.iterdir()] == ["r"]


def test_what_a_different_run_left_behind_is_not_used(tmp_path, monkeypatch):
    original = runner.roll_out

    def cut(env, policy, episode):
        if episode.scenario != "netherlands/1986":
            raise KeyboardInterrupt
        return original(env, policy, episode)

    monkeypatch.setattr(runner, "roll_out", cut)
    with pytest.raises(KeyboardInterrupt):
        agbench.evaluate(TASK, "random", years=YEARS, out=tmp_path / "r", beta=5.0)
    monkeypatch.setattr(runner, "roll_out", original)
    result = agbench.evaluate(TASK, "random", years=YEARS, out=tmp_path / "r")
    assert same(result, agbench.evaluate(TASK, "random", years=YEARS))


def test_what_another_file_of_the_same_name_left_behind_is_not_used(tmp_path, monkeypatch):
    original, path = runner.roll_out, tmp_path / "mine.yaml"
    known = find_baseline(TASK, "standard-practice").read_text()

    def cut(env, policy, episode):
        if episode.scenario != "netherlands/1986":
            raise KeyboardInterrupt
        return original(env, policy, episode)

    path.write_text(known.replace("amount: 40.0", "amount: 20.0"))
    monkeypatch.setattr(runner, "roll_out", cut)
    with pytest.raises(KeyboardInterrupt):
        agbench.evaluate(TASK, path, years=YEARS, out=tmp_path / "r")
    monkeypatch.setattr(runner, "roll_out", original)
    path.write_text(known)
    result = agbench.evaluate(TASK, path, years=YEARS, out=tmp_path / "r")
    assert same(result, agbench.evaluate(TASK, path, years=YEARS))


def test_what_other_physics_left_behind_is_not_used(tmp_path, monkeypatch):
    original = runner.roll_out
    ran = []

    def cut_off(*arguments):
        ran.append(arguments[2].scenario)
        if len(ran) == 2:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(runner, "roll_out", cut_off)
    with pytest.raises(KeyboardInterrupt):
        agbench.evaluate(TASK, "standard-practice", years=YEARS, out=tmp_path / "r")
    monkeypatch.setattr(
        provenance, "simulator_hash", lambda task: hashlib.sha256(task.task.encode()).hexdigest()
    )
    record = agbench.evaluate(TASK, "standard-practice", years=YEARS, out=tmp_path / "r").record
    assert ran[2:] == [f"netherlands/{y}" for y in YEARS]
    assert record["simulator_hash"] == hashlib.sha256(TASK.encode()).hexdigest()


def test_overrides_are_part_of_the_record():
    result = agbench.evaluate(TASK, "standard-practice", years=YEARS, beta=5.0)
    plain = agbench.evaluate(TASK, "standard-practice", years=YEARS)
    assert result.record["overrides"] == {"beta": 5.0}
    assert result.record["task_hash"] != plain.record["task_hash"]
    assert (result.episodes["return"] - plain.episodes["return"]).tolist() == pytest.approx([80.0] * 3)


def test_a_model_with_predict_is_a_policy():
    class Model:
        def predict(self, observation, state=None, episode_start=None, deterministic=True):
            assert deterministic
            return np.array(1), None

    result = agbench.evaluate(TASK, Model(), years=[1984])
    assert result.policy == "model"
    assert set(result.actions[0].tolist()) == {1}


def test_episode_seeds_depend_on_names_not_on_order():
    assert episode_seed(0, "wageningen/1984", 0) == episode_seed(0, "wageningen/1984", 0)
    seeds = {episode_seed(s, k, r) for s in (0, 1) for k in ("a/1", "a/2") for r in (0, 1)}
    assert len(seeds) == 8


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("wheat-nitrogen-v2", "zero"), "unknown task .* Did you mean 'wheat-nitrogen-v1'"),
        ((TASK, "zero", "tset"), "unknown split 'tset'. Did you mean 'test'"),
        ((TASK, "serez"), "unknown policy 'serez'. Did you mean 'ceres'"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(arguments, expected):
    with pytest.raises(UnknownNameError, match=expected):
        agbench.evaluate(*arguments)
