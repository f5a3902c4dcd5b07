"""What is known ahead: prices as a market publishes them, and forecasts of the weather with errors.

The error of a forecast made at t for a later moment is W(later) - W(t), W a random walk of the episode whose
increments over a day have the stated standard deviation. It grows with the root of the lead time, and
forecasts made one after the other for the same moment agree nearly. Errors of iGlob, vpOut and wind are
shares of the truth, those of tOut and tSky are added.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry
from agbench.data.greenhouse_reward import PRICED
from agbench.data.greenhouse_task import INTERVAL
from agbench.data.prices import HOURS
from agbench.simulators.casadi_jit.calling import load
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.simulators.greenlight.variables import WEATHER
from agbench.variables import Booleans, Floats
from agbench.weather.day_by_day import DayByDay, can_draw_again
from agbench.weather.draws import standard_normal

SHARES: Final = ("iGlob", "vpOut", "wind")
"""Variables whose errors are shares of the truth."""

_DAY: Final = 86_400 // INTERVAL  # steps
_PRICES, _ERRORS = 0, 1  # tables beside the weather
_HOUR: Final = 3600 // INTERVAL  # steps
_HEAD: Final = 3  # numbers about each price

Integers = NDArray[np.int64]


def price_table(prices: Floats, published_at: Floats) -> Floats:
    """Return prices (hours, 4) and the hours at which they are published, (4,), as a column (rows, 1).

    First where each price begins, how many hours of it there are, and when it is published; then the prices,
    of one that never changes the first alone.
    """
    head, values = [], []
    start = _HEAD * len(PRICED)
    for column, hour in zip(prices.T, published_at.tolist(), strict=True):
        kept = column[:1] if (column == column[0]).all() else column
        head += [start, len(kept), hour]
        values.append(kept)
        start += len(kept)
    return np.concatenate([head, *values])[:, None]


def prices_of(table: Floats, hours: int) -> Floats:
    """Return the prices (hours, 4) of a table."""
    result = np.empty((hours, len(PRICED)))
    for k, (start, count, _) in enumerate(table[: _HEAD * len(PRICED), 0].reshape(-1, _HEAD).tolist()):
        result[:, k] = table[int(start) + np.minimum(np.arange(hours), int(count) - 1), 0]
    return result


def error_paths(
    error: Mapping[str, float], rows: int, generator: "np.random.Generator | None"
) -> "Floats | DayByDay":
    """Return the random walks of forecasts' errors, (rows, variables) in the order of `error`.

    They are zero without a generator, and made when they are read where that can be.
    """
    if generator is None or not error:
        return np.zeros((rows, len(error)))
    deviation = np.array(list(error.values())) / np.sqrt(float(_DAY))
    walks = ErrorWalks(deviation, rows, generator) if can_draw_again(generator) else None
    steps = standard_normal(generator, (rows, len(error)))
    return np.ascontiguousarray((steps * deviation).cumsum(axis=0)) if walks is None else walks


class ErrorWalks(DayByDay):
    """Random walks, (rows, variables), a day at a time."""

    def __init__(self, deviation: Floats, rows: int, generator: np.random.Generator) -> None:
        """Begin where `generator` is; `deviation`, (variables,), is that of a step."""
        super().__init__((rows, len(deviation)), _DAY, 0, np.zeros(len(deviation)), generator)
        self._deviation = deviation

    def _make(self, day: int, taken_over: Floats, generator: np.random.Generator) -> tuple[Floats, Floats]:
        steps = standard_normal(generator, (self.a_day, self.shape[1])) * self._deviation
        walks = np.concatenate([taken_over[None], steps]).cumsum(axis=0)[1:]
        return walks, walks[-1]


def prices_ahead(greenhouse: MeteredGreenhouse, steps: Integers, columns: NDArray[np.intp]) -> Floats:
    """Return prices some steps ahead, (n, len(steps), len(columns)); 0 before the first reset.

    A price that is not known yet is that of the same hour of the last day that is.
    """
    result = np.empty((greenhouse.n, len(steps), len(columns)))
    _read_prices(greenhouse.beside[:, _PRICES], greenhouse.elapsed, steps, columns, result)
    return result


@entry
def _read_prices(
    tables: Integers, elapsed: Integers, steps: Integers, columns: NDArray[np.intp], out: Floats
) -> None:
    for i in range(out.shape[0]):
        address, length = tables[i, 0], tables[i, 1]
        now = elapsed[i] // _HOUR
        for j in range(len(columns)):
            for k in range(len(steps)):
                out[i, k, j] = 0.0
                if length == 0:
                    continue
                hour = (elapsed[i] + steps[k]) // _HOUR
                head = _HEAD * columns[j]
                start, count = int(load(address, head)), int(load(address, head + 1))
                published_at = load(address, head + 2)
                if published_at >= 0.0:
                    end = (now // HOURS + 1 + (1 if now % HOURS >= published_at else 0)) * HOURS
                    while hour >= end:
                        hour -= HOURS
                out[i, k, j] = load(address, start + min(hour, count - 1))


class WeatherForecast:
    """Weather some steps ahead, as a forecast with errors shows it."""

    def __init__(self, variables: Sequence[str], steps: Integers, error: Mapping[str, float]) -> None:
        self._steps = steps
        self._columns = WEATHER.columns(variables)
        order = list(error)
        self._paths = np.array([order.index(v) if v in order else -1 for v in variables], dtype=np.int64)
        self._many = len(order)
        self._shares: Booleans = np.array([v in SHARES for v in variables])
        self._low = np.array([WEATHER[v].low for v in variables])
        self._high = np.array([WEATHER[v].high for v in variables])

    def read(self, greenhouse: MeteredGreenhouse) -> Floats:
        """Return the forecasts of all rows, (n, steps * variables), a step's variables together."""
        seen = greenhouse.forecast(self._steps, self._columns)
        if self._many:
            greenhouse.cover_beside(_ERRORS, int(self._steps.max()))
            _add_errors(
                greenhouse.beside[:, _ERRORS], self._many, greenhouse.elapsed, self._steps, self._paths,
                self._shares, self._low, self._high, seen,
            )  # fmt: skip
        return seen.reshape(len(seen), -1)


@entry
def _add_errors(
    tables: Integers,
    width: int,
    elapsed: Integers,
    steps: Integers,
    paths: Integers,
    shares: Booleans,
    low: Floats,
    high: Floats,
    out: Floats,
) -> None:
    """Add errors to `out` (n, steps, variables), within the bounds of each variable."""
    for i in range(out.shape[0]):
        address, length = tables[i, 0], tables[i, 1]
        if length == 0:
            continue
        now = min(elapsed[i], length - 1)
        for k in range(len(steps)):
            then = min(elapsed[i] + steps[k], length - 1)
            for j in range(len(paths)):
                if paths[j] < 0:
                    continue
                error = load(address, then * width + paths[j]) - load(address, now * width + paths[j])
                value = out[i, k, j] * (1.0 + error) if shares[j] else out[i, k, j] + error
                out[i, k, j] = min(max(value, low[j]), high[j])
