"""Observations and rewards on a common scale, for learners: about unit spread, whatever the units.

What is observed reaches from hundredths to millions. A network learns from neither; it sees
(observation - centre) / spread, clipped to +-10. Centres and spreads are typical values of the task's train
split, from `baselines/TASK/scaling.yaml`. They are fixed: unlike running means they are the same in every
training, and an exported policy contains them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.data import places
from agbench.data.reading import read_file
from agbench.data.scaling import ScalingTable
from agbench.data.task import Task
from agbench.envs.family import observer
from agbench.errors import ConfigError
from agbench.variables import Floats, Variable

CLIP: Final = 10.0
"""Where scaled observations end, as in VecNormalize of Stable-Baselines3."""

Scaled = bool | Literal["bounds"] | str | Path
"""How observations are given: in physical units (False), scaled by the task's own file (True) or by another
one (its path), or by the bounds of the variables (`bounds`)."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """Typical values of a task: of its observations the centre and the spread, of its rewards a spread.

    `centre` and `spread` (n,) are in the units of the n observed variables; no spread is 0. `reward` is the
    standard deviation of discounted sums of rewards.
    """

    centre: Floats
    spread: Floats
    reward: float

    @property
    def space(self) -> "ScaledSpace":
        """The space of scaled observations."""
        return ScaledSpace(self)

    def observations(self, physical: NDArray[Any]) -> NDArray[np.float32]:
        """Return physical observations (..., n) scaled, within +-10."""
        scaled = (physical - self.centre) / self.spread
        return np.clip(scaled, -CLIP, CLIP, out=scaled).astype(np.float32)

    def physical(self, scaled: NDArray[Any]) -> NDArray[np.float32]:
        """Return scaled observations (..., n) in physical units, as nearly as scaling has kept them.

        Of the numbers that look so when scaled a whole one is taken, if there is one: stages, days and
        nothing at all come back as they were.
        """
        near = (scaled.astype(np.float64) * self.spread + self.centre).astype(np.float32)
        whole = np.rint(near)
        return np.where(self.observations(whole) == scaled, whole, near)

    def rewards(self, physical: Floats) -> Floats:
        """Return rewards whose discounted sums have about unit spread."""
        scaled: Floats = physical / self.reward
        return scaled

    def of_columns(self, columns: NDArray[np.intp]) -> "Scaling":
        """Return the scaling of some of the observed variables."""
        return Scaling(self.centre[columns], self.spread[columns], self.reward)


class ScaledSpace(spaces.Box):
    """The box of scaled observations. It holds its `scaling`, so that a saved model knows what it saw."""

    def __init__(self, scaling: Scaling) -> None:
        super().__init__(-CLIP, CLIP, scaling.centre.shape, np.float32)
        self.scaling = scaling


def scaling_of(task: Task, scaled: Scaled = True) -> Scaling:
    """Return the scaling of a task, with overrides or without; reads no weather.

    Raises `ConfigError` where there are no values for the task, or none for a variable that it lets an agent
    observe; the message holds the command that makes them.
    """
    entries = observer(task).entries
    if scaled == "bounds":
        return _of_bounds(entries, task.task)
    path = places.find_scaling(task.task) if scaled is True else Path(str(scaled))
    if path is None:
        raise ConfigError(
            f"{task.task} has no scaling yet. Make it: agbench scale {task.task}; or write "
            "scaled='bounds' to scale by the bounds of the variables."
        )
    if not path.is_file():
        raise ConfigError(f"scaled={scaled!r}: there is no such file. Write True, False, 'bounds' or a path.")
    return _of_table(read_file(ScalingTable, path), entries, task.task, path)


def _of_table(table: ScalingTable, entries: Sequence[Variable], task: str, path: Path) -> Scaling:
    if table.task != task:
        raise ConfigError(f"{path}: is the scaling of {table.task}, not of {task}.")
    missing = [entry.name for entry in entries if entry.name not in table.observations]
    if missing:
        raise ConfigError(
            f"{path}: has no values for {', '.join(missing)}, which the overridden task observes. Make a "
            f"file for it: agbench scale {task} --set KEY=VALUE --out FILE, and write scaled='FILE'; or "
            "scaled='bounds', which scales by the bounds of the variables."
        )
    centre, spread = np.array([table.observations[entry.name] for entry in entries]).T
    return Scaling(centre.copy(), spread.copy(), table.reward)


def _of_bounds(entries: Sequence[Variable], task: str) -> Scaling:
    """Return what maps the bounds of each variable to +-1; rewards stay as they are."""
    endless = [v.name for v in entries if not (np.isfinite(v.low) and np.isfinite(v.high) and v.low < v.high)]
    if endless:
        raise ConfigError(
            f"scaled='bounds': {', '.join(endless)} of {task} has no finite bounds. Make the task's "
            f"scaling: agbench scale {task}"
        )
    low = np.array([v.low for v in entries], dtype=np.float64)
    high = np.array([v.high for v in entries], dtype=np.float64)
    return Scaling(0.5 * (low + high), 0.5 * (high - low), 1.0)
