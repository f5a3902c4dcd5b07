"""A batch of PCSE engines behind the simulator protocol."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import SimulationError
from agbench.simulators.pcse_reference.management import event_arguments
from agbench.simulators.pcse_reference.models import PcseModel, find_model
from agbench.simulators.pcse_reference.run import PcseWorld
from agbench.variables import Booleans, Floats, Variable, VariableTable
from agbench.weather.daily import DAILY

if TYPE_CHECKING:
    from agbench.simulators.pcse_reference.stepping import SteppingEngine

INPUTS: Final = VariableTable(
    [
        Variable("N", "kg ha-1", "nitrogen applied on the first day of the step", 0, 10_000),
        Variable("IRRIG", "cm", "irrigation applied on the first day of the step", 0, 1_000),
    ]
)
_ALL: Final = slice(None)
SIGNALS: Final = {"N": "apply_n", "IRRIG": "irrigate"}
"""PCSE's signal for each input."""
_EPOCH: Final = date(1970, 1, 1)
_STAGES: Final = {"emerging": 1.0, "vegetative": 2.0, "reproductive": 3.0, "mature": 4.0}


@dataclass(frozen=True)
class SavedPcse:
    """What leads a row to its state: its world and the inputs since the reset."""

    world: PcseWorld
    history: tuple[tuple[tuple[float, ...], int], ...]


@dataclass
class _Row:
    """One running simulation."""

    world: PcseWorld
    engine: "SteppingEngine"
    model: PcseModel
    history: list[tuple[tuple[float, ...], int]] = field(default_factory=list)

    def events(self, inputs: Sequence[float]) -> list[tuple[str, dict[str, float]]]:
        """Return PCSE's signals for one row of inputs; nothing applied sends no signal."""
        shares = {"N": self.world.recovery, "IRRIG": self.world.efficiency}
        return [
            (SIGNALS[name], event_arguments(self.model, SIGNALS[name], amount, shares[name]))
            for name, amount in zip(INPUTS.names, inputs, strict=True)
            if amount != 0.0
        ]


class PcseSimulator:
    """n engines of PCSE; the columns of `state` are those of the compiled model.

    A variable that PCSE does not report, or not yet, is 0. Inputs act as timed events of the first
    day of the step, the day after the current one. Saved states are replayed, which takes time.
    """

    weather_variables = DAILY
    inputs = INPUTS

    def __init__(self, n: int, variables: VariableTable) -> None:
        self.n = n
        self.variables = variables
        self.state = np.zeros((n, len(variables)))
        self.finished = np.zeros(n, dtype=np.bool_)
        self.elapsed = np.zeros(n, dtype=np.int64)
        self._rows: list[_Row | None] = [None] * n
        self._names = variables.names

    def reset(self, worlds: Sequence[PcseWorld], mask: Booleans | None = None) -> None:
        """Put each chosen row on the first day of its world."""
        for i, world in zip(self._chosen(mask), worlds, strict=True):
            model = find_model(world.model)
            self._names = tuple(model.theirs.get(name, name) for name in self.variables.names)
            self._rows[i] = _Row(world, world.engine(self._names), model)
            self.elapsed[i] = 0
            self._publish(i)

    def advance(self, inputs: Floats, steps: int, mask: Booleans | None = None) -> None:
        """Advance the chosen rows by `steps` days, fewer where the crop or the world ends."""
        for i in self._chosen(mask):
            if not self._ended(self._row(i)):
                self._advance_row(i, tuple(float(x) for x in inputs[i]), steps)

    def untouched(self, world: PcseWorld) -> Floats:
        """Return all days of a world without any input, (days, columns), of a batch of one row.

        What has finished stays as it is until the last day.
        """
        self.reset([world])
        days, nothing = [self.state[0].copy()], np.zeros((1, len(self.inputs)))
        for _ in range(int(self.horizon[0])):
            self.advance(nothing, 1)
            days.append(self.state[0].copy())
        return np.array(days)

    @property
    def horizon(self) -> NDArray[np.int64]:
        """The last day of each row's world, in days since its start."""
        worlds = (self._row(i).world for i in range(self.n))
        return np.array([(world.end - world.start).days for world in worlds], dtype=np.int64)

    def weather(self, days: int, columns: NDArray[np.intp], rows: NDArray[np.intp] | slice = _ALL) -> Floats:
        """Return chosen weather columns of the rows' last `days` days, (rows, days, len(columns)).

        The current day comes last; before the start of the world its first day repeats.
        """
        chosen = np.arange(self.n)[rows].tolist()
        result = np.empty((len(chosen), days, len(columns)))
        for place, i in enumerate(chosen):
            row = self._row(i)
            window = row.world.series.window(row.world.start, row.engine.day)
            last = window.shape[0] - 1
            result[place] = window[np.maximum(0, np.arange(last - days + 1, last + 1))][:, columns]
        return result

    def save(self, row: int) -> SavedPcse:
        """Return the world and the inputs of a row."""
        return SavedPcse(self._row(row).world, tuple(self._row(row).history))

    def load(self, row: int, saved: SavedPcse) -> None:
        """Bring a row to a saved state by running it again."""
        mask = np.zeros(self.n, dtype=np.bool_)
        mask[row] = True
        self.reset([saved.world], mask)
        for inputs, steps in saved.history:
            self._advance_row(row, inputs, steps)

    def _advance_row(self, i: int, inputs: tuple[float, ...], steps: int) -> None:
        row = self._row(i)
        row.history.append((inputs, steps))
        events = row.events(inputs)
        for _ in range(steps):
            row.engine.step(events)
            events = []
            self.elapsed[i] += 1
            if self._ended(row):
                break
        self._publish(i)

    def _publish(self, i: int) -> None:
        """Copy PCSE's values of the current day into the state array."""
        row = self._row(i)
        self.state[i] = [_number(row.engine.row[name]) for name in self._names]
        self.finished[i] = row.engine.crop_ended

    @staticmethod
    def _ended(row: _Row) -> bool:
        return bool(row.engine.crop_ended or row.engine.day >= row.world.end)

    def _row(self, i: int) -> _Row:
        row = self._rows[i]
        if row is None:
            raise SimulationError(f"row {i} has not been reset: it has no state.")
        return row

    def _chosen(self, mask: Booleans | None) -> list[int]:
        return [i for i in range(self.n) if mask is None or mask[i]]


def _number(value: Any) -> float:
    """Return a value of PCSE as a number; stages and dates as the compiled model counts them."""
    if isinstance(value, str):
        return _STAGES.get(value, 0.0)
    if isinstance(value, date):
        return float((value - _EPOCH).days)
    return float(value) if isinstance(value, int | float) else 0.0
