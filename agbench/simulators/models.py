"""The models by name: what they know, how their worlds are built, and who runs them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

from agbench.errors import unknown
from agbench.simulators.base import Simulator, VariableTable
from agbench.simulators.calendar import CropCalendar
from agbench.simulators.events import Event
from agbench.weather.daily import DailySeries

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FieldSetup:
    """All that fixes a field's season apart from management, before any engine has seen it.

    `parameters` are those of crop, soil and site together under the model's own names; `recovery`
    and `efficiency` are the shares of fertiliser and irrigation that arrive.
    """

    parameters: Mapping[str, Any]
    series: DailySeries
    calendar: CropCalendar
    start: date
    end: date
    recovery: float = 0.7
    efficiency: float = 0.7
    setting: str = "sound"


class TableRun(Protocol):
    """Runs one season and returns a table: a row a day, a column a variable."""

    def __call__(
        self, setup: FieldSetup, events: Sequence[Event], external: "pd.DataFrame | None"
    ) -> "pd.DataFrame":
        """Return the season's table."""


@dataclass(frozen=True)
class Model:
    """A field model on one engine.

    `units` are those of its parameters, by name; `events` the names of the management events it
    understands; `world` turns a setup into what `simulator(n).reset` takes.
    """

    name: str
    summary: str
    variables: VariableTable
    inputs: VariableTable
    weather: VariableTable
    units: Mapping[str, str]
    events: tuple[str, ...]
    simulator: Callable[[int], Simulator]
    world: Callable[[FieldSetup], Any]
    table: TableRun


ENGINES: Final = ("compiled", "pcse")

_MODULES: Final = {
    "lintul3": "agbench.simulators.lintul3.model",
    "lintul3-wheat": "agbench.simulators.lintul3.model",
}
_PCSE: Final = "agbench.simulators.pcse_reference.model"


def names() -> list[str]:
    """Return the names of all field models."""
    return sorted(_MODULES)


def find(name: str, engine: str = "compiled") -> Model:
    """Return a model on an engine; raises `UnknownNameError` with the nearest names."""
    if name not in _MODULES:
        raise unknown("model", name, _MODULES)
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    compiled: Model = import_module(_MODULES[name]).model(name)
    if engine == "compiled":
        return compiled
    on_pcse: Model = import_module(_PCSE).model(compiled)
    return on_pcse
