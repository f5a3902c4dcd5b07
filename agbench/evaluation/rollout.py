"""One episode of a policy, recorded."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.envs import AgBenchEnv
from agbench.evaluation.protocol import Episode
from agbench.policies import playing
from agbench.policies.base import Policy
from agbench.untrusted.refusal import RefusedError


@dataclass(frozen=True)
class Rollout:
    """What is kept of an episode: its row of the table, its actions."""

    row: dict[str, Any]
    actions: NDArray[Any]


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
