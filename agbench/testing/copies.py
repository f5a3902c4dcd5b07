"""Pickles and deep copies of environments go on in the same bits: checks of this property."""

import copy
import pickle
from collections.abc import Callable
from typing import Any, Final

from agbench.envs import AgBenchEnv, AgBenchVectorEnv
from agbench.envs.registry import make_vec, single_environment
from agbench.testing.contract import fail
from agbench.testing.traces import (
    Trace,
    draw_actions,
    enough_steps,
    first_episode,
    go_on,
    go_on_rows,
    record,
    require_equal,
)

_ROWS: Final = 3
_SEED: Final = 1234
_FEW: Final = 4  # steps: a copy that is wrong differs in the first


def check_copies(task: str, split: str = "train", **overrides: Any) -> None:
    """A pickle and a deep copy have the future of their original, and leave it alone.

    So do copies of an environment that has not begun, of one late in its episode, and of a batch whose rows
    have gone different ways.
    """
    env = single_environment(task, split, **overrides)
    actions = draw_actions(env.action_space, enough_steps(env, _SEED), _ROWS, _SEED)
    own = actions[:, 0]
    _compare(
        env, lambda e: [record(e, own[:_FEW], _SEED)], f"{task}: an environment before its reset and {{}}"
    )
    late = max(len(first_episode(record(env, own, _SEED))) - 1 - _FEW // 2, 0)
    record(env, own[:late], _SEED)
    what = f"{task}: an environment after {late} steps and {{}}"
    _compare(env, lambda e: [go_on(e, own[late : late + _FEW])], what)
    rows = make_vec(task, _ROWS, split, "same_step", **overrides)
    rows.reset(seed=_SEED)
    go_on_rows(rows, actions[:_FEW])
    what = f"{task}: a batch after {_FEW} steps and {{}}"
    _compare(rows, lambda e: go_on_rows(e, actions[_FEW : 2 * _FEW]), what)


def _compare(env: Any, play: Callable[[Any], list[Trace]], what: str) -> None:
    """Play copies of an environment, then itself; all must show the same."""
    env.action_space.seed(_SEED)
    copies = {"its pickle": pickle.loads(pickle.dumps(env)), "its deep copy": copy.deepcopy(env)}
    futures = {name: (play(other), _drawn(other)) for name, other in copies.items()}
    present, drawn = play(env), _drawn(env)
    names = [entry.name for entry in env.observation_entries]
    for name, (future, drawn_there) in futures.items():
        for expected, shown in zip(present, future, strict=True):
            require_equal(expected, shown, what.format(name), names)
        if drawn_there != drawn:
            fail(f"{what.format(name)} draw different actions: {drawn} and {drawn_there}.")


def _drawn(env: AgBenchEnv | AgBenchVectorEnv) -> str:
    return repr([env.action_space.sample() for _ in range(3)])
