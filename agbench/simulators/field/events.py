"""Management events of a bare simulation: (date, name, amount, recovery or efficiency).

A harvest's amount is the share of the harvestable that it takes, 1 where none is given.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from numbers import Real
from typing import Any, Final, cast

import numpy as np

from agbench.data.field_task import MOST
from agbench.errors import ConfigError, did_you_mean
from agbench.simulators.field.calendar import as_date
from agbench.variables import Floats, finite

DEFAULT_FRACTION: Final = 0.7
"""Share of fertiliser that plants recover, and of irrigation water that reaches the roots."""


@dataclass(frozen=True)
class Event:
    """Something done to the field on a date.

    `amounts` in kg ha-1 (fertiliser: one for `apply_n`, three for `apply_npk`), cm (water) or the
    share that a harvest takes;
    `fractions` are the recovery of each nutrient or the efficiency of the water.
    """

    date: date
    name: str
    amounts: tuple[float, ...] = ()
    fractions: tuple[float, ...] = ()


_LENGTHS: Final = {"apply_n": 1, "apply_npk": 3, "irrigate": 1, "harvest": 1, "prune": 1, "replant": 1}
_LARGEST: Final = {"apply_n": MOST["N"][0], "apply_npk": MOST["N"][0], "irrigate": MOST["IRRIG"][0]}
_UNITS: Final = {"apply_n": "kg ha-1", "apply_npk": "kg ha-1", "irrigate": "cm"}
_SHARES: Final = ("harvest", "prune", "replant")
_WHOLE: Final = (1.0,)  # share of what is harvestable


def parse(
    events: Sequence[Any],
    allowed: Sequence[str],
    model: str,
    start: date,
    end: date,
    able: Callable[[str], Sequence[str]] | None = None,
) -> list[Event]:
    """Return the events in the order of their dates.

    `allowed` are the names that the model understands; `able` returns the models that understand an event,
    for errors. Raises `ConfigError` for an event of another form, an unknown name, an amount that is
    negative or more than a day may bring, or a date outside `start` to `end`.
    """
    parsed = [_parse_one(i, event, allowed, model, able) for i, event in enumerate(events)]
    for event in parsed:
        if not start <= event.date <= end:
            raise ConfigError(
                f"events: {event.name} on {event.date} lies outside the simulation, {start} to {end}."
            )
    _check_days(parsed)
    return sorted(parsed, key=lambda event: event.date)


def _check_days(events: Sequence[Event]) -> None:
    """Raise `ConfigError` where the events of a day bring more together than a day may bring."""
    sums: dict[tuple[date, str, int], float] = defaultdict(float)
    for event in events:
        if event.name not in _LARGEST:
            continue
        what = "irrigate" if event.name == "irrigate" else "apply_npk"
        for i, amount in enumerate(event.amounts):
            sums[event.date, what, i] += amount
            total = sums[event.date, what, i]
            if total > _LARGEST[what]:
                raise ConfigError(
                    f"events: those of {event.date} bring {total:g} {_UNITS[what]} together; "
                    f"a day may bring {_LARGEST[what]:g}."
                )


def dates(events: Sequence[Any]) -> list[date]:
    """Return the dates of events that have one; `parse` refuses the others."""
    result = []
    for i, event in enumerate(events):
        text = event.date if isinstance(event, Event) else event[0] if _is_list(event) and event else None
        if text is not None:
            result.append(as_date(f"events[{i}]", text))
    return result


def listed(events: Any) -> Sequence[Any]:
    """Return events as a list, an empty one for None; raises `ConfigError` for what is no list."""
    if events is None:
        return []
    if not _is_list(events):
        raise ConfigError(
            f"events: {events!r} is no list of (date, name, amount), such as "
            '[("1984-02-24", "apply_n", 60.0)].'
        )
    return cast("Sequence[Any]", events)


def _is_list(value: Any) -> bool:
    return isinstance(value, (tuple, list))


def _parse_one(
    i: int, event: Any, allowed: Sequence[str], model: str, able: Callable[[str], Sequence[str]] | None = None
) -> Event:
    if isinstance(event, Event):
        event = (event.date, event.name, event.amounts, event.fractions)
    if not isinstance(event, (tuple, list)) or not 2 <= len(event) <= 4:
        raise ConfigError(
            f"events[{i}]: {event!r} is not (date, name, amount) or (date, name, amount, recovery)."
        )
    name = event[1]
    if able is not None and name not in allowed and isinstance(name, str) and name in _LENGTHS:
        others = ", ".join(able(name))
        raise ConfigError(
            f"events[{i}]: {model} has no use for {name!r}; on the engine 'compiled' it acts in {others}."
        )
    if name not in allowed:
        raise ConfigError(
            f"events[{i}]: {model} does not understand {name!r}.{did_you_mean(str(name), allowed)}"
        )
    length, day = _LENGTHS[name], as_date(f"events[{i}]", event[0])
    rest = [*event[2:], None, None]
    if name in _SHARES:
        if rest[1] is not None and rest[1] != ():
            raise ConfigError(f"events[{i}]: a {name} has a share, and no recovery; got {rest[1]!r}.")
        return Event(day, name, _share(i, name, rest[0]))
    given = () if rest[0] is None else rest[0]
    amounts = _numbers(i, f"{name}: amount", given, length, _LARGEST[name], _UNITS[name])
    share = DEFAULT_FRACTION if rest[1] is None else rest[1]
    return Event(day, name, amounts, _numbers(i, f"{name}: recovery", share, length))


def _share(i: int, name: str, value: Any) -> tuple[float, ...]:
    """Return the share of the harvestable, or of the wood, that is taken: all by default, of trees always."""
    missing = value is None or (isinstance(value, tuple) and not value)
    if name == "replant" and not missing and value not in (1, _WHOLE):
        raise ConfigError(
            f"events[{i}]: a replant clears all trees and has no amount; leave out {value!r}, or write 1."
        )
    if missing and name == "prune":
        raise ConfigError(f"events[{i}]: a prune needs a share of the wood, such as 0.2.")
    return _WHOLE if missing else _numbers(i, f"{name}: share", value, 1)


def _numbers(
    i: int, what: str, value: Any, length: int, upper: float = 1.0, unit: str = ""
) -> tuple[float, ...]:
    """Return `length` finite numbers between 0 and `upper` [unit]; one share is every nutrient's recovery."""
    values = np.atleast_1d(np.asarray(value, dtype=object)).tolist()
    if not unit and len(values) == 1:
        values = values * length
    numeric = all(isinstance(v, Real) and not isinstance(v, bool) for v in values)
    if len(values) != length or not numeric or not all(0.0 <= v <= upper and finite(v) for v in values):
        expected = "a number" if length == 1 else f"{length} numbers (N, P, K)"
        got = repr(value) if values else "none"
        bound = f"0 to {upper:g} {unit}".rstrip()
        raise ConfigError(f"events[{i}]: {what} must be {expected}, {bound}; got {got}.")
    return tuple(float(v) for v in values)


def daily_inputs(events: Sequence[Event], start: date, days: int, sound: bool) -> Floats:
    """Return effective nitrogen [kg ha-1] and irrigation [cm] of each day, (days, 2).

    Two events of a kind on one day add up; with `sound` False the last one counts, as PCSE's
    signal handlers have it.
    """
    inputs = np.zeros((days, 2))
    for event in events:
        column = 1 if event.name == "irrigate" else 0
        effective = event.amounts[0] * event.fractions[0]
        day = (event.date - start).days
        inputs[day, column] = effective + (inputs[day, column] if sound else 0.0)
    return inputs
