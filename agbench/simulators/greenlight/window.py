"""Reading a window of weather for all rows at once, each from its own series in memory."""

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry
from agbench.simulators.casadi_jit.calling import load
from agbench.variables import Floats

Integers = NDArray[np.int64]


@entry
def read_window(
    series: Integers, lengths: Integers, width: int, now: Integers, columns: NDArray[np.intp], out: Floats
) -> None:
    """Fill `out` (n, steps, columns) with each row's last steps up to `now`, (n,).

    `series` holds the addresses of the rows' weather, of `lengths` rows and `width` columns. Before
    the start the first row repeats, after the end the last. Rows without a series get zeros.
    """
    steps = out.shape[1]
    for i in range(out.shape[0]):
        if lengths[i] == 0:
            out[i] = 0.0
            continue
        for k in range(steps):
            step = min(max(now[i] - steps + 1 + k, 0), lengths[i] - 1)
            for j in range(len(columns)):
                out[i, k, j] = load(series[i], step * width + columns[j])


@entry
def read_ahead(
    series: Integers,
    lengths: Integers,
    width: int,
    now: Integers,
    steps: Integers,
    columns: NDArray[np.intp],
    out: Floats,
) -> None:
    """Fill `out` (n, steps, columns) with each row's weather some `steps` after `now`.

    After the end the last row repeats, before the start the first.
    """
    for i in range(out.shape[0]):
        if lengths[i] == 0:
            out[i] = 0.0
            continue
        for k in range(out.shape[1]):
            step = min(max(now[i] + steps[k], 0), lengths[i] - 1)
            for j in range(len(columns)):
                out[i, k, j] = load(series[i], step * width + columns[j])
