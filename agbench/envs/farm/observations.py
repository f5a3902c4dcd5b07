"""What is seen of a farm: each field's variables, then what all fields share."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from agbench.envs.field.observations import FieldObserver
from agbench.envs.observations import Entries
from agbench.simulators.base import Simulator
from agbench.simulators.field.farm import FarmSimulator
from agbench.variables import Variable, VariableTable


class FarmObserver(Entries):
    """The variables `state` of every field, weather, progress and forecast once, and what is left of budgets.

    A field's variable is named such as `SM.north`; `left(N)` is what is left of the budget of nitrogen.
    `shared` sees what does not belong to a field.
    """

    def __init__(
        self,
        of_a_field: VariableTable,
        state: Sequence[str],
        fields: Sequence[str],
        shared: FieldObserver,
        budgets: Mapping[str, float],
        inputs: VariableTable,
    ) -> None:
        self._state = of_a_field.columns(state)
        self._fields, self._shared = len(fields), shared
        self._own = [of_a_field[name] for name in state]
        self._common = [*shared.entries, *(_left(inputs[name], most) for name, most in budgets.items())]
        entries = [
            Variable(f"{v.name}.{field}", v.unit, f"{v.meaning}, field {field}", v.low, v.high)
            for field in fields
            for v in self._own
        ]
        super().__init__([*entries, *self._common], shared.short)

    @property
    def of_a_field(self) -> Entries:
        """What is seen of one field: its variables under their plain names, then what all share."""
        return Entries([*self._own, *self._common], self._shared.short)

    def columns_of(self, field: int) -> NDArray[np.intp]:
        """Return where what is seen of one field stands in the farm's observation."""
        width = len(self._own)
        own = np.arange(field * width, (field + 1) * width)
        common = np.arange(self._fields * width, len(self.entries))
        return np.concatenate([own, common])

    def write(self, simulator: Simulator, out: NDArray[np.float32]) -> None:
        """Write the observations of all farms into `out`, (n, size)."""
        assert isinstance(simulator, FarmSimulator)
        n, at = len(out), self._fields * len(self._own)
        out[:, :at] = simulator.batch.state[:, self._state].reshape(n, at)
        later = at + len(self._shared.entries)
        self._shared.write(simulator, out[:, at:later])
        np.maximum(simulator.left, 0.0, out=out[:, later:], casting="same_kind")


def _left(variable: Variable, most: float) -> Variable:
    unit = variable.unit.replace("ha-1", "").strip() or "-"
    unit = unit if unit != variable.unit else f"{variable.unit} ha"
    return Variable(
        f"left({variable.name})", unit, f"left of the farm's budget of {variable.name}", 0.0, most
    )
