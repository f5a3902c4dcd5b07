"""A task of your own: YAML files in a folder of yours, and no code.

    pip install agbench
    python examples/own_task.py --steps 100

The task is nitrogen in winter wheat, decided every fortnight, where nitrogen is twice as dear as in
`wheat-nitrogen-v1`. A task needs a floor and an expert: the expert here is one dressing in March.
"""

import argparse
import os
import tempfile
from pathlib import Path

import gymnasium

import agbench

TASK = """
task: wheat-dear-nitrogen-v1
family: field
summary: Nitrogen every fortnight in winter wheat, at twice the price.
source: "wheat-nitrogen-v1, with another price and step"

simulator: {model: lintul3-wheat, crop: winter-wheat-nl, soil: cropgym-nl, site: netherlands}
season: {start: "01-01", end: "09-01", step: 14 d, warmup: 7 d}
action:
    doses: {N: [0, 30, 60, 90]}  # kg ha-1
    recovery: 0.7
observation:
    state: [DVS, LAI, TNSOIL, WSO]
    weather: [IRRAD, TMIN, RAIN]
    window: 14 d
    weather_form: mean
reward: {kind: growth-above-reference, variable: WSO, unit: g m-2, prices: {N: 0.1}, beta: 20.0}
metrics:
    nitrogen: {input: N, unit: kg ha-1, meaning: nitrogen applied, digits: 1}
    yield: {state: WSO, factor: 0.01, unit: t ha-1, meaning: grain dry matter, digits: 2}
splits:
    train: {generated: [0, 99], site: netherlands, endless: true}
    validation: {generated: [1000, 1009], site: netherlands}
    test: {years: all 2014-2023, site: netherlands}
protocol:
    objective: return
    objective_unit: g m-2
    repeats: 1
    seed: 0
    deterministic: true
    aggregate: mean
    bootstrap: 1000
    worst: -3300.0
    training_splits: [train]
references: {floor: zero, expert: march}
history: ["v1: first version"]
"""
EXPERT = """
policy: schedule
summary: One dressing in March.
source: "an example"
settings: {input: N, dates: free, plan: [{date: "03-12", amount: 60.0}]}
"""

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=100)
parser.add_argument("--folder", type=Path, help="of the files; by default a temporary one")
options = parser.parse_args()

root = options.folder or Path(tempfile.mkdtemp())
files = {"tasks/wheat-dear-nitrogen-v1.yaml": TASK, "baselines/wheat-dear-nitrogen-v1/march.yaml": EXPERT}
for name, text in files.items():
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, "utf-8")
os.environ["AGBENCH_PATH"] = str(root)  # usually set in the shell; `agbench check` reads such files too

env = agbench.make("wheat-dear-nitrogen-v1")
observation, info = env.reset(seed=0)
print(
    dict(zip((entry.name for entry in env.unwrapped.observation_entries), observation.round(2), strict=True))
)
env.action_space.seed(0)
returns, total = [], 0.0
for _ in range(options.steps):
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    total += float(reward)
    if terminated or truncated:
        returns.append(total)
        total, (observation, info) = 0.0, env.reset()
print(f"chance: {len(returns)} episodes")

for policy in ("zero", "march"):
    result = agbench.evaluate("wheat-dear-nitrogen-v1", policy)
    print(f"{policy}: mean return on test {result.objective.mean():.1f} g m-2")
print("by id:", gymnasium.make("agbench/wheat-dear-nitrogen-v1").observation_space.shape)
