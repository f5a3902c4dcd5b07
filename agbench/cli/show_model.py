"""`agbench show model NAME`: list the outputs and inputs of a model."""

from typing import Any

from rich.table import Table

from agbench.cli.options import console, print_json, titled
from agbench.errors import ConfigError

_HEADINGS = {
    "states": "States",
    "rates": "Rates",
    "fluxes": "Fluxes",
    "memory": "Memory",
    "inputs": "Inputs",
    "weather": "Weather",
    "parameters": "Parameters",
    "soil_profile": "Soil profile",
}


def show_model(name: str | None, json: bool) -> None:
    """Print what a model computes and reads, with units, meanings and bounds."""
    from agbench.simulation.description import describe_model, model_names

    if name is None:
        raise ConfigError(f"show model: which model? One of {', '.join(model_names())}.")
    result = describe_model(name)
    if json:
        print_json(result)
        return
    console.print(titled(name, result["summary"]))
    if result.get("events"):
        console.print(f"  events      {', '.join(result['events'])}")
    for key, heading in _HEADINGS.items():
        if result.get(key):
            console.print(titled(heading, len(result[key]), before="\n"))
            console.print(_table(result[key]))
    for kind, sections in result.get("crop_types", {}).items():
        events = ", ".join(sections.get("events", ()))
        console.print(titled(f"For {kind} crops", f"events: {events}", before="\n"))
        for key, heading in _HEADINGS.items():
            if sections.get(key):
                console.print(titled(f"{heading} of {kind} crops", len(sections[key]), before="\n"))
                console.print(_table(sections[key]))
    for preset, changes in result.get("presets", {}).items():
        listed = ", ".join(f"{key} {value:g}" for key, value in changes.items()) or "the defaults above"
        console.print(titled(f"Preset {preset}", listed, before="\n"))


def _table(entries: list[dict[str, Any]]) -> Table:
    """Return a table with one row for each entry; parameters also have default and source."""
    declared = "default" in entries[0]
    table = Table(box=None, pad_edge=False)
    for heading in ("  name", "unit", "bounds", *(("default",) if declared else ()), "meaning"):
        table.add_column(heading, overflow="fold")
    if declared:
        table.add_column("source", overflow="fold")
    for entry in entries:
        row = [f"  {entry['name']}", entry["unit"], bounds(entry)]
        row += [_number(entry["default"])] if declared else []
        row += [meaning(entry), *([entry["source"]] if declared else [])]
        table.add_row(*row)
    return table


def bounds(entry: dict[str, Any]) -> str:
    """Return the bounds of an entry as text."""
    if "bounds" in entry:
        return str(entry["bounds"])
    low, high = entry["low"], entry["high"]
    return "" if low is None or high is None else f"{low:g} to {high:g}"


def meaning(entry: dict[str, Any]) -> str:
    """Return the meaning of an entry; for a table also its argument."""
    return f"{entry['meaning']}, by {entry['function_of']}" if entry.get("function_of") else entry["meaning"]


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | int) else str(value)
