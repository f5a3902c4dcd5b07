"""Write docs/models: a page a model, from what `agbench show model` prints: python docs/make_models.py."""

from pathlib import Path
from typing import Any

from agbench.cli.show_model import bounds, meaning
from agbench.simulation.description import describe_model, model_names

FOLDER = Path(__file__).parent / "models"
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
    lines = [f"# {name}", "", f"{result['summary']}.", ""]
    lines += [f"`agbench show model {name}` prints this; `python docs/make_models.py` writes it.", ""]
    if result.get("events"):
        lines += ["Events: " + ", ".join(f"`{event}`" for event in result["events"]) + ".", ""]
    for key, (heading, note) in SECTIONS.items():
        if result.get(key):
            lines += [f"## {heading}", "", *([note, ""] if note else []), *table(result[key]), ""]
    for preset, changes in result.get("presets", {}).items():
        lines += [f"## Preset `{preset}`", ""]
        lines += [f"- `{key}`: {value:.10g}" for key, value in changes.items()] or ["The defaults above."]
        lines += [""]
    return "\n".join(lines)


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
        "What each model computes and reads, with units, meanings, bounds and defaults.",
        "",
    ]
    index += [f"- [{name}]({name}.md): {describe_model(name)['summary']}" for name in model_names()]
    return {"README.md": "\n".join([*index, ""]), **{f"{name}.md": page(name) for name in model_names()}}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text)
