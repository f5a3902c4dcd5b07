"""Write docs/models, a page a model: python docs/make_models.py.

A page is made from what `agbench show model` prints, and from the heads of the modules that compute it.
"""

import ast
import re
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
    "greenlight": ("greenhouse.md", ["Agreement"]),
    "lintul3": ("wheat-nitrogen.md", ["Agreement with PCSE 6.0.13"]),
    "wofost-npk": ("wofost.md", ["Models", "Two settings of `wofost-npk`", "Balances"]),
    "wofost": ("wofost.md", ["Models"]),
}
"""Which sections of a page say how closely a model agrees with its reference and what was repaired, by the
beginning of the model's name."""
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
    lines += [f"`agbench show model {name}` prints the tables of variables and parameters below.", ""]
    if result.get("events"):
        lines += ["Events: " + ", ".join(f"`{event}`" for event in result["events"]) + ".", ""]
    lines += ["## Processes", "", PROCESSES, "", *process_table(result), ""]
    lines += ["## Equations", "", EQUATIONS, "", *equations(result), ""]
    where, sections = next(found for start, found in AGREEMENT.items() if name.startswith(start))
    lines += ["## Agreement and repairs", "", *quoted(where, sections), ""]
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


EQUATIONS = "Each is a function of the module of its process: what it returns or sets, in its own words."


def equations(result: dict[str, Any]) -> list[str]:
    """Return the equations of each process of a model in Markdown, a line an equation."""
    lines = []
    for path in processes(result):
        functions = [
            (node.name.strip("_"), _what(text))
            for node in ast.parse((ROOT / path).read_text("utf-8")).body
            if isinstance(node, ast.FunctionDef) and (text := ast.get_docstring(node))
        ]
        if functions:
            lines += [f"**[{Path(path).stem}](../../{path})**", ""]
            lines += [*(f"- `{name}`: {text}" for name, text in functions), ""]
    return lines[:-1]


def _what(docstring: str) -> str:
    """Return what a function's docstring says first, without `Return the`."""
    text = " ".join(docstring.split("\n\n")[0].split()).removeprefix("Return ").removeprefix("the ")
    return text[:1].upper() + text[1:]


def quoted(page: str, sections: list[str]) -> list[str]:
    """Return sections of a page of docs as they stand there, under the name of the page."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    lines = [f"From [{text.partition(chr(10))[0].removeprefix('# ')}](../{page}).", ""]
    for section in sections:
        _, found, after = text.partition(f"\n## {section}\n")
        assert found, f"{page} has no section {section}"
        own = after.partition("\n## ")[0].strip()
        own = re.sub(r"\]\((?!https?:|#|\.\./)", "](../", own)
        own = re.sub(r"\]\(\.\./(?=agbench|tests|crops)", "](../../", own)
        lines += [f"### {section}", "", re.sub(r"\]\(#", f"](../{page}#", own), ""]
    return lines[:-1]


def sentence(text: str) -> str:
    """Return text with a capital at its beginning, unless it begins with the name of a model."""
    return text if text.startswith(tuple(model_names())) else text[:1].upper() + text[1:]


def process_table(result: dict[str, Any]) -> list[str]:
    """Return the processes of a model in Markdown, a line a process: what it is, and its source."""
    lines = ["| process | what it is | source and notes |", "|---|---|---|"]
    for path, (head, *paragraphs) in processes(result).items():
        source = " ".join(" ".join(part.split()) for part in paragraphs if not _is_table(part))
        lines.append(
            f"| [{Path(path).stem}](../../{path}) | {head.rstrip('.')} | {source or 'as the model'} |"
        )
    return lines


def processes(result: dict[str, Any]) -> dict[str, list[str]]:
    """Return the paths of the modules of a model's processes, each with the paragraphs at its head."""
    kinds = ["annual", *result.get("crop_types", {})]
    starts = [start(result["model"], kind) for kind in kinds]
    found = {}
    for path in dict.fromkeys(path for one in starts for path in sorted(imported(one))):
        head = (ast.get_docstring(ast.parse((ROOT / path).read_text("utf-8"))) or "").split("\n\n")
        if any(map(_is_table, head)) and used(Path(path).stem, result["model"]):
            found[path] = head
    return found


def _is_table(paragraph: str) -> bool:
    """Return whether a paragraph at the head of a process says what it reads or sets."""
    return paragraph.startswith(("Reads:", "Sets:"))


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
