"""Batches of cases, run side by side in the compiled model."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import WeatherError
from agbench.simulation.cases import Cases, Preparation, naming
from agbench.simulation.columns import Columns
from agbench.simulation.kinds import OF_CELLS, CaseKind
from agbench.simulation.state_events import StateEvent, first_after, is_there
from agbench.simulators.field.pool import WorldPool
from agbench.simulators.models import CropModel
from agbench.variables import Floats

_BYTES: Final = 64_000_000  # of the days of a batch
_MOST_ROWS: Final = 512


@dataclass(frozen=True)
class Run:
    """Seasons that were run together.

    `numbers` (n,) are those of the cases, ascending, `starts` (n,) their first days, `rows` (n,) their rows
    in `days` (rows, T, variables), day by day. The first `lasted` + 1 days of a case hold; the later ones are
    whatever was there.
    """

    model: CropModel
    numbers: NDArray[np.int64]
    starts: NDArray[np.datetime64]
    rows: NDArray[np.intp]
    days: Floats
    lasted: NDArray[np.int64]


class Runner:
    """Runs cases; memory and what lies in it are kept from one batch to the next."""

    def __init__(self, prepared: Preparation) -> None:
        self._prepared = prepared
        self._bench: _Bench | None = None
        self._memory = np.empty(0)

    def runs(self, first: int, columns: Columns) -> Iterator[Run]:
        """Yield cases, numbered from `first`, in batches; the days of one are overwritten by the next."""
        self._prepared.tidy()
        for cases in self._prepared.cases(first, columns):
            size = _most(cases.kind)
            for start in range(0, len(cases.numbers), size):
                part = cases.part(slice(start, start + size))
                yield self._on_bench(part) if cases.kind.is_composed else self._one_by_one(part)

    def _on_bench(self, cases: Cases) -> Run:
        bench = self._bench
        if bench is None or not bench.fits(cases):
            bench = self._bench = _Bench(cases.kind, len(cases.numbers))
        rows = bench.take(cases)
        return self._run(bench.simulator, cases.part(rows), bench.management)

    def _one_by_one(self, cases: Cases) -> Run:
        """Run cases whose worlds are built each by itself."""
        kind = cases.kind
        simulator: Any = kind.model.simulator(len(cases.numbers))
        simulator.reset([_whole(cases, row) for row in range(len(cases.numbers))])
        longest = max(kind.seasons[i].length for i in np.unique(cases.season))
        return self._run(simulator, cases, _management(kind, cases.season, longest))

    def _run(self, simulator: Any, cases: Cases, management: Floats) -> Run:
        """Run the first rows of a simulator, which have the worlds of the cases."""
        kind, count = cases.kind, len(cases.numbers)
        happened: dict[int, list[tuple[int, StateEvent]]] = defaultdict(list)
        days = self._days((simulator.n, len(management), len(kind.model.variables)))
        records = simulator.for_all(management[:1, 0]).dtype
        simulator.seasons(management.view(records)[..., 0], days, count)
        if any(kind.seasons[i].prepared.reactions for i in np.unique(cases.season)):
            management = management.copy()
            while _react(cases, days, simulator.elapsed, management, happened):
                simulator.seasons(management.view(records)[..., 0], days, count)
        order = np.argsort(cases.numbers)
        for row in order[~simulator.finished[order]]:
            _require_whole(cases, int(row))
        used, place = np.unique(cases.season[order], return_inverse=True)
        starts = np.array([kind.seasons[i].prepared.setup.start for i in used], dtype="datetime64[D]")[place]
        return Run(kind.model, cases.numbers[order], starts, order, days, simulator.elapsed[order])

    def _days(self, shape: tuple[int, int, int]) -> Floats:
        """Return an array to write days into, in memory that is used again; what is in it has no meaning."""
        size = int(np.prod(shape))
        if self._memory.size < size:
            self._memory = np.empty(size)
        return self._memory[:size].reshape(shape)


def _most(kind: CaseKind) -> int:
    """Return how many cases of a kind a batch has."""
    a_case = kind.longest * len(kind.model.variables) * 8
    return min(_MOST_ROWS, max(1, _BYTES // a_case))


class _Bench:
    """Rows that run cases of a kind; a row that held the season and the tables of a case gets it again."""

    def __init__(self, kind: CaseKind, rows: int) -> None:
        self._kind, self._rows = kind, rows
        self._known = len(kind.seasons), len(kind.parameters)
        self._held = np.full((rows, 2), -1, dtype=np.int64)
        simulator: Any = kind.model.simulator(rows)
        self.management = np.zeros((kind.longest, rows, kind.seasons[0].management.shape[1]))
        stacks = {name: _empty(kind.season_arrays[name], rows) for name in kind.of_seasons}
        stacks |= {name: _empty(kind.cell_arrays[name], rows) for name in OF_CELLS}
        self._stacks = stacks
        simulator._pool = _HeldWorlds(stacks)
        simulator._slot[:] = np.arange(rows)
        simulator._reserve_memory(0)
        self.simulator = simulator

    def fits(self, cases: Cases) -> bool:
        """Return whether it can run these cases."""
        kind = self._kind
        if kind is not cases.kind or len(cases.numbers) > self._rows or kind.longest != len(self.management):
            return False
        known = len(kind.seasons), len(kind.parameters)
        if known != self._known:  # what came since may be wider
            self._known = known
            pools = [(name, kind.season_arrays) for name in kind.of_seasons]
            pools += [(name, kind.cell_arrays) for name in OF_CELLS]
            return all(pool[name].shape[1:] == self._stacks[name].shape[1:] for name, pool in pools)
        return True

    def take(self, cases: Cases) -> NDArray[np.int64]:
        """Give the first rows the worlds and the management of cases; return which case each row has."""
        kind, count = self._kind, len(cases.numbers)
        wanted = np.stack([cases.season, np.array(kind.curves, dtype=np.int64)[cases.cell]], axis=1)
        chosen = _matched(self._held[:count], wanted)
        wanted, season, cell = wanted[chosen], cases.season[chosen], cases.cell[chosen]
        new = np.flatnonzero((self._held[:count] != wanted).any(axis=1))
        if len(new):
            for name in kind.of_seasons:
                _put(self._stacks[name], new, kind.season_arrays[name], season[new])
            _put(self._stacks["tables"], new, kind.cell_arrays["tables"], cell[new])
            self.management[:, new] = _management(kind, season[new], len(self.management))
            self._held[new] = wanted[new]
        parameters = self._stacks["parameters"]
        _put(parameters, np.arange(count), kind.cell_arrays["parameters"], cell)
        for name in kind.fields_of_seasons:
            parameters[name][:count] = kind.season_arrays["parameters"][name][season]
        for name, values in cases.own.items():
            field, mine = parameters[name], values[chosen]
            there = np.flatnonzero(~np.isnan(mine))
            field[there] = mine[there]
        return chosen


def _matched(held: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which of the wanted each row gets: what it holds, where that is wanted, else any."""
    cases = defaultdict(list)
    for number, key in enumerate(map(tuple, wanted.tolist())):
        cases[key].append(number)
    chosen = np.full(len(held), -1, dtype=np.int64)
    for row, key in enumerate(map(tuple, held.tolist())):
        if cases.get(key):
            chosen[row] = cases[key].pop()
    chosen[chosen < 0] = [number for left in cases.values() for number in left]
    return chosen


class _HeldWorlds(WorldPool):
    """Arrays of worlds that are there already, one a row."""

    def __init__(self, stacks: dict[str, NDArray[Any]]) -> None:
        super().__init__()
        self._stacks = stacks


def _empty(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """Return room for so many rows of an array."""
    return np.zeros((rows, *array.shape[1:]), dtype=array.dtype)


def _put(
    target: NDArray[Any], rows: NDArray[np.intp], source: NDArray[Any], places: NDArray[np.intp]
) -> None:
    """Copy rows of an array, those of records too, which NumPy would copy field by field."""
    _bytes(target)[rows] = _bytes(source).take(places, axis=0)


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return a view of an array, a row of bytes a row."""
    return array.view(np.uint8).reshape(len(array), -1)


def _management(kind: CaseKind, season: NDArray[np.int64], longest: int) -> Floats:
    """Return the management of seasons, (longest, seasons, inputs)."""
    used, place = np.unique(season, return_inverse=True)
    result = np.zeros((longest, len(used), kind.seasons[used[0]].management.shape[1]))
    for number, i in enumerate(used):
        own = kind.seasons[i].management
        result[: len(own), number] = own
    return np.ascontiguousarray(result[:, place])


def _react(
    cases: Cases,
    days: Floats,
    lasted: NDArray[np.int64],
    management: Floats,
    happened: dict[int, list[tuple[int, StateEvent]]],
) -> bool:
    """Add to the management of each row the events that its states bring about next; return whether any.

    `happened` has those of each row that were added before, and takes in the new ones.
    """
    model, found = cases.kind.model, False
    for row, number in enumerate(cases.season.tolist()):
        season = cases.kind.seasons[number].prepared
        if not season.reactions:
            continue
        mine = days[row, : lasted[row] + 1]
        series = {
            name: (mine[:, model.variables.column(name)], is_there(name, model, mine))
            for name in {event.state for event in season.reactions}
        }
        last = max((day for day, _ in happened[row]), default=-1)
        day, events = first_after(last, season.reactions, series)
        if events:
            happened[row] += [(day, event) for event in events]
            with naming(int(cases.numbers[row])):
                own = model.management(season.setup, season.with_events(happened[row]))
            management[: len(own), row] = own
            found = True
    return found


def _whole(cases: Cases, row: int) -> Any:
    """Return the world of a case, built by itself."""
    kind = cases.kind
    setup = kind.seasons[cases.season[row]].prepared.setup
    parameters = {**kind.parameters[cases.cell[row]], **cases.own_of(row)}
    return kind.model.world(replace(setup, parameters=parameters))


def _require_whole(cases: Cases, row: int) -> None:
    """Raise `WeatherError` where the weather, not the crop or its calendar, ended the season."""
    season = cases.kind.seasons[cases.season[row]]
    if season.is_whole:
        return
    setup = season.prepared.setup
    raise WeatherError(
        f"case {cases.numbers[row]}: weather {setup.series.name} ends or breaks after {setup.end}, before "
        f"the crop does. Give more weather, or end={setup.end.isoformat()!r} for a season that is cut short."
    )
