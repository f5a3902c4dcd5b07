"""Write docs/tasks, a page a task and a list of all: python docs/studies/task_pages.py [TASK ...].

A page is made from the task's file, its anchors and the results of its references (which `agbench anchors
TASK` keeps, and the first rows of the board hold), and shows a test season under the expert.
"""

import argparse
from pathlib import Path
from typing import Final

import task_learned
import task_pictures
import task_standing
from task_standing import Standing, amount, points, standing
from task_words import (
    actions,
    decision,
    drawn,
    episode,
    model,
    observations,
    prose,
    reward,
    splits,
    table,
    world,
)

from agbench.data import catalog
from agbench.data.suites import suites
from agbench.data.task import Task
from agbench.envs.family import build
from agbench.errors import AgBenchError
from agbench.evaluation import references
from agbench.files import write_text

FOLDER: Final = Path(__file__).parents[1] / "tasks"
PICTURES: Final = "pictures"
_SCORE: Final = (
    "Points are those of the [score](../scoring.md): 0 is the floor, 100 the oracle on `test`. In brackets "
    "are 95 % intervals over seasons; differences are paired, season by season."
)


def page(task: Task, stands: dict[str, Standing], pictured: bool, play: bool = False) -> str:
    """Return the page of a task, with what its references reach by split."""
    parts = build(task, "test")
    lines = [f"# {task.task}", "", task.summary, "", *_head(task), ""]
    for heading, text in (("What makes it hard", task.hard), ("What was simplified", task.simplified)):
        if text:
            lines += [f"## {heading}", "", text, ""]
    lines += ["## Episode", "", episode(task), "", *world(task), *drawn(task), ""]
    lines += ["## Actions", "", *actions(task, parts), "", *_doses(task)]
    lines += ["## Observation", "", *observations(task, parts), ""]
    lines += ["## Reward", "", *reward(task), ""]
    lines += ["## Splits", "", *splits(task), ""]
    lines += ["## References", "", *figures(task, stands), ""]
    lines += ["## Metrics", "", *task_standing.metrics(task), ""]
    if "test" in stands:
        lines += [*task_standing.reached(task, play), ""]
    if pictured:
        lines += ["## A season", "", f"A test season under the expert, `{task.references.expert}`.", ""]
        lines += [f"![A test season under the expert]({PICTURES}/{task.task}.png)", ""]
    lines += task_learned.learned(task.task)
    lines += ["## Play it", "", "```", f"agbench show {task.task}"]
    lines += [f"agbench evaluate {task.task} -p {task.references.expert}", "```"]
    return prose(lines)


def _head(task: Task) -> list[str]:
    own = {name: one for name, one in suites().items() if task.task in one.ids}
    within = [f"[{name}](README.md#{one.title.lower()})" for name, one in own.items()]
    return [
        f"- Suites: {', '.join(within) or 'none'}",
        f"- Decision: {decision(task)}",
        f"- Source: {task.source}",
        f"- File: [tasks/{task.task}.yaml](../../tasks/{task.task}.yaml)",
    ]


def _doses(task: Task) -> list[str]:
    """Return which share of fertiliser and irrigation reaches the soil."""
    action = task.content()["action"]
    given = (("recovery", "fertiliser", "NPK"), ("efficiency", "irrigation", ("IRRIG",)))
    shares = [
        f"{action[key]:.0%} of {what}"
        for key, what, names in given
        if key in action and any(name in action["doses"] for name in names)
    ]
    return [f"Reaches the soil: {', '.join(shares)}.", ""] if shares else []


def figures(task: Task, stands: dict[str, Standing]) -> list[str]:
    """Return what the references reach on each split that is anchored, or that they have no anchors yet."""
    policies = [(role, references.policy_name(task, role)) for role in references.ROLES]
    if not stands:
        named = ", ".join(f"{task_standing.NAMES[role]} `{name}`" for role, name in policies if name)
        return [f"No anchors yet: `agbench anchors {task.task}` makes them. References: {named}."]
    lines = [_SCORE, ""]
    for split, of in stands.items():
        lines += [f"### On `{split}`, {of.seasons} seasons", "", *task_standing.described(of), ""]
    return lines


def index() -> str:
    """Return the list of all tasks by suite."""
    lines = [
        "# Tasks",
        "",
        "Each task has a page. " + _SCORE,
        "",
        "- *blind*: the best calendar that observes nothing",
        "- *headroom*: the oracle's points less the expert's",
        "- *half width*: half of the interval of the expert's points on `test`",
    ]
    named = {name for suite in suites().values() for name in suite.ids}
    groups = [(suite.title, suite.summary, suite.ids) for suite in suites().values()]
    rest = [name for name in catalog.names("task") if name not in named]
    groups += [("Others", "In no suite.", rest)] if rest else []
    for title, summary, names in groups:
        lines += [
            "",
            f"## {title}",
            "",
            summary,
            "",
            *table(_HEAD, [_row(catalog.task(name)) for name in names]),
        ]
    return prose(lines)


_HEAD: Final = (
    *("task", "decision", "model", "test seasons", "unit", "floor", "blind", "expert", "expert's points"),
    *("oracle", "headroom", "half width"),
)


def _row(task: Task) -> list[str]:
    of = standing(task, "test")
    cells = [f"[{task.task}]({task.task}.md)", decision(task), model(task), str(len(task.scenarios("test")))]
    cells.append(task.protocol.objective_unit)
    if of is None:
        return [*cells, *"–" * 7]
    means = {role: amount(of.mean(role)).partition(" ")[0] for role in of.values}
    room = of.score("oracle", "expert") if "oracle" in of.values else None
    cells += [means["floor"], means.get("blind", "–"), means["expert"], points(of.score("expert"))]
    cells += [means.get("oracle", "–"), "–" if room is None else f"{room.value:.0f}"]
    return [*cells, "–" if of.half_width is None else f"{of.half_width:.0f}"]


def make(name: str, folder: Path, picture: bool, play: bool) -> None:
    """Write the page of a task, and draw its picture if it is wanted."""
    task = catalog.task(name)
    stands = {
        s: of for s in references.REPORTED if s in task.splits and (of := standing(task, s)) is not None
    }
    target = folder / PICTURES / f"{name}.png"
    if picture:
        task_pictures.draw(task, task_pictures.season(task, stands.get("test")), target)
    write_text(folder / f"{name}.md", page(task, stands, target.exists(), play))


def main() -> None:
    """Write the pages of the tasks that are named, or of all, and the list."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="ids, such as wheat-inputs-v1; else all")
    parser.add_argument("--to", type=Path, default=FOLDER, metavar="DIR", help="instead of docs/tasks")
    parser.add_argument("--no-pictures", action="store_true", help="leave the pictures as they are")
    parser.add_argument(
        "--play", action="store_true", help="evaluate floor, calendar and expert where no result is kept"
    )
    chosen = parser.parse_args()
    for name in chosen.tasks or catalog.names("task"):
        make(name, chosen.to, not chosen.no_pictures, chosen.play)
        print(name, flush=True)
    write_text(chosen.to / "README.md", index())


if __name__ == "__main__":
    try:
        main()
    except AgBenchError as error:
        raise SystemExit(f"error: {error}") from None
