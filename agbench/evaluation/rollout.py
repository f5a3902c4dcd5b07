"""Episodes of a policy, recorded: one, or several side by side."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agbench.envs import AgBenchEnv
from agbench.envs.core import BatchCore, Parts
from agbench.evaluation.protocol import Episode
from agbench.policies import playing
from agbench.policies.base import Policy
from agbench.untrusted.refusal import RefusedError
from agbench.variables import Booleans


@dataclass(frozen=True)
class Rollout:
    """What is kept of an episode: its row of the table, its actions."""

    row: dict[str, Any]
    actions: NDArray[Any]


class Acting(Protocol):
    """Chooses the actions of all rows of a batch."""

    def __call__(self, core: BatchCore, step: int, moving: Booleans) -> NDArray[Any]:
        """Return the actions of a decision, (n, ...); those of rows that do not move count for nothing."""


def roll_out(env: AgBenchEnv, policy: Policy, episode: Episode) -> Rollout:
    """Run one episode; one that raises is recorded as failed, at the task's worst bound."""
    actions: list[Any] = []
    error = ""
    info: dict[str, Any] = {}
    total = cost = 0.0
    try:
        decisions = playing.episode(env, policy, episode.seed, episode.scenario)
        info = next(decisions).info
        for decision in decisions:
            info = decision.info
            actions.append(np.asarray(decision.action))
            total += decision.reward
            cost += float(info["cost"])
    except RefusedError:  # the policy is not allowed at all
        raise
    except (Exception, SystemExit) as problem:  # a policy is anybody's code; the record has what it raised
        error = f"{type(problem).__name__}: {problem}"
    return Rollout(_row(env, episode, info, (total, cost), len(actions), error), _stack(env, actions))


def roll_out_together(parts: Parts, act: Acting, episodes: Sequence[Episode]) -> list[Rollout]:
    """Play episodes side by side; return what is kept of each, in their order.

    What raises comes through: which of the episodes failed is seen where each is played alone.
    """
    core, alone = BatchCore(parts, len(episodes)), AgBenchEnv(parts)
    core.start([episode.scenario for episode in episodes], [episode.seed for episode in episodes])
    total, cost = np.zeros(core.n), np.zeros(core.n)
    taken: list[NDArray[Any]] = []
    rows: dict[int, dict[str, Any]] = {}
    while not core.over.all():
        moving = ~core.over
        actions = np.asarray(act(core, len(taken), moving))
        rewards, ended, _ = core.step(actions, moving)
        taken.append(actions.copy())
        total += np.where(moving, rewards, 0.0)
        cost += np.where(moving, core.reward.cost, 0.0)
        info = core.info() if ended.any() else {}
        for row in np.flatnonzero(ended).tolist():
            alone.core.load(0, core.save(row))
            own = {name: values[row] for name, values in info.items()}
            sums = float(total[row]), float(cost[row])
            rows[row] = _row(alone, episodes[row], own, sums, len(taken), "")
    played = np.array(taken)
    return [
        Rollout(rows[i], _stack(alone, list(played[: rows[i]["steps"], i]))) for i in range(len(episodes))
    ]


def _row(
    env: AgBenchEnv, episode: Episode, info: dict[str, Any], sums: tuple[float, float], steps: int, error: str
) -> dict[str, Any]:
    """Return the episode's row of the table; `sums` are its return and its constraint cost."""
    protocol = env.task.protocol
    metrics = {name: float(info.get(name, 0.0)) for name in env.task.metrics}
    values = {"return": sums[0], "cost": sums[1], **metrics}
    if error:
        values[protocol.objective] = float(protocol.worst)
    state = np.ascontiguousarray(env.core.simulator.state[0], dtype="<f8")
    return {
        "scenario": episode.scenario,
        "repeat": episode.repeat,
        "seed": episode.seed,
        **values,
        "steps": steps,
        "failed": bool(error),
        "error": error,
        "final_state": hashlib.sha256(state.tobytes()).hexdigest(),
    }


def _stack(env: AgBenchEnv, actions: list[Any]) -> NDArray[Any]:
    """Return the actions as one array in the type of the action space."""
    space = env.action_space
    shape = (len(actions), *(space.shape or ()))
    return np.array(actions, dtype=space.dtype).reshape(shape)
