"""The rule-based grower: GreenLight's climate computer, acting through a task's action space."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.data.greenhouse_task import GreenhouseTask
from agbench.envs.greenhouse.actions import Controls
from agbench.envs.greenhouse.observations import GreenhouseObserver
from agbench.errors import ConfigError
from agbench.policies.base import Information
from agbench.simulators.greenlight.climate_computer import MEASURED, control
from agbench.simulators.greenlight.variables import CONTROLS
from agbench.variables import Floats


class RuleBased:
    """Sets what the rules want: outright, or as the largest step of an increment towards it."""

    information: Information = "observation"

    def __init__(self, name: str, settings: Floats, task: GreenhouseTask) -> None:
        self.name = name
        action = task.action
        if action.tells_setpoints:
            raise ConfigError(f"policy {name}: {task.task} takes set points; its own rules act below them.")
        self.settings = settings[None]
        """(1, 30)."""
        self._rate = action.rate if action.kind == "increment" else None
        seen = [variable.name for variable in GreenhouseObserver(task.observation).entries]
        self._measured = _places(name, task, seen, MEASURED.names)
        moved = action.controls if self._rate is not None else []
        self._present = _places(name, task, seen, moved)
        self._columns = CONTROLS.columns(Controls(action.controls, self._rate).names)

    def reset(self, seed: int) -> None:
        """Do nothing: the rules look only at the present."""

    def __call__(self, observation: Any) -> NDArray[np.float32]:
        """Return the action that brings the controls to, or towards, what the rules want."""
        action: NDArray[np.float32] = self.actions(np.asarray(observation)[None], self.settings)[0]
        return action

    def actions(self, observations: NDArray[Any], settings: Floats) -> NDArray[np.float32]:
        """Return the actions of rows of observations, each under settings of its own (n, 30)."""
        seen = observations.astype(np.float64)
        wanted = np.zeros((len(seen), len(CONTROLS)))
        control(np.ascontiguousarray(seen[:, self._measured]), settings, wanted)
        wanted = wanted[:, self._columns]
        present = seen[:, self._present]
        action = 2.0 * wanted - 1.0 if self._rate is None else (wanted - present) / self._rate
        taken: NDArray[np.float32] = np.clip(action, -1.0, 1.0).astype(np.float32)
        return taken


def _places(policy: str, task: GreenhouseTask, seen: Sequence[str], names: Sequence[str]) -> NDArray[np.intp]:
    """Return where variables stand in the observation."""
    missing = [name for name in names if name not in seen]
    if missing:
        raise ConfigError(
            f"policy {policy}: it reads {', '.join(missing)}, which {task.task} does not show. Add "
            "them to the task's observation."
        )
    return np.array([seen.index(name) for name in names], dtype=np.intp)
