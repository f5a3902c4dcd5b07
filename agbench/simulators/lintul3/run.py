"""One season of LINTUL-3 as a table: the bare physics behind `agbench.simulate`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from agbench.simulators.field.events import Event, daily_inputs
from agbench.simulators.lintul3.simulator import Lintul3Simulator
from agbench.simulators.lintul3.variables import CROP_NAMES, NO_CROP, STATES, VARIABLES
from agbench.simulators.lintul3.world import Lintul3World

if TYPE_CHECKING:
    import pandas as pd

EVENTS: Final = ("apply_n", "irrigate")
"""The events that the models understand; PCSE's LINTUL-3 itself has no irrigation."""


def run_table(
    world: Lintul3World, events: Sequence[Event], external: "pd.DataFrame | None" = None
) -> "pd.DataFrame":
    """Return the season as a table: one row a day, one column a variable, the date as index.

    Before the crop starts, its columns are NaN.
    """
    import pandas as pd

    days = int(world.calendar["last"]) + 1
    sound = bool(world.parameters["SOUND"] == 1.0)
    inputs = daily_inputs(events, world.start, days, sound)
    values = Lintul3Simulator(1).season(world, inputs, external, STATES)
    index = pd.date_range(world.start, periods=len(values), freq="D", name="day")
    table = pd.DataFrame(values, index=index, columns=list(VARIABLES.names))
    bare = table["STAGE"] == NO_CROP
    table.loc[bare, list(CROP_NAMES)] = np.nan
    return table
