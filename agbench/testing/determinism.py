"""(task, scenario, seed, actions) -> trajectory is a function: checks of this property."""

import os
import pickle
import subprocess
import sys
from typing import Any

from agbench.envs import AgBenchEnv, AgBenchVectorEnv
from agbench.envs.registry import make_vec, single_environment
from agbench.testing.contract import fail
from agbench.testing.traces import (
    Trace,
    draw_actions,
    enough_steps,
    first_episode,
    go_on,
    record,
    record_rows,
    require_equal,
)

_ROWS = 5
_SEED = 1234
_MODES = ("same_step", "next_step", "disabled")


def check_rows_equal_single(task: str, split: str = "train", **overrides: Any) -> None:
    """Row i of a vector environment is the single environment seeded with seed + i, bit for bit."""
    env = single_environment(task, split, **overrides)
    actions = draw_actions(env.action_space, enough_steps(env, _SEED), _ROWS, _SEED)
    rows = record_rows(make_vec(task, _ROWS, split, **overrides), actions, _SEED)
    for i, row in enumerate(rows):
        alone = record(env, actions[:, i], _SEED + i)
        require_equal(row, alone, f"{task}: row {i} of {_ROWS} and the single one", _entries(env))


def check_autoreset_modes(task: str, split: str = "train", **overrides: Any) -> None:
    """The three autoreset modes show the same episodes, each in its own way."""
    env = single_environment(task, split, **overrides)
    actions = draw_actions(env.action_space, enough_steps(env, _SEED), _ROWS, _SEED)
    traces = {
        mode: record_rows(make_vec(task, _ROWS, split, mode, **overrides), actions, _SEED) for mode in _MODES
    }
    if not any(m.terminated or m.truncated for trace in traces["same_step"] for m in trace):
        fail(f"{task}: no episode ended within {len(actions)} steps.")
    for mode in _MODES[1:]:
        for i in range(_ROWS):
            what = f"{task}: row {i} with autoreset same_step and {mode}"
            require_equal(traces["same_step"][i], traces[mode][i], what, _entries(env))


def check_replay(task: str, split: str = "train", **overrides: Any) -> None:
    """Recorded actions played again in a fresh environment give the same bits.

    The scenario alone decides, or, where worlds are random, scenario and seed.
    """
    env = single_environment(task, split, **overrides)
    actions = draw_actions(env.action_space, enough_steps(env, _SEED), 1, _SEED)[:, 0]
    scenario = env.scenarios.keys[0]
    first = first_episode(record(env, actions, _SEED, {"scenario": scenario}))
    fresh = single_environment(task, split, **overrides)
    seed = _SEED if env.scenarios.random else 0
    again = record(fresh, actions[: len(first) - 1], seed, {"scenario": scenario})
    what = f"{task}: {scenario} and its replay"
    require_equal(first, first_episode(again), what, _entries(env))


def check_another_process(task: str, split: str = "train", **overrides: Any) -> None:
    """Another process gives the same bits: nothing hangs on memory, hash seeds or the folder."""
    env = single_environment(task, split, **overrides)
    actions = draw_actions(env.action_space, enough_steps(env, _SEED), 1, _SEED)[:, 0]
    here = record(env, actions, _SEED)
    there = _elsewhere((task, split, overrides, actions, _SEED))
    require_equal(here, there, f"{task}: this process and another one", _entries(env))


def _elsewhere(job: tuple[Any, ...]) -> Trace:
    """Return the trace that a new Python process records."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", "from agbench.testing.determinism import serve; serve()"]
    done = subprocess.run(command, input=pickle.dumps(job), capture_output=True, env=environment, check=False)
    if done.returncode:
        fail(f"another process failed:\n{done.stderr.decode(errors='replace')}")
    result: Trace = pickle.loads(done.stdout)
    return result


def serve() -> None:
    """Read a job from standard input, record its trace, write it to standard output."""
    task, split, overrides, actions, seed = pickle.load(sys.stdin.buffer)
    trace = record(single_environment(task, split, **overrides), actions, seed)
    sys.stdout.buffer.write(pickle.dumps(trace))


def check_save_and_load(task: str, split: str = "train", **overrides: Any) -> None:
    """A saved state goes on in the same bits: here, in a fresh environment, and into new episodes."""
    env = single_environment(task, split, **overrides)
    steps = enough_steps(env, _SEED)
    actions = draw_actions(env.action_space, steps, 1, _SEED)[:, 0]
    episode = len(first_episode(record(env, actions, _SEED))) - 1
    for at in sorted({0, episode // 2, episode - 1}):
        record(env, actions[:at], _SEED)
        saved = env.save_state()
        future = go_on(env, actions[at:])
        for where, other in (("the same", env), ("a fresh", single_environment(task, split, **overrides))):
            other.load_state(saved)
            what = f"{task}: the future of a state saved after {at} steps and loaded into {where} env"
            require_equal(future, go_on(other, actions[at:]), what, _entries(env))


def _entries(env: AgBenchEnv | AgBenchVectorEnv) -> list[str]:
    return [variable.name for variable in env.observation_entries]
