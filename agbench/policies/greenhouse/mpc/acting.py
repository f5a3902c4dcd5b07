"""From planned controls to actions of the task, and back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.data.greenhouse_task import GreenhouseTask
from agbench.errors import ConfigError
from agbench.simulators.greenlight.variables import CONTROLS
from agbench.variables import Floats


class Acting:
    """The action space of a task that moves controls, by increments or outright."""

    def __init__(self, name: str, task: GreenhouseTask) -> None:
        if task.action.tells_setpoints:
            raise ConfigError(
                f"policy {name}: it plans controls, but {task.task} takes set points (action.kind is "
                f"{task.action.kind}); it needs increment or absolute."
            )
        self.names = tuple(task.action.controls)
        self.columns = CONTROLS.columns(self.names)
        self.rate = task.action.rate if task.action.kind == "increment" else None
        self.change = (1.0 if self.rate is None else self.rate) / task.step
        """Greatest change of a control in a model step."""

    def action(self, wanted: Floats, present: Floats) -> NDArray[np.float32]:
        """Return the action that brings controls from `present` to, or towards, `wanted`."""
        said = 2.0 * wanted - 1.0 if self.rate is None else (wanted - present) / self.rate
        taken: NDArray[np.float32] = np.clip(said, -1.0, 1.0).astype(np.float32)
        return taken

    def controls(self, action: Any, present: Floats) -> Floats:
        """Return the controls that an action leads to."""
        said = np.asarray(action, dtype=np.float64)
        wanted = 0.5 * (said + 1.0) if self.rate is None else present + self.rate * said
        found: Floats = np.clip(wanted, 0.0, 1.0)
        return found
