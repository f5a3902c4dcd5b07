"""Observations of fields written by a kernel, with the bits of `FieldObserver`.

For batches in threads: NumPy's steps stay in one thread and take a fifth of a step of LINTUL-3, this some
hundredth.
"""

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry
from agbench.envs.field.observations import FieldObserver
from agbench.simulators.base import Simulator
from agbench.simulators.field.simulator import DailySimulator
from agbench.variables import Floats

Integers = NDArray[np.int64]


class CompiledFieldObserver(FieldObserver):
    """What another observer sees; the states and the means of the weather in one pass over the rows."""

    def __init__(self, observer: FieldObserver) -> None:
        self.__dict__.update(observer.__dict__)

    def write(self, simulator: Simulator, out: NDArray[np.float32]) -> None:
        """Write the observations of all rows into `out`, (n, size)."""
        if self._daily or not len(self._sky) or not isinstance(simulator, DailySimulator):
            super().write(simulator, out)
            return
        weather = simulator._pool["weather"]
        numbers = weather.view(np.float64).reshape(-1, weather.dtype.itemsize // 8)
        _write(
            simulator.state,
            self._state,
            numbers,
            weather.shape[1],
            simulator._slot,
            simulator.elapsed,
            self._window,
            self._sky,
            out,
        )
        at = self._later
        for name in self._progress:
            out[:, at] = getattr(simulator, name)
            at += 1
        if self._forecast is not None:
            out[:, at:] = self._forecast.of(simulator)


@entry
def _write(
    state: Floats,
    states: NDArray[np.intp],
    numbers: Floats,
    length: int,
    slots: Integers,
    elapsed: Integers,
    window: int,
    sky: NDArray[np.intp],
    out: NDArray[np.float32],
) -> None:
    """Write the chosen states of each row, then the means of its last days' weather, summed day by day."""
    for i in range(len(out)):
        for j in range(len(states)):
            out[i, j] = np.float32(state[i, states[j]])
        first = slots[i] * length
        for j in range(len(sky)):
            total = 0.0
            for ago in range(window - 1, -1, -1):
                value = numbers[first + min(max(elapsed[i] - ago, 0), length - 1), sky[j]]
                total = value if ago == window - 1 else total + value
            out[i, len(states) + j] = np.float32(total / window)
