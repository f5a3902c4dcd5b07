"""Episodes side by side: what is kept of each is what it gives alone, to the last bit."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.envs.family import action_map
from agbench.evaluation import batches
from agbench.evaluation.runner import replay

SHORT = {"episode__length": "1 d", "years": [2008, 2010, 2011]}
TASKS = {
    "wheat-nitrogen-v1": {"years": [1984, 1991, 2004]},
    "wheat-inputs-v1": {"years": [1984, 1991]},
    "sunflower-farm-fields-v1": {"years": [1990, 1994]},
    "greenhouse-tomato-uncertain-v1": SHORT,
    "greenhouse-setpoint-continuous-v1": SHORT,
}


class Wandering:
    """Acts by what it sees and by what it remembers, for one episode or for many."""

    name, information = "wandering", "observation"

    def __init__(self, task):
        self._space = action_map(catalog.task(task)).space

    def start(self, rows):
        return (np.zeros(rows),)

    def act(self, observations, memory):
        seen = np.nan_to_num(observations.astype(np.float64)).sum(axis=1) + memory[0]
        shape = self._space.shape or ()
        turn = np.sin(seen).reshape(-1, *[1] * len(shape)) * np.ones((len(seen), *shape))
        if hasattr(self._space, "n"):
            chosen = np.floor((turn + 1.0) / 2.0001 * self._space.n).astype(np.int64)
        elif hasattr(self._space, "nvec"):
            chosen = np.floor((turn + 1.0) / 2.0001 * self._space.nvec).astype(np.int64)
        else:
            chosen = turn.astype(self._space.dtype)
        return chosen, (memory[0] + 1.0,)

    def reset(self, seed):
        self._memory = self.start(1)

    def __call__(self, observation):
        actions, self._memory = self.act(observation[None], self._memory)
        return actions[0]


def tables(task, monkeypatch, rows):
    monkeypatch.setattr(batches, "ROWS", rows)
    result = agbench.evaluate(task, Wandering(task), progress=False, **TASKS[task])
    return result.episodes.to_csv(), [actions.tobytes() for actions in result.actions], result


@pytest.mark.parametrize("task", TASKS)
def test_side_by_side_is_as_alone(task, monkeypatch):
    alone = tables(task, monkeypatch, 1)
    played = []
    monkeypatch.setattr(batches, "roll_out_together", lambda *a: played.append(a) or TOGETHER(*a))
    several = tables(task, monkeypatch, 16)
    assert len(played) == 1
    assert several[0] == alone[0]
    assert several[1] == alone[1]
    again = replay(several[2])
    assert len(played) == 2
    assert again.episodes.to_csv() == alone[0]


TOGETHER = batches.roll_out_together


def test_where_one_episode_fails_the_others_stand(monkeypatch):
    task = "wheat-nitrogen-v1"
    result = tables(task, monkeypatch, 16)[2]
    result.actions[1] = result.actions[1][:5]
    again = replay(result)
    assert again.episodes["failed"].tolist() == [False, True, False]
    assert "holds 5 actions, but the episode continues" in again.episodes["error"][1]
    assert again.episodes["return"][2] == result.episodes["return"][2]


def test_a_policy_that_raises_in_a_batch_is_played_alone(monkeypatch):
    task = "wheat-nitrogen-v1"
    alone = tables(task, monkeypatch, 16)

    class Alone(Wandering):
        def act(self, observations, memory):
            if len(observations) > 1:
                raise ValueError("one at a time")
            return super().act(observations, memory)

    result = agbench.evaluate(task, Alone(task), progress=False, **TASKS[task])
    assert result.episodes["failed"].sum() == 0
    assert result.episodes.to_csv() == alone[0]


def test_a_planner_is_played_alone():
    class Planning(Wandering):
        def plan(self, core, row):
            """Look at nothing."""

    assert batches.of_policy(Planning("wheat-nitrogen-v1")) is None
    assert batches.of_policy(Wandering("wheat-nitrogen-v1")) is not None
    assert batches.of_policy(agbench.load_policy("advisor", "wheat-nitrogen-v1")) is None
