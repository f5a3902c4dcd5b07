"""Noise on the crop's parameters: drawn before every step, in tasks with uncertainty by step."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agbench.envs.greenhouse.worlds import perturbed
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.variables import Floats

if TYPE_CHECKING:
    from agbench.envs.core import BatchCore


class ParameterNoise:
    """Draws parameters of every row's crop about their usual values, within the level of its world.

    Rows whose episode is over draw nothing, so that a row's stream does not depend on the others.
    """

    def __init__(self, columns: NDArray[np.intp], usual: Floats) -> None:
        """Perturb the parameters in `columns` (k,) about their `usual` values (k,)."""
        self._columns = columns
        self._usual = usual

    def __call__(self, core: "BatchCore") -> None:
        """Draw for each row from its own generator; the rest is done for all rows at once."""
        levels = np.array([0.0 if over else w.level for over, w in zip(core.over, core.worlds, strict=True)])
        rows = np.flatnonzero(levels)
        draws = np.empty((len(rows), len(self._columns)))
        for row, out in zip(rows.tolist(), draws, strict=True):
            core.generator(row).random(out=out)
        drawn = perturbed(self._usual, levels[rows, None], draws)
        greenhouse = core.simulator
        assert isinstance(greenhouse, MeteredGreenhouse)
        greenhouse.parameters[rows[:, None], self._columns] = drawn
