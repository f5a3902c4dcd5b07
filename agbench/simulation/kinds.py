"""Kinds of cases, whose worlds are composed of what their seasons and their cells have.

A case is a season (weather and dates) of a cell (crop, soil and parameters). Its world is composed of the
world that the season has with the first cell, and the world that the cell has in the first season. Where a
number depends on both, which is found out, the world of each case is built by itself. Cells that differ in
plain numbers alone are one cell, whose record takes the numbers of each case.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agbench.simulation import field
from agbench.simulators import models
from agbench.simulators.field.parameters import check
from agbench.simulators.field.pool import WorldPool
from agbench.simulators.models import CropModel
from agbench.variables import Floats

OF_CELLS: Final = ("tables", "parameters")
"""Arrays of worlds that belong to a cell, but for some fields of `parameters`; the others are a season's."""
_DERIVED: Final = frozenset(
    (
        *("CO2", "DVSEND", "DVSM", "SM0", "RDMCR", "RDMSOL", "TSUMEM", "TBASEM", "TEFFMX", "IDSL"),
        *("WLVGI", "SLAC", "DVSI", "RTMIN", "RNMIN"),
    )
)
"""Parameters from which worlds compute more than the field of their name, or of which they check more."""
_PLACES: Final = {"crop": "crop", "soil": "soil"}


class CaseSeason(NamedTuple):
    """A season with the first cell of its kind: how it runs, and its management (days, inputs)."""

    prepared: field.PreparedSeason
    management: Floats
    may_be_cut: bool

    @property
    def length(self) -> int:
        """The days that it lasts at most."""
        setup = self.prepared.setup
        return (setup.end - setup.start).days + 1

    @property
    def is_whole(self) -> bool:
        """Whether its last day is its own, and not that of the weather."""
        setup = self.prepared.setup
        return self.may_be_cut or setup.end >= setup.calendar.latest_end


@dataclass(frozen=True, eq=False)
class _Arrays:
    """Some arrays of a world."""

    arrays: Mapping[str, NDArray[Any]]


class _AllWorlds(WorldPool):
    """Worlds in the order in which they came, all of them."""

    def add(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Add a world."""
        self.slot(_Arrays(arrays), _NONE)

    def _free_slot(self, in_use: NDArray[np.int64]) -> int:
        self.worlds.append(None)
        return len(self.worlds) - 1


_NONE: Final = np.zeros(0, dtype=np.int64)


class CaseKind:
    """Cases of one model and one kind of calendar, any season of which can be composed with any cell."""

    def __init__(self, model: CropModel, plain: frozenset[str] = frozenset()) -> None:
        self.model = model
        self.plain = plain
        """The parameters of which a world has the number in the field of their name, and nothing else."""
        self.seasons: list[CaseSeason] = []
        self.parameters: list[Mapping[str, Any]] = []
        """Those of each cell."""
        self.curves: list[int] = []
        """A number for each cell, equal where all tables are equal."""
        self.longest = 0
        """The days of its longest season."""
        self.places: dict[Any, int] = {}
        """Where seasons and cells are in their lists, by what they were named by."""
        self.season_arrays, self.cell_arrays = _AllWorlds(), _AllWorlds()
        self.fields_of_seasons: set[str] = set()
        """The fields of a world's parameters that depend on the season."""
        self.is_composed = True
        self._fields_of_cells: set[str] = set()
        self._first: Mapping[str, NDArray[Any]] = {}
        self._numbers: dict[int, dict[str, float]] = {}
        self._curves: dict[bytes, int] = {}

    @property
    def of_seasons(self) -> list[str]:
        """The names of the arrays that belong to a season."""
        return [name for name in self._first if name not in OF_CELLS]

    def add_season(self, key: Any, prepared: field.PreparedSeason, may_be_cut: bool) -> None:
        """Add a season, prepared with the parameters of the first cell."""
        arrays = self.model.world(prepared.setup).arrays
        management = self.model.management(prepared.setup, prepared.events)
        self.places[key] = len(self.seasons)
        season = CaseSeason(prepared, management, may_be_cut)
        self.seasons.append(season)
        self.longest = max(self.longest, season.length)
        self.season_arrays.add(arrays)
        self._first = self._first or arrays
        self.fields_of_seasons |= _differing(self._first["parameters"], arrays["parameters"])
        self._check(_same(self._first["tables"], arrays["tables"]))

    def add_cell(self, key: Any, parameters: Mapping[str, Any]) -> None:
        """Add a cell, in the first season."""
        arrays = self.model.world(replace(self.seasons[0].prepared.setup, parameters=parameters)).arrays
        self.places[key] = len(self.parameters)
        self.parameters.append(parameters)
        self.cell_arrays.add({name: arrays[name] for name in OF_CELLS})
        content = repr(arrays["tables"].shape).encode() + arrays["tables"].tobytes()
        self.curves.append(self._curves.setdefault(content, len(self._curves)))
        self._fields_of_cells |= _differing(self._first["parameters"], arrays["parameters"])
        self._check(all(_same(self._first[name], arrays[name]) for name in self.of_seasons))

    def check(self, cell: int, own: Mapping[str, float]) -> None:
        """Raise `ConfigError` for plain numbers that a cell cannot have."""
        read = {name: self.model.parameters[name].read(value, "case") for name, value in own.items()}
        if cell not in self._numbers:
            all_of = self.parameters[cell].items()
            plain = {name: value for name, value in all_of if isinstance(value, (int, float))}
            table = self.model.parameters
            self._numbers[cell], _ = check(table, plain, models.parameter_names, "crop and soil")
        self.model.check_rules(self._numbers[cell] | read, _PLACES, {})

    def vary(self, names: Iterable[str]) -> None:
        """Note that cells differ in some plain numbers."""
        self._fields_of_cells.update(names)
        self._check(True)

    def _check(self, separate: bool) -> None:
        if not separate or self.fields_of_seasons & self._fields_of_cells:
            self.is_composed = False


def _differing(one: NDArray[Any], other: NDArray[Any]) -> set[str]:
    """Return the fields in which two records of one type differ, bit by bit."""
    names, ends = _ends(one.dtype)
    bytes_of = [np.frombuffer(record.tobytes(), np.uint8) for record in (one, other)]
    places = np.flatnonzero(bytes_of[0] != bytes_of[1]) % one.dtype.itemsize
    return {names[field] for field in np.unique(np.searchsorted(ends, places, side="right")).tolist()}


@lru_cache(maxsize=64)
def _ends(dtype: np.dtype[Any]) -> tuple[list[str], NDArray[np.intp]]:
    """Return the fields of a record in memory's order, and where each ends [bytes]."""
    fields = sorted((of[1], name, of[0].itemsize) for name, of in (dtype.fields or {}).items())
    return [name for _, name, _ in fields], np.array([place + size for place, _, size in fields])


def _same(one: Any, other: Any) -> bool:
    return one is other or (np.shape(one) == np.shape(other) and one.tobytes() == other.tobytes())


def plain_parameters(model: CropModel) -> frozenset[str]:
    """Return the parameters that set nothing in a world of one soil layer but the field of their name."""
    table = model.parameters
    switches = {p.only_if[0] for p in table if p.only_if is not None}
    numbers = {p.name for p in table if not (p.of or p.by or p.alias or p.switch)}
    return frozenset(numbers - switches - _DERIVED)
