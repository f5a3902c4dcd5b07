"""Spaces and info: the outputs that are allowed, and the actions that must be refused."""

from typing import Any

import numpy as np
from gymnasium import spaces

from agbench.envs import AgBenchEnv
from agbench.envs.registry import make_vec, single_environment
from agbench.errors import ActionError, NotApplicableError
from agbench.testing.contract import fail
from agbench.testing.traces import draw_actions, enough_steps, go_on, record, require_equal

_ROWS = 16
_SEED = 99


def check_observations_are_inside(task: str, split: str = "train", **overrides: Any) -> None:
    """Observations are float32, finite and inside the space, rewards finite, for random actions."""
    env = single_environment(task, split, **overrides)
    names = [variable.name for variable in env.observation_entries]
    rows = make_vec(task, _ROWS, split, **overrides)
    actions = draw_actions(env.action_space, enough_steps(env, _SEED), _ROWS, _SEED)
    space = env.observation_space
    assert isinstance(space, spaces.Box)
    low, high = space.low, space.high
    observation, _ = rows.reset(seed=_SEED)
    for step in range(len(actions) + 1):
        if observation.dtype != np.float32:
            fail(f"{task}: observations are {observation.dtype}, not float32.")
        wrong = ~((observation >= low) & (observation <= high) & np.isfinite(observation))
        if wrong.any():
            row, entry = np.argwhere(wrong)[0]
            fail(
                f"{task}: step {step}, row {row}: observation {names[entry]} is "
                f"{observation[row, entry]}, outside {low[entry]} to {high[entry]}."
            )
        if step < len(actions):
            observation, reward, *_ = rows.step(actions[step])
            if not np.isfinite(reward).all():
                fail(
                    f"{task}: step {step + 1}, row {np.argmin(np.isfinite(reward))}: reward is "
                    f"{reward[~np.isfinite(reward)][0]}."
                )


def check_actions_outside_are_refused(task: str, split: str = "train", **overrides: Any) -> None:
    """An action outside the space raises `ActionError` and leaves the episode unchanged."""
    env = single_environment(task, split, **overrides)
    actions = draw_actions(env.action_space, 5, 1, _SEED)[:, 0]
    untouched = record(env, actions, _SEED)
    rows = make_vec(task, 2, split, **overrides)
    for wrong in outside(env.action_space):
        start = record(env, [], _SEED)
        _require_refusal(task, env, wrong)
        what = f"{task}: an episode without and with the refused action {wrong!r}"
        names = [variable.name for variable in env.observation_entries]
        require_equal(untouched, start + go_on(env, actions), what, names)
        rows.reset(seed=_SEED)
        try:
            rows.step(np.array([actions[0], wrong]))
        except (ActionError, ValueError):  # NumPy refuses rows of unequal shape by itself
            continue
        fail(f"{task}: the vector environment accepted the action {wrong!r} in row 1.")


def _require_refusal(task: str, env: AgBenchEnv, wrong: Any) -> None:
    try:
        env.step(wrong)
    except ActionError:
        return
    except Exception as error:
        fail(f"{task}: the action {wrong!r} raised {type(error).__name__}, not ActionError: {error}")
    fail(f"{task}: the action {wrong!r} lies outside {env.action_space}, but was accepted.")


def outside(space: spaces.Space[Any]) -> list[Any]:
    """Return actions that are not in a space."""
    if isinstance(space, spaces.Discrete):
        first, beyond = int(space.start), int(space.start + space.n)
        return [beyond, first - 1, first + 0.5, np.array([first, first]), "nothing", None]
    if isinstance(space, spaces.MultiDiscrete):
        nothing, many = np.zeros_like(space.nvec), space.nvec
        return [many, nothing - 1, nothing + 0.5, nothing[:-1], np.array([nothing] * 2), "nothing", None]
    if isinstance(space, spaces.Box):
        edge = space.high.astype(np.float64)
        return [
            (edge + 0.1 * (1.0 + np.abs(edge))).astype(np.float32),
            np.full(space.shape, np.nan, dtype=np.float32),
            np.full(space.shape, np.inf, dtype=np.float32),
            np.zeros((*space.shape, 2), dtype=np.float32),
            "nothing",
            None,
        ]
    raise NotApplicableError(f"cannot make an action outside {space}.")


def check_info_is_constant_keyed(task: str, split: str = "train", **overrides: Any) -> None:
    """`info` has the same keys and types at every reset and step, numbers that are finite."""
    env = single_environment(task, split, **overrides)
    actions = draw_actions(env.action_space, enough_steps(env, _SEED), 1, _SEED)[:, 0]
    trace = record(env, actions, _SEED)
    expected = {key: type(value).__name__ for key, value in trace[0].info.items()}
    for moment in trace:
        result = {key: type(value).__name__ for key, value in moment.info.items()}
        if result != expected:
            fail(f"{task}: info at {moment.kind} {moment.step} is {result}, not {expected}.")
        for key, value in moment.info.items():
            if isinstance(value, float) and not np.isfinite(value):
                fail(f"{task}: info {key!r} at {moment.kind} {moment.step} is {value}.")
