"""`agbench submit RESULT... --agent NAME`: make a submission from results, completely or not at all."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from agbench.cli.options import BoardOption, OtherTaskOption, console
from agbench.errors import ConfigError
from agbench.files import BOARD

_PARTS: Final = {"training": "{steps: 1000}", "policy": "{format: mlp}"}
"""Keys of a card that have keys below them, and an example of each."""


def submit(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT...",
            help="Result folders, within each split in the order of seeds; or folders of trainings.",
        ),
    ],
    agent: Annotated[str, typer.Option(metavar="NAME", help="Letters, digits, dot, dash, underscore.")],
    version: Annotated[str, typer.Option(metavar="NAME", help="Use a new version for every change.")],
    author: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Repeatable.")] = None,
    contact: Annotated[str | None, typer.Option(help="Where to send questions.")] = None,
    method: Annotated[str | None, typer.Option(help="rule, rl, il, offline-rl, mpc or oracle.")] = None,
    rule: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of one of the task's own policies.")
    ] = None,
    policy: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Policy file: policy.npz or .onnx for each seed, or the YAML of a schedule; repeatable.",
        ),
    ] = None,
    seed: Annotated[list[int] | None, typer.Option(help="Training seed (repeatable) [0, 1, ...].")] = None,
    steps: Annotated[int | None, typer.Option(help="Environment steps of training.")] = None,
    card: Annotated[
        Path | None, typer.Option(metavar="FILE", help="YAML with any other keys of submission.yaml.")
    ] = None,
    board: BoardOption = BOARD,
    other_task: OtherTaskOption = False,
    new_board: Annotated[
        bool, typer.Option("--new-board", help="Make the board where there is none.")
    ] = False,
) -> None:
    """Make a submission, check it, and copy it to the board.

    Folders that `agbench train` made bring results, policy, seed, steps and method of each seed.

    Example: `agbench submit runs/mine-? --agent mine --version 1.0 --author "A. Grower" --contact
    grower@example.org`

    Example: `agbench submit runs/mine --agent mine --version 1.0 --author "A. Grower" --contact
    grower@example.org --method rule --rule standard-practice`
    """
    from agbench.leaderboard.submitting import submit as make
    from agbench.leaderboard.trainings import of_trainings

    trained = of_trainings(results) is not None
    content = {} if card is None else _card(card)
    stated = {"agent": agent, "version": version, "authors": author, "contact": contact, "method": method}
    content.update({key: value for key, value in stated.items() if value is not None})
    if steps is not None:
        content["training"] = {**content.get("training", {}), "steps": steps}
    if rule is not None or policy:
        content["policy"] = _policy(rule, policy or [])
    _check_required(content, () if trained else ("method",))
    if not board.is_dir() and not new_board:
        raise ConfigError(
            f"there is no board at {board}: run this in a checkout of AgBench, name its board with --board "
            "DIR, or make a new one with --new-board."
        )
    folder = make(results, content, board, policy or (), seed, other_task=other_task)
    console.print(f"    wrote {folder}", soft_wrap=True)
    with_policy = trained or "policy" in content
    if not with_policy:
        console.print(
            "    no policy came with it, so 'replayed' is the most it can reach: no round can run it; "
            "see --policy and --rule.",
            soft_wrap=True,
        )
    verb = "reproduce" if with_policy else "replay"
    console.print(f"    next: agbench leaderboard {verb} {folder} --board {board}", soft_wrap=True)


def _card(path: Path) -> dict[str, Any]:
    """Return the keys of a card; a later check validates their values."""
    from agbench.data.reading import load_file

    try:
        result = load_file(path)
    except ConfigError:
        raise
    except ValueError as error:  # of a day that is in no calendar
        raise ConfigError(f"{path}: not valid YAML: {error}.") from None
    if not isinstance(result, dict | None):
        raise ConfigError(f"{path}: a {type(result).__name__}; expected keys of submission.yaml and values.")
    content = {key: value for key, value in (result or {}).items() if value is not None}
    if isinstance(day := content.get("submitted"), date):  # written without quotes
        content["submitted"] = day.isoformat()
    for key, example in _PARTS.items():
        if not isinstance(content.get(key, {}), dict):
            raise ConfigError(
                f"{path}: {key}: {content[key]!r}; expected keys and values: `{key}: {example}`."
            )
    return content


def _check_required(content: dict[str, Any], more: Sequence[str]) -> None:
    """Raise a `ConfigError` that names all missing options: of whose it is, and `more`."""
    options = {"authors": "--author NAME", "contact": "--contact TEXT", "method": "--method rule|rl|il|..."}
    needed = ("authors", "contact", *more)
    lacking = [options[key] for key in needed if not content.get(key)]
    if lacking:
        raise ConfigError(f"a submission also needs {', '.join(lacking)} (or the keys in --card FILE).")


def _policy(rule: str | None, files: list[Path]) -> dict[str, str]:
    """Return the entry of the card about the policy."""
    if rule is not None:
        return {"format": "rule", "name": rule}
    formats = {".yaml": "rule", ".yml": "rule", ".npz": "mlp", ".onnx": "onnx"}
    suffix = files[0].suffix
    if suffix not in formats:
        raise ConfigError(f"{files[0]}: no policy format; expected a file such as {', '.join(formats)}.")
    return {"format": formats[suffix]}
