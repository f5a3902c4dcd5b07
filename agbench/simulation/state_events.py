"""Events that happen when a state crosses a value, as PCSE's StateEvents have it.

On every day on which there is the state, the sign of state less value is compared with that of the day
before: a `rising` event comes when it was negative and no longer is, a `falling` one when it was positive
and no longer is, `either` in both cases; as often as that happens. The event then acts on that day, after
the day's states are known and before its rates: as one of that date does. Since an event changes nothing of
the days before it, a season with the events known so far shows the day of the next ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from agbench.errors import ConfigError, unknown
from agbench.simulators.lintul3 import variables as lintul3
from agbench.simulators.models import CropModel
from agbench.simulators.wofost import variables as wofost
from agbench.simulators.wofost.variants import VARIANTS
from agbench.variables import Booleans, Floats, finite

CONDITIONS: Final = ("rising", "falling", "either")


@dataclass(frozen=True)
class StateEvent:
    """An event on the day when `state` crosses `value`; `what` is name, amount and perhaps a share."""

    state: str
    value: float
    zero_condition: str
    what: tuple[Any, ...]

    def days(self, values: Floats) -> list[int]:
        """Return the days on which it happens, numbers of `values` of the state, one a day."""
        signs = np.sign(values - self.value)
        before, now = signs[:-1], signs[1:]
        rises, falls = (before < 0.0) & (now >= 0.0), (before > 0.0) & (now <= 0.0)
        chosen = {"rising": rises, "falling": falls, "either": rises | falls}[self.zero_condition]
        found: list[int] = (np.flatnonzero(chosen) + 1).tolist()
        return found


def parted(events: Sequence[Any], model: CropModel) -> tuple[list[Any], list[StateEvent]]:
    """Return the events with dates, and those whose first entry is a condition (state, value, crossing).

    A state has the model's own name, or the one that tables show (`shown_as`).

    Raises `ConfigError` or `UnknownNameError` for a condition that cannot be.
    """
    dated, reactions = [], []
    for i, event in enumerate(events):
        if isinstance(event, (list, tuple)) and event and isinstance(event[0], (list, tuple)):
            reactions.append(_read(i, event, model))
        else:
            dated.append(event)
    return dated, reactions


def _read(i: int, event: Sequence[Any], model: CropModel) -> StateEvent:
    when = event[0]
    if len(when) != 3 or isinstance(when[1], bool) or not isinstance(when[1], (int, float)):
        raise ConfigError(
            f"events[{i}]: {when!r} is no condition (state, value, crossing), such as ('DVS', 0.3, 'rising')."
        )
    name, value, condition = when
    name = {shown: own for own, shown in shown_as(model).items()}.get(name, name)
    if not finite(value):
        raise ConfigError(f"events[{i}]: {name} cannot cross {value!r}.")
    if condition not in CONDITIONS:
        raise unknown("crossing (zero_condition)", str(condition), CONDITIONS, where=f"events[{i}]")
    states = [v.name for v in model.variables if _is_state(v.name, model) and v.unit != "date"]
    if name not in states:
        raise unknown("state", str(name), states, where=f"events[{i}]")
    return StateEvent(str(name), float(value), condition, tuple(event[1:]))


def shown_as(model: CropModel) -> Mapping[str, str]:
    """Return what tables of `agbench.simulate` call the variables that they name otherwise, as PCSE does."""
    return VARIANTS[model.name].names if model.name in VARIANTS else {}


def _is_state(name: str, model: CropModel) -> bool:
    others = model.rates | model.memory | model.lacks
    return name not in others and name not in ("STAGE", "CROP", "IN_CROP")


def first_after(
    last: int, reactions: Sequence[StateEvent], series: Mapping[str, tuple[Floats, Booleans]]
) -> tuple[int, list[StateEvent]]:
    """Return the first day after `last` on which events happen, and these; -1 where none does.

    `series` has for each state its values and whether it is there, day by day.
    """
    found = list(_happening(last, reactions, series))
    if not found:
        return -1, []
    first = min(day for day, _ in found)
    return first, [event for day, event in found if day == first]


def _happening(
    last: int, reactions: Sequence[StateEvent], series: Mapping[str, tuple[Floats, Booleans]]
) -> Iterator[tuple[int, StateEvent]]:
    """Yield the first day after `last` of each event that happens then."""
    for event in reactions:
        values, there = series[event.state]
        places = np.flatnonzero(there)
        for day in event.days(values[places]):
            if places[day] > last:
                yield int(places[day]), event
                break


def is_there(name: str, model: CropModel, days: Floats) -> Booleans:
    """Return on which of the days, (..., variables), there is a state: those of crops only with a crop."""
    shape = days.shape[:-1]
    if "CROP" in model.variables:
        if name in wofost.SOIL_NAMES:
            return np.ones(shape, dtype=np.bool_)
        standing: Booleans = days[..., model.variables.column("CROP")] == wofost.STANDING
        return standing
    if name not in lintul3.CROP_NAMES:
        return np.ones(shape, dtype=np.bool_)
    present: Booleans = days[..., model.variables.column("STAGE")] != lintul3.NO_CROP
    return present
