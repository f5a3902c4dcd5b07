"""One season of LINTUL-3 as a table: the bare physics behind `agbench.simulate`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from agbench.simulators.field.events import Event, daily_inputs
from agbench.simulators.field.forced import read_forced
from agbench.simulators.lintul3 import batch
from agbench.simulators.lintul3.variables import CROP_NAMES, NO_CROP, STATES, VARIABLES
from agbench.simulators.lintul3.world import Lintul3World
from agbench.variables import Floats
from agbench.weather.daily import DAILY

if TYPE_CHECKING:
    import pandas as pd

EVENTS: Final = {
    "lintul3": ("apply_n",),
    "lintul3-wheat": ("apply_n", "irrigate"),
}
"""The events that each model understands."""

_ALL = np.arange(len(VARIABLES))


def run_season(
    world: Lintul3World,
    inputs: Floats,
    columns: np.ndarray[tuple[int], np.dtype[np.intp]] = _ALL,
    external: "pd.DataFrame | None" = None,
) -> Floats:
    """Return chosen columns of every day of a season, (days, len(columns)).

    `inputs` (days, 2) are effective nitrogen [kg ha-1] and irrigation [cm] of each day. `external`
    holds states forced day by day, one column a state, indexed by date.
    """
    days = int(world.calendar["last"]) + 1
    state = np.zeros((1, len(VARIABLES)))
    out = np.empty((days, len(columns)))
    forced_columns, forced = read_forced(external, world.start, days, VARIABLES, STATES)
    count = batch.season(
        state.view(VARIABLES.record_type())[0, 0],
        world.weather.view(DAILY.record_type())[:, 0],
        world.parameters[()],
        world.tables,
        world.calendar[()],
        inputs,
        state[0],
        columns,
        out,
        forced_columns,
        forced,
    )
    return out[:count]


def run_table(
    world: Lintul3World, events: Sequence[Event], external: "pd.DataFrame | None" = None
) -> "pd.DataFrame":
    """Return the season as a table: one row a day, one column a variable, the date as index.

    Before the crop starts, its columns are NaN.
    """
    import pandas as pd

    days = int(world.calendar["last"]) + 1
    sound = bool(world.parameters["SOUND"] == 1.0)
    values = run_season(world, daily_inputs(events, world.start, days, sound), external=external)
    index = pd.date_range(world.start, periods=len(values), freq="D", name="day")
    table = pd.DataFrame(values, index=index, columns=list(VARIABLES.names))
    bare = table["STAGE"] == NO_CROP
    table.loc[bare, list(CROP_NAMES)] = np.nan
    return table
