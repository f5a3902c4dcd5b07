"""The root command: its subcommands and its handling of errors."""

import io
import os
import sys
import warnings
from typing import Any, Final

import typer

from agbench.cli.anchors import anchors
from agbench.cli.bench import bench
from agbench.cli.calibrate import calibrate
from agbench.cli.challenge import challenge
from agbench.cli.check import check
from agbench.cli.compare import compare
from agbench.cli.dataset import dataset
from agbench.cli.doctor import doctor
from agbench.cli.evaluate import evaluate
from agbench.cli.export import export
from agbench.cli.fit import fit
from agbench.cli.fuzz import fuzz
from agbench.cli.leaderboard import leaderboard
from agbench.cli.options import messages
from agbench.cli.report import report
from agbench.cli.run import run
from agbench.cli.scale import scale
from agbench.cli.setup import setup
from agbench.cli.show import show
from agbench.cli.submit import submit
from agbench.cli.sweep import sweep
from agbench.cli.tasks import tasks
from agbench.cli.train import train
from agbench.cli.weather import weather
from agbench.errors import AgBenchError, AgBenchWarning
from agbench.files import OF_THE_DISK

app = typer.Typer(
    name="agbench",
    help="Reinforcement learning in agriculture: tasks, policies, evaluations.",
    epilog="Exit codes: 0 done, 1 a check found something, 2 wrong usage or input.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (
    tasks,
    show,
    run,
    train,
    sweep,
    evaluate,
    compare,
    check,
    fit,
    calibrate,
    anchors,
    challenge,
    scale,
    setup,
    export,
    report,
    submit,
    bench,
    doctor,
):
    app.command()(verb)
app.add_typer(dataset)
app.add_typer(fuzz)
app.add_typer(weather)
app.add_typer(leaderboard)


def main() -> None:
    """Run the command; a user error prints one message and exits with code 2.

    Code in the folder it is run from can be named as `module:Name`; what is installed comes first.
    """
    try:
        sys.path.append(os.getcwd())
    except FileNotFoundError:
        _say("the current folder was removed or replaced. Go to one that is there, with cd.")
        sys.exit(2)
    warnings.showwarning = _show_warning
    os.environ["MPLBACKEND"] = "agg"  # pictures go to files; with a name of no backend there would be none
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="surrogateescape")  # names of files that are not UTF-8 are printed too
    try:
        app()
    except AgBenchError as error:
        _say(str(error))
        sys.exit(2)
    except RecursionError as error:
        place = error.__traceback__
        while place is not None and "yaml" not in place.tb_frame.f_globals.get("__name__", ""):
            place = place.tb_next
        if place is None:
            raise
        _say("a value, or a file, has more brackets within brackets than can be read.")
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if error.filename is None and error.errno not in OF_THE_DISK:
            raise
        where = error.filename or "a file"
        _say(f"{where}: cannot be read or written: {error.strerror}.")
        sys.exit(2)


def _say(mistake: str, style: str = "red") -> None:
    messages.print(f"agbench: {mistake}", style=style)


_usual: Final = warnings.showwarning


def _show_warning(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
    """Show a warning of ours as a sentence, without the line of code that gave it; others as usual."""
    if issubclass(category, AgBenchWarning):
        _say(f"warning: {message}", "yellow")
    else:
        _usual(message, category, *place, **more)
