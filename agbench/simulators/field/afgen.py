"""AFGEN: the piecewise linear tables of the Wageningen crop models, compiled.

A table is an array (3, k): abscissae, ordinates, slopes; beyond its ends it keeps its end values.
"""

from collections.abc import Sequence

import numpy as np

from agbench.compiled import kernel
from agbench.errors import ConfigError
from agbench.variables import Floats


def build(name: str, pairs: Sequence[float], where: str = "") -> Floats:
    """Return the table (3, k) of a flat list x0, y0, x1, y1, ...

    Trailing (0, 0) pairs, which the CGMS database leaves behind, are dropped. Raises `ConfigError`
    where the list is odd, shorter than two pairs, or its abscissae do not ascend.
    """
    flat = np.asarray(pairs, dtype=np.float64)
    place = f"{where}: " if where else ""
    if flat.ndim != 1 or flat.size < 4 or flat.size % 2 or not np.isfinite(flat).all():
        raise ConfigError(
            f"{place}{name} must be a flat list x0, y0, x1, y1, ... of at least two pairs of "
            f"finite numbers; got {list(pairs)!r}."
        )
    x, y = flat[0::2], flat[1::2]
    while x.size > 2 and x[-1] == 0.0 and y[-1] == 0.0 and x[-2] >= 0.0:
        x, y = x[:-1], y[:-1]
    if (np.diff(x) <= 0.0).any():
        raise ConfigError(f"{place}{name}: the abscissae must ascend strictly; got {x.tolist()}.")
    return np.stack([x, y, np.append(np.diff(y) / np.diff(x), 0.0)])


def stack(tables: Sequence[Floats], width: int) -> Floats:
    """Return tables side by side, (len(tables), 3, width), the last point repeated as padding."""
    stacked = np.empty((len(tables), 3, width))
    for i, table in enumerate(tables):
        k = table.shape[1]
        stacked[i, :, :k] = table
        stacked[i, :, k:] = table[:, -1:]
    return stacked


@kernel
def afgen(table: Floats, x: float) -> float:
    """Return the table's value at `x`, linearly interpolated, constant beyond the ends."""
    last = table.shape[1] - 1
    if x <= table[0, 0]:
        return float(table[1, 0])
    if x >= table[0, last]:
        return float(table[1, last])
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if table[0, middle] < x:
            low = middle
        else:
            high = middle
    return float(table[1, low] + table[2, low] * (x - table[0, low]))
