"""The rule-based grower: GreenLight's climate computer, acting through a task's action space."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.data.greenhouse_task import GreenhouseTask
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, policy
from agbench.simulators.greenlight.climate_computer import MEASURED, control, settings_vector
from agbench.simulators.greenlight.variables import CONTROLS
from agbench.variables import Floats


@policy(
    "rule-based",
    settings=settings_vector,
    families=["greenhouse"],
    fit="agbench.policies.greenhouse.tuning:tune_rules",
)
class RuleBased:
    """Sets what the rules want: outright, or as the largest step of an increment towards it."""

    information: Information = "observation"

    def __init__(self, name: str, settings: Floats, interface: Interface[GreenhouseTask]) -> None:
        self.name = name
        if interface.task.action.uses_setpoints:
            raise ConfigError(
                f"{interface.task.task} takes set points; the rules of {name} set controls instead."
            )
        self.settings = settings[None]
        """(1, 30)."""
        self._actions = interface.actions
        self._measured = interface.columns(MEASURED.names)
        self._present = interface.columns(interface.actions.reads)
        self._columns = CONTROLS.columns(interface.actions.names)

    def reset(self, seed: int) -> None:
        """Do nothing: the rules look only at the present."""

    def __call__(self, observation: Any) -> NDArray[np.float32]:
        """Return the action that brings the controls to, or towards, what the rules want."""
        action: NDArray[np.float32] = self.actions(np.asarray(observation)[None], self.settings)[0]
        return action

    def start(self, rows: int) -> tuple[Floats, ...]:
        """Return nothing: the rules look only at the present."""
        return ()

    def act(
        self, observations: NDArray[Any], memory: tuple[Floats, ...]
    ) -> tuple[NDArray[np.float32], tuple[Floats, ...]]:
        """Return the actions for rows of observations."""
        return self.actions(observations, np.repeat(self.settings, len(observations), axis=0)), ()

    def actions(self, observations: NDArray[Any], settings: Floats) -> NDArray[np.float32]:
        """Return the actions of rows of observations, each under settings of its own (n, 30)."""
        seen = observations.astype(np.float64)
        return self._actions.actions_of(self.targets(seen, settings), seen[:, self._present])

    def targets(self, seen: Floats, settings: Floats) -> Floats:
        """Return the controls that the rules want, (n, controls), in the order of the actions."""
        target = np.zeros((len(seen), len(CONTROLS)))
        control(np.ascontiguousarray(seen[:, self._measured]), settings, target)
        wanted: Floats = target[:, self._columns]
        return wanted
