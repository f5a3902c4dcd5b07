"""The order of a day: integration, calendar, events, forced states, rates (PCSE's engine).

The row of a day holds its states and the rates computed from them. A model is its crop and its
soil, each a triple of kernels: start, rates, integrate.
"""

import math
from collections.abc import Callable
from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.variables import FIRST_RATE, NO_CROP, REMOVED, STANDING
from agbench.variables import Floats


def daily_cycle(
    columns: Any,
    crop: tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]],
    soil: tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]],
    events: Callable[..., Any],
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the kernels `begin(row)` and `advance(row)` of a model with this table of columns.

    Both take: x, the row as an array; s, the same row as a record; its leaf classes (3, capacity);
    p, tables, series of its world; t, the day; the input record; whether the day has events; the
    columns forced from outside and their values (NaN: not today). They return whether the world
    has ended.
    """
    start_crop, crop_rates, integrate_crop = crop
    start_soil, soil_rates, integrate_soil = soil
    first_rate = columns.column(FIRST_RATE)

    @kernel
    def calendar(s: Any, p: Any, tables: Floats, leaves: Floats, t: int, plants: bool) -> None:
        if s.IN_CROP > 0.0:
            s.DURATION += 1.0
        sown = t == p.CROP_START or (plants and p.PLANT_FIRST <= t <= p.PLANT_LAST)
        if sown and s.CROP == NO_CROP:
            s.CROP = STANDING
            s.IN_CROP = 1.0
            start_crop(s, p, tables, leaves, float(p.EPOCH + t))
        if s.IN_CROP > 0.0:
            harvested = t == p.CROP_END
            if harvested:
                s.DOH = float(p.EPOCH + t)
            if harvested or s.DURATION == p.MAX_DURATION:
                s.FIN = 1.0
                s.IN_CROP = 0.0

    @kernel
    def rest_of_day(
        x: Floats,
        s: Any,
        leaves: Floats,
        p: Any,
        tables: Floats,
        series: Any,
        t: int,
        inputs: Any,
        acts: bool,
        forced: Any,
        values: Floats,
    ) -> bool:
        for j in range(first_rate, x.shape[0]):
            x[j] = 0.0
        s.GROWING = 0.0
        calendar(s, p, tables, leaves, t, acts and inputs.PLANT >= 0.5)
        if acts:
            events(s, p, inputs)
        for j in range(forced.shape[0]):
            if not math.isnan(values[j]):
                x[forced[j]] = values[j]
        if s.CROP == STANDING:
            crop_rates(x, s, p, tables, leaves, series, t)
        soil_rates(x, s, p, tables, series[t])
        if t >= p.LAST_DAY and s.CROP == STANDING:
            s.FIN = 1.0
        return t >= p.LAST_DAY or (s.FIN > 0.0 and t >= p.LAST_EVENT)

    @kernel
    def begin(
        x: Floats,
        s: Any,
        leaves: Floats,
        p: Any,
        tables: Floats,
        series: Any,
        t: int,
        inputs: Any,
        acts: bool,
        forced: Any,
        values: Floats,
    ) -> bool:
        for j in range(x.shape[0]):
            x[j] = 0.0
        start_soil(x, s, p, tables)
        return rest_of_day(x, s, leaves, p, tables, series, t, inputs, acts, forced, values)

    @kernel
    def advance(
        x: Floats,
        s: Any,
        leaves: Floats,
        p: Any,
        tables: Floats,
        series: Any,
        t: int,
        inputs: Any,
        acts: bool,
        forced: Any,
        values: Floats,
    ) -> bool:
        if s.CROP == STANDING:
            if s.FIN > 0.0:
                s.HI = s.TWSO / s.TAGP if s.TAGP > 0.0 else -1.0
                s.CROP = REMOVED
                s.FIN = 0.0
            else:
                integrate_crop(s, p, tables, leaves, float(p.EPOCH + t))
        integrate_soil(x, s, p)
        return rest_of_day(x, s, leaves, p, tables, series, t, inputs, acts, forced, values)

    return begin, advance
