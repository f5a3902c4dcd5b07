"""The entry of LINTUL-3 in `agbench.simulators.models`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agbench.simulators.field.events import Event, daily_inputs
from agbench.simulators.lintul3.parameters import check_rules, parameters
from agbench.simulators.lintul3.run import EVENTS, run_table
from agbench.simulators.lintul3.simulator import Lintul3Simulator
from agbench.simulators.lintul3.variables import INPUTS, MEMORY, RATES, VARIABLES
from agbench.simulators.lintul3.world import Lintul3World, build_world
from agbench.simulators.models import CropModel, FieldSetup, check_limitation
from agbench.variables import Floats
from agbench.weather.daily import DAILY

if TYPE_CHECKING:
    import pandas as pd

_SUMMARIES = {
    "lintul3": "light use, water and nitrogen, as PCSE 6 has it (Shibu et al. 2010)",
    "lintul3-wheat": "LINTUL-3 for winter wheat, as in CropGym (Kallenberg et al. 2023)",
}


def model(name: str) -> CropModel:
    """Return the description of `lintul3` or `lintul3-wheat`."""

    def world(setup: FieldSetup) -> Lintul3World:
        check_limitation(name, setup.limitation)
        return build_world(
            name,
            setup.parameters,
            setup.series,
            setup.calendar,
            setup.start,
            setup.end,
            recovery=setup.recovery,
            efficiency=setup.efficiency,
            setting=setup.setting,
        )

    def table(setup: FieldSetup, events: Sequence[Event], external: "pd.DataFrame | None") -> "pd.DataFrame":
        return run_table(world(setup), events, external)

    return CropModel(
        name=name,
        summary=_SUMMARIES[name],
        variables=VARIABLES,
        inputs=INPUTS,
        weather=DAILY,
        parameters=parameters(name),
        check_rules=check_rules,
        events=EVENTS,
        simulator=Lintul3Simulator,
        world=world,
        table=table,
        management=_management,
        rates=RATES,
        memory=MEMORY,
    )


def _management(setup: FieldSetup, events: Sequence[Event]) -> Floats:
    days = (setup.end - setup.start).days + 1
    return daily_inputs(events, setup.start, days, setup.setting == "sound")
