"""`agbench doctor`: check this installation."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from agbench.cli.options import JsonOption, console, counted, print_json

if TYPE_CHECKING:
    from agbench.testing.doctor import Finding

_MARKS = {True: ("good ", "green"), False: ("wrong", "red"), None: ("     ", "")}


def doctor(
    test: Annotated[bool, typer.Option("--test/--no-test", help="Simulate a season of every model.")] = True,
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove machine code that cannot be used here.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Check this installation: versions, compiled code, extras, data, and a season of every model.

    The seasons are compared with fingerprints that are shipped: they are the same on every machine. The
    first time they compile the models, which takes a minute or two. Exit code 1 if anything is wrong.

    Example: `agbench doctor --no-test`
    """
    from agbench.testing import doctor as examination
    from agbench.testing.doctor import Finding

    removed = examination.clean() if clean else 0
    if clean and not json:
        console.print(f"removed {counted(removed, 'file')} of machine code")
    seen: list[Finding] = []
    section = ""
    for finding in _all(test):
        seen.append(finding)
        if json:
            continue
        if finding.section != section:
            section = finding.section
            console.print(f"\n{section}", style="bold")
        _print(finding)
    wrong = [finding for finding in seen if finding.good is False]
    if json:
        print_json({"sound": not wrong, "findings": [asdict(finding) for finding in seen]})
    else:
        text = f"Wrong: {len(wrong)} of {len(seen)} findings." if wrong else "This installation is sound."
        console.print(f"\n{text}")
    if wrong:
        raise typer.Exit(1)


def _all(test: bool) -> "Iterator[Finding]":
    from agbench.testing import doctor as examination

    yield from examination.findings()
    if test:
        yield from examination.self_test()


def _print(finding: "Finding") -> None:
    mark = Text.assemble(_MARKS[finding.good], f" {finding.name:33} {finding.value}")
    console.print(mark, soft_wrap=True)
    if finding.remedy:
        console.print(f"{'':40}{finding.remedy}", soft_wrap=True, style="dim")
