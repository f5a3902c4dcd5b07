"""What Python calls: many rows a few days, or one row a whole season."""

import math
from typing import Any

from agbench.compiled import entry, kernel
from agbench.simulators.lintul3.day import (
    fertilise,
    integrate,
    manage_crop,
    rates,
    start_soil,
)
from agbench.variables import Booleans, Floats

_G_M2_PER_KG_HA = 0.1


@kernel
def _begin_day(
    s: Any,
    p: Any,
    tables: Floats,
    calendar: Any,
    w: Any,
    today: int,
    matured: bool,
    nitrogen: float,
    irrigation: float,
) -> bool:
    """Manage the day and compute its rates; return whether the crop ends today.

    `nitrogen` is effective fertiliser [kg ha-1], `irrigation` effective water [cm].
    """
    ended = manage_crop(s, p, calendar, today)
    fertilise(s, p, _G_M2_PER_KG_HA * nitrogen)
    rates(s, p, tables, w, irrigation)
    return ended or (matured and calendar.ends_at_maturity == 1)


@kernel
def _clear_rates(s: Any) -> None:
    """Zero the rates that a day may leave unset: those of a crop that is not growing."""
    s.RROOTD = 0.0
    s.TRAN = 0.0
    s.TRANRF = 0.0


@entry
def start(
    state: Any,
    clock: Any,
    finished: Booleans,
    slot: Any,
    rows: Any,
    weather: Any,
    parameters: Any,
    tables: Floats,
    calendars: Any,
) -> None:
    """Put `rows` at the first day of their worlds: states of that day and its rates."""
    for i in rows:
        k = slot[i]
        s, p = state[i], parameters[k]
        clock[i] = 0
        start_soil(s, p)
        finished[i] = _begin_day(s, p, tables[k], calendars[k], weather[k, 0], 0, False, 0.0, 0.0)


@entry
def advance(
    state: Any,
    clock: Any,
    finished: Booleans,
    slot: Any,
    mask: Booleans,
    inputs: Floats,
    days: int,
    weather: Any,
    parameters: Any,
    tables: Floats,
    calendars: Any,
) -> None:
    """Advance the masked rows by `days`, fewer where the crop ends or the last day is reached.

    `inputs` (n, 2) are effective nitrogen [kg ha-1] and irrigation [cm] of the first day.
    """
    for i in range(len(state)):
        if not mask[i]:
            continue
        k = slot[i]
        s, p, calendar = state[i], parameters[k], calendars[k]
        for day in range(days):
            if finished[i] or clock[i] >= calendar.last:
                break
            clock[i] += 1
            matured = integrate(s, p)
            _clear_rates(s)
            finished[i] = _begin_day(
                s,
                p,
                tables[k],
                calendar,
                weather[k, clock[i]],
                clock[i],
                matured,
                inputs[i, 0] if day == 0 else 0.0,
                inputs[i, 1] if day == 0 else 0.0,
            )


@entry
def season(
    s: Any,
    weather: Any,
    p: Any,
    tables: Floats,
    calendar: Any,
    inputs: Floats,
    numbers: Floats,
    columns: Any,
    out: Floats,
    forced_columns: Any,
    forced: Floats,
) -> int:
    """Simulate one whole season and return its number of days.

    `s` is a zeroed state record and `numbers` the same memory as an array; row t of `out` becomes
    `numbers[columns]` of day t. `inputs` (days, 2) are the effective nitrogen [kg ha-1] and
    irrigation [cm] of every day. `forced` (days, m) replaces the states in `forced_columns` after
    each integration; NaN leaves them as they are.
    """
    matured = False
    for today in range(calendar.last + 1):
        if today == 0:
            start_soil(s, p)
        else:
            matured = integrate(s, p)
            _clear_rates(s)
        for j in range(len(forced_columns)):
            if not math.isnan(forced[today, j]):
                numbers[forced_columns[j]] = forced[today, j]
        ended = _begin_day(
            s,
            p,
            tables,
            calendar,
            weather[today],
            today,
            matured,
            inputs[today, 0],
            inputs[today, 1],
        )
        for j in range(len(columns)):
            out[today, j] = numbers[columns[j]]
        if ended:
            return today + 1
    return int(calendar.last + 1)
