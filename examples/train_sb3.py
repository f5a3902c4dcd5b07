"""Stable-Baselines3 on the compiled batch, exported, and evaluated by the task's protocol.

    pip install "agbench[rl]"
    python examples/train_sb3.py --steps 400000

`agbench train` does the same with settings from files, validation, checkpoints and a score.
"""

import argparse
from pathlib import Path

from stable_baselines3 import PPO

import agbench
from agbench.training import sb3_env
from agbench.training.export import export

parser = argparse.ArgumentParser()
parser.add_argument("--task", default="wheat-nitrogen-v1")
parser.add_argument("--steps", type=int, default=400_000)
parser.add_argument("--out", type=Path, default=Path("runs/train-sb3"))
options = parser.parse_args()

model = PPO("MlpPolicy", sb3_env(options.task, 64), n_steps=64, batch_size=256, seed=0, device="cpu")
model.learn(options.steps)

options.out.mkdir(parents=True, exist_ok=True)
export(model, options.task, options.out / "policy.npz")  # with the scaling that the model was trained in
result = agbench.evaluate(options.task, options.out / "policy.npz", out=options.out / "test")
print(f"{options.task}: mean return on test {result.objective.mean():.1f}")
