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
    "maize-inputs-v1": ("ppo",),
    "wheat-maize-rotation-v1": ("ppo",),
    "greenhouse-tomato-v1": ("ppo", "sac"),
    "greenhouse-setpoint-continuous-v1": ("ppo",),
}
IMITATORS: Final[dict[str, tuple[str, ...]]] = {
    "wheat-nitrogen-v1": ("bc", "gail", "airl"),
    "wheat-inputs-v1": ("bc", "gail", "airl"),
}
TEACHERS: Final = {"wheat-nitrogen-v1": "advisor", "wheat-inputs-v1": "advisor-narrow"}
"""Whom imitators are shown: the experts, of the second as it was before its grids were widened."""
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
            run(
                task, algo, None, seed, out, demos=TEACHERS[task] if algo in IMITATORS.get(task, ()) else None
            )
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
    for algo in (*AGENTS[name], *IMITATORS.get(name, ())):
        if made := records(runs, name, algo):
            rows.append(row(task, algo, objectives(runs, name, algo), made))
    return rows


def on_validation(task: Task, role: str) -> float:
    """Return what a reference reaches on validation: the line that a learning curve is held against."""
    return float(evaluate(task, policy_name(task, role), "validation", progress=False).objective.mean())


def curves(runs: Path, name: str, figures: Path, algos: Sequence[str], ending: str = "") -> Path:
    """Draw the learning curves of a task: mean of the seeds, and the range between them.

    Imitators (`ending`) count batches, or steps of environments: their curves are over a training's share.
    """
    from matplotlib import pyplot as plt
    from matplotlib import ticker

    task = catalog.task(name)
    figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
    tops = []
    for algo in algos:
        found = records(runs, name, algo)
        if not found:
            continue
        made = [record["curve"] for record in found]
        marks = min(map(len, made))  # those that stopped early end the curve
        whole = found[0]["steps_made"] / 100.0 if ending else 1.0
        steps = [mark["steps"] / whole for mark in made[0][:marks]]
        reached = np.array([[mark["objective"] for mark in curve[:marks]] for curve in made])
        tops.append(reached.max())
        unit = "steps" if "envs" in found[0] and found[0]["envs"] else "batches"
        of = f"{found[0]['steps_made']:,} {unit}, " if ending else ""
        seeds = f"mean of {len(made)} seeds" if len(made) > 1 else "one seed"
        (line,) = axis.plot(steps, reached.mean(axis=0), label=f"{algo}, {of}{seeds}")
        axis.fill_between(steps, reached.min(axis=0), reached.max(axis=0), alpha=0.25, color=line.get_color())
    marks_of = {role: on_validation(task, role) for role in ("expert", "floor")}
    for (role, value), style in zip(marks_of.items(), ("--", ":"), strict=True):
        axis.axhline(value, color="0.3", linestyle=style, linewidth=1, label=role)
    gain = marks_of["expert"] - marks_of["floor"]
    highest = max(marks_of["expert"], *tops)
    # Agents that begin far below would hide how they end.
    axis.set_ylim(marks_of["floor"] - 0.25 * gain, highest + 0.1 * gain)
    axis.xaxis.set_major_formatter(ticker.PercentFormatter() if ending else ticker.EngFormatter())
    steps_are = "share of the training" if ending else "environment steps"
    axis.set(xlabel=steps_are, ylabel=f"validation, {task.protocol.objective_unit}", title=name)
    figure.legend(loc="outside lower center", ncols=2, fontsize="small")  # never over a curve
    figures.mkdir(parents=True, exist_ok=True)
    path = figures / f"learned-{name}{ending}.png"
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
            for algo in [chosen.algo] if chosen.algo else (*AGENTS[name], *IMITATORS.get(name, ())):
                train(chosen.runs, name, algo)
            continue
        groups = {"": AGENTS[name], "-imitators": IMITATORS.get(name, ())}
        there = {
            ending: algos
            for ending, algos in groups.items()
            if any(records(chosen.runs, name, algo) for algo in algos)
        }
        if there:
            print(f"\n{name}\n\n" + "\n".join(table(chosen.runs, name)))
        for ending, algos in there.items():
            print(f"\n{curves(chosen.runs, name, chosen.figures, algos, ending)}")


if __name__ == "__main__":
    main()
