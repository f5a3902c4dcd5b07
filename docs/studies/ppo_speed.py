"""Where PPO's processor time goes, ours and Stable-Baselines3's in turn: `python docs/studies/ppo_speed.py`.

Both train with 64 environments, batches of 256 and 10 epochs, on one thread. Printed is processor time, so
that what else the machine does matters little; pairs are run one after the other. Figures are for 400,000
steps, from the steps that were made.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import time

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.logger import configure

from agbench.training import sb3_env
from agbench.training.ppo import QuickPPO

BUDGET = 400_000
SETTINGS = {"n_steps": 64, "batch_size": 256, "n_epochs": 10, "seed": 0, "device": "cpu"}


def timed(function, spent, name):
    """Return a function that adds its processor time to `spent[name]`."""

    def run(*arguments, **more):
        began = time.process_time()
        try:
            return function(*arguments, **more)
        finally:
            spent[name] = spent.get(name, 0.0) + time.process_time() - began

    return run


def measured(cls, task, steps, reuse):
    """Return the processor time that `steps` steps take: of environments, the other rollout, updates [s].

    `reuse`: episodes that a drawn season serves; the seasons kept for that are made before the clock starts.
    """
    env = sb3_env(task, 64, reuse=reuse)
    model = cls("MlpPolicy", env, **SETTINGS)
    model.set_logger(configure(None, []))
    model.learn(4096 if reuse == 1 else 12288)  # what is made once is made
    spent: dict[str, float] = {}
    env.step_wait = timed(env.step_wait, spent, "environment")
    model.collect_rollouts = timed(model.collect_rollouts, spent, "rollout")
    model.train = timed(model.train, spent, "update")
    before = model.num_timesteps
    model.learn(steps, reset_num_timesteps=False)
    scale = BUDGET / (model.num_timesteps - before)
    spent["rollout"] -= spent["environment"]
    return {name: seconds * scale for name, seconds in spent.items()}


def main():
    """Print a row a run, and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", default="wheat-nitrogen-v1")
    parser.add_argument("--steps", type=int, default=16384)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--reuse", type=int, default=8, help="episodes a drawn season, in the third row")
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{options.task}: processor seconds of {BUDGET:,} steps; load {os.getloadavg()[0]:.1f}")
    rows: dict[str, list[list[float]]] = {}
    for _ in range(options.pairs):
        for cls, reuse in ((PPO, 1), (QuickPPO, 1), (QuickPPO, options.reuse)):
            spent = measured(cls, options.task, options.steps, reuse)
            row = [spent["environment"], spent["rollout"], spent["update"]]
            name = cls.__name__ if reuse == 1 else f"{cls.__name__} reuse={reuse}"
            rows.setdefault(name, []).append(row)
            print(text(name, row), flush=True)
    for name, of_class in rows.items():
        print(text(f"{name} (median)", np.median(of_class, axis=0)))


def text(name, row):
    """Return a line of the table."""
    parts = zip(("environment", "rollout", "update"), row, strict=True)
    return f"{name:<27} total {sum(row):6.1f}   " + "   ".join(
        f"{part} {value:6.1f}" for part, value in parts
    )


if __name__ == "__main__":
    main()
