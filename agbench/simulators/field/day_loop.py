"""The one day loop of daily models, which `agbench.simulate` and the environments run alike.

The order of a day is PCSE's: yesterday's rates are integrated, states are forced, today's rates follow.
"""

import math
from collections.abc import Callable
from typing import Any

from agbench.compiled import entry, kernel
from agbench.variables import Booleans, Floats

Kernel = Callable[..., Any]


@kernel
def the_only_crop(s: Any, inputs: Any, acts: bool) -> int:
    """Return the crop of a world that has one."""
    return 0


def day_loop(
    module: str, start: Kernel, integrate: Kernel, rates: Kernel, choose: Kernel = the_only_crop
) -> tuple[Kernel, Kernel]:
    """Return the entries `begin` and `advance` of a model, which its `module` defines under these names.

    A model has three kernels: `start` for its first day, `integrate` for all others, and `rates`. They take
    all rows as arrays and as records, and their memory; i, the row; the parameters and tables of its world;
    the weather of all worlds; k, the world; t, the day; the record of the day's inputs; whether these act.
    `rates` also takes what `start` or `integrate` returned, and returns whether the row has finished.

    A world has parameters and tables for each of its crops. Before the day begins, `choose` takes the
    row, the record of the day's inputs and whether these act, and returns the place of the present crop.
    """

    @kernel
    def force(state: Floats, i: int, columns: Any, values: Floats, day: int) -> None:
        for j in range(columns.shape[0]):
            if not math.isnan(values[day, i, j]):
                state[i, columns[j]] = values[day, i, j]

    def begin(
        state: Floats,
        records: Any,
        memory: Floats,
        slots: Any,
        clock: Any,
        finished: Booleans,
        parameters: Any,
        tables: Floats,
        series: Any,
        mask: Booleans,
        inputs: Any,
        columns: Any,
        values: Floats,
    ) -> None:
        """Put the masked rows on the first day of their worlds."""
        for i in range(state.shape[0]):
            if mask[i]:
                k = slots[i]
                clock[i] = 0
                today = inputs[0, i]
                for j in range(state.shape[1]):
                    state[i, j] = 0.0
                crop = choose(records[i], today, True)
                p, curves = parameters[k, crop], tables[k, crop]
                event = start(state, records, memory, i, p, curves, series, k, 0, today, True)
                force(state, i, columns, values, 0)
                finished[i] = rates(state, records, memory, i, p, curves, series, k, 0, today, True, event)

    def advance(
        state: Floats,
        records: Any,
        memory: Floats,
        slots: Any,
        clock: Any,
        finished: Booleans,
        parameters: Any,
        tables: Floats,
        series: Any,
        mask: Booleans,
        inputs: Any,
        columns: Any,
        values: Floats,
        last: Any,
        steps: int,
        history: Floats,
    ) -> None:
        """Advance the masked rows by `steps` days, fewer where they finish or reach their `last` day.

        `inputs` (days, n) act on the first days, as `values` (days, n, k) of the k forced `columns` do;
        `history` (n, days, columns) becomes the states of the first days.
        """
        for i in range(state.shape[0]):
            if mask[i]:
                k = slots[i]
                for step in range(steps):
                    if finished[i] or clock[i] >= last[k]:
                        break
                    clock[i] += 1
                    t = clock[i]
                    acts = step < inputs.shape[0]
                    today = inputs[step if acts else 0, i]
                    crop = choose(records[i], today, acts)
                    p, curves = parameters[k, crop], tables[k, crop]
                    event = integrate(state, records, memory, i, p, curves, series, k, t, today, acts)
                    if acts:
                        force(state, i, columns, values, step)
                    finished[i] = rates(
                        state, records, memory, i, p, curves, series, k, t, today, acts, event
                    )  # fmt: skip
                    if step < history.shape[1]:
                        for j in range(state.shape[1]):
                            history[i, step, j] = state[i, j]

    for function in (begin, advance):  # the cache names machine code after the model's module
        function.__module__, function.__qualname__ = module, function.__name__
    return entry(begin), entry(advance)
