"""What actions change in the tasks of crops: python docs/studies/crop_tasks.py [TASK ...].

For each task it prints a row in Markdown: the seasons played, at one site; the share of them in which the
crop ripens; the mean yield [t ha-1] with nothing, and with plenty of everything; in how many seasons plenty
yields less than a tenth more than nothing (those that no action changes); what nothing earns in the unit of
the task, mean ± standard deviation between seasons, and the best of 200 random blind calendars; what the
expert earns as it stands, and in how many seasons less than nothing does; and what it gives: N, P, K
[kg ha-1] and water [cm].
"""

import argparse
import copy
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import yaml

import agbench
from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.field_task import FieldTask
from agbench.data.task import Task
from agbench.envs.family import build
from agbench.evaluation.challenge import play
from agbench.policies.tuning.blind import calendars
from agbench.policies.tuning.search import number_of_decisions
from agbench.variables import Floats

_HEAD: Final = (
    *("task", "seasons", "ripe", "nothing", "plenty", "unchanged", "zero", "calendar", "expert", "losses"),
    *("N", "P", "K", "water"),
)
_PLENTY: Final = {"N": (60.0, "NAVAIL"), "P": (30.0, "PAVAIL"), "K": (90.0, "KAVAIL")}
_LITTLE_MORE: Final = 1.1
_CALENDARS: Final = 200


def plenty(task: FieldTask) -> dict[str, object]:
    """Return the settings of rules that let a crop lack nothing, whatever it costs."""

    def growing() -> dict[str, list[float]]:
        return {"DVS": [0.0, 1.9]}

    rules: list[dict[str, object]] = [
        {"input": "IRRIG", "amount": amount, "when": "SM", "below": moist, "within": growing()}
        for amount, moist in zip(task.action.doses["IRRIG"][:-3:-1], _moist(task.simulator.soil), strict=True)
    ]
    doses = {
        name: min(task.action.doses[name], key=lambda d: abs(d - most)) for name, (most, _) in _PLENTY.items()
    }
    rules += [
        {"input": name, "amount": doses[name], "when": seen, "below": doses[name] / 2.0, "within": growing()}
        for name, (_, seen) in _PLENTY.items()
    ]
    return {
        "policy": "rules",
        "summary": "Plenty of everything.",
        "source": "ours",
        "settings": {"rules": rules},
    }


def _moist(soil: str) -> tuple[float, float]:
    """Return the moistures at which two thirds, and one, of what plants can use are gone."""
    parameters = catalog.soil(soil).parameters
    wilting, capacity = (float(str(parameters[name]).split()[0]) for name in ("SMW", "SMFCF"))
    third = (capacity - wilting) / 3.0
    return wilting + third, wilting + 2.0 * third


def shown(name: str, split: str, seasons: int) -> FieldTask:
    """Return a task with the stage among its metrics and the first seasons of a split as `shown`."""
    content = copy.deepcopy(catalog.task(name).content())
    content["metrics"]["stage"] = {"state": "DVS", "unit": "-", "meaning": "development stage", "digits": 2}
    chosen = content["splits"][split]
    first = {**(chosen["parts"] or [chosen])[0], "sites": [], "site": content["simulator"]["site"]}
    content["splits"] = {"train": {"generated": [0, 0]}, "shown": first}
    task = read_task(content, name)
    assert isinstance(task, FieldTask)
    years = sorted({int(key.split("/")[1]) for key in task.scenarios("shown") if key.split("/")[1].isdigit()})
    if years and seasons < len(years):
        content["splits"]["shown"] = {**first, "years": years[:seasons], "leaving_out": []}
    return read_task(content, name)  # type: ignore[return-value]


def row(name: str, split: str, seasons: int) -> str:
    """Return the row of a task."""
    task = shown(name, split, seasons)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plenty.yaml"
        path.write_text(yaml.safe_dump(plenty(task)), encoding="utf-8")
        nothing, most, expert = (
            _played(task, policy) for policy in (task.references.floor, path, task.references.expert)
        )
    unchanged = most.by_scenario("yield") < _LITTLE_MORE * nothing.by_scenario("yield")
    losses = expert.objective < nothing.objective
    given = [expert.by_scenario(x).mean() for x in ("nitrogen", "phosphorus", "potassium", "water")]
    cells = [name, str(len(losses)), f"{(expert.by_scenario('stage') >= 2.0 - 1e-9).mean():.0%}"]
    cells += [f"{x.by_scenario('yield').mean():.2f}" for x in (nothing, most)]
    cells += [str(int(unchanged.sum()))]
    cells += [_spread(nothing.objective), f"{best_calendar(task):.0f}", _spread(expert.objective)]
    cells += [str(int(losses.sum())), *(f"{x:.0f}" for x in given)]
    return f"| {' | '.join(cells)} |"


def best_calendar(task: FieldTask) -> float:
    """Return what the best of random calendars, which observe nothing, earns in the mean of the seasons."""
    parts = build(task, "shown")
    drawn = calendars(parts, _CALENDARS, number_of_decisions(parts), np.random.default_rng(0))
    return float(play(parts, drawn).objective.mean(axis=1).max())


def _spread(values: Floats) -> str:
    return f"{values.mean():.0f} ± {values.std(ddof=1):.0f}"


def _played(task: Task, policy: str | Path) -> agbench.Result:
    return agbench.evaluate(task, policy, split="shown", progress=False)


def table(names: list[str], split: str, seasons: int) -> Iterator[str]:
    """Return the lines of the table."""
    yield f"| {' | '.join(_HEAD)} |"
    yield "|---" * len(_HEAD) + "|"
    for name in names:
        yield row(name, split, seasons)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="tasks of crops; else all of them")
    parser.add_argument("--split", default="test")
    parser.add_argument("--seasons", type=int, default=100, metavar="N", help="at most so many of the split")
    chosen = parser.parse_args()
    every = [name for name in catalog.names("task") if name.endswith("-inputs-v1")]
    for line in table(chosen.tasks or every, chosen.split, chosen.seasons):
        print(line, flush=True)
