"""A world: all that fixes a WOFOST simulation apart from management, built once, shared by rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import ConfigError, unknown
from agbench.simulators.field import afgen
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.field.events import DEFAULT_FRACTION
from agbench.simulators.field.parameters import once
from agbench.simulators.field.rotation import RotationCrop, sowable
from agbench.simulators.field.shares import SHARES_OF_SHOOT, wrong_shares
from agbench.simulators.wofost.layers import read_layers
from agbench.simulators.wofost.parameters import REPAIRS, TABLES, collect, place_families
from agbench.simulators.wofost.parameters import parameters as parameters_of
from agbench.simulators.wofost.variants import Variant, find
from agbench.simulators.wofost.weather import WEATHER_VARIABLES, driving
from agbench.variables import Booleans, Floats
from agbench.weather.daily import DAILY, DailySeries

LIMITATIONS: Final = find("wofost-npk").limitations
SETTINGS: Final = ("sound", "published")
_NEVER: Final = 1_000_000  # d
_VINE_STARTS: Final = ("endodorm", "ecodorm")
_VINE_ENDS: Final = ("max_duration", "harvest")


@dataclass(frozen=True, eq=False)
class WofostWorld:
    """All that fixes a WOFOST simulation apart from management.

    `parameters` (a record), `tables` (len(TABLES), 3, width); of a rotation (crops,) and (crops, ...), and
    then `sowable` (crops, T), where a crop may be sown; `weather` records (T,) from `start`;
    `factors` are the recovery of N, P, K and the efficiency of irrigation, (4,). `noise_seed` is the
    seed of the errors of weather forecasts.
    """

    model: str
    start: date
    parameters: NDArray[Any]
    tables: Floats
    weather: NDArray[Any]
    factors: Floats
    soil_water: str
    noise_seed: int = 0
    crop_type: str = "annual"
    sowable: Booleans | None = None
    arrays: Mapping[str, NDArray[Any]] = field(init=False)

    def __post_init__(self) -> None:
        names = ("parameters", "tables", "weather", "factors")
        arrays = {name: getattr(self, name) for name in names}
        arrays["last"] = np.atleast_1d(self.parameters)["LAST_DAY"][0]
        if self.sowable is not None:
            none = np.zeros(
                (1, len(self.weather)), dtype=np.bool_
            )  # larger than the number of crops of any pool
            arrays["sowable"] = np.concatenate([self.sowable, none])
        arrays["noise_seed"] = np.array(self.noise_seed, dtype=np.uint64)
        object.__setattr__(self, "arrays", arrays)


def build_world(
    model: str,
    parameters: Mapping[str, Any],
    series: DailySeries,
    calendar: CropCalendar | None,
    start: date,
    end: date,
    *,
    setting: str = "sound",
    limitation: str = "lnpkw",
    soil_water: str = "single",
    crop_type: str = "annual",
    recovery: float | tuple[float, float, float] = DEFAULT_FRACTION,
    efficiency: float = DEFAULT_FRACTION,
    stop_after: date | None = None,
    management: str = "inputs",
    sowing_window: tuple[date, date] | None = None,
    where: str = "parameters",
) -> WofostWorld:
    """Return the world of a model from `start` to at latest `end`.

    The world ends with the crop, where the crop ends on or after `stop_after` (default: always); with
    `end` as `stop_after` it continues without a crop. `setting` and `limitation` act in `wofost-npk`
    alone. With the `management` `harvest` only an input ends the crop; with `plant` an input also sows it,
    on a day of the `sowing_window`, given by its first and last day; with `orchard` trees grow until the end.
    """
    variant = find(model)
    _check_choices(variant, setting, limitation, soil_water)
    variant.kernels_on(soil_water, crop_type)
    layered = soil_water == "layered"
    kind = (model, where, layered, crop_type)
    read, built = once(parameters, kind, lambda: collect(model, parameters, where, layered, crop_type))
    record, tables = read.copy(), list(built)
    if layered:
        read_layers(record, tables, parameters.get("SoilProfileDescription", {}), where)
        _fit_roots(record, variant, where)
    if setting == "sound":  # the original shares out what it is given, and one of its pears too much
        _check_shares(tables, where)
    place_families(tables)
    _set_switches(record, variant, setting, limitation)
    _set_calendar(record, calendar, variant, start, end)
    _check_lifecycle(calendar, crop_type, variant)
    _check_emergence(record, calendar, where)
    _check_management(management, crop_type)
    _set_management(record, management, sowing_window, variant, setting, start)
    record["LAST_EVENT"] = (stop_after - start).days if stop_after else 0
    width = max(table.shape[1] for table in tables)
    return WofostWorld(
        model=model,
        start=start,
        parameters=record,
        tables=afgen.stack(tables, width),
        weather=_driving(series, start, end),
        factors=_factors(recovery, efficiency),
        soil_water=soil_water,
        crop_type=crop_type,
    )


def build_rotation(
    model: str,
    crops: Sequence[RotationCrop],
    series: DailySeries,
    start: date,
    end: date,
    *,
    setting: str = "sound",
    limitation: str = "lnpkw",
    recovery: float | tuple[float, float, float] = DEFAULT_FRACTION,
    efficiency: float = DEFAULT_FRACTION,
) -> WofostWorld:
    """Return the world of several crops on one field, from `start` to `end`.

    Inputs sow and harvest; the crops are numbered from 1 in their order. All have the soil of the first.
    """
    variant = find(model)
    _check_choices(variant, setting, limitation, "single")
    if setting != "sound":
        raise ConfigError(f"{model}: a rotation needs the setting 'sound'; got {setting!r}.")
    if not crops:
        raise ConfigError(f"{model}: a rotation needs at least one crop.")
    first = crops[0].parameters
    soil = {p.name: first[p.name] for p in parameters_of(model) if p.part != "crop" and p.name in first}
    records, curves = [], []
    for crop in crops:
        record, tables = collect(model, {**crop.parameters, **soil})
        _check_shares(tables, "parameters")
        _set_switches(record, variant, setting, limitation)
        _set_calendar(record, None, variant, start, end)
        if record["TSUMEM"] <= 0.0:
            raise ConfigError(f"{model}: TSUMEM is {record['TSUMEM']}, so that the crop cannot be sown.")
        record["HARVEST_ENDS"], record["INCORPORATED"] = 1.0, crop.incorporated
        record["PLANT_FIRST"], record["PLANT_LAST"] = 0, record["LAST_DAY"]
        record["LAST_EVENT"] = record["LAST_DAY"]
        records.append(record)
        curves.append(tables)
    width = max(table.shape[1] for tables in curves for table in tables)
    return WofostWorld(
        model=model,
        start=start,
        parameters=np.array(records),
        tables=np.array([afgen.stack(tables, width) for tables in curves]),
        weather=_driving(series, start, end),
        factors=_factors(recovery, efficiency),
        soil_water="single",
        sowable=sowable(crops, start, end),
    )


def _check_shares(tables: Sequence[Floats], where: str) -> None:
    """Refuse partition tables, among all tables in their order, that do not add up."""
    wrong = wrong_shares({name: tables[TABLES.index(name)] for name in SHARES_OF_SHOOT}, SHARES_OF_SHOOT)
    if wrong is not None:
        raise ConfigError(f"{where}: {wrong}")


@lru_cache(maxsize=64)
def _driving(series: DailySeries, start: date, end: date) -> NDArray[Any]:
    """Return the weather of the days from `start` to `end`, as records that worlds share."""
    columns = DAILY.columns(WEATHER_VARIABLES.names)
    days = np.arange(np.datetime64(start), np.datetime64(end) + np.timedelta64(1, "D"))
    records = driving(series.window(start, end)[:, columns], days, series.latitude)
    records.flags.writeable = False
    return records


def _factors(recovery: float | tuple[float, float, float], efficiency: float) -> Floats:
    """Return the shares of N, P, K and irrigation that arrive, (4,)."""
    return np.array([*np.broadcast_to(recovery, 3), efficiency], dtype=np.float64)


def _check_choices(variant: Variant, setting: str, limitation: str, soil_water: str) -> None:
    for kind, value, names in (
        ("setting", setting, SETTINGS),
        ("limitation", limitation, LIMITATIONS),
        ("soil_water", soil_water, ("single", "layered")),
    ):
        if value not in names:
            raise unknown(kind, value, names, where=variant.name)
    if soil_water == "layered" and not variant.limits_water:
        raise ConfigError(f"{variant.name}: a layered soil makes no difference without water limitation.")
    if soil_water == "layered" and variant.layered_kernels is None:
        raise ConfigError(f"{variant.name}: only wofost81 and wofost-npk have a layered soil.")
    if soil_water == "layered" and variant.has_repairs and setting == "published":
        raise ConfigError(
            f"{variant.name}: on the original's layered soil no crop transpires and none yields; "
            "a layered soil needs the setting 'sound'."
        )


def _fit_roots(record: NDArray[Any], variant: Variant, where: str) -> None:
    """Refuse roots that outgrow the profile; in the setting `sound` they stop at its bottom."""
    depth = float(record["THICKNESS"].sum())
    if variant.has_repairs:
        record["RDMSOL"] = min(float(record["RDMSOL"]), depth)
    reach = min(float(record["RDMCR"]), float(record["RDMSOL"]))
    if reach > depth:
        raise ConfigError(f"{where}: roots reach {reach} cm, but the profile ends at {depth} cm.")


def _set_switches(record: NDArray[Any], variant: Variant, setting: str, limitation: str) -> None:
    """Set what limits growth, and what the model does after maturity."""
    if variant.limitations:
        record["SOUND"] = setting == "sound"
        for name in REPAIRS:
            record[f"REPAIR_{name}"] = record["SOUND"]
        record["WATER_LIMITED"] = "w" in limitation
        record["NITROGEN_LIMITED"] = "n" in limitation
        record["PK_LIMITED"] = "npk" in limitation
        record["AGES_AFTER_MATURITY"] = 1.0
        if setting == "published" and record["SM0"] < record["SMW"]:
            record["SM0"] = record["SMW"] + 1e-6
    else:
        record["DVSM"] = record["DVSEND"]
        record["WATER_LIMITED"] = variant.limits_water
        record["NITROGEN_LIMITED"] = variant.limits_nitrogen


def _set_calendar(
    record: NDArray[Any], calendar: CropCalendar | None, variant: Variant, start: date, end: date
) -> None:
    """Set the days of the crop, counted from `start`."""
    if end < start:
        raise ConfigError(f"the simulation would end on {end}, before its start on {start}.")
    record["LAST_DAY"] = (end - start).days
    record["EPOCH"] = (start - date(1970, 1, 1)).days
    record["CROP_START"] = record["CROP_END"] = -1
    record["MAX_DURATION"] = _NEVER
    if calendar is None:
        return
    if calendar.crop_end_type not in variant.end_types:
        raise unknown("crop_end_type", calendar.crop_end_type, variant.end_types, where=variant.name)
    if not start <= calendar.crop_start_date <= end:
        raise ConfigError(
            f"calendar: the crop starts on {calendar.crop_start_date}, not in {start} to {end}."
        )
    ends = calendar.crop_end_type
    dated = calendar.crop_end_date if ends in ("harvest", "earliest") else None
    record["CROP_START"] = (calendar.crop_start_date - start).days
    record["CROP_END"] = (dated - start).days if dated else -1
    record["MAX_DURATION"] = calendar.max_duration
    record["START_EMERGED"] = calendar.crop_start_type in ("emergence", "ecodorm")
    record["START_DORMANT"] = calendar.crop_start_type == "dormant"
    record["END_EMERGENCE"] = ends == "emergence"
    record["END_MATURITY"] = ends in ("maturity", "earliest")
    record["END_DEATH"] = ends == "death"


def _check_lifecycle(calendar: CropCalendar | None, crop_type: str, variant: Variant) -> None:
    """Refuse a start or an end that crops of this type do not have."""
    if calendar is None:
        return
    start, end = calendar.crop_start_type, calendar.crop_end_type
    if crop_type == "grape":
        if start not in _VINE_STARTS:
            raise ConfigError(
                f"calendar: crop_start_type {start!r}: a vine is planted when it leaves a stage, 'endodorm' "
                "(chilling is over, its buds wait for warmth) or 'ecodorm' (its buds break)."
            )
        if end not in _VINE_ENDS:
            raise ConfigError(
                f"calendar: crop_end_type {end!r}: a vine outlives its stages; it ends after 'max_duration' "
                "days, or is cleared on the crop_end_date of 'harvest'."
            )
    elif start in _VINE_STARTS or (start == "dormant" and crop_type == "annual"):
        raise ConfigError(
            f"calendar: crop_start_type {start!r}: {variant.name} has no such {crop_type} crops."
        )


def _check_emergence(record: NDArray[Any], calendar: CropCalendar | None, where: str) -> None:
    """Refuse seed that needs no warmth to emerge: such a crop is meant to be planted."""
    if calendar is not None and not record["START_EMERGED"] and record["TSUMEM"] <= 0.0:
        raise ConfigError(
            f"{where}: TSUMEM is {record['TSUMEM']}, so that the crop cannot be sown; start it with"
            " crop_start_type 'emergence'."
        )


def _check_management(management: str, crop_type: str) -> None:
    """Refuse an orchard of annual crops, and a harvest that would end trees."""
    if management != "inputs" and (management == "orchard") != (crop_type != "annual"):
        right = "'harvest' or 'plant'" if crop_type == "annual" else "'orchard'"
        raise ConfigError(f"management {management!r}: {crop_type} crops need {right}, or 'inputs'.")


def _set_management(
    record: NDArray[Any],
    management: str,
    window: tuple[date, date] | None,
    variant: Variant,
    setting: str,
    start: date,
) -> None:
    """Leave harvest, or sowing and harvest, to the inputs."""
    record["PLANT_FIRST"] = record["PLANT_LAST"] = -1
    if management == "inputs":
        return
    if "harvest" not in variant.events or setting != "sound":
        raise ConfigError(
            f"management {management!r} needs wofost-npk in the setting 'sound', where a harvest takes "
            f"something off the field; got {variant.name} in the setting {setting!r}."
        )
    record["HARVEST_ENDS"] = management != "orchard"
    record["CROP_END"] = -1
    record["MAX_DURATION"] = _NEVER
    record["END_EMERGENCE"] = record["END_MATURITY"] = record["END_DEATH"] = 0.0
    if management == "plant":
        if window is None:
            raise ConfigError("management 'plant' needs a sowing_window.")
        record["CROP_START"] = -1
        record["PLANT_FIRST"], record["PLANT_LAST"] = ((day - start).days for day in window)
