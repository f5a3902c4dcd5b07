"""Cases of a batch: what several of them name is read, checked and built once.

A case is a season (weather and dates) of a cell (crop, soil and parameters). Its world is composed of the
world that the season has with the first cell, and the world that the cell has in the first season. Where a
number depends on both, which is found out, the world of each case is built by itself.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from inspect import signature
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agbench.errors import AgBenchError, ConfigError, unknown
from agbench.simulation import field
from agbench.simulation.parameters import check_changed, read_all, read_mapping
from agbench.simulators import models
from agbench.simulators.field.pool import WorldPool
from agbench.simulators.models import CropModel
from agbench.variables import Floats

NOT_HERE: Final = ("model", "external", "engine")
OF_CELLS: Final = ("tables", "parameters")
"""Arrays of worlds that belong to a cell, but for some fields of `parameters`; the others are a season's."""
_MOST_WORLDS: Final = 2000  # that a preparation keeps


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


class _AllWorlds(WorldPool):
    """Worlds in the order in which they came, all of them."""

    def add(self, world: Any) -> None:
        """Add a world."""
        self.slot(world, _NONE)

    def _free_slot(self, in_use: NDArray[np.int64]) -> int:
        self.worlds.append(None)
        return len(self.worlds) - 1


_NONE: Final = np.zeros(0, dtype=np.int64)


class CaseKind:
    """Cases of one model and one kind of calendar, any season of which can be composed with any cell."""

    def __init__(self, model: CropModel) -> None:
        self.model = model
        self.seasons: list[CaseSeason] = []
        self.parameters: list[Mapping[str, Any]] = []
        """Those of each cell."""
        self.places: dict[Any, int] = {}
        """Where seasons and cells are in their lists, by what they were named by."""
        self.season_arrays, self.cell_arrays = _AllWorlds(), _AllWorlds()
        self.fields_of_seasons: set[str] = set()
        """The fields of a world's parameters that depend on the season."""
        self.is_composed = True
        self._fields_of_cells: set[str] = set()
        self._first: Mapping[str, NDArray[Any]] = {}

    @property
    def of_seasons(self) -> list[str]:
        """The names of the arrays that belong to a season."""
        return [name for name in self._first if name not in OF_CELLS]

    def add_season(self, key: Any, prepared: field.PreparedSeason, may_be_cut: bool) -> None:
        """Add a season, prepared with the parameters of the first cell."""
        world = copy(self.model.world(prepared.setup))
        management = self.model.management(prepared.setup, prepared.events)
        self.places[key] = len(self.seasons)
        self.seasons.append(CaseSeason(prepared, management, may_be_cut))
        self.season_arrays.add(world)
        self._first = self._first or world.arrays
        self.fields_of_seasons |= _differing(self._first["parameters"], world.arrays["parameters"])
        self._check(_same(self._first["tables"], world.arrays["tables"]))

    def add_cell(self, key: Any, parameters: Mapping[str, Any]) -> None:
        """Add a cell, in the first season."""
        world = copy(self.model.world(replace(self.seasons[0].prepared.setup, parameters=parameters)))
        self.places[key] = len(self.parameters)
        self.parameters.append(parameters)
        self.cell_arrays.add(world)
        self._fields_of_cells |= _differing(self._first["parameters"], world.arrays["parameters"])
        self._check(all(_same(self._first[name], world.arrays[name]) for name in self.of_seasons))

    def _check(self, separate: bool) -> None:
        if not separate or self.fields_of_seasons & self._fields_of_cells:
            self.is_composed = False


def _differing(one: NDArray[Any], other: NDArray[Any]) -> set[str]:
    """Return the fields in which two records differ, bit by bit."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return set(one.dtype.names or ())
    names, ends = _ends(one.dtype)
    if one.ndim:
        one, other = one.reshape(-1), other.reshape(-1)
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


@dataclass(frozen=True, slots=True)
class Case:
    """A case: its number, its kind, and which season and cell of that."""

    number: int
    kind: CaseKind
    season: int
    cell: int

    @property
    def length(self) -> int:
        """The days that it lasts at most."""
        return self.kind.seasons[self.season].length


class Preparation:
    """Prepares cases."""

    def __init__(self, model: str, shared: Mapping[str, Any]) -> None:
        """Take the arguments that all cases share; raises `ConfigError` for wrong ones."""
        self._name = model
        self._shared = dict(shared)
        names = [name for name in signature(field.simulate).parameters if name not in NOT_HERE]
        self._arguments = dict.fromkeys(names)
        for name in self._shared:
            if name not in self._arguments:
                self._refuse(name)
        self._models: dict[Any, CropModel] = {}
        self._parameters: dict[Any, dict[str, Any]] = {}
        self._series: dict[Any, Any] = {}
        self._kinds: dict[Any, CaseKind] = {}
        self._alive: list[Any] = []
        """What is known by its place in memory, which must not be given to something else."""

    def case(self, number: int, own: Mapping[str, Any]) -> Case:
        """Return a case that can be run; errors name its number."""
        try:
            return self._case(number, {**self._shared, **own})
        except AgBenchError as error:
            raise type(error)(f"case {number}: {error}") from None

    def tidy(self) -> None:
        """Forget what was built, if it is much: no case that was prepared may be run any more."""
        kept = (len(kind.seasons) + len(kind.parameters) for kind in self._kinds.values())
        if sum(kept) > _MOST_WORLDS:
            for one in (self._kinds, self._parameters, self._series, self._alive):
                one.clear()

    def any_model(self, own: Mapping[str, Any]) -> CropModel:
        """Return the model of a case."""
        return self.case(0, own).kind.model

    def _case(self, number: int, given: Mapping[str, Any]) -> Case:
        model = self._model(given)
        get, key = given.get, self._key
        calendar = get("calendar")
        dates = key(calendar)
        rules = dates if isinstance(calendar, Mapping) else ()
        form = calendar is None, tuple([item for item in rules if not str(item[0]).endswith("_date")])
        kind_key = id(model), get("setting"), get("limitation"), "end" in given, form
        kind = self._kinds.get(kind_key)
        if kind is None:
            kind = self._kinds[kind_key] = CaseKind(model)
        weather = key(get("weather", get("site")))
        season = "season", weather, key(get("start")), key(get("end")), dates, key(get("events"))
        changes = [item for item in given.items() if item[0] not in self._arguments]
        changed = tuple([(name, key(value)) for name, value in changes])
        cell = "cell", key(get("site")), key(get("soil")), key(get("crop")), changed
        if cell not in kind.places or season not in kind.places:
            self._add(kind, season, cell, given, dict(changes))
        return Case(number, kind, kind.places[season], kind.places[cell])

    def _add(
        self, kind: CaseKind, season: Any, cell: Any, given: Mapping[str, Any], changes: dict[str, Any]
    ) -> None:
        """Add the season and the cell of a case to its kind, as far as they are new."""
        model = kind.model
        for name in changes:
            if name not in model.parameters:
                self._refuse(name, model)
        if "start" not in given:
            raise ConfigError("start must be given.")
        setting = given.get("setting", "sound")
        if setting not in ("sound", "published"):
            raise ConfigError(f"setting {setting!r} must be 'sound' or 'published'.")
        parameters = self._parameters_of(model, given, changes, setting)
        if season not in kind.places:
            first = kind.parameters[0] if kind.parameters else parameters
            prepared = field.prepare(
                model,
                first,
                self._weather(given),
                given["start"],
                given.get("end"),
                given.get("calendar"),
                given.get("events"),
                setting,
                given.get("limitation"),
                self._name,
            )
            kind.add_season(season, prepared, "end" in given)
        if cell not in kind.places:
            kind.add_cell(cell, parameters)

    def _key(self, value: Any) -> Any:
        """Return what stands for a value in the keys of tables: equal for equal content only."""
        kind = value.__class__
        if value is None or kind is str:
            return value
        if kind is float or kind is int:
            return kind, value
        if kind is dict or isinstance(value, Mapping):
            return tuple([(name, self._key(one)) for name, one in value.items()])
        if kind is list or isinstance(value, (list, tuple)):
            return tuple(map(self._key, value))
        if isinstance(value, (bool, int, float, np.generic)):
            return value.__class__, value
        try:
            hash(value)
        except TypeError:
            self._alive.append(value)
            return id(value)
        return value

    def _model(self, given: Mapping[str, Any]) -> CropModel:
        crop, soil_water = given.get("crop"), given.get("soil_water", "single")
        crop_type = given.get("crop_type")
        key = self._key(crop), soil_water, crop_type
        if key not in self._models:
            found = models.find(self._name, "compiled", soil_water, field.crop_type_of(crop, crop_type))
            if found.rotates:
                raise ConfigError(f"{self._name}: rotations are not batched; use agbench.simulate.")
            same = (one for one in self._models.values() if one.crop_type == found.crop_type)
            reuse = next((one for one in same if one.variables is found.variables), found)
            self._models[key] = reuse
        return self._models[key]

    def _parameters_of(
        self, model: CropModel, given: Mapping[str, Any], changes: Mapping[str, Any], setting: str
    ) -> dict[str, Any]:
        """Return the parameters of a case; what files say is read and checked once for each combination."""
        sources = {kind: given.get(kind) for kind in ("site", "soil", "crop")}
        key = (id(model), setting, *map(self._key, sources.values()))
        if key not in self._parameters:
            self._parameters[key] = read_all(model, sources, setting)
        if not changes:
            return self._parameters[key]
        result = self._parameters[key] | read_mapping(model, changes, "case", setting)
        check_changed(model, result, changes, setting)
        return result

    def _weather(self, given: Mapping[str, Any]) -> Any:
        source = given.get("weather", given.get("site"))
        key = self._key(source)
        if key not in self._series:
            self._series[key] = field.series_of(source)
        return self._series[key]

    def _refuse(self, name: str, model: CropModel | None = None) -> None:
        if name in NOT_HERE:
            raise ConfigError(f"{name!r} is no argument of a batch; use agbench.simulate for it.")
        known = [*self._arguments, *(model.parameters.names if model is not None else ())]
        raise unknown("argument or parameter", name, known, where=f"simulate_many({self._name!r})")
