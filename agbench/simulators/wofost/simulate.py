"""A single WOFOST run as a table with a row for each day: the physics without an environment."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.errors import ConfigError
from agbench.simulators.field import events as management
from agbench.simulators.field.calendar import CropCalendar, as_date
from agbench.simulators.wofost.grape_columns import DATES_GRAPE
from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.variables import (
    FIRST_RATE,
    INPUTS_OF,
    LEDGER,
    MANAGEMENT_OF,
    MEMORY_NAMES,
    SOIL_NAMES,
    STAGES,
    STANDING,
)
from agbench.simulators.wofost.variants import find
from agbench.simulators.wofost.world import WofostWorld, build_world
from agbench.variables import Floats, VariableTable
from agbench.weather.daily import DailySeries

if TYPE_CHECKING:
    import pandas as pd

_FIRST_COLUMN: Final = {"apply_n": 0, "apply_npk": 0, "irrigate": 3}
_SHARES: Final = {"harvest": "HARVEST", "prune": "PRUNE", "replant": "PLANT"}
_DATES: Final = ("DOS", "DOE", "DOA", "DOM", "DOH", "DOV", "DOP", *DATES_GRAPE)
_OURS: Final = {"W": "WC", "WDRT": "WART", "SM_MEAN": "SM"}
_LAYER_STATES: Final = ("SM", "WC")
_SUMS_OF_LAYERS: Final = frozenset(["SM", "WC", "WLOW", "WWLOW", "WBOT", "WAVUPP", "WAVLOW", "WAVBOT"])
_SINGLE_LAYER: Final = frozenset(
    ["WLOWI", "WART", "PERCT", "LOSST", "PERC", "LOSS", "DW", "DWLOW", "WBALRT", "DSOS", "RDMOLD"]
)


def simulate_wofost(
    model: str,
    parameters: Mapping[str, Any],
    series: DailySeries,
    start: date | None = None,
    end: date | None = None,
    calendar: CropCalendar | Mapping[str, Any] | None = None,
    events: Sequence[Any] = (),
    external: "pd.DataFrame | None" = None,
    setting: str = "sound",
    limitation: str = "lnpkw",
    soil_water: str = "single",
    crop_type: str = "annual",
) -> "pd.DataFrame":
    """Return a run, a row a day from `start`, a column a variable; NaN for an absent crop.

    `parameters` merges crop, soil and site under PCSE's names. `calendar` is a CropCalendar or a
    mapping with its keys; None is bare soil. `events` are those of `agbench.simulators.field.events`:
    `apply_n`, `apply_npk` [kg ha-1], `irrigate` [cm], `harvest`; they act on the rates of their
    date. `external`, indexed by date, replaces states day by day. Without `end` the run stops with
    the crop, or with the last event after it.
    """
    if isinstance(calendar, Mapping):
        calendar = CropCalendar.from_mapping(calendar)
    first, final = _span(start, end, calendar, events)
    parsed = management.parse(events, find(model).events_of(crop_type), model, first, final)
    last_event = max((event.date for event in parsed), default=first)
    world = build_world(
        model,
        parameters,
        series,
        calendar,
        first,
        final,
        setting=setting,
        limitation=limitation,
        soil_water=soil_water,
        crop_type=crop_type,
        stop_after=final if end is not None else last_event,
    )
    days = (final - first).days + 1
    adds = setting == "sound" and find(model).has_repairs
    return run(world, daily_management(parsed, first, days, adds, crop_type), external)


def _span(
    start: date | None, end: date | None, calendar: CropCalendar | None, events: Sequence[Any]
) -> tuple[date, date]:
    """Return the first and the last day of a run."""
    first = start or (calendar.crop_start_date if calendar else None)
    if first is None:
        raise ConfigError("a run without a crop needs a start.")
    if end is not None:
        return first, end
    dates = [as_date("events", e.date if hasattr(e, "date") else e[0]) for e in events]
    return first, max([calendar.latest_end if calendar else first, *dates])


def daily_management(
    events: Sequence[management.Event], first: date, days: int, adds: bool, crop_type: str = "annual"
) -> Floats:
    """Return gross and effective amounts (days, fields of the management of a crop type).

    Of several events of a kind on one day the gross amounts add up; the effective ones too where
    `adds`, else the last counts.
    """
    names = INPUTS_OF[crop_type]
    inputs = np.zeros((days, len(MANAGEMENT_OF[crop_type].names or ())))
    for event in events:
        t = (event.date - first).days
        if event.name in _SHARES:
            share_of = names.column(_SHARES[event.name])
            inputs[t, share_of] = min(1.0, inputs[t, share_of] + event.amounts[0])
            continue
        for i, (amount, share) in enumerate(zip(event.amounts, event.fractions, strict=True)):
            column = _FIRST_COLUMN[event.name] + i
            effective = len(names) + column
            inputs[t, column] += amount
            inputs[t, effective] = amount * share + (inputs[t, effective] if adds else 0.0)
    return inputs


def run(world: WofostWorld, management: Floats, external: "pd.DataFrame | None" = None) -> "pd.DataFrame":
    """Return a run through a world under `management` (`daily_management`) as a table."""
    simulator = WofostSimulator(world.model, 1, world.soil_water, world.crop_type)
    states = {name for name in simulator.variables.names if _is_state(name, simulator.variables, world)}
    rows = simulator.season(world, management, external, states, _OURS)
    return _table(rows, simulator.variables, world)


def _is_state(name: str, variables: VariableTable, world: WofostWorld) -> bool:
    """Return whether a column is a state of this world that the rates of the day are computed from."""
    if variables.column(name) >= variables.column(FIRST_RATE) or _absent(name, world):
        return False
    if name == "STAGE" or name in MEMORY_NAMES or name in _DATES:
        return False
    word, _, number = name.rpartition("_")
    if number.isdigit():
        return word in _LAYER_STATES
    return not (world.soil_water == "layered" and name in _SUMS_OF_LAYERS)


def _table(rows: Floats, variables: VariableTable, world: WofostWorld) -> "pd.DataFrame":
    """Return the rows as a table, with stages as words and dates as dates."""
    import pandas as pd

    names = find(world.model).names
    index = pd.date_range(world.start, periods=len(rows), name="day")
    crop = rows[:, variables.column("CROP")] == STANDING
    columns: dict[str, Any] = {}
    for i, name in enumerate(variables.names):
        if name in MEMORY_NAMES - {"FIN"} or _absent(name, world):
            continue
        column = rows[:, i]
        if name == "STAGE":
            columns[name] = np.where(crop, np.array(STAGES, dtype=object)[column.astype(int)], None)
        elif name in _DATES:
            present = crop & (column >= 0.0)
            stamps = np.where(present, column, 0).astype("datetime64[D]")
            columns[name] = np.where(present, stamps, np.datetime64("NaT", "D"))
        else:
            published = names.get(name, name)
            if name == "SM" and world.soil_water == "layered":
                published = "SM_MEAN"
            runs_on = name in SOIL_NAMES or (name in LEDGER and world.sowable is not None)
            columns[published] = column if runs_on else np.where(crop, column, np.nan)
    return pd.DataFrame(columns, index=index)


def _absent(name: str, world: WofostWorld) -> bool:
    """Return whether a model does not have a column of its family."""
    if world.soil_water == "layered" and _absent_layer(name, int(world.parameters["LAYERS"])):
        return True
    return name in find(world.model).lacks


def _absent_layer(name: str, layers: int) -> bool:
    """Return whether a column belongs to a layer below the profile, or to the single layer."""
    word, _, number = name.rpartition("_")
    if number.isdigit():
        return int(number) > layers + (word == "FLOW") or word == "FLOWMX"
    return name in _SINGLE_LAYER
