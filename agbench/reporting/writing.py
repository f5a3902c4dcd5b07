"""Writing a report: the leaderboard's parts, style and scripts, all of them inside one file."""

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

import jinja2
from markupsafe import Markup

import agbench
from agbench.errors import AgBenchError, ResultError, described
from agbench.files import is_stream, require_kind, write_text
from agbench.leaderboard.page import rendering, season_data
from agbench.reporting import runs
from agbench.reporting.content import SEASONS, Content

ENDINGS: Final = (".html", ".htm")
STYLES: Final = ("page.css", "uplot/uPlot.min.css")
_TITLE: Final = re.compile(rb"<title>[^<]* AgBench (result|training|dataset)</title>")
_BEGINNING: Final = 65_536  # bytes, in which the title is
SCRIPTS: Final = ("uplot/uPlot.iife.min.js", "tables.js", "plots.js")


def report(folder: str | Path, out: str | Path | None = None, seasons: int = SEASONS) -> Path:
    """Write the report of a result, a training run or a dataset; return its path.

    The file loads nothing from anywhere: style, scripts and data are inside. Up to three seasons, the
    median, the worst and the best, are simulated again from their actions, to be drawn.

    Args:
        folder: as `agbench evaluate`, `train` or `dataset` wrote it.
        out: the file to write; beside the folder, with its name, by default.
        seasons: how many seasons are drawn, from 0 to 3.

    Raises:
        ResultError: for a folder that holds none of the three, or a damaged one; for a file to write that
            lies in it, where it could take the place of what is read, that has another ending than .html or
            .htm, or that is there and is no report.
    """
    place = Path(folder)
    runs.require(place)
    beside = place.resolve()
    target = beside.parent / f"{beside.name}.html" if out is None else Path(out)
    if beside in target.resolve().parents:
        raise ResultError(f"{target} lies in {place}, which is read. Name a file outside it.")
    if target.suffix.lower() not in ENDINGS and not target.is_dir() and not is_stream(target):
        raise ResultError(f"{target}: a report is written as {' or '.join(ENDINGS)}, such as report.html.")
    require_kind(target, _is_report, "a report", ResultError)
    try:
        text = rendered(runs.read(place, seasons))
    except (AgBenchError, OSError):
        raise
    except Exception as error:  # a record is anybody's text: it may say anything
        raise ResultError(
            f"{place}: what its files say cannot be shown: {described(error)}. Was one changed or cut off? "
            "Make the run again."
        ) from None
    write_text(target, text)
    return target


def _is_report(path: Path) -> bool:
    """Whether `report` wrote a file: its title says so."""
    with path.open("rb") as file:
        return _TITLE.search(file.read(_BEGINNING)) is not None


def rendered(content: Content) -> str:
    """Return the text of a report."""
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            content=content,
            version=agbench.__version__,
            styles=[_inside(name, "style") for name in STYLES],
            scripts=[_inside(name, "script") for name in SCRIPTS],
            packed=season_data.packed,
            text_of=_text_of,
        )
    )


@cache
def _environment() -> jinja2.Environment:
    """Return the environment of the board's templates, to which those of reports are added."""
    board = rendering.environment()
    assert board.loader is not None
    return board.overlay(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader("agbench.reporting"), board.loader])
    )


def _inside(name: str, tag: str) -> Markup:
    """Return a file of the leaderboard's page to stand inside a tag."""
    text = (rendering.STATIC / name).read_text("utf-8")
    assert f"</{tag}" not in text
    return Markup(text)


def _text_of(value: Any) -> str:
    """Return a value of a settings file in words."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_text_of(each)}" for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text_of, value))
    return str(value)
