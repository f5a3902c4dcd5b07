"""The card of a dataset: `README.md` with tables, and `card.png`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from agbench.datasets.figure import draw, line
from agbench.datasets.sample import Sample
from agbench.files import write_text
from agbench.variables import Floats

PICTURE: Final = "card.png"
FILES: Final = ("README.md", PICTURE)


def write(folder: Path, description: Mapping[str, Any], sample: Sample) -> None:
    """Write the card of a dataset into its folder."""
    draw(description, sample, folder / PICTURE)
    write_text(folder / FILES[0], "\n".join(_lines(description, sample)) + "\n")


def _lines(told: Mapping[str, Any], sample: Sample) -> Iterator[str]:
    yield from (f"# {told['id']}", "", told["summary"], "", f"![returns, actions, states]({PICTURE})", "")
    yield from _table(["", ""], _facts(told))
    yield from ("", "## Behaviour", "")
    yield (
        f"Policies change from {told['mix']} to {told['mix']}."
        if told["mix"] != "order"
        else ("Policies come one after the other, in this order.")
    )
    yield ""
    yield from _table(
        ["", "policy", "share", "epsilon", "noise", "episodes", f"mean return [{told['reward_unit']}]"],
        _behaviours(told, sample),
    )
    yield from ("", "## Returns", "")
    yield from _table(list(told["returns"]), [[_short(value) for value in told["returns"].values()]])
    yield from ("", "## Actions", "")
    yield from _table(*_actions(told, sample))
    yield from ("", "## States", "")
    yield f"Of {len(sample.observations):,} transitions, evenly spread."
    yield ""
    yield from _table(["variable", "unit", "5 %", "median", "95 %", "least", "most"], _states(told, sample))
    yield from ("", "## Use", "", "```python", "from agbench.datasets import load", "")
    yield from ('data = load("THIS FOLDER")', "data.to_pandas(), data.to_torch(), data.to_sb3()", "```", "")
    if told["format"] == "minari":
        stem = told["id"]
        yield f"In a folder `{stem}` below `MINARI_DATASETS_PATH`: `minari.load_dataset({stem!r})`."
        yield ""
    yield f"Made by `{told['command']}`. Verify it: `agbench dataset check THIS_FOLDER`."


def _facts(told: Mapping[str, Any]) -> list[list[str]]:
    """Return what stands first, two columns."""
    overrides = ", ".join(f"{key}={value}" for key, value in told["overrides"].items())
    references = told["references"] or {}
    marks = ", ".join(
        f"{role} {_short(references[role]['mean'])} ({references[role]['policy']})"
        for role in ("floor", "blind", "expert", "oracle")
        if role in references
    )
    scenarios = told["scenarios"] if isinstance(told["scenarios"], str) else f"{len(told['scenarios'])} keys"
    rows = {
        "task": told["task"] + (f" with {overrides}" if overrides else ""),
        "scenarios": f"{told['split']}, {scenarios}",
        "episodes": f"{told['episodes']:,}",
        "transitions": f"{told['transitions']:,}",
        "seed": str(told["seed"]),
        "references on test": f"{marks} {references['unit']}, of {told['objective']}" if marks else "none",
        "format": told["format"] + (", with the simulator's whole state" if told["states"] else ""),
        "content": f"SHA-256 {told['content']}",
        "physics": f"SHA-256 {told['simulator_hash']}",
        "licence": told["licence"],
    }
    return [[key, value] for key, value in rows.items()]


def _behaviours(told: Mapping[str, Any], sample: Sample) -> list[list[str]]:
    rows = []
    for number, one in enumerate(told["behaviour"]):
        own = sample.totals[sample.behaviours == number]
        mean = _short(own.mean()) if len(own) else "-"
        numbers = [f"{one['share']:g}", line(one["epsilon"]), line(one["noise"]), f"{len(own):,}", mean]
        rows.append([str(number), one["policy"], *numbers])
    drawn = sample.totals[sample.behaviours < 0]
    if len(drawn):
        rows.append(["-1", "none: all actions drawn", "", "", "", f"{len(drawn):,}", _short(drawn.mean())])
    return rows


def _actions(told: Mapping[str, Any], sample: Sample) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the table of actions."""
    table, labels = sample.actions.reshape(len(sample.actions), -1), told["actions"]["labels"]
    if told["actions"]["kind"] == "amounts":
        header = ["amount", "5 %", "median", "95 %", "at -1", "at 1"]
        rows = []
        for i, values in enumerate(table.T):
            low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
            ends = [f"{(values <= -1.0).mean():.1%}", f"{(values >= 1.0).mean():.1%}"]
            rows.append(
                [str(labels[i]) if i < len(labels) else str(i), *map(_short, (low, middle, high)), *ends]
            )
        return header, rows
    sizes = told["actions"]["menus"]
    shares = [
        np.bincount(menu, minlength=size) / len(menu) for menu, size in zip(table.T, sizes, strict=True)
    ]
    if len(set(sizes)) > 1 or len(labels) < sizes[0]:
        return ["menu", "shares"], [[str(i), _percent(share)] for i, share in enumerate(shares)]
    total = np.mean(shares, axis=0)
    return ["choice", "share"], [[str(labels[i]), f"{share:.1%}"] for i, share in enumerate(total)]


def _percent(shares: Floats) -> str:
    return ", ".join(f"{share:.1%}" for share in shares)


def _states(told: Mapping[str, Any], sample: Sample) -> list[list[str]]:
    rows = []
    for entry, values in zip(told["observations"], sample.observations.T.astype(np.float64), strict=True):
        quantiles = np.quantile(values, [0.05, 0.5, 0.95])
        rows.append([entry["name"], entry["unit"], *map(_short, (*quantiles, values.min(), values.max()))])
    return rows


def _table(header: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '/') for cell in row)} |"


def _short(value: float) -> str:
    return f"{value:,.0f}" if 1000.0 <= abs(value) < 1e6 else f"{value:.4g}"
