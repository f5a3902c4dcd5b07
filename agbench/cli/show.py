"""`agbench show TASK`: describe a task; with `model NAME` a model, with `suite NAME` a suite."""

from typing import Annotated, Any, Final

import typer
from rich.table import Table

from agbench.cli.options import (
    JsonOption,
    SetOption,
    TaskArgument,
    console,
    print_json,
    read_overrides,
    titled,
)
from agbench.cli.show_model import show_model
from agbench.cli.show_suite import show_suite
from agbench.errors import ConfigError

_LISTED: Final = 50  # scenarios of a site that are all named: the years of any measured series

NameArgument = Annotated[
    str | None,
    typer.Argument(metavar="[NAME]", help="Name of a model or suite, if the first argument is that word."),
]


def show(
    task: TaskArgument, name: NameArgument = None, set_: SetOption = None, json: JsonOption = False
) -> None:
    """Show a task: spaces with names and units, reward, splits, protocol, references, policies.

    `agbench show model NAME` shows a model: states, rates, inputs, weather and parameters.
    `agbench show suite NAME` shows a suite of tasks, and without a name all suites.

    Example: `agbench show wheat-nitrogen-v1`, `agbench show model wofost-npk`, `agbench show suite core`
    """
    if task == "model":
        return show_model(name, json)
    if task == "suite":
        return show_suite(name, json)
    if name is not None:
        raise ConfigError(f"show {task} {name}: give one task, or the word model or suite and a name.")
    from agbench.data import catalog
    from agbench.data.overrides import override
    from agbench.evaluation.description import describe

    result = describe(override(catalog.task(task), read_overrides(set_)))
    if json:
        return print_json(result)
    _print_head(result)
    _print_observation(result["observation"])
    return _print_rest(result)


def _print_head(result: dict[str, Any]) -> None:
    console.print(titled(result["task"], result["summary"]))
    console.print(f"  source      {result['source']}", soft_wrap=True)
    for section in ("simulator", "season", "episode", "reward"):
        if section in result:
            text = ", ".join(
                f"{key} {_words(value)}"
                for key, value in result[section].items()
                if value not in ({}, [], None)
            )
            console.print(f"  {section:<10}  {text}")


def _words(value: Any) -> str:
    """Return a setting as text; long lists of numbers as their range."""
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key} {_words(part)}" for key, part in value.items()) + ")"
    if isinstance(value, list):
        if len(value) > 4 and all(isinstance(part, (int, float)) for part in value):
            return f"{len(value)} values from {min(value):g} to {max(value):g}"
        return " ".join(map(_words, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _print_observation(entries: list[dict[str, Any]]) -> None:
    console.print(titled("Observation", f"Box, float32, {len(entries)} values", before="\n"))
    table = Table(box=None, pad_edge=False)
    for heading in ("  #", "name", "unit", "low", "high", "meaning"):
        table.add_column(heading, justify="right" if heading in ("  #", "low", "high") else "left")
    for i, entry in enumerate(entries):
        table.add_row(
            f"  {i}",
            entry["name"],
            entry["unit"],
            f"{entry['low']:g}",
            f"{entry['high']:g}",
            entry["meaning"],
        )
    console.print(table)


def _print_rest(result: dict[str, Any]) -> None:
    action, protocol = result["action"], result["protocol"]
    console.print(titled("Action", action["kind"], before="\n"))
    for i, choice in enumerate(action["choices"]):
        console.print(f"  {i}  {choice}")
    metrics = ", ".join(f"{k} ({m['unit']})" for k, m in result["metrics"].items())
    console.print(titled("Metrics", metrics, before="\n"))
    console.print("\nSplits", style="bold")
    for name, keys in result["splits"].items():
        console.print(f"  {name:<10}  {_grouped(keys)}")
    console.print(
        titled(
            "Protocol",
            f"{protocol['objective']} ({protocol['objective_unit']}), "
            f"{protocol['aggregate']} over scenarios, {protocol['repeats']} repeat(s), "
            f"{protocol['bootstrap']} bootstrap resamples; a failed episode counts {protocol['worst']:g}",
            before="\n",
        )
    )
    references = result["references"]
    console.print(
        titled(
            "References",
            f"floor {references['floor']}, blind {references['blind'] or 'none'}, "
            f"expert {references['expert']}, oracle {references['oracle'] or 'none'}",
        )
    )
    for split, means in result["anchors"].items():
        text = ", ".join(f"{role} {mean:.4g} ({score:.0f})" for role, (mean, score) in means.items())
        console.print(
            titled(
                "Anchors",
                f"{split}: mean {protocol['objective']} ({protocol['objective_unit']}), "
                f"score in brackets: {text}",
            ),
            soft_wrap=True,
        )
    console.print(titled("Policies", ", ".join(result["policies"])))
    console.print(titled("File", result["file"]), soft_wrap=True)


def _grouped(keys: list[str]) -> str:
    """Return scenario keys with their common beginning written once: `wageningen: 1976, 1978`.

    Of more than `_LISTED` that begin alike, the first three and the last are shown, and how many there are.
    """
    groups: dict[str, list[str]] = {}
    for key in keys:
        first, _, rest = key.partition("/")
        groups.setdefault(first, []).append(rest)
    return "; ".join(f"{first}: {', '.join(_shortened(rest))}" for first, rest in groups.items())


def _shortened(names: list[str]) -> list[str]:
    """Return names, or some of them if they are very many."""
    if len(names) <= _LISTED:
        return names
    return [*names[:3], "...", f"{names[-1]} ({len(names):,} in all)"]
