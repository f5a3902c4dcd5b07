"""Curves as plain numbers: what is drawn of an episode, and nothing else."""

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
    if len(x) > MOST_POINTS:
        x, y, top = _thinned(x, y, top, form)
    high = [] if top is None else _plain(top)
    return CurveData(name=name, unit=unit, form=form, right=right, x=_plain(x), y=_plain(y), top=high)


def _thinned(x: Floats, y: Floats, top: Floats | None, form: Form) -> tuple[Floats, Floats, Floats | None]:
    """Return days, values and tops of equal parts of a curve; of bars the day that begins a part."""
    groups = np.array_split(np.arange(len(x)), MOST_POINTS)
    if form == "bars":
        low = [y[g].sum() for g in groups]
    elif form == "band":
        low = [y[g].min() for g in groups]
    else:
        low = [y[g[-1]] for g in groups]
    high = None if top is None else np.array([top[g].max() for g in groups])
    days = [x[g[0]] if form == "bars" else x[g[-1]] for g in groups]
    return np.array(days), np.array(low), high


def stems(name: str, unit: str, days: Floats, amounts: Floats, right: bool = False) -> CurveData:
    """Return bars for the amounts that are not zero, each where it was given."""
    nonzero = amounts != 0.0
    return curve(name, unit, days[nonzero], amounts[nonzero], "bars", right)


def _plain(values: Floats) -> list[float]:
    return [float(f"{value:.{_DIGITS}g}") for value in values.tolist()]
