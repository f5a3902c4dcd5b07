"""The trained agents of docs/learned-agents.md: their trainings, its tables, its learning curves.

    python docs/studies/learned_agents.py train [TASK [ALGO]]     trains what is missing, one after another
    python docs/studies/learned_agents.py tables [TASK]           prints the tables, draws the curves
    python docs/studies/learned_agents.py overview                prints a line a learned row of the board

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
    "wheat-inputs-v1": ("ppo", "dqn", "ppo-100k"),
    "jujube-orchard-v1": ("ppo", "dqn"),
    "maize-inputs-v1": ("ppo", "dqn", "ppo-100k"),
    "wheat-maize-rotation-v1": ("ppo", "dqn", "ppo-100k"),
    "wheat-layered-v1": ("ppo", "dqn", "ppo-100k"),
    "potato-runoff-v1": ("ppo-lagrangian", "ppo-lagrangian-100k", "dqn"),
    "potato-runoff-no-rain-v1": ("ppo-lagrangian", "ppo-lagrangian-100k"),
    "potato-runoff-no-total-v1": ("ppo-lagrangian", "ppo-lagrangian-100k"),
    "potato-runoff-no-rain-no-total-v1": ("ppo-lagrangian", "ppo-lagrangian-100k"),
    "pear-orchard-v1": ("ppo", "ppo-100k", "dqn"),
    "sunflower-farm-v1": ("ppo", "dqn", "ppo-100k"),
    "sunflower-farm-fields-v1": ("ppo", "ppo-100k"),
    "wheat-limits-v1": ("ppo-lagrangian", "ppo-lagrangian-100k", "dqn"),
    "wheat-planting-v1": ("dqn", "dqn-100k", "ppo"),
    "greenhouse-tomato-v1": ("ppo", "sac"),
    "greenhouse-setpoint-continuous-v1": ("ppo", "ppo-lagrangian", "sac"),
    "greenhouse-tomato-uncertain-v1": ("ppo-lagrangian", "sac"),
    "greenhouse-winter-v1": ("ppo-lagrangian",),
}
APART: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "wheat-nitrogen-v1": (("dqn",),),
    "wheat-inputs-v1": (("dqn",), ("gail", "airl")),
    "jujube-orchard-v1": (("dqn",),),
    "maize-inputs-v1": (("dqn", "ppo-100k"),),
    "wheat-maize-rotation-v1": (("dqn", "ppo-100k"),),
    "pear-orchard-v1": (("dqn",),),
    "potato-runoff-v1": (("dqn",),),
    "greenhouse-setpoint-continuous-v1": (("ppo-lagrangian",), ("sac",)),
    "greenhouse-tomato-v1": (("sac",),),
    "greenhouse-tomato-uncertain-v1": (("sac",),),
    "wheat-planting-v1": (("dqn-100k",), ("ppo",)),
}
"""Those that were trained later than the others of their task, in figures that the first of each names."""
IMITATORS: Final[dict[str, tuple[str, ...]]] = {
    "wheat-nitrogen-v1": ("bc", "gail", "airl"),
    "wheat-inputs-v1": ("bc", "gail", "airl"),
}
TEACHERS: Final = {"wheat-nitrogen-v1": "advisor", "wheat-inputs-v1": "advisor-narrow"}
"""Whom imitators are shown: the experts, of the second as it was before its grids were widened."""
FEW: Final = {
    "steps": 100_000,
    "envs": 20,
    "settings.n_steps": 50,  # an update follows 1,000 steps
    "settings.batch_size": 100,
    "settings.ent_coef": 0.003,
    "validation.every": 20_000,
}
BUDGETED: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "ppo-100k": ("ppo", FEW),
    "ppo-lagrangian-100k": ("ppo-lagrangian", FEW),
    "dqn-100k": ("dqn", {"steps": FEW["steps"], "validation.every": FEW["validation.every"]}),
}
"""Agents of the track `budgeted`: algorithm, and what differs from the task's own settings of it."""
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
            algorithm, changes = BUDGETED.get(algo, (algo, {}))
            demos = TEACHERS[task] if algo in IMITATORS.get(task, ()) else None
            run(task, algorithm, None, seed, out, changes, demos=demos)
            print(f"{out.name}: done", flush=True)


def records(runs: Path, task: str, algo: str) -> list[dict[str, Any]]:
    """Return what is recorded of the trainings that are finished."""
    files = [folder(runs, task, algo, seed) / RECORD for seed in SEEDS]
    return [yaml.safe_load(file.read_text("utf-8")) for file in files if file.is_file()]


def results(runs: Path, task: str, algo: str) -> list[Result]:
    """Return the results on test of the trainings that are finished."""
    folders = [folder(runs, task, algo, seed) for seed in SEEDS]
    return [Result.load(f / RESULT) for f in folders if (f / RECORD).is_file()]


def text(value: Interval, digits: int = 1) -> str:
    """Return a number with its interval."""
    return f"{value.value:.{digits}f} [{value.low:.{digits}f}, {value.high:.{digits}f}]"


def beyond(task: Task, played: Sequence[Result]) -> str:
    """Return what is said of agents that break the task's limit, empty where they keep it."""
    cost = np.mean([result.by_scenario("cost") for result in played])
    limit = anchors.of_split(task, "test").limit
    return "" if cost <= limit + 1e-9 else f", infeasible: {cost:.1f} of {limit:.1f}"


def row(task: Task, algo: str, played: Sequence[Result], made: Sequence[dict[str, Any]]) -> str:
    """Return an algorithm's row: means over seeds and scenarios, paired with the expert."""
    values = np.array([result.objective for result in played])
    score, by_seed, better, margin = against_expert(task, values)
    score += beyond(task, played)
    seconds = np.mean([record["cpu_seconds"] for record in made])
    return (
        f"| `{algo}` | {len(made)} | {made[0]['steps_made']:,} | {seconds:.0f} | {values.mean():,.1f} | "
        f"{score} | {by_seed} | {text(margin)} | {better:.2f} |"
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
            rows.append(row(task, algo, results(runs, name, algo), made))
    return rows


def against_expert(task: Task, values: np.ndarray) -> tuple[str, str, float, Interval]:
    """Return score, scores of each seed, probability and margin over the expert, of objectives on test."""
    known = anchors.of_split(task, "test")
    resamples = task.protocol.bootstrap

    def runs_of(objective: np.ndarray, stream: int) -> paired.Runs:
        points = known.scores(objective)
        return paired.runs(points, resamples, aggregates.mean, task.protocol.seed, stream)

    own, expert = runs_of(values, 1), runs_of(known.expert[None], 2)
    versus = paired.compare(own, expert, resamples, task.protocol.seed)
    by_seed = " ".join(f"{score:.1f}" for score in sorted(known.scores(values).mean(axis=1)))
    return text(own.interval), by_seed, versus.improvement.value, versus.difference


def in_round(board: Path, name: str, agent: str) -> str:
    """Return number, score and margin over the expert of the last round that ran an agent."""
    files = sorted((board / "rounds" / name).glob("*.yaml"), key=lambda file: int(file.stem), reverse=True)
    for file in files:
        said = yaml.safe_load(file.read_text("utf-8"))
        for one in said["rows"]:
            if one["agent"] == agent and "details" in one:
                margin = Interval(*one["details"]["less_expert"])
                return f"{said['round']}: {one['score'][0]:.1f}, {text(margin)}"
    return ""


def overview(board: Path) -> list[str]:
    """Return a line in Markdown for each learned row of the board."""
    head = "| task | agent | score [95 %] | expert | less expert [95 %] | round: score, less expert |"
    rows = [head, "|---" * 6 + "|"]
    for name in AGENTS:
        task, first = catalog.task(name), name
        expert = anchors.of_split(task, "test").scores(anchors.of_split(task, "test").expert).mean()
        for card in sorted((board / "submissions" / name).glob("*/*/submission.yaml")):
            said = yaml.safe_load(card.read_text("utf-8"))
            if said["method"] not in ("rl", "il", "offline-rl"):
                continue
            seeds = [card.parent / "test" / f"seed-{seed}" for seed in said["training"]["seeds"]]
            played = [Result.load(seed) for seed in seeds]
            score, _, _, margin = against_expert(task, np.array([result.objective for result in played]))
            score += beyond(task, played)
            first_cell = f"`{first}`" if first else ""
            start = f"| {first_cell} | `{said['agent']}` | {score} | {expert:.1f} | {text(margin)} | "
            rows.append(f"{start}{in_round(board, name, said['agent'])} |")
            first = ""
    return rows


def on_validation(task: Task, role: str) -> float:
    """Return what a reference reaches on validation: the line that a learning curve is held against."""
    return float(evaluate(task, policy_name(task, role), "validation", progress=False).objective.mean())


def curves(runs: Path, name: str, figures: Path, algos: Sequence[str], ending: str = "") -> Path:
    """Draw the learning curves of a task: mean of the seeds, and the range between them.

    Imitators count batches, or steps of environments: their curves are over a training's share.
    """
    from matplotlib import pyplot as plt
    from matplotlib import ticker

    task, shares = catalog.task(name), ending == "-imitators"
    figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
    tops, ends = [], []
    for algo in algos:
        found = records(runs, name, algo)
        if not found:
            continue
        made = [record["curve"] for record in found]
        marks = min(map(len, made))  # those that stopped early end the curve
        whole = found[0]["steps_made"] / 100.0 if shares else 1.0
        steps = [mark["steps"] / whole for mark in made[0][:marks]]
        reached = np.array([[mark["objective"] for mark in curve[:marks]] for curve in made])
        tops.append(reached.max())
        ends.append(reached.mean(axis=0)[marks // 2 :].min())
        unit = "steps" if "envs" in found[0] and found[0]["envs"] else "batches"
        of = f"{found[0]['steps_made']:,} {unit}, " if shares else ""
        seeds = f"mean of {len(made)} seeds" if len(made) > 1 else "one seed"
        (line,) = axis.plot(steps, reached.mean(axis=0), label=f"{algo}, {of}{seeds}")
        axis.fill_between(steps, reached.min(axis=0), reached.max(axis=0), alpha=0.25, color=line.get_color())
    marks_of = {role: on_validation(task, role) for role in ("expert", "floor")}
    for (role, value), style in zip(marks_of.items(), ("--", ":"), strict=True):
        axis.axhline(value, color="0.3", linestyle=style, linewidth=1, label=role)
    gain = marks_of["expert"] - marks_of["floor"]
    highest = max(marks_of["expert"], *tops)
    # Agents that begin far below would hide how they end.
    axis.set_ylim(min(marks_of["floor"], *ends) - 0.25 * gain, highest + 0.1 * gain)
    axis.xaxis.set_major_formatter(ticker.PercentFormatter() if shares else ticker.EngFormatter())
    steps_are = "share of the training" if shares else "environment steps"
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
    parser.add_argument("what", choices=("train", "tables", "overview"))
    parser.add_argument("task", nargs="?", choices=[*AGENTS, None])
    parser.add_argument("algo", nargs="?")
    parser.add_argument("--runs", type=Path, default=Path("runs/learned"))
    parser.add_argument("--board", type=Path, default=Path("leaderboard"))
    parser.add_argument("--figures", type=Path, default=FIGURES)
    chosen = parser.parse_args()
    if chosen.what == "overview":
        print("\n".join(overview(chosen.board)))
        return
    for name in [chosen.task] if chosen.task else AGENTS:
        if chosen.what == "train":
            for algo in [chosen.algo] if chosen.algo else (*AGENTS[name], *IMITATORS.get(name, ())):
                train(chosen.runs, name, algo)
            continue
        apart = APART.get(name, ())
        groups = {"": AGENTS[name], "-imitators": IMITATORS.get(name, ())}
        elsewhere = {algo for group in apart for algo in group}
        groups = {end: tuple(a for a in algos if a not in elsewhere) for end, algos in groups.items()}
        groups |= {f"-{group[0]}": group for group in apart}
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
