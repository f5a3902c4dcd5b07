"""Edits of menu plans, compiled: thousands of plans are edited in the time that their seasons take.

All random numbers of an edit are drawn before; which of them count depends on its kind.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry
from agbench.envs.actions import Menu
from agbench.variables import Floats

Actions = NDArray[Any]

_CHANGE, _MOVE, _SPLICE, _SHIFT, _SEASON = range(5)
_SHARES: Final = (0.4, 0.25, 0.1, 0.25, 0.0)  # of the kinds of edits
_SHARES_OF_WORK: Final = (0.3, 0.25, 0.1, 0.2, 0.15)  # where the agent sows and harvests
_SPREADS: Final = np.array([1.0, 3.0, 8.0])  # decisions of a move in time
_DRAWN: Final = 4  # uniform numbers for an edit
_NOTHING_GIVEN: Final = 0.3  # the chance that a changed decision gives nothing
_DOSE_CHANGED: Final = 0.3  # the chance that it gives the next smaller or larger dose
_KEPT_BY_SHIFT: Final = 0.5  # the chance that what a shift takes out stands at the other end


class MenuEdits:
    """What may be changed in plans of a menu's numbers, (steps,).

    A decision gives something else; what it gives comes sooner or later; a stretch comes from another plan;
    what follows a decision comes one decision later or sooner, so that there is room for a dose or none is
    left; a crop is sown and harvested at other decisions (`sowing` and `harvest`, menu numbers).
    """

    def __init__(self, menu: Menu, sowing: list[int], harvest: int) -> None:
        self._sowing = np.array(sowing or [-1], dtype=np.int64)
        self._harvest = harvest
        self._shares = np.cumsum(_SHARES_OF_WORK if sowing else _SHARES)
        self._beside = _beside(menu)

    def candidates(
        self, elite: Actions, count: int, first: int, last: int, more: float, generator: np.random.Generator
    ) -> Actions:
        """Return `count` edited plans, (count, steps), changed from `first` to before `last`.

        The better a plan of the `elite`, the more often it is edited; `more` is the chance of each further
        edit.
        """
        chosen = (len(elite) * generator.random(count) ** 2).astype(np.intp)
        result = elite[chosen].astype(np.int64)
        edits = generator.geometric(1.0 - more, count)
        kinds = np.searchsorted(self._shares, generator.random(int(edits.sum())), side="right")
        drawn = generator.random((len(kinds), _DRAWN))
        normal = generator.standard_normal(len(kinds))
        work = self._sowing, self._harvest
        _edit(result, elite.astype(np.int64), edits, kinds, drawn, normal, first, last, self._beside, *work)
        return result


def _beside(menu: Menu) -> NDArray[np.int64]:
    """Return the numbers of the next smaller and the next larger dose of each menu number, (menu, 2)."""
    space: Any = menu.space
    result = np.repeat(np.arange(space.n, dtype=np.int64)[:, None], 2, axis=1)
    for name in menu.names:
        numbers = [0, *(menu.encode(name, dose)[0] for dose in menu.doses(name)[1:])]
        for i, number in enumerate(numbers[1:], 1):
            result[number] = numbers[i - 1], numbers[min(i + 1, len(numbers) - 1)]
    return result


@entry
def _edit(
    plans: Actions,
    elite: Actions,
    edits: Actions,
    kinds: Actions,
    drawn: Floats,
    normal: Floats,
    first: int,
    last: int,
    beside: Actions,
    sowing: Actions,
    harvest: int,
) -> None:
    """Edit `plans` (n, steps) in place, each by so many `edits` (n,) in turn."""
    width, e = last - first, 0
    for n in range(len(plans)):
        plan = plans[n]
        for _ in range(edits[n]):
            kind, u = kinds[e], drawn[e]
            i = first + int(u[0] * width)
            if kind == _CHANGE:
                if u[1] < _NOTHING_GIVEN:
                    plan[i] = 0
                elif u[1] < _NOTHING_GIVEN + _DOSE_CHANGED and plan[i] > 0:
                    plan[i] = beside[plan[i], int(u[2] * 2)]
                else:
                    plan[i] = int(u[2] * len(beside))
            elif kind == _MOVE:
                acting = np.flatnonzero(plan[first:last])
                if len(acting) > 0:
                    i = first + acting[int(u[0] * len(acting))]
                    step = int(np.rint(_SPREADS[int(u[1] * 3)] * normal[e]))
                    j = min(max(i + step, first), last - 1)
                    plan[i], plan[j] = plan[j], plan[i]
            elif kind == _SPLICE:
                j = first + int(u[1] * (width + 1))
                low, high = min(i, j), max(i, j)
                plan[low:high] = elite[int(u[2] * len(elite)), low:high]
            elif kind == _SHIFT:
                _shift(plan, i, first, last, u)
            else:
                j = first + int(u[1] * width)
                low, high = min(i, j), max(i, j)
                for k in range(low, high + 1):
                    if plan[k] == harvest or (plan[k] == sowing).any():
                        plan[k] = 0
                plan[low] = sowing[int(u[2] * len(sowing))]
                if high > low:
                    plan[high] = harvest
            e += 1


@entry
def _shift(plan: Actions, i: int, first: int, last: int, u: Floats) -> None:
    """Let what follows decision `i` come one decision later or sooner, up to the next that gives nothing."""
    if u[1] < 0.5:
        j = i
        while j < last - 1 and plan[j] != 0:
            j += 1
    else:
        j = first + int(u[1] * 2.0 % 1.0 * (last - first))
    low, high = min(i, j), max(i, j)
    if u[2] < 0.5:
        out = plan[high]
        for k in range(high, low, -1):
            plan[k] = plan[k - 1]
        plan[low] = out if u[3] < _KEPT_BY_SHIFT else 0
    else:
        out = plan[low]
        for k in range(low, high):
            plan[k] = plan[k + 1]
        plan[high] = out if u[3] < _KEPT_BY_SHIFT else 0
