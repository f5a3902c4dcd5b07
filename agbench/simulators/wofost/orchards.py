"""Planting and managing an orchard or a vineyard, given what its kind does and how its soil follows."""

from collections.abc import Callable
from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.soil_nutrients import fertilise
from agbench.simulators.wofost.variables import STANDING
from agbench.variables import Floats


def start_with(plant: Callable[..., None], settle: Callable[..., None]) -> Callable[..., None]:
    """Return the kernel that starts the crop: `settle` lets the soil follow the roots of old trees."""

    @kernel
    def start_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
        """Plant the crop."""
        plant(s, p, tables, leaves, today)
        settle(p, s)

    return start_crop


def manage_with(act: Callable[..., None], settle: Callable[..., None]) -> Callable[..., None]:
    """Return the kernel of management, given how a crop is harvested, pruned and replanted.

    `settle` lets the soil follow the roots of young trees, which are shallower than those of the old.
    """

    @kernel
    def manage(s: Any, p: Any, tables: Floats, inputs: Any, today: float) -> None:
        """Apply irrigation and fertiliser of the day; harvest, prune and replant."""
        s.TOTIRRIG += inputs.IRRIG
        s.RIRR = inputs.IRRIG_EFF
        fertilise(s, inputs)
        if s.CROP == STANDING:
            act(p, s, tables, inputs, today)
            if inputs.PLANT >= 0.5:
                settle(p, s)

    return manage
