"""What threads give: the time of a step in one thread over that in several, side by side.

$ python docs/studies/threads_speed.py            (two threads; a number behind it for others)

Both environments take the same actions in turns, first one, then the other; a ratio is that of their least
times. All rows play measured seasons, so that no weather is generated while the clock runs. Where other
programs use the cores, the clock says little: the last column is the ratio of CPU seconds of the calling
thread, which does all that is not split and its share of what is. It is what free cores would give, but for
what they share (caches, memory).
"""

import os
import sys
import time

import agbench

TASKS = ("wheat-nitrogen-v1", "maize-inputs-v1", "sunflower-farm-fields-v1")
GREENHOUSES = ("greenhouse-tomato-v1", "greenhouse-setpoint-continuous-v1")
ROWS = (64, 256, 1024, 4096)
ROUNDS = 6


def made(task, rows, threads):
    """Return an environment whose episodes have begun."""
    env = agbench.make_vec(task, rows, split="test", autoreset_mode="next_step", threads=threads)
    keys = env.scenarios.keys
    env.reset(seed=0, options={"scenario": [keys[row % len(keys)] for row in range(rows)]})
    env.action_space.seed(0)
    return env


def seconds(env, actions):
    """Return how long some steps take: by the clock, and by the CPU time of this thread."""
    began = time.perf_counter(), time.thread_time()
    for one in actions:
        env.step(one)
    return time.perf_counter() - began[0], time.thread_time() - began[1]


def measured(task, rows, threads):
    """Return the least times of a step in one thread and in several [s], each by the clock and the CPU."""
    one, several = made(task, rows, 1), made(task, rows, threads)
    count = 1 if "setpoint" in task else max(1, 1024 // rows)
    actions = [one.action_space.sample() for _ in range(count)]
    for env in (one, several):
        env.step(actions[0])
    times = [(*seconds(one, actions), *seconds(several, actions)) for _ in range(ROUNDS)]
    return tuple(min(column) / count for column in zip(*times, strict=True))


def main():
    """Print the table."""
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    print(f"{os.cpu_count()} cores, {threads} threads\n")
    print(
        f"| task | rows | 1 thread, ms | {threads} threads, ms | ratio | by CPU |\n|---|---|---|---|---|---|"
    )
    for task in (*TASKS, *GREENHOUSES):
        for rows in ROWS:
            one, own, several, shared = measured(task, rows, threads)
            times = f"{1e3 * one:.2f} | {1e3 * several:.2f} | {one / several:.2f} | {own / shared:.2f}"
            print(f"| {task} | {rows:,} | {times} |", flush=True)


if __name__ == "__main__":
    main()
