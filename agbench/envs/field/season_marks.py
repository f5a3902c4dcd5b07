"""Colours and marks of a season's picture: what is of one nutrient looks alike in all panels and tasks."""

from collections.abc import Sequence
from typing import Final

from matplotlib.lines import Line2D

from agbench.plotting import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY_BLUE, VERMILLION

FILL: Final = 0.7
"""Opacity of areas."""

NITROGEN, PHOSPHORUS, POTASSIUM, WATER = VERMILLION, ORANGE, PURPLE, BLUE
"""The colours of nutrients and water, in all panels and all tasks."""

_INPUT_COLOURS = {"N": NITROGEN, "P": PHOSPHORUS, "K": POTASSIUM, "IRRIG": WATER}
_OTHER_COLOURS = (GREEN, BLACK, SKY_BLUE)  # of sowing, harvest and what else an input does


def input_colours(names: Sequence[str]) -> list[str]:
    """Return the colour of each input, that of its nutrient in any task; `north.N` is that of a field."""
    kinds = [name.rpartition(".")[2] for name in names]
    others = list(dict.fromkeys(kind for kind in kinds if kind not in _INPUT_COLOURS))
    return [
        _INPUT_COLOURS.get(kind) or _OTHER_COLOURS[others.index(kind) % len(_OTHER_COLOURS)] for kind in kinds
    ]


def curve_mark(colour: str, dash: int | None = None, of: int = 2) -> Line2D:
    """Return the style of a curve, as the key shows it: solid, or the `dash`-th `of` the scale's dashed ones.

    Each dashed curve fills gaps of the others, so that all show where they coincide.
    """
    if dash is None:
        return Line2D([], [], color=colour, linewidth=1.6)
    of = max(of, 2)
    period, length = 2.0 + 2.0 * of, 2.6 + 0.2 * of  # points: two of them share the line to halves
    offset = -period / of * dash % period
    return Line2D([], [], color=colour, linewidth=1.6, linestyle=(offset, (length, period - length)))


def stacked(label: str, count: int) -> str:
    """Return an axis label of many names with its unit below them, so that it fits beside the panel."""
    return "\n(".join(label.rsplit(" (", 1)) if count > 2 else label


def in_key(mark: Line2D) -> Line2D:
    """Return a mark for the key: its dashes begin with a dash."""
    shown = Line2D([], [])
    shown.update_from(mark)
    if mark.is_dashed():
        shown.set_linestyle((0.0, (3.0, 3.0)))
    return shown


def swatch(colour: str) -> Line2D:
    """Return the mark of a filled area."""
    return Line2D([], [], color=colour, linewidth=6, alpha=FILL)
