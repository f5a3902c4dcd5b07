"""Write docs/models, a page a model: python docs/make_models.py.

A page is made from what `agbench show model` prints, and from the heads of the modules that compute it.
"""

import ast
from functools import cache
from pathlib import Path
from typing import Any

from agbench.cli.show_model import bounds, meaning
from agbench.simulation.description import describe_model, model_names
from agbench.simulators import models
from agbench.simulators.wofost.variants import VARIANTS

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs/models"
AGREEMENT = {
    "greenlight": ("The greenhouse", "../greenhouse.md#agreement"),
    "lintul3": ("Wheat and nitrogen", "../wheat-nitrogen.md#agreement-with-pcse-6013"),
    "wofost": ("WOFOST, the settings", "../wofost.md"),
}
"""Which page says how closely a model agrees with its reference, by the beginning of the model's name."""
SECTIONS = {
    "states": ("States", ""),
    "rates": ("Rates", "Those of the current day."),
    "fluxes": ("Fluxes", "What the rates of the states are made of, at any moment."),
    "memory": ("Memory", "What only carries a simulation to its next day."),
    "inputs": ("Inputs", ""),
    "weather": ("Weather", ""),
    "parameters": (
        "Parameters",
        "Tables are lists x0, y0, x1, y1, ... whose x rise; their bounds hold for all y.",
    ),
    "soil_profile": ("Soil profile", "Of a layered soil, and of each of its layers."),
}


def page(name: str) -> str:
    """Return the page of a model."""
    result = describe_model(name)
    lines = [f"# {name}", "", f"{sentence(result['summary'])}.", ""]
    title, where = next(found for start, found in AGREEMENT.items() if name.startswith(start))
    lines += [
        f"[{title}]({where}) says how closely it agrees with its reference, and what was repaired and why."
    ]
    lines += [f"`agbench show model {name}` prints the tables below.", ""]
    if result.get("events"):
        lines += ["Events: " + ", ".join(f"`{event}`" for event in result["events"]) + ".", ""]
    lines += ["## Processes", "", PROCESSES, "", *process_table(result), ""]
    for key, (heading, note) in SECTIONS.items():
        if result.get(key):
            lines += [f"## {heading}", "", *([note, ""] if note else []), *table(result[key]), ""]
    for kind, sections in result.get("crop_types", {}).items():
        lines += [f"## For {kind} crops", ""]
        if sections.get("events"):
            lines += ["More events: " + ", ".join(f"`{event}`" for event in sections["events"]) + ".", ""]
        for key, (heading, _) in SECTIONS.items():
            if sections.get(key):
                lines += [f"### {heading} of {kind} crops", "", *table(sections[key]), ""]
    for preset, changes in result.get("presets", {}).items():
        lines += [f"## Preset `{preset}`", ""]
        lines += [f"- `{key}`: {value:.10g}" for key, value in changes.items()] or ["The defaults above."]
        lines += [""]
    return "\n".join(lines)


PROCESSES = (
    "A process is a module: the source at its head, then a function for each equation. "
    "The name leads to the code."
)


def sentence(text: str) -> str:
    """Return text with a capital at its beginning, unless it begins with the name of a model."""
    return text if text.startswith(tuple(model_names())) else text[:1].upper() + text[1:]


def process_table(result: dict[str, Any]) -> list[str]:
    """Return the processes of a model in Markdown, a line a process: what it is, and its source."""
    lines = ["| process | what it is | source and notes |", "|---|---|---|"]
    kinds = ["annual", *result.get("crop_types", {})]
    starts = [start(result["model"], kind) for kind in kinds]
    found = dict.fromkeys(path for one in starts for path in sorted(imported(one)))
    for path in found:
        head, *paragraphs = (ast.get_docstring(ast.parse((ROOT / path).read_text("utf-8"))) or "").split(
            "\n\n"
        )
        tables = [part for part in paragraphs if part.startswith(("Reads:", "Sets:"))]
        if not tables or not used(Path(path).stem, result["model"]):
            continue
        source = " ".join(" ".join(part.split()) for part in paragraphs if part not in tables)
        lines.append(
            f"| [{Path(path).stem}](../../{path}) | {head.rstrip('.')} | {source or 'as the model'} |"
        )
    return lines


def used(process: str, name: str) -> bool:
    """Return whether a model uses a process that its package has: soil water is one of two."""
    potential = name.endswith("-pp")
    return {"potential_water": potential, "water_balance": not potential}.get(process, True)


def start(name: str, kind: str) -> str:
    """Return the module that computes a model for crops of a kind."""
    if name == "greenlight":
        return "agbench.simulators.greenlight.model"
    if name in VARIANTS:
        return models.entry_points(name, crop_type=kind)[-1]
    return "agbench.simulators.lintul3.day"


@cache
def imported(module: str) -> frozenset[str]:
    """Return the paths of the simulators' files that a module needs, its own included."""
    todo, found = [module], set()
    while todo:
        path = f"{todo.pop().replace('.', '/')}.py"
        if path in found or not path.startswith("agbench/simulators/") or not (ROOT / path).is_file():
            continue
        found.add(path)
        for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                todo += [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
    return frozenset(found)


def table(entries: list[dict[str, Any]]) -> list[str]:
    """Return a table in Markdown, a line an entry."""
    declared = "default" in entries[0]
    heads = ["name", "unit", "bounds", *(["default"] if declared else []), "meaning"]
    heads += ["source"] if declared else []
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for entry in entries:
        default = entry.get("default")
        shown = f"{default:.10g}" if isinstance(default, float | int) else str(default)
        cells = [f"`{entry['name']}`", entry["unit"], bounds(entry), *([shown] if declared else [])]
        lines.append(f"| {' | '.join([*cells, meaning(entry), *([entry['source']] if declared else [])])} |")
    return lines


def pages() -> dict[str, str]:
    """Return every page by its file's name, the list of all included."""
    index = [
        "# Models",
        "",
        "What each model is made of, computes and reads: processes with their sources; variables and "
        "parameters with units, meanings, bounds and defaults.",
        "",
    ]
    index += [f"- [{name}]({name}.md): {sentence(describe_model(name)['summary'])}" for name in model_names()]
    pages = {f"{name}.md": page(name) for name in model_names()}
    return {"README.md": "\n".join([*index, ""]), **pages}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
