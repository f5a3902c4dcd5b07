"""The models by name: their tables, their worlds, and their simulators."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

from agbench.errors import ConfigError, unknown
from agbench.simulators.base import Simulator
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.field.events import Event
from agbench.simulators.field.rotation import RotationCrop, RotationSeason
from agbench.variables import Floats, ParameterTable, VariableTable
from agbench.weather.daily import DailySeries

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FieldSetup:
    """All that fixes a field's season apart from management, for any engine.

    `parameters` are those of crop, soil and site together under the model's own names; `recovery`
    and `efficiency` are the shares of fertiliser and irrigation that arrive. `limitation` is what
    limits growth, for models that offer a choice. A season ends with its crop, where that is on or
    after `stop_after`. Errors of weather forecasts have the seed `noise_seed`. `management` is `inputs`, or
    `harvest` or `plant` where harvest, or sowing and harvest, are inputs, or `orchard` where trees stand
    throughout; sowing is for the days of the `sowing_window`, the first and the last one. A `rotation` has
    crops, each with all parameters, in place of `parameters` and `calendar`; a table of one is made of its
    `seasons`.
    """

    parameters: Mapping[str, Any]
    series: DailySeries
    calendar: CropCalendar
    start: date
    end: date
    recovery: float = 0.7
    efficiency: float = 0.7
    setting: str = "sound"
    limitation: str | None = None
    stop_after: date | None = None
    noise_seed: int = 0
    management: str = "inputs"
    sowing_window: tuple[date, date] | None = None
    rotation: tuple[RotationCrop, ...] = ()
    seasons: tuple[RotationSeason, ...] = ()


class TableRun(Protocol):
    """Runs one season and returns a table: a row a day, a column a variable."""

    def __call__(
        self, setup: FieldSetup, events: Sequence[Event], external: "pd.DataFrame | None"
    ) -> "pd.DataFrame":
        """Return the season's table."""


@dataclass(frozen=True)
class CropModel:
    """A field model on one engine.

    `parameters` are those it reads, and `check_rules` raises `ConfigError` where numbers or tables among them
    contradict each other. `rates` and `memory` name the variables that are rates of the day, and those
    that only carry a simulation to its next day; it does not compute those that it `lacks`. `events`
    are the names of the management events it understands; of its `inputs` it `ignores` some, on which
    nothing in it depends; `world` turns a setup into what
    `simulator(n).reset` takes, `management` turns events into what its rows get day by day.
    A table of a model that `runs_on` goes on without a crop, up to the last
    event or a given end. The simulators of a model that `forecasts` also tell the weather to come
    (`coming`, `noise_seeds`). `limitations` are the choices of what limits growth;
    `crop_type` is the type of crops that this description is for. In one that
    `rotates`, crops follow one another; `crops_of` is the model whose crop files it reads, if not its own.
    """

    name: str
    summary: str
    variables: VariableTable
    inputs: VariableTable
    weather: VariableTable
    parameters: ParameterTable
    check_rules: Callable[[Mapping[str, float], Mapping[str, str], Mapping[str, Floats]], None]
    events: tuple[str, ...]
    simulator: Callable[[int], Simulator]
    world: Callable[[FieldSetup], Any]
    table: TableRun
    management: Callable[[FieldSetup, Sequence[Event]], Floats]
    rates: frozenset[str]
    memory: frozenset[str]
    lacks: frozenset[str] = frozenset()
    ignores: frozenset[str] = frozenset()
    runs_on: bool = False
    forecasts: bool = False
    limitations: tuple[str, ...] = ()
    crop_type: str = "annual"
    rotates: bool = False
    crops_of: str = ""


def check_limitation(name: str, limitation: str | None, choices: Sequence[str] = ()) -> None:
    """Refuse a choice of what limits growth, on any engine, for a model that offers no `choices`."""
    if limitation is not None and not choices:
        raise ConfigError(
            f"limitation: {name} has no choice of limitation; {limitation!r} is for wofost-npk."
        )


ENGINES: Final = ("compiled", "pcse")

_WOFOST: Final = "agbench.simulators.wofost.model"
_MODULES: Final = {
    "lintul3": "agbench.simulators.lintul3.model",
    "lintul3-wheat": "agbench.simulators.lintul3.model",
    "wofost72-pp": _WOFOST,
    "wofost72-wlp": _WOFOST,
    "wofost81-pp": _WOFOST,
    "wofost81-wlp": _WOFOST,
    "wofost81-nwlp": _WOFOST,
    "wofost-npk": _WOFOST,
    "wofost-npk-rotation": _WOFOST,
}
_PCSE: Final = "agbench.simulators.pcse_reference.model"


def names() -> list[str]:
    """Return the names of all field models."""
    return sorted(_MODULES)


def crop_types(name: str) -> tuple[str, ...]:
    """Return the types of crops that a model supports, `annual` first."""
    variants = import_module("agbench.simulators.wofost.variants").VARIANTS
    return variants[name].crop_types if name in variants else ("annual",)


def able(what: str) -> list[str]:
    """Return the models that understand a management event, or on which an input acts.

    By name; one that does so for other crops than annual ones has these beside it.
    """
    result = []
    for name in names():
        types = [kind for kind in crop_types(name) if _takes(find(name, crop_type=kind), what)]
        if types:
            result.append(name if "annual" in types else f"{name} (with a {' or '.join(types)} crop)")
    return result


def _takes(model: CropModel, what: str) -> bool:
    return what in model.events or (what in model.inputs and what not in model.ignores)


def parameter_tables(soil_water: str = "single") -> dict[str, ParameterTable]:
    """Return what each model that has a `single` or a `layered` soil reads, by the model's name.

    `parameters_of_type` has what it reads of crops that are not annual.
    """
    variants = import_module("agbench.simulators.wofost.variants").VARIANTS
    tables = {}
    for name, module in _MODULES.items():
        parameters = import_module(f"{module.rpartition('.')[0]}.parameters").parameters
        if soil_water == "single":
            tables[name] = parameters(name)
        elif name in variants and variants[name].layered_kernels is not None:
            tables[name] = parameters(name, layered=True)
    return tables


def parameters_of_type(name: str, crop_type: str) -> ParameterTable:
    """Return what a model reads of crops of a type, on a soil with a single layer."""
    if crop_type == "annual":
        return parameter_tables()[name]
    table: ParameterTable = import_module("agbench.simulators.wofost.parameters").parameters(
        name, crop_type=crop_type
    )
    return table


@cache
def parameter_names() -> frozenset[str]:
    """Return the names of the parameters that any field model reads, of any crop on any soil."""
    tables = [table for water in ("single", "layered") for table in parameter_tables(water).values()]
    tables += [parameters_of_type(name, kind) for name in _MODULES for kind in crop_types(name)[1:]]
    return frozenset(name for table in tables for p in table for name in (p.name, p.alias))


def entry_points(
    name: str, engine: str = "compiled", soil_water: str = "single", crop_type: str = "annual"
) -> list[str]:
    """Return where a model's code starts, for `agbench.compiled.closure`."""
    module = _MODULES[name]
    result = [f"{module}:model"]
    if engine == "pcse":
        result += [f"{_PCSE}:model", "agbench.simulators.pcse_reference.lintul3_wheat"]
    elif module == _WOFOST:
        variant = import_module("agbench.simulators.wofost.variants").find(name)
        result.append(variant.kernels_on(soil_water, crop_type))
    return result


def find(
    name: str, engine: str = "compiled", soil_water: str = "single", crop_type: str = "annual"
) -> CropModel:
    """Return a model on an engine; raises `UnknownNameError` with the nearest names.

    `soil_water` is `single`, or `layered` for models with a soil of several layers; `crop_type` is
    `annual`, or `perennial` or `grape` for models with such crops.
    """
    if name not in _MODULES:
        raise unknown("model", name, _MODULES)
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    module = import_module(_MODULES[name])
    if crop_type != "annual" and (_MODULES[name] != _WOFOST or engine == "pcse"):
        raise ConfigError(f"crop_type: {name} on the engine {engine!r} knows no {crop_type} crops.")
    if _MODULES[name] == _WOFOST:
        compiled: CropModel = module.model(name, soil_water, crop_type)
    elif soil_water == "single":
        compiled = module.model(name)
    else:
        raise ConfigError(f"soil_water: {name} has one layer and cannot use a {soil_water!r} soil.")
    if engine == "compiled":
        return compiled
    on_pcse: CropModel = import_module(_PCSE).model(compiled, soil_water)
    return on_pcse
