"""Traces: all outputs of an environment, step by step, and where two of them differ."""

import copy
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agbench.envs import AgBenchEnv, AgBenchVectorEnv
from agbench.envs.rollout import decisions
from agbench.testing.contract import fail

Actions = NDArray[Any]
"""(steps, rows, ...): recorded actions of a batch."""


@dataclass(frozen=True)
class Moment:
    """The outputs of an environment at a reset (reward 0, nothing ended) or after a step."""

    step: int
    kind: str
    observation: NDArray[np.float32]
    reward: float
    terminated: bool
    truncated: bool
    info: Mapping[str, Any]


Trace = list[Moment]


def draw_actions(space: spaces.Space[Any], steps: int, rows: int, seed: int) -> Actions:
    """Return random actions (steps, rows, ...) of a single environment's action space."""
    source = copy.deepcopy(space)
    source.seed(seed)
    return np.array([[source.sample() for _ in range(rows)] for _ in range(steps)])


def enough_steps(env: AgBenchEnv, seed: int, most: int = 2000) -> int:
    """Return a number of steps that sees the end of an episode, of two if they are short."""
    actions = draw_actions(env.action_space, 1, 1, seed)
    observation, _ = env.reset(seed=seed)
    length = sum(1 for _ in decisions(env, lambda _: actions[0, 0], observation))
    return max(length + 5, min(2 * length + 10, most))


def record(
    env: AgBenchEnv, actions: Iterable[Any], seed: int, options: dict[str, Any] | None = None
) -> Trace:
    """Reset with `seed` and apply `actions`, resetting (without a seed) where an episode ends."""
    observation, info = env.reset(seed=seed, options=options)
    trace = [_at_reset(0, observation, info)]
    return trace + go_on(env, actions)


def go_on(env: AgBenchEnv, actions: Iterable[Any]) -> Trace:
    """Apply `actions` from where the environment stands, resetting where an episode ends."""
    trace = []
    for step, action in enumerate(actions, start=1):
        observation, reward, terminated, truncated, info = env.step(action)
        reward = float(reward)
        trace.append(Moment(step, "step", observation, reward, terminated, truncated, info))
        if terminated or truncated:
            observation, info = env.reset()
            trace.append(_at_reset(step, observation, info))
    return trace


def first_episode(trace: Trace) -> Trace:
    """Return a trace up to its first end."""
    for i, moment in enumerate(trace):
        if moment.terminated or moment.truncated:
            return trace[: i + 1]
    return trace


def go_on_rows(env: AgBenchVectorEnv, actions: Actions) -> list[Trace]:
    """Apply `actions` (steps, n, ...) to all rows of a batch that resets them in the same step."""
    traces: list[Trace] = [[] for _ in range(env.num_envs)]
    for step, chosen in enumerate(actions, start=1):
        result = env.step(chosen)
        for i in range(env.num_envs):
            traces[i] += _moments(env, step, i, result)
    return traces


def record_rows(env: AgBenchVectorEnv, actions: Actions, seed: int) -> list[Trace]:
    """Return the trace of every row, in a form that does not depend on the autoreset mode.

    Row i takes `actions[:, i]` in order; a reset takes none of them in any mode.
    """
    steps, n = len(actions), env.num_envs
    observations, info = env.reset(seed=seed)
    traces = [[_at_reset(0, observations[i].copy(), _row(info, i))] for i in range(n)]
    taken = np.zeros(n, dtype=np.int64)
    waiting = np.zeros(n, dtype=np.bool_)
    while (taken < steps).any():
        chosen = actions[np.minimum(taken, steps - 1), np.arange(n)]
        result = env.step(chosen)
        ended = result[2] | result[3]
        for i in range(n):
            if waiting[i]:
                traces[i].append(_at_reset(int(taken[i]), result[0][i].copy(), _row(result[4], i)))
            elif taken[i] < steps:
                taken[i] += 1
                traces[i] += _moments(env, int(taken[i]), i, result)
        waiting = ended & (env.autoreset_mode is AutoresetMode.NEXT_STEP)
        if ended.any() and env.autoreset_mode is AutoresetMode.DISABLED:
            observations, info = env.reset(options={"reset_mask": ended})
            for i in np.flatnonzero(ended).tolist():
                at = int(taken[i])
                traces[i].append(_at_reset(at, observations[i].copy(), _row(info, i)))
    return traces


def _moments(env: AgBenchVectorEnv, step: int, i: int, result: tuple[Any, ...]) -> Trace:
    """Return a row's step, and its reset where that came with it."""
    observations, rewards, terminated, truncated, info = result
    ended = bool(terminated[i] or truncated[i])
    flags = float(rewards[i]), bool(terminated[i]), bool(truncated[i])
    if not (ended and env.autoreset_mode is AutoresetMode.SAME_STEP):
        return [Moment(step, "step", observations[i].copy(), *flags, _row(info, i))]
    if not (info.get("_final_obs", np.zeros(env.num_envs))[i]):
        fail(f"row {i}, step {step}: the episode ended, but info has no final_obs for it.")
    last, last_info = info["final_obs"][i], _row(info["final_info"], i)
    return [
        Moment(step, "step", last, *flags, last_info),
        _at_reset(step, observations[i].copy(), _row(info, i)),
    ]


def _at_reset(step: int, observation: NDArray[np.float32], info: Mapping[str, Any]) -> Moment:
    return Moment(step, "reset", observation, 0.0, False, False, info)


def _row(info: Mapping[str, Any], i: int) -> dict[str, Any]:
    """Return what a vector environment's info says of row i."""
    result = {}
    for key, values in info.items():
        if key.startswith("_") or key in ("final_obs", "final_info"):
            continue
        if info[f"_{key}"][i]:
            value = values[i]
            result[key] = value.item() if isinstance(value, np.generic) else value
    return result


def require_equal(first: Trace, second: Trace, what: str, entries: Sequence[str]) -> None:
    """Raise `ContractError` at the first moment where two traces are not the same, bit for bit.

    `what` names both traces; `entries` are the names of the observation's entries.
    """
    for a, b in zip_longest(first, second):
        if a is None or b is None:
            fail(f"{what}: one record holds {len(first)} moments, the other {len(second)}.")
        result = _difference(a, b, entries)
        if result:
            fail(f"{what}: {a.kind} {a.step} differs: {result}.")


def _difference(a: Moment, b: Moment, entries: Sequence[str]) -> str | None:
    """Return the first difference of two moments, or None."""
    for name in ("kind", "step", "reward", "terminated", "truncated"):
        if _bits(getattr(a, name)) != _bits(getattr(b, name)):
            return f"{name} is {getattr(a, name)!r} and {getattr(b, name)!r}"
    if a.observation.dtype != b.observation.dtype or a.observation.shape != b.observation.shape:
        return f"observation is {_shape(a.observation)} and {_shape(b.observation)}"
    for i, (x, y) in enumerate(zip(a.observation.flat, b.observation.flat, strict=True)):
        if x.tobytes() != y.tobytes():
            return f"observation {entries[i]} is {x!r} and {y!r}"
    if list(a.info) != list(b.info):
        return f"info has the keys {list(a.info)} and {list(b.info)}"
    for key in a.info:
        if _bits(a.info[key]) != _bits(b.info[key]):
            return f"info {key!r} is {a.info[key]!r} and {b.info[key]!r}"
    return None


def _shape(array: NDArray[Any]) -> str:
    return f"{array.dtype} of shape {array.shape}"


def _bits(value: Any) -> Any:
    """Return what is equal for values of the same type and the same bits, NaN included."""
    if isinstance(value, float):
        return "float", struct.pack("<d", value)
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    return type(value).__name__, value
