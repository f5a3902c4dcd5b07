"""Curves as plain numbers: what is drawn of an episode, and nothing else."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from pydantic import Field

from agbench.data.reading import Strict
from agbench.variables import Floats

Form = Literal["line", "bars", "band"]
MOST_POINTS: Final = 366  # of a curve: a season has a value a day
_DIGITS: Final = 4


class CurveData(Strict):
    """One curve: `y` over days `x`; a band lies between `y` and `top`. `right`: it has the right scale."""

    name: str
    unit: str
    form: Form = "line"
    right: bool = False
    x: list[float]
    y: list[float]
    top: list[float] = Field(default_factory=list)


class PanelData(Strict):
    """What is drawn over the same days in one frame."""

    title: str
    curves: list[CurveData]


def curve(
    name: str,
    unit: str,
    x: Floats,
    y: Floats,
    form: Form = "line",
    right: bool = False,
    top: Floats | None = None,
) -> CurveData:
    """Return a curve of at most `MOST_POINTS` points: bars are summed, bands widened, lines thinned."""
    groups = np.array_split(np.arange(len(x)), min(len(x), MOST_POINTS)) if len(x) else []
    if form == "bars":
        low = [y[g].sum() for g in groups]
    elif form == "band":
        low = [y[g].min() for g in groups]
    else:
        low = [y[g[-1]] for g in groups]
    high = [] if top is None else [top[g].max() for g in groups]
    days = [x[g[0]] if form == "bars" else x[g[-1]] for g in groups]
    return CurveData(
        name=name, unit=unit, form=form, right=right, x=_plain(days), y=_plain(low), top=_plain(high)
    )


def stems(name: str, unit: str, days: Floats, amounts: Floats, right: bool = False) -> CurveData:
    """Return bars for the amounts that are not zero, each where it was given."""
    nonzero = amounts != 0.0
    x, y = days[nonzero], amounts[nonzero]
    if len(x) <= MOST_POINTS:
        return CurveData(name=name, unit=unit, form="bars", right=right, x=_plain(x), y=_plain(y))
    return curve(name, unit, x, y, "bars", right)


def _plain(values: Sequence[float] | Floats) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values]
