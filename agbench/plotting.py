"""Shared parts of all pictures: colours that colour-blind readers can tell apart, axes, units, files."""

import io
import os
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agbench.errors import ConfigError
from agbench.files import require_kind, write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito 2008, "Color Universal Design": https://jfly.uni-koeln.de/color/
BLACK: Final = "#000000"
ORANGE: Final = "#E69F00"
SKY_BLUE: Final = "#56B4E9"
GREEN: Final = "#009E73"
BLUE: Final = "#0072B2"
VERMILLION: Final = "#D55E00"
PURPLE: Final = "#CC79A7"

SERIES: Final = (BLUE, ORANGE, GREEN, VERMILLION, SKY_BLUE, PURPLE, BLACK)
"""The order in which things take a colour; yellow is left out, too pale for lines."""

MUTED: Final = "#595959"
"""Text and marks that explain the data."""

_GRID: Final = "#E6E6E6"
_EDGE: Final = "#8C8C8C"
_POWER = re.compile(r"(?<![A-Za-z])([A-Za-z]{1,4})(-\d+)\b|(?<![A-Za-z])([cdkm]?m)(\d)\b")
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_MARKS: Final = {
    name: re.compile(mark, re.DOTALL)
    for names, mark in (
        ("png", rb"\x89PNG\r\n\x1a\n"),
        ("jpg jpeg", rb"\xff\xd8\xff"),
        ("pdf", rb"%PDF-"),
        ("ps eps", rb"%!PS"),
        ("pgf", rb"%% Creator: Matplotlib, PGF"),
        ("svg", rb"(?:\xef\xbb\xbf)?\s*<(?:svg|[?!].*<svg)\b"),
        ("svgz", rb"\x1f\x8b"),
        ("tif tiff", rb"II\*\0|MM\0\*"),
        ("webp", rb"RIFF....WEBP"),
        ("gif", rb"GIF8"),
        ("avif", rb"....ftypavif"),
    )
    for name in names.split()
}
"""How pictures begin, by suffix. Raw ones have no mark, so that no file is known to be one."""
_BEGINNING: Final = 4096  # bytes, in which the mark is


@lru_cache(maxsize=256)
def printed(unit: str) -> str:
    """Return a unit for print: `kg ha⁻¹` for `kg ha-1`, `°C` for `degC`, `–` for `-`."""
    if unit in ("-", ""):
        return "–"

    def power(match: re.Match[str]) -> str:
        return (match[1] or match[3]) + (match[2] or match[4]).translate(_SUPERSCRIPT)

    return _POWER.sub(power, unit.replace("degC", "°C"))


def valued(name: str, value: float, digits: int, unit: str) -> str:
    """Return a number in words: `water 12.4 cm`; a count has no unit, and words are apart: `wheat sown 2`."""
    text = f"{name.replace('_', ' ')} {value:.{digits}f}"
    return text if unit in ("-", "") else f"{text} {printed(unit)}"


def named(names: Iterable[str], unit: str) -> str:
    """Return an axis label: names, and their unit in parentheses."""
    return f"{', '.join(names)} ({printed(unit)})"


def signed(text: str) -> str:
    """Return numbers in text with a true minus sign, as Matplotlib writes those of its scales."""
    return _MINUS.sub("−", text)


def tidy(axes: "Axes", grid: str | None = "both") -> None:
    """Give axes our look: small type, thin grey edges, a light grid behind the data."""
    axes.tick_params(labelsize=8, length=2.5, width=0.6, color=_EDGE, labelcolor=MUTED)
    for edge in axes.spines.values():
        edge.set(color=_EDGE, linewidth=0.6)
    axes.spines["top"].set_visible(False)
    axes.set_axisbelow(True)
    if grid is not None:
        axes.grid(True, axis=grid, color=_GRID, linewidth=0.6)  # type: ignore[arg-type]


def save(figure: "Figure", path: str | os.PathLike[str], dpi: float) -> Path:
    """Write a figure in the format of the file's suffix; a killed run leaves no half file.

    Raises `ConfigError` for what `require_place` refuses, `OSError` with the name of the file for one that
    cannot be written.
    """
    target = Path(path)
    require_place(target)
    drawn = io.BytesIO()  # in memory: a file that is cut off while it is drawn may be taken for a picture
    figure.savefig(drawn, dpi=dpi, format=_kind(target))
    write_bytes(target, drawn.getvalue())
    return target


def require_place(path: Path) -> None:
    """Raise `ConfigError` where no picture can be written: for the suffix, or for another file there.

    For commands to call before they begin. An older picture of the suffix's kind may be replaced.
    """
    from matplotlib.backend_bases import FigureCanvasBase

    file_types = FigureCanvasBase.get_supported_filetypes()
    if _kind(path) not in file_types:
        raise ConfigError(
            f"{path}: cannot write a picture in the format {path.suffix or '(none)'}; give a file"
            f" that ends in one of {', '.join(f'.{kind}' for kind in sorted(file_types))}."
        )
    require_kind(path, _is_picture, f"a {path.suffix} picture", ConfigError)


def _kind(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _is_picture(path: Path) -> bool:
    """Whether a file begins as pictures with its suffix do."""
    mark = _MARKS.get(_kind(path))
    with path.open("rb") as file:
        return mark is not None and mark.match(file.read(_BEGINNING)) is not None
