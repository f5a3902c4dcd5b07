"""The experiments of Solow et al. (2025), WOFOSTGym: numbers and figures beside the paper's.

    python docs/studies/wofostgym/study.py train [ITEM]     items: fig2, jujube, recurrent, fig3, fig4,
    python docs/studies/wofostgym/study.py tables [ITEM]                   places, table3, fig5

Tasks and settings are in tasks/ and baselines/ beside this file. Agents are kept in runs/wofostgym/; a
training that was cut off goes on. One seed of each, as in the paper; docs/replications.md says what differs.
"""

import argparse
import os
from pathlib import Path
from typing import Any, Final, NamedTuple

HERE = Path(__file__).parent
os.environ["AGBENCH_PATH"] = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("AGBENCH_PATH")])])

import numpy as np  # noqa: E402
import yaml  # noqa: E402

import agbench  # noqa: E402
from agbench.data import catalog  # noqa: E402
from agbench.data.overrides import override  # noqa: E402
from agbench.evaluation import Result  # noqa: E402
from agbench.policies.registry import load_policy  # noqa: E402
from agbench.training.run import RECORD, RESULT, run  # noqa: E402

SEED: Final = 0
DEMONSTRATIONS: Final = 100  # seasons, as in the paper


class Row(NamedTuple):
    """A row of an item's table: a task, what plays it, and the paper's number.

    `algo` names an algorithm that is trained; `policy` a policy that is not. `expert` is the algorithm whose
    agent an imitator learns from. `overrides` change the task for an evaluation. `steps` of a training are
    otherwise 1,000,000, and an imitator's as its file says.
    """

    task: str
    algo: str = ""
    paper: str = ""
    policy: str = ""
    expert: str = ""
    overrides: dict[str, Any] | None = None
    steps: int = 1_000_000


WHEAT, PEAR, LIMITS = "wofostgym-fig2-wheat-v1", "wofostgym-pear-limits-v1", "wofostgym-table3-wheat-v1"
POTATO, FARM = "wofostgym-fig4-potato", "wofostgym-sunflower-farm-v1"
JUJUBE, FIELDS = "wofostgym-fig2-jujube-v1", "wofostgym-sunflower-farm-fields-v1"
VIEWS: Final = ("", "-no-rain", "-no-total", "-no-rain-no-total")
PLACES: Final = ("belgium", "quebec", "oregon", "vermont", "rhone")
"""Shipped points of Figure 4: (50, 5), (50, -72), (44, -123), (44, -72) and, for (44, 5), (45, 5)."""
ITEMS: Final[dict[str, list[Row]]] = {
    "fig2": [
        Row(WHEAT, "ppo", "597,000"),
        Row(WHEAT, "dqn", "600,000"),
        Row(WHEAT, policy="zero", paper="725,497, potential", overrides={"simulator.limitation": "pp"}),
        Row(WHEAT, policy="biweekly-nitrogen-and-water", paper="141,584"),
        Row(WHEAT, policy="monthly-water", paper="130,114"),
        Row(WHEAT, policy="zero"),
    ],
    "jujube": [
        Row(JUJUBE, "ppo", "24,400", steps=2_000_000),
        Row(JUJUBE, "dqn", "20,100", steps=500_000),
        Row(JUJUBE, policy="zero", paper="1,586,094, potential", overrides={"simulator.limitation": "pp"}),
        Row(JUJUBE, policy="biweekly-nitrogen-and-water", paper="53,314"),
        Row(JUJUBE, policy="monthly-water", paper="46,941"),
        Row(JUJUBE, policy="zero"),
    ],
    "recurrent": [Row(WHEAT, "recurrent-ppo", steps=100_000), Row(JUJUBE, "recurrent-ppo", steps=100_000)],
    "fig3": [
        Row(PEAR, "ppo", "6,941"),
        Row(PEAR, "dqn", "3,565"),
        Row(PEAR, policy="thresholds"),
        Row(PEAR, policy="zero"),
    ],
    "fig4": [
        Row(f"{POTATO}-v1", "ppo", "94,000"),
        Row(f"{POTATO}-no-rain-v1", "ppo", "93,300"),
        Row(f"{POTATO}-no-total-v1", "ppo", "100,200"),
        Row(f"{POTATO}-no-rain-no-total-v1", "ppo", "87,500"),
        Row(f"{POTATO}-v1", policy="zero"),
    ],
    "places": [
        Row(f"{POTATO}{view}-v1", "ppo", overrides={"simulator.site": place})
        for place in PLACES
        for view in VIEWS
    ],
    "table3": [
        Row(LIMITS, "ppo", "3,200"),
        Row(LIMITS, "dqn", "4,500"),
        Row(LIMITS, "bc", "3,163", expert="ppo"),
        Row(LIMITS, "gail", "3,373", expert="ppo"),
        Row(LIMITS, "airl", expert="ppo"),
        Row(LIMITS, policy="zero"),
    ],
    "fig5": [
        Row(FARM, "ppo", "48,000 to 51,000"),
        Row(FARM, "dqn", "32,000"),
        Row(FARM, policy="feeding"),
        Row(FIELDS, "ppo"),
        Row(FIELDS, policy="feeding"),
    ],
}
IMITATORS: Final = ("bc", "gail", "airl")


def folder(runs: Path, row: Row) -> Path:
    """Return the folder of a training."""
    return runs / f"{row.task}-{row.algo}"


def train(runs: Path, row: Row) -> None:
    """Train a row's agent if it is not there; an imitator's expert comes first."""
    out = folder(runs, row)
    if (out / RECORD).is_file():
        return
    demonstrator = folder(runs, row._replace(algo=row.expert)) / "policy.npz"
    given: dict[str, Any] = {"demos": demonstrator, "demo_episodes": DEMONSTRATIONS} if row.expert else {}
    run(row.task, row.algo, None if row.algo in IMITATORS else row.steps, SEED, out, **given)
    print(f"{out.name}: done", flush=True)


def played(runs: Path, row: Row) -> Result | None:
    """Return what a row reaches on test; None for an agent that is not trained."""
    out = folder(runs, row)
    if row.algo and not (out / RECORD).is_file():
        return None
    if row.algo and not row.overrides:
        return Result.load(out / RESULT)
    task = catalog.task(row.task)
    plays = load_policy(str(out / "policy.npz"), row.task) if row.algo else row.policy
    return agbench.evaluate(override(task, row.overrides) if row.overrides else task, plays, progress=False)


def record(runs: Path, row: Row) -> dict[str, Any]:
    """Return what is recorded of a training."""
    return yaml.safe_load((folder(runs, row) / RECORD).read_text("utf-8"))


def line(runs: Path, row: Row, result: Result) -> str:
    """Return a row of a table in Markdown."""
    values, seconds, last = result.objective, "", ""
    if row.algo:
        made = record(runs, row)
        marks = [mark["objective"] for mark in made["curve"]]
        seconds = f"{made['cpu_seconds']:,.0f}"
        last = f"{np.mean(marks[-max(1, len(marks) // 20) :]):,.0f}"
    name = f"`{row.algo}`" if row.algo else f"{row.policy}" + (", potential" if row.overrides else "")
    reached = f"{values.mean():,.0f} +- {values.std():,.0f}"
    task = row.task.removeprefix("wofostgym-")
    return f"| {task} | {name} | {last} | {reached} | {row.paper} | {seconds} |"


def places(runs: Path) -> None:
    """Print Figure 4's judgement elsewhere: means of yield, nitrogen lost and days with runoff."""
    print(
        "\nplaces\n\n| place | observed | yield, t ha-1 | N lost, kg ha-1 | days with runoff |\n"
        + "|---" * 5
        + "|"
    )
    for row in ITEMS["places"]:
        result = played(runs, row)
        if result is None or row.overrides is None:
            continue
        means = result.episodes[["yield", "violations", "violation_days"]].mean()
        view = row.task.removeprefix(POTATO).removesuffix("v1").strip("-") or "all"
        numbers = f"{means['yield']:.2f} | {means['violations']:.4f} | {means['violation_days']:.2f}"
        print(f"| {row.overrides['simulator.site']} | {view} | {numbers} |", flush=True)


def violations(result: Result) -> str:
    """Return the mean of days with runoff losses, where a task counts them."""
    columns = [name for name in ("violation_days", "violations") if name in result.episodes]
    return ", ".join(f"{name} {result.episodes[name].mean():.2f}" for name in columns)


def heat_map(result: Result, file: Path, title: str) -> None:
    """Figure 3: how often each choice is made at each decision, over the test seasons."""
    from matplotlib import pyplot as plt

    from agbench.envs.family import action_map

    actions = [np.ravel(taken).astype(int) for taken in result.actions]
    longest, choices = max(map(len, actions)), int(action_map(result.task).space.n)
    share = np.zeros((choices, longest))
    for taken in actions:
        share[taken, np.arange(len(taken))] += 1.0 / len(actions)
    figure, axis = plt.subplots(figsize=(8, 3.4), layout="constrained")
    picture = axis.imshow(share, aspect="auto", cmap="viridis", vmin=0.0, vmax=1.0, interpolation="nearest")
    axis.set(xlabel="decision", ylabel="choice: 0 nothing, then N, P, K, water", title=title)
    figure.colorbar(picture, label="share of seasons")
    figure.savefig(file, dpi=110)
    plt.close(figure)


def tables(runs: Path, figures: Path, item: str) -> None:
    """Print an item's table; draw the heat map of figure 3."""
    print(
        f"\n{item}\n\n| task | policy | last 5 % of validations | test, mean +- deviation | paper | CPU s |"
    )
    print("|---" * 6 + "|")
    counts = []
    for row in ITEMS[item]:
        result = played(runs, row)
        if result is None:
            continue
        print(line(runs, row, result), flush=True)
        if item == "fig4" and row.algo:
            counts.append(f"{row.task}: {violations(result)}")
        if item == "fig3" and row.algo == "ppo":
            figures.mkdir(parents=True, exist_ok=True)
            heat_map(result, figures / "wofostgym-pear-actions.png", "PPO in the pear orchard, test seasons")
    print("\n".join(counts))


def main() -> None:
    """Train, or print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("train", "tables"))
    parser.add_argument("item", nargs="?", choices=[*ITEMS, None])
    parser.add_argument("--runs", type=Path, default=Path("runs/wofostgym"))
    parser.add_argument("--figures", type=Path, default=HERE.parents[1] / "figures")
    chosen = parser.parse_args()
    for item in [chosen.item] if chosen.item else ITEMS:
        if chosen.what == "train":
            for row in ITEMS[item]:
                if row.algo:
                    train(chosen.runs, row)
        elif item == "places":
            places(chosen.runs)
        else:
            tables(chosen.runs, chosen.figures, item)


if __name__ == "__main__":
    main()
