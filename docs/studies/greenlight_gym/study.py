"""The experiment of van Laatum et al. (2025), GreenLight-Gym: Figure 2 beside the paper's statements.

    python docs/studies/greenlight_gym/study.py train [NAME]   names: ppo, sac
    python docs/studies/greenlight_gym/study.py run [NAME]     names: rule-based, ppo, sac
    python docs/studies/greenlight_gym/study.py tables         the table, and docs/figures/greenlight-gym.png

All is played on the benchmark's `greenhouse-gym-v1`; learners are trained on `greenlight-gym-fig2-v1` (tasks/
beside this file), which is the same with another unit of reward, with the settings in baselines/. Agents and
runs are kept in runs/greenlight-gym/; a training that was cut off goes on. docs/replications.md says what
differs from the paper. `idle` and `mpc` are not played: their runs are the references' on the leaderboard.
"""

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

HERE = Path(__file__).parent
os.environ["AGBENCH_PATH"] = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("AGBENCH_PATH")])])

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import yaml  # noqa: E402

from agbench.data import catalog  # noqa: E402
from agbench.data.task import Task  # noqa: E402
from agbench.envs.core import BatchCore, Parts  # noqa: E402
from agbench.envs.family import build  # noqa: E402
from agbench.envs.rollout import Act, play  # noqa: E402
from agbench.envs.scenarios import episode_seed  # noqa: E402
from agbench.evaluation.statistics import interval  # noqa: E402
from agbench.policies.networks import heads, mlp  # noqa: E402
from agbench.policies.networks.layers import ACTIVATIONS  # noqa: E402
from agbench.policies.registry import load_policy  # noqa: E402
from agbench.training.run import RECORD, run  # noqa: E402

TASK: Final = "greenhouse-gym-v1"
TRAINED_ON: Final = "greenlight-gym-fig2-v1"
LEARNERS: Final = ("ppo", "sac")
RUNS: Final = {"rule-based": 30, "ppo": 30, "sac": 30}
"""Runs at each level of what is played here."""
STORED: Final = {"idle": "floor", "mpc": "oracle"}
"""What is not played: one run a level is among the task's references on the leaderboard."""
LEADERBOARD: Final = HERE.parents[2] / f"leaderboard/submissions/{TASK}"
SEED: Final = 0
RESAMPLES: Final = 10_000
MEASURES: Final = {
    "return": "cumulative reward",
    "profit": "EPI, profit without penalty",
    "penalty": "penalty",
}


def trained(runs: Path, algo: str) -> Path:
    """Return the folder of a training."""
    return runs / f"{algo}-{SEED}"


def table_of(runs: Path, name: str) -> Path:
    """Return the file of a policy's runs."""
    return runs / f"{name}.csv"


def train(runs: Path, algo: str) -> None:
    """Train an agent if it is not there."""
    if not (trained(runs, algo) / RECORD).is_file():
        run(TRAINED_ON, algo, None, SEED, trained(runs, algo))
        print(f"{algo}: trained", flush=True)


def network_act(file: Path, parts: Parts) -> Act:
    """Return what acts by a trained network: by products of matrices, an evaluation's last bits aside."""
    space = parts.actions.space
    network = mlp.read(file.read_bytes(), file.name, len(parts.observer.entries), space)

    def act(seen: Any, _: int) -> Any:
        values = np.clip((seen - network.mean) / network.scale, -network.clip, network.clip)
        for name, weight, bias in zip(network.activations, network.weights, network.biases, strict=True):
            values = ACTIVATIONS[name](values @ weight + bias)
        return heads.actions(values, network.head, space)

    return act


def rules_act(task: Task, name: str) -> Act:
    """Return what acts by rules that look only at the present."""
    policy = load_policy(name, task)
    return lambda seen, _: policy.act(seen, ())[0]


def pairs_of(keys: Sequence[str], runs: int) -> list[tuple[str, int]]:
    """Return scenario and number of every run; at level 0 nothing is drawn, and one run stands for all."""
    return [(key, number) for key in keys for number in range(1 if level_of(key) == 0.0 else runs)]


def level_of(key: str) -> float:
    """Return the level of uncertainty of a scenario's key."""
    return float(key.rsplit("/", 1)[1])


def played(parts: Parts, act: Act, runs: int) -> pd.DataFrame:
    """Return what is reached in so many runs of each level; the first are those of an evaluation."""
    pairs = pairs_of(parts.scenarios.keys, runs)
    core, seed = BatchCore(parts, len(pairs)), parts.task.protocol.seed
    core.start([key for key, _ in pairs], [episode_seed(seed, key, number) for key, number in pairs])
    total, info = play(core, act), core.info()
    return pd.DataFrame(
        {
            "level": [level_of(key) for key, _ in pairs],
            "run": [number for _, number in pairs],
            "return": total,
            **{name: info[name] for name in parts.task.metrics},
        }
    )


def stored(reference: str) -> pd.DataFrame:
    """Return the runs of a reference that the leaderboard holds, one a level."""
    episodes = pd.read_parquet(LEADERBOARD / reference / "1/test/seed-0/episodes.parquet")
    return episodes.assign(level=episodes["scenario"].map(level_of), run=episodes["repeat"])


def run_policy(runs: Path, name: str) -> None:
    """Play a policy and write its runs; skip what is played, and agents that are not trained."""
    agent = trained(runs, name) / "policy.npz"
    if table_of(runs, name).is_file() or (name in LEARNERS and not agent.is_file()):
        return
    started, task = time.process_time(), catalog.task(TASK)
    parts = build(task, "test")
    act = network_act(agent, parts) if name in LEARNERS else rules_act(task, name)
    table = played(parts, act, RUNS[name])
    runs.mkdir(parents=True, exist_ok=True)
    table.to_csv(table_of(runs, name), index=False)
    print(f"{name}: {len(table)} runs in {time.process_time() - started:.0f} CPU s", flush=True)


def results(runs: Path) -> dict[str, pd.DataFrame]:
    """Return the runs of all policies, without those that were not played."""
    found = {name: pd.read_csv(table_of(runs, name)) for name in RUNS if table_of(runs, name).is_file()}
    return {name: stored(reference) for name, reference in STORED.items()} | found


def means(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return the mean of a measure and its 95 % interval, a row a level."""
    rows = {
        level: interval(group[measure].to_numpy(), "mean", RESAMPLES)._asdict()
        for level, group in table.groupby("level")
    }
    return pd.DataFrame(rows).T


def cell(one: Any) -> str:
    """Return a mean as text, with its interval where that has a width."""
    low, high = f"{one.low:.2f}", f"{one.high:.2f}"
    return f"{one.value:.2f}" + (f" [{low}, {high}]" if low != high else "")


def lines(found: dict[str, pd.DataFrame], measure: str) -> list[str]:
    """Return the table of a measure in Markdown: a row a policy, a column a level."""
    levels = sorted(next(iter(found.values()))["level"].unique())
    rows = ["| policy, runs | " + " | ".join(f"{level:g}" for level in levels) + " |", "|---" * 8 + "|"]
    for name, table in found.items():
        cells = [cell(one) for one in means(table, measure).itertuples()]
        rows.append(f"| {name}, {table['run'].nunique()} | " + " | ".join(cells) + " |")
    return rows


def draw(found: dict[str, pd.DataFrame], file: Path) -> None:
    """Figure 2: each measure over the levels, means with 95 % intervals."""
    from matplotlib import pyplot as plt

    from agbench.plotting import SERIES, named, save, tidy

    figure, axes = plt.subplots(1, len(MEASURES), figsize=(10.5, 3.6), layout="constrained")
    for axis, (measure, title) in zip(axes, MEASURES.items(), strict=True):
        for colour, (name, table) in zip(SERIES, found.items(), strict=False):
            line = means(table, measure)
            axis.plot(line.index, line["value"], marker="o", markersize=3, color=colour, label=name)
            axis.fill_between(line.index, line["low"], line["high"], color=colour, alpha=0.25, linewidth=0)
        axis.set_xlabel("level of uncertainty", fontsize=8)
        axis.set_ylabel(named([title], "EUR m-2"), fontsize=8)
        tidy(axis)
    axes[1].axhline(0.0, color="black", linewidth=0.8)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(found), fontsize=8, frameon=False)
    file.parent.mkdir(parents=True, exist_ok=True)
    save(figure, file, dpi=110)
    plt.close(figure)


def tables(runs: Path, figures: Path) -> None:
    """Print the tables of what was played and what trainings took; draw the figure."""
    found = results(runs)
    for measure, title in MEASURES.items():
        print(f"\n{title} [EUR m-2]\n\n" + "\n".join(lines(found, measure)))
    for algo in LEARNERS:
        if (trained(runs, algo) / RECORD).is_file():
            made = yaml.safe_load((trained(runs, algo) / RECORD).read_text("utf-8"))
            curve = ", ".join(f"{mark['steps']:,}: {mark['objective']:.2f}" for mark in made["curve"])
            print(f"\n{algo}: {made['steps_made']:,} steps, {made['cpu_seconds']:,.0f} CPU s; {curve}")
    draw(found, figures / "greenlight-gym.png")


def main() -> None:
    """Train, run, or print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("train", "run", "tables"))
    parser.add_argument("name", nargs="?", choices=tuple(RUNS))
    parser.add_argument("--runs", type=Path, default=Path("runs/greenlight-gym"))
    parser.add_argument("--figures", type=Path, default=HERE.parents[1] / "figures")
    chosen = parser.parse_args()
    if chosen.what == "tables":
        return tables(chosen.runs, chosen.figures)
    for name in RUNS if chosen.name is None else [chosen.name]:
        if chosen.what == "run":
            run_policy(chosen.runs, name)
        elif name in LEARNERS:
            train(chosen.runs, name)
    return None


if __name__ == "__main__":
    main()
