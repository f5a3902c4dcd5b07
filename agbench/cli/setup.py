"""`agbench setup il`: install what imitation or offline learning needs."""

from typing import Annotated

import typer

from agbench.cli.options import JsonOption, console, print_json


def setup(
    extra: Annotated[str, typer.Argument(metavar="il|offline", help="Imitation, or offline learning.")],
    json: JsonOption = False,
) -> None:
    """Install what imitation (il) or offline learning (offline) needs, beside what is installed.

    No package that is there changes its version.

    Example: `agbench setup il`
    """
    from agbench.training.extras import EXTRAS, require
    from agbench.training.extras import setup as install

    installed = install(extra)
    require(extra)
    if json:
        print_json({"extra": extra, "installed": installed})
        return
    console.print(f"{EXTRAS[extra].purpose}: ready")
    console.print(f"    installed {', '.join(installed) or 'nothing: all was there'}")
