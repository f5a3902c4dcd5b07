"""Rows in several threads: the bits of one thread, whatever the task, the rows and the mode."""

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.field.compiled_observer import CompiledFieldObserver
from agbench.envs.field.observations import FieldObserver
from agbench.envs.threads import with_threads
from agbench.errors import ConfigError, NotApplicableError, SimulationError
from agbench.simulators import threads as threading

SHORT = {"episode__length": "1 d"}
TASKS = {
    "wheat-nitrogen-v1": {},
    "pear-orchard-v1": {},
    "wheat-maize-rotation-v1": {},
    "sunflower-farm-fields-v1": {},
    "greenhouse-tomato-v1": SHORT,
    "greenhouse-tomato-uncertain-v1": SHORT,
    "greenhouse-setpoint-continuous-v1": SHORT,
}


@pytest.fixture(autouse=True)
def small_slices(monkeypatch):
    monkeypatch.setattr(threading, "_LEAST_FIELDS", 1)


def trace(task, rows, threads, mode="same_step", steps=30, **overrides):
    """Return the bytes of all that an environment gives for random actions."""
    env = agbench.make_vec(task, rows, autoreset_mode=mode, threads=threads, **overrides)
    seen, info = env.reset(seed=5, options={"scenario": env.scenarios.keys[0]})
    env.action_space.seed(2)
    result = [seen.tobytes()]
    for _ in range(steps):
        seen, rewards, ended, cut, info = env.step(env.action_space.sample())
        result += [seen.tobytes(), rewards.tobytes(), ended.tobytes(), cut.tobytes()]
        result += [np.asarray(info[name]).tobytes() for name in ("elapsed", "cost", *env.task.metrics)]
    result.append(env.core.simulator.state.tobytes())
    return result


@pytest.mark.slow_except("*-nitrogen-*", "*-orchard-*", "*-rotation-*", "*-farm-*", "*-setpoint-*")
@pytest.mark.parametrize("task", TASKS)
def test_any_number_of_threads_gives_the_bytes_of_one(task):
    alone = trace(task, 7, 1, **TASKS[task])
    for threads in (2, 3, 16):
        assert trace(task, 7, threads, **TASKS[task]) == alone


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_rows_that_end_and_begin_anew_are_the_same(mode):
    overrides = {"step": "60 d"}
    alone = trace("maize-inputs-v1", 5, 1, mode, 20, **overrides)
    assert trace("maize-inputs-v1", 5, 2, mode, 20, **overrides) == alone


@pytest.mark.parametrize("window", [1, 7])
@pytest.mark.parametrize("task", ["wheat-nitrogen-v1", "maize-inputs-v1", "pear-orchard-v1"])
def test_a_kernel_writes_the_observations_with_the_same_bits(task, window):
    env = agbench.make_vec(task, 5, threads=2, observation__window=f"{window} d")
    observer = env.core.parts.observer
    assert isinstance(observer, CompiledFieldObserver)
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(12):
        seen, *_ = env.step(env.action_space.sample())
        plain = np.full_like(seen, np.nan)
        FieldObserver.write(observer, env.core.simulator, plain)
        assert seen.tobytes() == plain.tobytes()


def test_rows_are_really_split(monkeypatch):
    sizes = []

    def run_all(calls):
        sizes.append(len(calls))
        return [call() for call in calls]

    monkeypatch.setattr(threading, "run_all", run_all)
    trace("wheat-nitrogen-v1", 7, 3, steps=2)
    assert set(sizes) == {3}


@pytest.mark.parametrize(("rows", "threads", "least"), [(7, 3, 1), (1, 4, 1), (100, 3, 32), (2, 5, 4)])
def test_slices_are_contiguous_and_whole(rows, threads, least):
    parts = threading.slices(rows, threads, least)
    assert np.concatenate([np.arange(rows)[part] for part in parts]).tolist() == list(range(rows))
    assert len(parts) <= threads
    assert all(part.stop - part.start >= min(least, rows) for part in parts)


def test_what_a_thread_raises_arrives_as_itself_when_all_have_ended():
    ended = []

    def fails():
        raise SimulationError("row 5 is not plausible")

    with pytest.raises(SimulationError, match="row 5 is not plausible"):
        threading.run_all([lambda: ended.append(1), fails, lambda: ended.append(2)])
    assert sorted(ended) == [1, 2]


def test_callers_that_share_threads_get_their_own_answers():
    def ask(name):
        return [threading.run_all([lambda i=i: (name, i) for i in range(3)]) for _ in range(50)]

    with ThreadPoolExecutor(4) as callers:
        for name, answers in enumerate(callers.map(ask, range(4))):
            assert answers == [[(name, i) for i in range(3)]] * 50


def test_a_greenhouse_that_cannot_be_integrated_says_so_from_a_thread():
    task = override(catalog.task("greenhouse-tomato-v1"), SHORT)
    core = BatchCore(with_threads(build(task), 2), 9)
    core.start([core.parts.scenarios.keys[0]] * 9, [1] * 9)
    core.simulator.parameters[7] = 1e300
    with pytest.raises(SimulationError, match="row 7 could not be integrated"):
        core.simulator.advance(np.full((9, 8), 0.5), 3)


def test_copies_and_pickles_keep_their_threads():
    env = agbench.make_vec("wheat-nitrogen-v1", 6, threads=2)
    env.reset(seed=1, options={"scenario": env.scenarios.keys[0]})
    actions = [env.action_space.sample() for _ in range(3)]
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for one in others:
        assert isinstance(one.core.simulator._kernels, threading._Kernels)
        for action in actions:
            own = one.step(action)
        one.result = own
    for action in actions:
        mine = env.step(action)
    assert all(one.result[0].tobytes() == mine[0].tobytes() for one in others)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_makes_threads_of_its_own():
    env = agbench.make_vec("wheat-nitrogen-v1", 6, threads=2)
    env.reset(seed=1, options={"scenario": env.scenarios.keys[0]})
    env.step(env.action_space.sample())
    child = os.fork()
    if child == 0:
        env.step(env.action_space.sample())
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_wrong_numbers_of_threads_are_refused(threads):
    with pytest.raises(ConfigError, match="threads must be a whole number, at least 1"):
        agbench.make_vec("wheat-nitrogen-v1", 2, threads=threads)


def test_an_engine_with_one_thread_says_so():
    with pytest.raises(NotApplicableError, match="threads=2: PcseSimulator runs in one thread"):
        agbench.make_vec("wheat-nitrogen-v1", 2, threads=2, engine="pcse")
