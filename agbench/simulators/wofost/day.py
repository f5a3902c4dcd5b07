"""A day of WOFOST in the order of PCSE's engine: integration, calendar, events, then rates.

The row of a day holds its states and the rates computed from them. A model is its crop and its
soil, each a triple of kernels: start, rates, integrate.
"""

from collections.abc import Callable
from typing import Any

from agbench.compiled import inlined, kernel
from agbench.simulators.field.day_loop import day_loop, the_only_crop
from agbench.simulators.wofost.variables import FIRST_RATE, NO_CROP, REMOVED, STANDING
from agbench.variables import Floats, VariableTable

Kernel = Callable[..., Any]


@kernel
def _leave_as_it_is(x: Floats, s: Any) -> None:
    """Keep the columns of a crop that has ended."""


def daily_cycle(
    module: str,
    columns: VariableTable,
    crop: tuple[Kernel, Kernel, Kernel],
    soil: tuple[Kernel, Kernel, Kernel],
    events: Kernel,
    choose: Kernel = the_only_crop,
    clear: Kernel = _leave_as_it_is,
) -> tuple[Kernel, Kernel]:
    """Return the entries `begin` and `advance` of a model with this table of columns (`day_loop`).

    The memory of a row are its leaf classes (3, capacity). `clear` takes a row, as an array and as a record,
    on the day after its crop ended.
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

    @inlined
    def manage(s: Any, leaves: Floats, p: Any, tables: Floats, t: int, inputs: Any, acts: bool) -> None:
        calendar(s, p, tables, leaves, t, acts and inputs.PLANT >= 0.5)
        if acts:
            events(s, p, tables, inputs, float(p.EPOCH + t))

    @inlined
    def start(
        state: Floats,
        records: Any,
        memory: Floats,
        i: int,
        p: Any,
        tables: Floats,
        series: Any,
        k: int,
        t: int,
        inputs: Any,
        acts: bool,
    ) -> bool:
        """Put the row on its first day, managed."""
        s = records[i]
        start_soil(state[i], s, p, tables)
        manage(s, memory[i], p, tables, t, inputs, acts)
        return False

    @inlined
    def integrate(
        state: Floats,
        records: Any,
        memory: Floats,
        i: int,
        p: Any,
        tables: Floats,
        series: Any,
        k: int,
        t: int,
        inputs: Any,
        acts: bool,
    ) -> bool:
        """Advance the states to day `t` and manage it; its rates are zero."""
        x, s, leaves = state[i], records[i], memory[i]
        if s.CROP == STANDING:
            if s.FIN > 0.0:
                s.HI = s.TWSO / s.TAGP if s.TAGP > 0.0 else -1.0
                s.CROP = REMOVED
                s.FIN = 0.0
                clear(x, s)
            else:
                integrate_crop(s, p, tables, leaves, float(p.EPOCH + t))
        integrate_soil(x, s, p)
        for j in range(first_rate, x.shape[0]):
            x[j] = 0.0
        s.GROWING = 0.0
        manage(s, leaves, p, tables, t, inputs, acts)
        return False

    @inlined
    def rates(
        state: Floats,
        records: Any,
        memory: Floats,
        i: int,
        p: Any,
        tables: Floats,
        series: Any,
        k: int,
        t: int,
        inputs: Any,
        acts: bool,
        event: bool,
    ) -> bool:
        """Compute the rates of day `t`; return whether it is the last."""
        x, s = state[i], records[i]
        if s.CROP == STANDING:
            crop_rates(x, s, p, tables, memory[i], series[k], t)
        soil_rates(x, s, p, tables, series[k, t])
        if t >= p.LAST_DAY and s.CROP == STANDING:
            s.FIN = 1.0
        return t >= p.LAST_DAY or (s.FIN > 0.0 and t >= p.LAST_EVENT)

    return day_loop(module, start, integrate, rates, choose)
