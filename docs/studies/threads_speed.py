"""What threads give: the time of a step in one thread over that in several, side by side.

$ python docs/studies/threads_speed.py            (two threads; a number behind it for others)

Both environments play the same steps in turns, first one, then the other; a step's time is the least of all
rounds, and a ratio that of the sums over the steps, which are the same ones on both sides. All rows play
measured seasons, so that no weather is generated while the clock runs. Where other programs use the cores,
the clock says little: the last column is the ratio of CPU seconds of the calling thread, which does all that
is not split and its share of what is. It is what free cores would give, but for what they share (caches,
memory).

The ceiling is what the machine itself gives to programs that share nothing, in the same rounds: the time of
all rows in one process over that of the same rows in as many processes as there are threads, an equal part
in each, all playing at once.
"""

import os
import sys
import time
from contextlib import contextmanager
from multiprocessing import get_context

import numpy as np

import agbench

TASKS = ("wheat-nitrogen-v1", "maize-inputs-v1", "sunflower-farm-fields-v1")
GREENHOUSES = ("greenhouse-tomato-v1", "greenhouse-setpoint-continuous-v1")
ROWS = (64, 256, 1024, 4096)
FIELD_STEPS = 11  # weeks; a season that ends is followed by a new one, which Python makes
MOST_ROUNDS, LEAST_ROUNDS = 30, 5


def begun(env):
    """Begin the episodes of an environment."""
    keys = env.scenarios.keys
    env.reset(seed=0, options={"scenario": [keys[row % len(keys)] for row in range(env.num_envs)]})


def seconds(env, actions):
    """Return how long each of the first steps takes, by the clock and by this thread's CPU, (steps, 2)."""
    begun(env)
    times = []
    for one in actions:
        began = time.perf_counter(), time.thread_time()
        over = env.step(one)[2]
        assert not over.any()
        times.append((time.perf_counter() - began[0], time.thread_time() - began[1]))
    return np.array(times)


def play_on(task, rows, actions, ready, may_play):
    """Play the same steps over and over while it may: another process does."""
    env = environment(task, rows)
    begun(env)
    ready.set()
    while True:
        for one in actions:
            may_play.wait()
            env.step(one)
        begun(env)


@contextmanager
def others(task, rows, actions, count):
    """Yield what lets so many processes play, each so many rows; they end with the block."""
    context = get_context("spawn")
    may_play, ready = context.Event(), [context.Event() for _ in range(count)]
    processes = [
        context.Process(target=play_on, args=(task, rows, actions, one, may_play), daemon=True)
        for one in ready
    ]
    for process in processes:
        process.start()
    for one in ready:
        one.wait()
    try:
        yield may_play
    finally:
        for process in processes:
            process.kill()
            process.join()


def environment(task, rows, threads=1):
    """Return the rows of a task."""
    return agbench.make_vec(task, rows, split="test", autoreset_mode="next_step", threads=threads)


def measured(task, rows, threads):
    """Return the mean of steps' least times [s], by the clock and the CPU: (3, 2).

    First in one thread, then in several, then of a part of the rows beside as many processes.
    """
    is_field = task not in GREENHOUSES
    count = FIELD_STEPS if is_field else 1 if "setpoint" in task else max(1, 1024 // rows)
    rounds = max(LEAST_ROUNDS, min(MOST_ROUNDS, 8192 // rows)) if is_field else LEAST_ROUNDS
    envs = [environment(task, rows), environment(task, rows, threads), environment(task, rows // threads)]
    envs[0].action_space.seed(0)
    actions = [envs[0].action_space.sample() for _ in range(1 + count)]
    part = [one[: rows // threads] for one in actions]
    times = []
    with others(task, rows // threads, part, threads - 1) as may_play:
        for _ in range(rounds):
            times.append([seconds(env, actions)[1:] for env in envs[:2]])
            may_play.set()
            times[-1].append(seconds(envs[2], part)[1:])
            may_play.clear()
    return np.array(times).min(axis=0).mean(axis=1)


def main():
    """Print the table."""
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    print(f"{os.cpu_count()} cores, {threads} threads\n")
    print(
        f"| task | rows | 1 thread, ms | {threads} threads, ms | ratio | by CPU | ceiling |\n"
        "|---|---|---|---|---|---|---|"
    )
    for task in (*TASKS, *GREENHOUSES):
        for rows in ROWS:
            (one, own), (several, shared), (part, _) = measured(task, rows, threads)
            times = f"{1e3 * one:.2f} | {1e3 * several:.2f}"
            ratios = f"{one / several:.2f} | {own / shared:.2f} | {one / part:.2f}"
            print(f"| {task} | {rows:,} | {times} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
