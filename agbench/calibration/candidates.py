"""Candidates as rows: values of parameters written into records and tables, without worlds of their own.

Where a value stands as it is in the records of the model it is written there, for all rows at once; which
fields these are is tried out on worlds that the model itself builds. What a model derives from a parameter
comes from a world that the model builds for the candidate: one, from which the other seasons take the fields
that moved.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from agbench.calibration.dimensions import Dimension
from agbench.errors import ConfigError, SimulationError
from agbench.simulators.field.parameters import read, read_family, read_table
from agbench.simulators.field.shares import SHARES_OF_ALL, SHARES_OF_SHOOT
from agbench.simulators.models import CropModel
from agbench.variables import Booleans, Floats

Build = Callable[[Mapping[str, Any]], Any]
"""Returns the world of a season whose parameters are those of the base crop but for the given ones."""
Way = Literal["written", "carried", "each"]
_PROBES: Final = (0.13, 0.5, 0.87)  # of the bounds' width
_DRAWS: Final = 4  # candidates on which both ways of building must agree to the last bit


@dataclass(frozen=True)
class _Direct:
    """Where the values of a dimension stand: fields of the record, or points of one table."""

    fields: tuple[str, ...] = ()
    table: int = -1
    points: Booleans | None = None


class Candidates:
    """Writes values (n, dimensions) as records and tables of every season."""

    def __init__(
        self,
        model: CropModel,
        base: Mapping[str, Any],
        dimensions: Sequence[Dimension],
        builds: Sequence[Build],
        worlds: Sequence[Any],
    ) -> None:
        self._model = model
        self._base = base
        self._dimensions = dimensions
        self._builds = builds
        self._worlds = worlds
        self._numbers = read(model.parameters, base, model.name, model.name)[0]
        self._moved: set[str] = set()
        self._direct = [self._place(j) for j in range(len(dimensions))]
        self._built: tuple[bytes, NDArray[Any], Floats] | None = None
        self._way: Way = "each"
        ways: tuple[Way, ...] = ("written", "carried") if None not in self._direct else ("carried",)
        self._way = next((way for way in ways if self._agrees(way)), "each")

    @property
    def way(self) -> Way:
        """How candidates become rows: `written`, `carried` from the first season, or built for `each`."""
        return self._way

    def changes(self, values: Floats) -> dict[str, Any]:
        """Return what the values of one candidate change, under the model's names."""
        result: dict[str, Any] = {}
        for dimension, value in zip(self._dimensions, values, strict=True):
            dimension.put(result, self._base, float(value))
        return result

    def contradicts(self, values: Floats) -> str | None:
        """Return what contradicts in the parameters of a candidate, or None."""
        numbers = dict(self._numbers)
        for dimension, value in zip(self._dimensions, values, strict=True):
            if not dimension.is_factor:
                numbers[dimension.parameter.name] = float(value)
        try:
            self._model.check_rules(numbers, {"": "candidate"}, self._shares(values))
        except ConfigError as error:
            return str(error)
        return None

    def _shares(self, values: Floats) -> dict[str, Floats]:
        """Return the partition tables of a candidate, none where no dimension changes one."""
        names = {*SHARES_OF_SHOOT, *SHARES_OF_ALL}
        changed = {name: value for name, value in self.changes(values).items() if name in names}
        if not changed:
            return {}
        own = [p for p in self._model.parameters if p.name in names]
        given = {p.name: changed.get(p.name, self._base.get(p.name)) for p in own}
        return {p.name: (read_family if p.by else read_table)(p, given[p.name], "candidate") for p in own}

    def write(self, values: Floats, season: int) -> tuple[NDArray[Any], Floats]:
        """Return records (n,) and tables (n, ...) of candidates that do not contradict themselves."""
        if self._way == "each":
            return self._build(values, season)
        base = self._worlds[season].arrays
        records = np.repeat(base["parameters"][np.newaxis], len(values))
        if self._way == "carried":
            first, tables = self._build_first(values)
            for name in self._moved:
                records[name] = first[name]
            return records, tables
        tables = np.repeat(base["tables"][np.newaxis], len(values), axis=0)
        for j, place in enumerate(self._direct):
            assert place is not None
            for name in place.fields:
                records[name] = values[:, j]
            if place.points is not None:
                tables[:, place.table, 1] *= np.where(place.points, values[:, j, None], 1.0)
        for i in sorted({place.table for place in self._direct if place and place.points is not None}):
            tables[:, i, 2] = _slopes(tables[:, i, 0], tables[:, i, 1])
        return records, tables

    def _build(self, values: Floats, season: int) -> tuple[NDArray[Any], Floats]:
        """Return records and tables of worlds that the model builds for candidates."""
        arrays = [self._builds[season](self.changes(row)).arrays for row in values]
        return np.stack([a["parameters"] for a in arrays]), np.stack([a["tables"] for a in arrays])

    def _build_first(self, values: Floats) -> tuple[NDArray[Any], Floats]:
        """Return those of the first season, built once for all seasons of a group of candidates."""
        key = values.tobytes()
        if self._built is None or self._built[0] != key:
            self._built = key, *self._build(values, 0)
        return self._built[1:]

    def verify(self, values: Floats) -> None:
        """Raise `SimulationError` where what was written for a candidate is not what the model builds."""
        for season, build in enumerate(self._builds):
            if not self._equal(values, season, build):
                raise SimulationError(
                    f"{self._model.name} derives more from {', '.join(d.name for d in self._dimensions)}"
                    " than was tried out; please report this specification."
                )

    def _equal(self, values: Floats, season: int, build: Build) -> bool:
        records, tables = self.write(values[np.newaxis], season)
        own = build(self.changes(values)).arrays
        return own["parameters"].tobytes() == records.tobytes() and bool((own["tables"] == tables[0]).all())

    def _place(self, j: int) -> _Direct | None:
        """Return where the values of a dimension stand in the model's arrays, None if they are derived."""
        dimension, base = self._dimensions[j], self._worlds[0].arrays
        fields: set[str] = set()
        tables: set[int] = set()
        tried, direct = 0, True
        for share in _PROBES:
            value = dimension.low + share * (dimension.high - dimension.low)
            changed: dict[str, Any] = {}
            dimension.put(changed, self._base, value)
            try:
                arrays = self._builds[0](changed).arrays
            except ConfigError:  # it contradicts others at their present values
                continue
            if arrays["tables"].shape != base["tables"].shape:
                return None
            tried += 1
            moved = _moved(base["parameters"], arrays["parameters"])
            self._moved |= moved
            direct &= all((arrays["parameters"][name] == value).all() for name in moved)
            fields |= moved
            tables |= set(np.flatnonzero([(a != b).any() for a, b in _pairs(base, arrays)]).tolist())
        if (
            not direct
            or not tried
            or bool(tables) != dimension.is_factor
            or len(tables) > 1
            or (fields and tables)
        ):
            return None
        if not dimension.is_factor:
            return _Direct(tuple(sorted(fields)))
        at, (table,) = base["tables"][next(iter(tables)), 0], tables
        chosen = np.ones(at.shape, np.bool_) if dimension.at is None else np.isin(at, dimension.at)
        return _Direct(table=table, points=chosen)

    def _agrees(self, way: Way) -> bool:
        """Return whether a way gives what the model builds for some candidates of every season."""
        self._way = way
        low = np.array([d.low for d in self._dimensions])
        width = np.array([d.high - d.low for d in self._dimensions])
        generator = np.random.default_rng(0)
        draws = [low + generator.random(len(low)) * width for _ in range(_DRAWS)]
        possible = [draw for draw in draws if self.contradicts(draw) is None]
        return all(self._equal(draw, i, build) for i, build in enumerate(self._builds) for draw in possible)


def _moved(base: NDArray[Any], other: NDArray[Any]) -> set[str]:
    return {name for name in base.dtype.names or () if base[name].tobytes() != other[name].tobytes()}


def _pairs(base: Mapping[str, Floats], other: Mapping[str, Floats]) -> Any:
    return zip(base["tables"], other["tables"], strict=True)


def _slopes(x: Floats, y: Floats) -> Floats:
    """Return the slopes of tables (n, points), 0 at the last point and where points repeat it."""
    result = np.zeros(y.shape)
    step = np.diff(x, axis=1)
    np.divide(np.diff(y, axis=1), step, out=result[:, :-1], where=step > 0.0)
    return result
