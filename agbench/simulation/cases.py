"""Cases of a batch, by their kinds: what several of them name is read, checked and built once."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import AgBenchError, ConfigError, unknown
from agbench.simulation import field
from agbench.simulation.columns import Columns, firsts, together
from agbench.simulation.description import GREENHOUSE
from agbench.simulation.kinds import CaseKind, plain_parameters
from agbench.simulation.parameters import check_changed, read_all, read_mapping
from agbench.simulators import models
from agbench.simulators.models import CropModel
from agbench.variables import Floats

NOT_HERE: Final = ("model", "external", "engine")
_ARGUMENTS: Final = tuple(name for name in signature(field.simulate).parameters if name not in NOT_HERE)
_MOST_WORLDS: Final = 2000  # that a preparation keeps
_OF_KINDS: Final = ("crop", "soil_water", "crop_type", "setting", "limitation", "calendar")
_OF_SEASONS: Final = ("weather", "site", "start", "end", "calendar", "events")
_OF_CELLS: Final = ("site", "soil", "crop")


@dataclass(frozen=True)
class Cases:
    """Cases of one kind: their `numbers`, `season` and `cell`, (n,) each.

    `own` has plain numbers of parameters, (n,) by name, NaN where that of the cell counts.
    """

    kind: CaseKind
    numbers: NDArray[np.int64]
    season: NDArray[np.int64]
    cell: NDArray[np.int64]
    own: Mapping[str, Floats]

    def part(self, rows: Any) -> "Cases":
        """Return some of them."""
        own = {name: values[rows] for name, values in self.own.items()}
        return Cases(self.kind, self.numbers[rows], self.season[rows], self.cell[rows], own)

    def own_of(self, row: int) -> dict[str, float]:
        """Return the plain numbers of a case."""
        return {name: float(values[row]) for name, values in self.own.items() if not np.isnan(values[row])}


def parameters_among(shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the keywords of a batch that are no arguments: parameters that all cases have."""
    return {name: value for name, value in shared.items() if name not in (*_ARGUMENTS, *NOT_HERE)}


class Preparation:
    """Prepares cases."""

    def __init__(self, model: str, shared: Mapping[str, Any]) -> None:
        """Take the arguments that all cases share; raises `ConfigError` for wrong ones."""
        self._name = model
        self._shared = dict(shared)
        for name in self._shared:
            if name not in _ARGUMENTS:
                self._refuse(name)
        self._models: dict[Any, CropModel] = {}
        self._parameters: dict[Any, dict[str, Any]] = {}
        self._series: dict[Any, Any] = {}
        self._kinds: dict[Any, CaseKind] = {}
        self._alive: list[Any] = []
        """What is known by its place in memory, which must not be given to something else."""

    def model(self, columns: Columns) -> CropModel:
        """Return the model of the first case; raises what is wrong with that case."""
        return self.cases(0, next(columns.pieces(1)))[0].kind.model

    def cases(self, first: int, columns: Columns) -> list[Cases]:
        """Return cases, numbered from `first`, by their kinds; errors name the number."""
        coded = _Codes(columns, self._key, self._shared)
        kinds, kind = self._by_kind(first, columns, coded)
        plain = {
            name: numbers
            for name in columns.values
            if name not in _ARGUMENTS and all(name in one.plain for one in kinds)
            if (numbers := columns.numbers(name)) is not None
        }
        season = together([kind, *coded.of(_OF_SEASONS)], len(columns))
        changes = [name for name in columns.values if name not in _ARGUMENTS and name not in plain]
        given = [(~np.isnan(numbers)).astype(np.int64) for numbers in plain.values()]
        cell = together([kind, *coded.of((*_OF_CELLS, *changes)), *given], len(columns))
        seasons, cells = self._added(first, columns, kinds, kind, season, cell, plain)
        every = np.arange(first, first + len(columns))
        result = []
        for number, one in enumerate(kinds):
            whole = Cases(one, every, seasons[season], cells[cell], plain)
            mine = whole if len(kinds) == 1 else whole.part(np.flatnonzero(kind == number))
            _check_own(mine)
            result.append(mine)
        return result

    def tidy(self) -> None:
        """Forget what was built, if it is much: no case that was prepared may be run any more."""
        kept = (len(kind.seasons) + len(kind.parameters) for kind in self._kinds.values())
        if sum(kept) > _MOST_WORLDS:
            for one in (self._kinds, self._parameters, self._series, self._alive):
                one.clear()

    def _by_kind(
        self, first: int, columns: Columns, coded: "_Codes"
    ) -> tuple[list[CaseKind], NDArray[np.int64]]:
        """Return the kinds of cases, and the number of each case's."""
        ends = columns.values.get("end", [None] * len(columns))
        has_end = np.array([one is not None for one in ends], dtype=np.int64)
        codes = together([*coded.of(_OF_KINDS), has_end], len(columns))
        kinds: dict[int, int] = {}
        found: list[CaseKind] = []
        of_code = []
        for row in firsts(codes):
            with naming(first + row):
                kind = self._kind({**self._shared, **columns.row(row)})
            if id(kind) not in kinds:
                kinds[id(kind)] = len(found)
                found.append(kind)
            of_code.append(kinds[id(kind)])
        return found, np.array(of_code, dtype=np.int64)[codes]

    def _added(
        self,
        first: int,
        columns: Columns,
        kinds: Sequence[CaseKind],
        kind: NDArray[np.int64],
        season: NDArray[np.int64],
        cell: NDArray[np.int64],
        plain: Mapping[str, Any],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Add the seasons and cells that are new; return the place of each in its kind."""
        rows = [firsts(season), firsts(cell)]
        places: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for row in sorted({*rows[0], *rows[1]}):
            given = {**self._shared, **columns.row(row)}
            with naming(first + row):
                one = kinds[kind[row]]
                places[0][row], places[1][row] = self._places(one, given, plain)
        seasons, cells = (np.array([at[row] for row in of]) for at, of in zip(places, rows, strict=True))
        return seasons, cells

    def _kind(self, given: Mapping[str, Any]) -> CaseKind:
        """Return the kind of a case."""
        model = self._model(given)
        calendar = given.get("calendar")
        rules = self._key(calendar) if isinstance(calendar, Mapping) else ()
        form = calendar is None, tuple([item for item in rules if not str(item[0]).endswith("_date")])
        key = id(model), given.get("setting"), given.get("limitation"), "end" in given, form
        if key not in self._kinds:
            layered = given.get("soil_water", "single") != "single"
            self._kinds[key] = CaseKind(model, frozenset() if layered else plain_parameters(model))
        return self._kinds[key]

    def _places(self, kind: CaseKind, given: Mapping[str, Any], plain: Collection[str]) -> tuple[int, int]:
        """Return where the season and the cell of a case are in its kind; they are added if they are new."""
        get, key = given.get, self._key
        weather, dates = key(get("weather", get("site"))), key(get("calendar"))
        season = "season", weather, key(get("start")), key(get("end")), dates, key(get("events"))
        changes = {name: value for name, value in given.items() if name not in _ARGUMENTS}
        changed = tuple([(name, None if name in plain else key(value)) for name, value in changes.items()])
        cell = "cell", key(get("site")), key(get("soil")), key(get("crop")), changed
        if cell not in kind.places or season not in kind.places:
            self._add(kind, season, cell, given, changes)
        return kind.places[season], kind.places[cell]

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
            if self._name == GREENHOUSE:
                raise ConfigError(f"{self._name}: greenhouses are not batched; use agbench.simulate.")
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
        own = read_mapping(model, changes, "case", setting) if changes else {}
        key = (id(model), setting, *map(self._key, sources.values()), frozenset(own))
        if key not in self._parameters:
            self._parameters[key] = read_all(model, sources, setting, own)
        if not changes:
            return self._parameters[key]
        result = self._parameters[key] | own
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
        known = [*_ARGUMENTS, *(model.parameters.names if model is not None else ())]
        raise unknown("argument or parameter", name, known, where=f"simulate_many({self._name!r})")


class _Codes:
    """The codes of columns, each computed once."""

    def __init__(self, columns: Columns, key: Callable[[Any], Any], shared: Mapping[str, Any]) -> None:
        self._columns, self._key, self._shared = columns, key, shared
        self._known: dict[str, NDArray[np.int64]] = {}

    def of(self, names: Iterable[str]) -> list[NDArray[np.int64]]:
        """Return the codes of those columns among `names` that cases have."""
        own = [name for name in names if name in self._columns.values]
        for name in own:
            if name not in self._known:
                self._known[name] = self._columns.codes(name, self._key, self._shared.get(name))
        return [self._known[name] for name in own]


def _check_own(cases: Cases) -> None:
    """Raise `ConfigError` for a case with plain numbers that it cannot have; it names the first such case."""
    names = [name for name, values in cases.own.items() if not np.isnan(values).all()]
    if not names or not len(cases.numbers):
        return
    cases.kind.vary(names)
    alike = together([cases.cell, *(cases.own[name].view(np.int64) for name in names)], len(cases.numbers))
    for row in sorted(firsts(alike)):
        with naming(int(cases.numbers[row])):
            cases.kind.check(int(cases.cell[row]), cases.own_of(row))


@contextmanager
def naming(number: int) -> Iterator[None]:
    """Let errors name a case."""
    try:
        yield
    except AgBenchError as error:
        raise type(error)(f"case {number}: {error}") from None
