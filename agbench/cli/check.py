"""`agbench check FILE...`: check data files."""

from pathlib import Path
from typing import Annotated

import typer

from agbench.cli.options import JsonOption, console, print_json, titled


def check(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Task, crop, soil, site, baseline, anchors, suites, calibration files."
        ),
    ],
    json: JsonOption = False,
) -> None:
    """Check data files: schema, units, and all names in them. Exit code 1 if a file is wrong.

    Example: `agbench check tasks/*.yaml crops/*.yaml`
    """
    from agbench.testing.data_files import check_file, note_on

    result = {str(path): check_file(path) for path in files}
    if json:
        print_json(result)
    else:
        for path, problem in result.items():
            mark = ("good", "green") if problem is None else ("wrong", "red")
            console.print(titled(mark[0], path, mark[1]), soft_wrap=True)
            if problem is not None:
                console.print(f"       {problem}", soft_wrap=True)
            elif (note := note_on(Path(path))) is not None:
                console.print(f"       {note}", soft_wrap=True)
    if any(result.values()):
        raise typer.Exit(1)
