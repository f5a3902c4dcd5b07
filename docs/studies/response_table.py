"""What every control and every input of every task moves: python docs/studies/response_table.py.

Fills the tables of `docs/responses.md` with the answers that `agbench.testing.check_response` checks. Takes
some two minutes of one core, and gives the same numbers each time.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from agbench.data import catalog
from agbench.data.farm_task import FarmTask
from agbench.data.field_task import FieldTask
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.task import Task
from agbench.envs.core import Parts
from agbench.envs.family import build
from agbench.envs.field import building as field
from agbench.envs.field import response as fields
from agbench.envs.greenhouse import response as greenhouses
from agbench.simulators.greenlight.metered import METERS
from agbench.simulators.greenlight.setpoints import SETPOINTS
from agbench.simulators.greenlight.variables import STATES

PAGE: Final = Path(__file__).parents[1] / "responses.md"
_UNITS: Final = {"growth": "mg m-2", "spent": "EUR m-2"}


def of_greenhouse(task: GreenhouseTask, parts: Parts) -> Iterator[str]:
    """Yield a row for each quantity of each control."""
    for one in greenhouses.responses(task, parts):
        moved = one.sign * (one.values[-1] - one.values[0]) > 0.0
        low, high = (one.values[end, one.strongest] for end in (0, -1))
        unit = SETPOINTS[one.name].unit if one.name in SETPOINTS else "-"
        yield (
            f"| {task.task} | {one.name} [{unit}] | {one.levels[0]:g} | {one.levels[-1]:g} "
            f"| {one.quantity} [{unit_of(one.quantity)}] | {'rises' if one.sign > 0 else 'falls'} "
            f"| {low:,.4g} | {high:,.4g} | {moved.sum()} of {len(moved)} |"
        )


def unit_of(quantity: str) -> str:
    """Return the unit of what a greenhouse's answer is about."""
    name = quantity.removesuffix(" at night")
    if name in _UNITS:
        return _UNITS[name]
    return METERS[name].unit if name in METERS else STATES[name].unit


def of_field(name: str, task: FieldTask, parts: Parts) -> Iterator[str]:
    """Yield a row for each input."""
    for one in fields.responses(task, parts):
        rise = one.rises
        costs = fields.paid(task, one)
        cost = "" if costs is None else f"{np.mean(costs[-1]):,.0f} {task.protocol.objective_unit}"
        variable = parts.make_simulator(1).variables[task.reward.variable]
        yield (
            f"| {name} | {one.name} | {', '.join(one.beside)} | {one.levels[-1]} "
            f"| {variable.name} [{variable.unit}] "
            f"| {rise.min():,.4g} to {rise.max():,.4g} | {one.answers.sum()} of {len(rise)} | {cost} |"
        )


def rows(name: str) -> Iterator[str]:
    """Yield the rows of a task; of a farm, those of each of its fields by itself."""
    task = catalog.task(name)
    if isinstance(task, FarmTask):
        for number, own in enumerate(task.field_names):
            spec = task.field(number)
            yield from of_field(f"{name}, {own}", spec, field.build(spec, "train"))
    elif isinstance(task, GreenhouseTask):
        yield from of_greenhouse(task, build(task, "train"))
    elif isinstance(task, FieldTask):
        yield from of_field(name, task, build(task, "train"))


def filled(page: str, title: str, lines: Sequence[str]) -> str:
    """Return a page with other rows in the table below a title."""
    before, below = page.split(f"\n## {title}\n")
    head, rule, rest = re.split(r"(?m)(^\|[-:|]+\|\n)", below, maxsplit=1)
    after = re.sub(r"\A(?:\|.*\n)*", "", rest)
    return f"{before}\n## {title}\n{head}{rule}" + "".join(f"{line}\n" for line in lines) + after


def main() -> None:
    """Write the page."""
    names = [entry.task for entry in catalog.tasks_of(Task)]
    indoors = [name for name in names if isinstance(catalog.task(name), GreenhouseTask)]
    page = PAGE.read_text("utf-8")
    for title, some in (("Greenhouses", indoors), ("Fields", [n for n in names if n not in indoors])):
        lines = [line for name in some for line in rows(name)]
        page = filled(page, title, lines)
        print(f"{title}: {len(lines)} rows of {len(some)} tasks")
    PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main()
