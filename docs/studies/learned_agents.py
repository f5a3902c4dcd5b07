"""The trained agents of docs/learned-agents.md: their trainings, its tables, its learning curves.

    python docs/studies/learned_agents.py train [TASK [ALGO]]     trains what is missing, one after another
    python docs/studies/learned_agents.py tables [TASK]           prints the tables, draws the curves

Agents are kept in runs/learned/TASK-ALGO-SEED (`--runs`). A training that was cut off goes on.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from agbench.data import catalog
from agbench.data.task import Task
from agbench.evaluation import Result, aggregates, anchors, evaluate, paired
from agbench.evaluation.references import policy_name
from agbench.evaluation.statistics import Interval
from agbench.training.run import RECORD, RESULT, run

AGENTS: Final[dict[str, tuple[str, ...]]] = {
    "wheat-nitrogen-v1": ("ppo", "dqn"),
    "wheat-inputs-v1": ("ppo", "dqn"),
    "jujube-orchard-v1": ("ppo", "dqn"),
    "greenhouse-tomato-v1": ("ppo", "sac"),
}
SEEDS: Final = range(5)
FIGURES: Final = Path(__file__).parents[1] / "figures"


def folder(runs: Path, task: str, algo: str, seed: int) -> Path:
    """Return the folder of a training."""
    return runs / f"{task}-{algo}-{seed}"


def train(runs: Path, task: str, algo: str) -> None:
    """Train the seeds that are not there."""
    for seed in SEEDS:
        out = folder(runs, task, algo, seed)
        if not (out / RECORD).is_file():
            run(task, algo, None, seed, out)
            print(f"{out.name}: done", flush=True)


def records(runs: Path, task: str, algo: str) -> list[dict[str, Any]]:
    """Return what is recorded of the trainings that are finished."""
    files = [folder(runs, task, algo, seed) / RECORD for seed in SEEDS]
    return [yaml.safe_load(file.read_text("utf-8")) for file in files if file.is_file()]


def objectives(runs: Path, task: str, algo: str) -> np.ndarray:
    """Return the objective on test, (seeds, scenarios)."""
    folders = [folder(runs, task, algo, seed) for seed in SEEDS]
    return np.array([Result.load(f / RESULT).objective for f in folders if (f / RECORD).is_file()])


def text(value: Interval, digits: int = 1) -> str:
    """Return a number with its interval."""
    return f"{value.value:.{digits}f} [{value.low:.{digits}f}, {value.high:.{digits}f}]"


def row(task: Task, algo: str, values: np.ndarray, made: Sequence[dict[str, Any]]) -> str:
    """Return an algorithm's row: means over seeds and scenarios, paired with the expert."""
    known = anchors.of_split(task, "test")
    resamples = task.protocol.bootstrap

    def runs_of(objective: np.ndarray, stream: int) -> paired.Runs:
        points = known.scores(objective)
        return paired.runs(points, resamples, aggregates.mean, task.protocol.seed, stream)

    own, expert = runs_of(values, 1), runs_of(known.expert[None], 2)
    versus = paired.compare(own, expert, resamples, task.protocol.seed)
    by_seed = " ".join(f"{score:.1f}" for score in sorted(known.scores(values).mean(axis=1)))
    seconds = np.mean([record["cpu_seconds"] for record in made])
    return (
        f"| `{algo}` | {len(made)} | {made[0]['steps_made']:,} | {seconds:.0f} | {values.mean():,.1f} | "
        f"{text(own.interval)} | {by_seed} | {text(versus.difference)} | {versus.improvement.value:.2f} |"
    )


def table(runs: Path, name: str) -> list[str]:
    """Return a task's table in Markdown, its references first."""
    task, known = catalog.task(name), anchors.of_split(catalog.task(name), "test")
    head = f"| agent | seeds | steps | CPU s | {task.protocol.objective_unit} | score [95 %] | of each seed |"
    rows = [head + " less expert [95 %] | P(>) |", "|---" * 9 + "|"]
    marks = {"blind": known.blind, "expert": known.expert, "oracle": known.oracle}
    for role, values in marks.items():
        if values is not None:
            score = known.scores(values).mean()
            rows.append(
                f"| {role}: {policy_name(task, role)} | | | | {values.mean():,.1f} | {score:.1f} | | | |"
            )
    for algo in AGENTS[name]:
        if made := records(runs, name, algo):
            rows.append(row(task, algo, objectives(runs, name, algo), made))
    return rows


def on_validation(task: Task, role: str) -> float:
    """Return what a reference reaches on validation: the line that a learning curve is held against."""
    return float(evaluate(task, policy_name(task, role), "validation", progress=False).objective.mean())


def curves(runs: Path, name: str, figures: Path) -> Path:
    """Draw the learning curves of a task: mean of the seeds, and the range between them."""
    from matplotlib import pyplot as plt
    from matplotlib import ticker

    task = catalog.task(name)
    figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for algo in AGENTS[name]:
        made = [record["curve"] for record in records(runs, name, algo)]
        if not made:
            continue
        marks = min(map(len, made))  # those that stopped early end the curve
        steps = [mark["steps"] for mark in made[0][:marks]]
        reached = np.array([[mark["objective"] for mark in curve[:marks]] for curve in made])
        (line,) = axis.plot(steps, reached.mean(axis=0), label=f"{algo}, mean of {len(made)} seeds")
        axis.fill_between(steps, reached.min(axis=0), reached.max(axis=0), alpha=0.25, color=line.get_color())
    marks_of = {role: on_validation(task, role) for role in ("expert", "floor")}
    for (role, value), style in zip(marks_of.items(), ("--", ":"), strict=True):
        axis.axhline(value, color="0.3", linestyle=style, linewidth=1, label=role)
    lowest = marks_of["floor"] - 0.25 * (marks_of["expert"] - marks_of["floor"])
    axis.set_ylim(bottom=lowest)  # agents that begin far below would hide how they end
    axis.xaxis.set_major_formatter(ticker.EngFormatter())
    axis.set(xlabel="environment steps", ylabel=f"validation, {task.protocol.objective_unit}", title=name)
    axis.legend(fontsize="small")
    figures.mkdir(parents=True, exist_ok=True)
    path = figures / f"learned-{name}.png"
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def main() -> None:
    """Train, or print the tables and draw the curves."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("train", "tables"))
    parser.add_argument("task", nargs="?", choices=[*AGENTS, None])
    parser.add_argument("algo", nargs="?")
    parser.add_argument("--runs", type=Path, default=Path("runs/learned"))
    parser.add_argument("--figures", type=Path, default=FIGURES)
    chosen = parser.parse_args()
    for name in [chosen.task] if chosen.task else AGENTS:
        if chosen.what == "train":
            for algo in [chosen.algo] if chosen.algo else AGENTS[name]:
                train(chosen.runs, name, algo)
        elif any(records(chosen.runs, name, algo) for algo in AGENTS[name]):
            print(f"\n{name}\n\n" + "\n".join(table(chosen.runs, name)))
            print(f"\n{curves(chosen.runs, name, chosen.figures)}")


if __name__ == "__main__":
    main()
