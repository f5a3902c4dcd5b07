"""Actions on a farm: one for all fields, one a field, or a dose on one field.

Each asks for inputs of fields; what finished fields and exhausted budgets do not take is left out once the
farm is at hand (`FarmSimulator.possible`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.envs.actions import ActionMap, Amounts, Menu, alone, as_array, place
from agbench.errors import ActionError
from agbench.simulators.field.farm import FarmTable
from agbench.variables import Floats, VariableTable

if TYPE_CHECKING:
    from agbench.envs.core import BatchCore


@dataclass(frozen=True)
class Spending:
    """Whether what exceeds a budget is `clipped`."""

    clipped: bool

    def possible(self, asked: Floats, core: "BatchCore | None") -> Floats:
        """Return what of the inputs asked for is applied; all of it without a farm at hand."""
        if core is None:
            return asked
        result: Floats = core.simulator.possible(asked, self.clipped)  # type: ignore[attr-defined]
        return result


class JointMenu(Menu):
    """One dose for all fields alike, out of a menu."""

    def __init__(
        self, table: VariableTable, doses: Mapping[str, Sequence[float]], fields: int, spending: Spending
    ) -> None:
        super().__init__(table, doses)
        self._fields, self._spending = fields, spending

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the inputs of all fields, (n, fields x inputs), of n menu numbers."""
        return self._spending.possible(np.tile(super().inputs(actions), (1, self._fields)), core)


class JointAmounts(Amounts):
    """Amounts of every input, for all fields alike."""

    def __init__(
        self, table: VariableTable, limits: Mapping[str, float], fields: int, spending: Spending
    ) -> None:
        super().__init__(table, limits)
        self._fields, self._spending = fields, spending

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the inputs of all fields, (n, fields x inputs), of n actions (n, inputs)."""
        return self._spending.possible(np.tile(super().inputs(actions), (1, self._fields)), core)


class Choice(Menu):
    """Nothing, or one dose of one input on one field: a menu of all fields' doses."""

    def __init__(
        self,
        farm: FarmTable,
        of_a_field: Menu,
        doses: Mapping[str, Sequence[float]],
        fields: Sequence[str],
        spending: Spending,
    ) -> None:
        own = {f"{name}.{field}": given for field in fields for name, given in doses.items()}
        super().__init__(farm, own)
        self.of_a_field, self._spending = of_a_field, spending
        self._doses_of_a_field = sum(len(given) - 1 for given in doses.values())

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the inputs of all fields, (n, fields x inputs), of n menu numbers."""
        return self._spending.possible(super().inputs(actions), core)

    def on_field(self, field: int, action: int) -> int:
        """Return the number that does on one field what `action` does in that field's own menu."""
        return field * self._doses_of_a_field + action if action else 0


class Each:
    """An action of its own for every field, all of the kind `of_a_field`.

    The space is `MultiDiscrete` for menus, a `Box` of all fields' amounts, field by field, for amounts.
    """

    def __init__(self, of_a_field: ActionMap, fields: Sequence[str], spending: Spending) -> None:
        self.of_a_field = of_a_field
        self.names = [f"{name}.{field}" for field in fields for name in of_a_field.names]
        self.reads: list[str] = []
        self.lowest: Floats = np.tile(of_a_field.lowest, len(fields))
        self._fields, self._spending = list(fields), spending
        self._menu = isinstance(of_a_field.space, spaces.Discrete)
        if isinstance(of_a_field.space, spaces.Discrete):
            self.space: spaces.Space[Any] = spaces.MultiDiscrete([of_a_field.space.n] * len(fields))
        else:
            self.space = spaces.Box(-1.0, 1.0, (len(self.names),), np.float32)

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the inputs of all fields, (n, fields x inputs), of n actions (n, components)."""
        chosen = as_array(actions)
        if chosen.ndim != 2 or chosen.shape[1:] != self.space.shape:
            raise ActionError(
                f"actions have the shape {chosen.shape[1:]}; the space wants {self.space.shape}, an action "
                f"for each of the fields {', '.join(self._fields)}."
            )
        own = chosen.reshape(-1) if self._menu else chosen.reshape(len(chosen) * len(self._fields), -1)
        asked = self.of_a_field.inputs(own).reshape(len(chosen), -1)
        return self._spending.possible(asked, core)

    def together(self, of_fields: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Return the actions (n, components) that the fields' own, (n, ...) each, make together."""
        together: NDArray[Any] = np.stack(of_fields, axis=1).reshape(-1, *(self.space.shape or ()))
        return together

    def actions_of(self, wanted: Floats, present: Floats | None = None) -> NDArray[Any]:
        """Return the actions (n, components) nearest to `wanted`, (n, names); see the field's own."""
        own = self.of_a_field.actions_of(wanted.reshape(len(wanted) * len(self._fields), -1))
        actions: NDArray[Any] = own.reshape(len(wanted), *(self.space.shape or ()))
        return actions

    def present(self, core: "BatchCore") -> Floats:
        """Return nothing, (n, 0): what an action gives does not hang on where a farm stands."""
        return np.zeros((core.n, 0))

    def nearest(self, name: str, wanted: float) -> list[float]:
        """Return the amounts of a field's input next to `wanted`; see the field's own."""
        place(self, name)
        return self.of_a_field.nearest(name.rpartition(".")[0], wanted)

    def encode(self, name: str, wanted: float) -> tuple[NDArray[Any], float]:
        """Return the action for `wanted` of one field's input, the least of others, and what it gives."""
        action = self.actions_of(alone(self, name, wanted))[0]
        return action, self.of_a_field.encode(name.rpartition(".")[0], wanted)[1]

    def describe(self) -> list[str]:
        """Return what each component means."""
        labels = self.of_a_field.describe()
        if self._menu:
            menu = ", ".join(f"{i}: {label}" for i, label in enumerate(labels))
            return [f"{field}: {menu}" for field in self._fields]
        return [f"{field}: {label}" for field in self._fields for label in labels]
