"""The entries of PCSE's own models in `agbench.simulators.models`."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from agbench.errors import ConfigError
from agbench.simulators.field.events import Event
from agbench.simulators.models import CropModel, FieldSetup, check_limitation
from agbench.simulators.pcse_reference.models import find_model, name_of
from agbench.simulators.pcse_reference.run import PcseWorld, run_pcse
from agbench.simulators.pcse_reference.simulator import INPUTS, SIGNALS, PcseSimulator
from agbench.weather.daily import DAILY

if TYPE_CHECKING:
    import pandas as pd

_STAGES = {"emerging": 1.0, "vegetative": 2.0, "reproductive": 3.0, "mature": 4.0}


_DATES = ("DOS", "DOE", "DOA", "DOM", "DOH", "DOV")


def model(compiled: CropModel, soil_water: str = "single") -> CropModel:
    """Return the same model run by PCSE; its columns are those of the compiled one."""
    name = name_of(compiled.name, soil_water)
    signals = find_model(name).events
    deaf_to = {v.name for v in INPUTS if SIGNALS[v.name] not in signals}

    def world(setup: FieldSetup) -> PcseWorld:
        check_limitation(compiled.name, setup.limitation, compiled.limitations)
        return PcseWorld(
            name,
            setup.parameters,
            setup.series,
            setup.start,
            setup.end,
            asdict(setup.calendar),
            setup.recovery,
            setup.efficiency,
        )

    def table(setup: FieldSetup, events: Sequence[Event], external: "pd.DataFrame | None") -> "pd.DataFrame":
        check_limitation(compiled.name, setup.limitation, compiled.limitations)
        if external is not None:
            raise ConfigError('external: forced states need engine="compiled"; PCSE has none.')
        result = run_pcse(
            name,
            setup.parameters,
            setup.series,
            setup.start,
            setup.end,
            asdict(setup.calendar),
            [(e.date, e.name, e.amounts[0], e.fractions[0]) for e in events],
            _variables(compiled, name),
            setup.stop_after if compiled.runs_on else None,
        )
        return _in_words(result) if compiled.runs_on else _in_numbers(result)

    return replace(
        compiled,
        inputs=INPUTS,
        weather=DAILY,
        events=tuple(event for event in compiled.events if event in signals),
        ignores=compiled.ignores | deaf_to,
        simulator=lambda n: PcseSimulator(n, compiled.variables),
        world=world,
        table=table,
        forecasts=False,
    )


def _variables(compiled: CropModel, name: str) -> tuple[str, ...]:
    """Return the variables to request from PCSE: those of its model, or the compiled model's columns."""
    theirs = find_model(name)
    if theirs.variables is not None:
        return theirs.variables
    return tuple(theirs.theirs.get(column, column) for column in compiled.variables.names)


def _in_numbers(result: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table of numbers, stages as the compiled model counts them."""
    if "STAGE" in result:
        result["STAGE"] = result["STAGE"].map(_STAGES)
    return result.astype(np.float64)


def _in_words(result: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table with stages as words and dates as dates; columns that PCSE lacks are left out."""
    import pandas as pd

    filled = result[[name for name in result if name in _DATES or result[name].notna().any()]]
    columns: dict[Any, Any] = {}
    for name, column in filled.items():
        if name in _DATES:
            columns[name] = pd.to_datetime(column)
        else:
            columns[name] = column if name == "STAGE" else pd.to_numeric(column).astype(np.float64)
    return pd.DataFrame(columns, index=result.index)
