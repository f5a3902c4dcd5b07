"""Arguments and options that several subcommands share, and readers of their values."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from agbench.errors import ConfigError


def literal_console(**options: Any) -> Console:
    """Return a Rich console that prints `[x]` and `:x:` as they are: texts of users are not markup."""
    return Console(markup=False, emoji=False, highlight=False, **options)


console = literal_console()
"""Standard output."""
if not console.is_terminal:
    console = literal_console(width=120)
messages = literal_console(stderr=True, soft_wrap=True)
"""Standard error."""

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="Id of a task; see `agbench tasks`.")]
PolicyOption = Annotated[
    str,
    typer.Option(
        "--policy",
        "-p",
        metavar="POLICY",
        help="Name (see `agbench show TASK`), settings file, .npz, .onnx, or `package.module:Name`.",
    ),
]
SplitOption = Annotated[str, typer.Option(metavar="SPLIT", help="Set of scenarios.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="KEY=VALUE",
        help="Override a key of the task file, such as `beta=5.0` or `step=14 d`; repeatable.",
    ),
]
OtherTaskOption = Annotated[
    bool,
    typer.Option(
        "--other-task", help="Take a policy file that was made for another task or other observations."
    ),
]
WorkersOption = Annotated[int, typer.Option(min=1, help="Number of processes; does not change the result.")]
OnOption = Annotated[
    str | None,
    typer.Option(
        metavar="ENGINE",
        help="Where it runs, in place of --workers: processes[:k], or ray[://HOST:10001]; does not change "
        "the result.",
    ),
]
ThreadsOption = Annotated[
    int, typer.Option(min=1, help="Threads that the rows of a batch run in; does not change the result.")
]
KeptOption = Annotated[
    Path, typer.Option("--results", metavar="DIR", help="Folder of the results of reference policies.")
]
BoardOption = Annotated[
    Path, typer.Option("--board", metavar="DIR", file_okay=False, help="Folder of the leaderboard.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def titled(title: str, rest: object, style: str = "bold", before: str = "") -> Text:
    """Return a line that begins with a title in a style, and goes on after two blanks."""
    return Text.assemble(before, (title, style), "  ", str(rest))


def read_overrides(pairs: Sequence[str] | None) -> dict[str, Any]:
    """Return overrides from KEY=VALUE texts; values are YAML."""
    from agbench.data.reading import load_yaml

    result: dict[str, Any] = {}
    for pair in pairs or ():
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise ConfigError(f"--set {pair!r} is not KEY=VALUE, such as beta=5.0.")
        result[key.strip()] = load_yaml(value, f"--set {key}")
    return result


def print_json(content: Any) -> None:
    """Print data as indented JSON on standard output; NaN and infinity become null."""
    typer.echo(json.dumps(_finite(content), indent=2, default=str, allow_nan=False))


def _finite(content: Any) -> Any:
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_finite(value) for value in content]
    return content


def counted(count: int, word: str, plural: str = "") -> str:
    """Return a number with its noun: `1 task`, `2 tasks`."""
    return f"{count:,} {word if count == 1 else plural or word + 's'}"


def plain(value: float) -> str:
    """Return three significant digits, without an exponent for numbers of usual size."""
    if 0.0 < abs(value) < 0.005:
        return "0.00" if abs(value) < 1e-6 else f"{value:.2g}"
    return f"{value:,.0f}" if 100.0 <= abs(value) < 1e6 else f"{value:.3g}"
