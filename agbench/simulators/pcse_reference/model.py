"""PCSE's own models as `agbench.simulators.models` knows them."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np

from agbench.errors import ConfigError
from agbench.simulators.events import Event
from agbench.simulators.models import FieldSetup, Model
from agbench.simulators.pcse_reference.run import PcseWorld, run_pcse
from agbench.simulators.pcse_reference.simulator import INPUTS, PcseSimulator

if TYPE_CHECKING:
    import pandas as pd

_STAGES = {"emerging": 1.0, "vegetative": 2.0, "reproductive": 3.0, "mature": 4.0}


def model(compiled: Model) -> Model:
    """Return the same model run by PCSE; its columns are those of the compiled one."""

    def world(setup: FieldSetup) -> PcseWorld:
        return PcseWorld(
            compiled.name,
            setup.parameters,
            setup.series,
            setup.start,
            setup.end,
            asdict(setup.calendar),
            setup.recovery,
            setup.efficiency,
        )

    def table(setup: FieldSetup, events: Sequence[Event], external: "pd.DataFrame | None") -> "pd.DataFrame":
        if external is not None:
            raise ConfigError('external: forced states need engine="compiled"; PCSE has none.')
        given = [(e.date, e.name, e.amounts[0], e.fractions[0]) for e in events]
        found = run_pcse(
            compiled.name,
            setup.parameters,
            setup.series,
            setup.start,
            setup.end,
            asdict(setup.calendar),
            given,
        )
        if "STAGE" in found:
            found["STAGE"] = found["STAGE"].map(_STAGES)
        return found.astype(np.float64)

    return replace(
        compiled,
        inputs=INPUTS,
        simulator=lambda n: PcseSimulator(n, compiled.variables),
        world=world,
        table=table,
    )
