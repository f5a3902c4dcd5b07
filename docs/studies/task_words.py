"""What a task is, in Markdown: its actions, observations, reward, episode and splits."""

import calendar
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from agbench.data import catalog
from agbench.data.farm_task import FarmTask
from agbench.data.field_task import FieldTask
from agbench.data.greenhouse_split import GreenhouseSplit
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.split import SplitSpec
from agbench.data.task import Task
from agbench.envs.core import Parts
from agbench.envs.family import family

ROOT: Final = Path(__file__).parents[2]
INPUTS: Final = {
    "PLANT": "sowing",
    "HARVEST": "harvest",
    "N": "nitrogen",
    "P": "phosphorus",
    "K": "potassium",
    "IRRIG": "water",
}
_UP: Final = "../.."
_YEARS: Final = re.compile(r"^(all|odd|even) (\d{4})-(\d{4})$")


def row(cells: Sequence[Any]) -> str:
    """Return a row of a table in Markdown."""
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    return [row(head), "|---" * len(head) + "|", *map(row, rows)]


def many(count: int, what: str) -> str:
    """Return a number of things in words: `1 season`, `30 seasons`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def decision(task: Task) -> str:
    """Return in a few words what is decided, and how often."""
    if isinstance(task, GreenhouseTask):
        action = task.action
        if action.kind == "temperature":
            what = "a heating set point"
        else:
            what = f"{len(action.ranges) or len(action.controls)} "
            what += "set points" if action.ranges else "actuators"
        return f"{what}, every {task.episode.step}"
    assert isinstance(task, FieldTask)
    what = ", ".join(INPUTS.get(name, name) for name in task.action.doses)
    if task.reward.limits:
        what += " within limits"
    if isinstance(task, FarmTask):
        what += f" on {len(task.fields)} fields, " + (
            "all alike" if task.farm.control == "joint" else "each by itself"
        )
        what += " from a budget" if task.farm.budgets else ""
    return f"{what}, every {task.season.step}"


def model(task: Any) -> str:
    """Return a link to the page of a task's model."""
    name = task.simulator.model
    return f"[{name}](../models/{name}.md)"


def world(task: Any) -> list[str]:
    """Return which model of which crop is where, as a table."""
    simulator = task.simulator
    rows: list[tuple[str, str]] = [("model", model(task))]
    if isinstance(task, GreenhouseTask):
        rows += [("greenhouse", f"preset `{simulator.preset}`"), ("place", _file("sites", simulator.site))]
        changed = simulator.parameters
    else:
        crops = list(task.season.rotation) or [simulator.crop]
        soils = list(
            dict.fromkeys(
                [getattr(f, "soil", None) or simulator.soil for f in getattr(task, "fields", [simulator])]
            )
        )
        rows += [
            ("crop", ", ".join(_file("crops", crop) for crop in crops)),
            ("soil", ", ".join(_file("sites/soils", soil) for soil in soils)),
            ("place", _file("sites", simulator.site)),
        ]
        changed = simulator.changed
    if changed:
        rows.append(("parameters", ", ".join(f"`{name}` {value}" for name, value in changed.items())))
    return table(("", ""), rows)


def _file(folder: str, name: str) -> str:
    path = f"{folder}/{name}.yaml"
    return f"[{name}]({_UP}/{path})" if (ROOT / path).is_file() else f"`{name}`"


def actions(task: Task, parts: Parts) -> list[str]:
    """Return the action space, and what each action or component means."""
    space, labels = parts.actions.space, parts.actions.describe()
    lines = [f"`{space}`.", ""]
    if isinstance(task, FarmTask) and type(space).__name__ == "MultiDiscrete":
        fields = ", ".join(task.field_names)
        lines[0] += f" One number a field, in the order {fields}; each has the same menu."
        labels = parts.actions.of_a_field.describe()
    head = "component" if type(space).__name__ == "Box" else "action"
    return lines + table((head, "meaning"), list(enumerate(labels)))


def observations(task: Task, parts: Parts) -> list[str]:
    """Return the observation space; variables of a farm's second field and further ones in a line."""
    entries = list(enumerate(parts.observer.entries))
    lines = [f"`Box` of {len(entries)} numbers, float32, in physical units.", ""]
    if isinstance(task, FarmTask):
        others = task.field_names[1:]
        again = [i for i, entry in entries if entry.name.endswith(tuple(f".{name}" for name in others))]
        lines[0] += f" Numbers {again[0]} to {again[-1]} are the same variables of {', '.join(others)}."
        entries = [(i, entry) for i, entry in entries if i not in again]
    cells = [(i, f"`{e.name}`", e.unit, f"{e.low:.10g}", f"{e.high:.10g}", e.meaning) for i, e in entries]
    return lines + table(("", "name", "unit", "low", "high", "meaning"), cells)


def reward(task: Any) -> list[str]:
    """Return the reward in words and as a formula, and its part of the task's file, sources included."""
    words = _greenhouse_reward(task) if isinstance(task, GreenhouseTask) else _field_reward(task)
    return [*words, "", f"In [the task's file]({_UP}/tasks/{task.task}.yaml), with sources:", "", "```yaml",
            *section(task.task, "reward"), "```"]  # fmt: skip


def drawn(task: Task) -> list[str]:
    """Return the parts of a task's file on its fields, and on what is drawn anew for each episode."""
    lines = []
    for key, text in _DRAWN.items():
        part = section(task.task, key)
        lines += ["", text, "", "```yaml", *part, "```"] if part else []
    return lines


_DRAWN: Final = {
    "fields": "Fields:",
    "farm": "The farm:",
    "randomisation": "Drawn anew for each episode:",
    "uncertainty": "Drawn anew, by the level of the scenario:",
}


def section(name: str, key: str) -> list[str]:
    """Return the lines of a key of a task's file, comments included; nothing where it is not there."""
    lines = (catalog.find("task", name)).read_text("utf-8").splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith(f"{key}:")), None)
    if first is None:
        return []
    rest = [i for i in range(first + 1, len(lines)) if lines[i] and not lines[i].startswith((" ", "#", "-"))]
    found = lines[first : rest[0] if rest else len(lines)]
    while not found[-1].strip():
        found.pop()
    return found


_PAID: Final = {
    "growth": "A step is paid what `{v}` grew in it; the return is the final weight.",
    "growth-above-reference": "A step is paid what `{v}` grew in it, less what it grew in the same season "
    "without any input (`{v}0`), less the cost of inputs.",
    "storage-organ-weight": "A step is paid what stands of `{v}`.",
    "cost": "A step is paid what `{v}` grew in it, less the cost of inputs.",
    "profit": "A step is paid what `{v}` grew in it at a price, less the cost of inputs.",
    "threshold": "A step is paid what `{v}` grew in it, less a penalty for what exceeds the season's limits.",
    "runoff": "A step is paid what `{v}` grew in it, less a penalty for what is lost.",
    "rotation-profit": "A step is paid what was harvested in it (`{v}`) at the price of its crop, less a "
    "cost for each sowing, less the cost of inputs.",
}


def _field_reward(task: FieldTask) -> list[str]:
    spec = task.reward
    grown = f"Δ{spec.variable}"
    terms = {
        "growth-above-reference": f"{grown} - Δ{spec.variable}0",
        "storage-organ-weight": spec.variable,
        "profit": _times(spec.product_price or 1.0, grown),
        "rotation-profit": " + ".join(_times(p, f"{grown}({c})") for c, p in spec.crop_prices.items() if p)
        + "".join(f" - {cost:g} [sows {crop}]" for crop, cost in spec.crop_costs.items()),
    }
    formula = terms.get(spec.kind, grown)
    if spec.kind in ("cost", "profit", "growth-above-reference", "rotation-profit"):
        formula += "".join(f" - {_times(spec.beta * price, name)}" for name, price in spec.prices.items())
    if spec.paid_penalty:
        formula += f" - {spec.paid_penalty:g} violation"
    lines = [_PAID[spec.kind].format(v=spec.variable)]
    if isinstance(task, FarmTask):
        lines[0] += " A farm earns the sum over its fields of that times their hectares."
    lines += ["", f"`r = {formula}` [{spec.unit}]"]
    if spec.limits:
        units = {"IRRIG": "cm"}
        limits = ", ".join(f"{x:g} {units.get(name, 'kg ha-1')} {name}" for name, x in spec.limits.items())
        lines += ["", f'A season may take {limits}; what exceeds this is a violation, and `info["cost"]`.']
    if spec.lost:
        lines += ["", f'What is newly lost as `{spec.lost}` is a violation, and `info["cost"]`.']
    if spec.constrained and task.tolerated_cost:
        lines[-1] += f" A policy whose mean is at most {task.tolerated_cost:g} is feasible."
    return lines


def _times(factor: float, what: str) -> str:
    return what if factor == 1.0 else f"{factor:g} {what}"


_GREENHOUSE_PAID: Final = {
    "profit": "A step is paid the fresh fruit that grew in it, less CO2, heat and electricity, less "
    "penalties for limits of the climate.",
    "scaled-profit": "A step is paid its profit on a scale from the worst (0) to the best (1) that a step "
    "can bring, less scaled violations of limits of the climate.",
    "yield-and-energy": "A step is paid growth until harvest begins, then yield weighed by targets of yield "
    "and energy, with a bonus at the end (GreenLightPlus).",
}


def _greenhouse_reward(task: GreenhouseTask) -> list[str]:
    spec = task.reward
    lines = [_GREENHOUSE_PAID[spec.kind]]
    if task.protocol.objective != "return":
        lines[0] += f" Scores are of the metric `{task.protocol.objective}`, not of the reward."
    if spec.kind != "yield-and-energy":
        used = {
            "fruit": "fruit [kg]",
            "co2": "CO2 [kg]",
            "heat": "heat [kWh]",
            "electricity": "electricity [kWh]",
        }
        terms = [f"{_price(getattr(spec, name))} {word}" for name, word in used.items()]
        lines += ["", f"`profit = {' - '.join(terms)}` [EUR m-2]"]
    if spec.kind == "profit":
        lines += ["", f"`r = profit - {spec.penalty:g} h violations`, `h` the hours of a step"]
    limits = [(name, part) for name, part in task.constraints if name != "clip"]
    units = {"temperature": "degC", "co2": "ppm", "humidity": "%"}
    cells = [(f"{n} [{units[n]}]", f"{c.low:g}", f"{c.high:g}", f"{c.full_scale:g}") for n, c in limits]
    return [*lines, "", *table(("limits of", "low", "high", "counts 1 at an excess of"), cells)]


def _price(price: Any) -> str:
    if isinstance(price, str):
        return f"price({price})"
    return f"{price:g}" if isinstance(price, float | int) else "price(hour)"


def episode(task: Any) -> str:
    """Return how long an episode and a step last."""
    own = family(task)
    if isinstance(task, GreenhouseTask):
        count = task.episode.intervals // task.step
        step = task.episode.step
        return f"{task.episode.length} from the scenario's start, {step} a step: {count:,} decisions."
    season = task.season
    span = f"from {_day(season.start)} to {_day(season.end)}"
    span += f" of the {_ordinal(season.years)} year" if season.years > 1 else ""
    count = -(-(own.longest(task) - task.warmup) // task.step)
    text = (
        f"{span}, {season.step} a step, the first after {season.warmup}: at most {many(count, 'decision')}."
    )
    return f"{text[0].upper()}{text[1:]} {_end(task)}"


def _end(task: FieldTask) -> str:
    management = task.season.management
    if management in ("plant", "harvest"):
        return "Harvest ends it."
    return "The last day ends it." if management in ("orchard", "rotation") else "A ripe crop ends it."


def _day(day: str) -> str:
    month, of_month = day.split("-")
    return f"{int(of_month)} {calendar.month_name[int(month)]}"


def _ordinal(number: int) -> str:
    return {2: "second", 3: "third", 4: "fourth", 5: "fifth"}.get(number, f"{number}th")


def splits(task: Task) -> list[str]:
    """Return the splits: how many seasons, of what weather, where."""
    word = "episodes" if isinstance(task, GreenhouseTask) else "seasons"
    cells = []
    for name, split in task.splits.items():
        parts = getattr(split, "parts", []) or [split]
        count = f"{len(task.scenarios(name)):,}"
        if any(getattr(part, "endless", False) for part in parts):
            count += ", then others without end"
        cells.append((f"`{name}`", count, "; ".join(dict.fromkeys(_weather(task, part) for part in parts))))
    return table(("split", word, "weather"), cells)


def _weather(task: Any, split: SplitSpec | GreenhouseSplit) -> str:
    if isinstance(split, GreenhouseSplit):
        text, places = _starts(split, task.episode.start), [split.site or task.simulator.site]
        if split.levels:
            text += ", levels of uncertainty " + ", ".join(f"{level:g}" for level in split.levels)
    else:
        text, places = _seasons(split), split.places(task.simulator.site)
        if split.change is not None:
            text += f", changed: {split.change.key}"
    return f"{text}, at {', '.join(places)}"


def _seasons(split: SplitSpec | GreenhouseSplit) -> str:
    if split.generated is not None:
        return f"generated, numbers {split.generated[0]} to {split.generated[1]}"
    if split.hidden is not None:
        return "hidden, from the organisers' secret"
    years = split.years if isinstance(split.years, str) else ", ".join(map(str, split.years or []))
    match = _YEARS.match(years)
    if match is not None:
        years = f"{'' if match[1] == 'all' else f'{match[1]} years of '}{match[2]} to {match[3]}"
    left = f" without {', '.join(map(str, split.leaving_out))}" if split.leaving_out else ""
    return f"measured, {years}{left}"


def _starts(split: GreenhouseSplit, usual: str) -> str:
    if split.starts:
        return f"measured, from {', '.join(split.starts)}"
    start = _day(split.start or usual)
    return f"{_seasons(split)}, from {start}" + (f" to {_day(split.until)}" if split.until else "")


def prose(lines: Iterator[str] | Sequence[str]) -> str:
    """Return lines as text that ends in a line's end."""
    return "\n".join(lines).rstrip("\n") + "\n"
