"""Batches of cases, run side by side in the compiled model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import WeatherError
from agbench.simulation.cases import OF_CELLS, Case, CaseKind, Preparation
from agbench.simulators.field.pool import WorldPool
from agbench.simulators.models import CropModel
from agbench.variables import Floats

_BYTES: Final = 64_000_000  # of the days of a batch
_MOST_ROWS: Final = 512


@dataclass(frozen=True)
class Run:
    """Seasons that were run together.

    `numbers` (n,) are those of the cases, `starts` (n,) their first days, `days` (n, T, variables) what they
    were day by day, of which the first `lasted` + 1 hold; the later ones are whatever was there.
    """

    model: CropModel
    numbers: NDArray[np.int64]
    starts: NDArray[np.datetime64]
    days: Floats
    lasted: NDArray[np.int64]


def runs(prepared: Preparation, first: int, rows: Sequence[Mapping[str, Any]]) -> Iterator[Run]:
    """Yield cases, numbered from `first`, in batches; the days of one are overwritten by the next."""
    memory: list[Floats] = []
    prepared.tidy()
    for cases in _batches(prepared, first, rows):
        yield _run(cases, memory)


def _batches(prepared: Preparation, first: int, rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Case]]:
    """Yield cases that one batch can run: of one kind, as many as memory is for."""
    waiting: dict[int, list[Case]] = {}
    longest: dict[int, int] = {}
    for number, own in enumerate(rows, first):
        case = prepared.case(number, own)
        key = id(case.kind)
        group = waiting.setdefault(key, [])
        group.append(case)
        longest[key] = max(longest.get(key, 0), case.length)
        width = len(case.kind.model.variables) * 8
        if len(group) >= min(_MOST_ROWS, max(1, _BYTES // (longest[key] * width))):
            yield waiting.pop(key)
            del longest[key]
    yield from waiting.values()


def _run(cases: list[Case], memory: list[Floats]) -> Run:
    """Run cases side by side, each through its own world and management."""
    kind, n = cases[0].kind, len(cases)
    simulator: Any = kind.model.simulator(n)
    seasons, cells = (np.array([getattr(case, name) for case in cases]) for name in ("season", "cell"))
    used, season = np.unique(seasons, return_inverse=True)
    if kind.is_composed:
        simulator._pool = _composed(kind, seasons, cells)
        simulator._slot[:] = np.arange(n)
        simulator._reserve_memory(0)
    else:
        simulator.reset([_whole(case) for case in cases])
    longest = max(kind.seasons[i].length for i in used)
    of_seasons = _management(kind, used, longest)
    records = simulator.for_all(of_seasons[:1, 0]).dtype
    management = of_seasons[:, season]
    days = _days(memory, (n, longest, len(kind.model.variables)))
    simulator.seasons(management.view(records)[..., 0], days, n)
    lasted = simulator.elapsed.copy()
    for row in np.flatnonzero(~simulator.finished):
        _require_whole(cases[row])
    starts = [kind.seasons[i].prepared.setup.start for i in used]
    numbers = np.array([case.number for case in cases])
    return Run(kind.model, numbers, np.array(starts, dtype="datetime64[D]")[season], days, lasted)


def _days(memory: list[Floats], shape: tuple[int, int, int]) -> Floats:
    """Return an array to write days into, in memory that is used again; what is in it has no meaning."""
    size = int(np.prod(shape))
    if not memory or memory[0].size < size:
        memory[:] = [np.empty(size)]
    return memory[0][:size].reshape(shape)


def _management(kind: CaseKind, used: NDArray[np.intp], longest: int) -> Floats:
    """Return the management of some seasons, (longest, seasons, inputs)."""
    width = kind.seasons[used[0]].management.shape[1]
    result = np.zeros((longest, len(used), width))
    for place, i in enumerate(used):
        own = kind.seasons[i].management
        result[: len(own), place] = own
    return result


class _CellWorlds(WorldPool):
    """Arrays of worlds that are there already, one a row."""

    def __init__(self, stacks: dict[str, NDArray[Any]]) -> None:
        super().__init__()
        self._stacks = stacks


def _composed(kind: CaseKind, season: NDArray[np.intp], cell: NDArray[np.intp]) -> _CellWorlds:
    """Return the worlds of rows, of their seasons and their cells."""
    stacks = {name: _chosen(kind.season_arrays[name], season) for name in kind.of_seasons}
    stacks |= {name: _chosen(kind.cell_arrays[name], cell) for name in OF_CELLS}
    for name in kind.fields_of_seasons:
        stacks["parameters"][name] = kind.season_arrays["parameters"][name][season]
    return _CellWorlds(stacks)


def _chosen(array: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    """Return some rows of an array as a copy; of records too, which NumPy would copy field by field."""
    shape = (len(rows), *array.shape[1:])
    flat = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
    return flat.take(rows, axis=0).view(array.dtype).reshape(shape)


def _whole(case: Case) -> Any:
    """Return the world of a case, built by itself."""
    kind = case.kind
    setup = kind.seasons[case.season].prepared.setup
    return kind.model.world(replace(setup, parameters=kind.parameters[case.cell]))


def _require_whole(case: Case) -> None:
    """Raise `WeatherError` where the weather, not the crop or its calendar, ended the season."""
    season = case.kind.seasons[case.season]
    setup = season.prepared.setup
    if season.may_be_cut or setup.end >= setup.calendar.latest_end:
        return
    raise WeatherError(
        f"case {case.number}: weather {setup.series.name} ends or breaks after {setup.end}, before the crop "
        f"does. Give more weather, or end={setup.end.isoformat()!r} for a season that is cut short."
    )
