"""Many seasons of a crop model in one compiled batch: a table of cases in, a table of seasons out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from agbench.errors import AgBenchError, ConfigError, MissingExtraError, WeatherError, unknown
from agbench.files import write
from agbench.running import Engine, engine_of, in_order
from agbench.simulation import field
from agbench.simulation.parameters import check_whole, read_all, read_mapping
from agbench.simulators import models
from agbench.simulators.models import CropModel
from agbench.variables import Floats

if TYPE_CHECKING:
    import pandas as pd

Output = Literal["summary", "days"]
_BYTES: Final = 64_000_000  # of the days of a batch
_MOST_ROWS: Final = 512
_PIECE: Final = 2048  # cases that a worker takes at once
_NOT_HERE: Final = ("model", "external", "engine")
_DATED: Final = "date"
"""The unit of variables that are days since 1970, -1 before they come."""


@dataclass(frozen=True)
class _Case:
    """A season to run, with the model that it needs."""

    number: int
    model: CropModel
    season: field.PreparedSeason
    may_be_cut: bool


@dataclass(frozen=True)
class _Run:
    """Seasons that were run together: the days (n, T, variables) of cases, and how many each lasted, (n,)."""

    cases: list[_Case]
    days: Floats
    lasted: Any


def simulate_many(
    model: str,
    cases: "Sequence[Mapping[str, Any]] | pd.DataFrame",
    *,
    output: Output = "summary",
    variables: Sequence[str] | None = None,
    out: str | Path | None = None,
    workers: int = 1,
    on: str | Engine | None = None,
    **shared: Any,
) -> Any:
    """Simulate many seasons of a crop model in one compiled batch.

    Args:
        model: a crop model, as in `agbench.simulate`; rotations are not batched.
        cases: a mapping or a row a season. Keys are arguments of `agbench.simulate` (`crop`, `soil`, `site`,
            `weather`, `start`, `end`, `calendar`, `events`, `setting`, `limitation`, `soil_water`,
            `crop_type`), or names of the model's parameters, whose values replace those of crop, soil
            and site. A missing value (None, NaN) is as good as no key.
        output: `summary`, a row a case: its last day, how it ended, the last value of each variable and the
            largest of each; `days`, all days.
        variables: those to keep, by the names that `agbench show model` lists; default all.
        out: a file `.parquet`, written a batch at a time, in place of a result in memory.
        workers: processes; the result is the same for any number of them.
        on: where cases run, in place of `workers`: `processes`, `processes:4`, `ray`, `ray://HOST:10001`; see
            docs/cluster.md.
        **shared: arguments that all cases have, unless a case has its own.

    Returns:
        For `summary` a DataFrame indexed by case; for `days` an xarray Dataset with the dimensions case and
        day, NaN after a season's end; with `out` the path of the file, a row a case or a row a day.

    Raises:
        ConfigError, UnknownNameError, WeatherError: naming the case and what would be right.

    >>> years = [{"start": f"{year}-01-01"} for year in (1984, 1985)]
    >>> field = {"crop": "winter-wheat-nl", "soil": "cropgym-nl", "site": "wageningen"}
    >>> simulate_many("lintul3", years, **field)["WSO"].round().tolist()
    [97.0, 142.0]
    """
    if output not in ("summary", "days"):
        raise unknown("output", str(output), ["summary", "days"])
    target = None if out is None else Path(out)
    if target is not None and target.suffix != ".parquet":
        raise ConfigError(f"out: {target} must end in .parquet.")
    engine = engine_of(on, workers)
    rows = _rows(cases)
    prepared = _Preparation(model, shared)
    kept = _kept(variables, prepared.any_model(rows[0]))
    work = _Cases(model, dict(shared), output, kept)
    pieces = ((first, rows[first : first + _PIECE]) for first in range(0, len(rows), _PIECE))
    tables = (table for piece in in_order(engine.run(work, pieces)) for table in piece)
    if target is not None:
        return _write(tables, target)
    if output == "summary":
        import pandas as pd

        return pd.concat(list(tables)).sort_index()
    return _dataset(list(tables), prepared.any_model(rows[0]), kept)


@dataclass(frozen=True)
class _Cases:
    """The work of a batch; its items are the number of a first case and some cases, its results tables."""

    model: str
    shared: Mapping[str, Any]
    output: Output
    kept: Sequence[str]

    def files(self) -> list[str]:
        """Return none."""
        return []

    def prepare(
        self, place: Mapping[str, str]
    ) -> "Callable[[tuple[int, list[dict[str, Any]]]], list[pd.DataFrame]]":
        """Return the function that runs some cases."""
        prepared = _Preparation(self.model, self.shared)
        table = _summary if self.output == "summary" else _days

        def work(item: tuple[int, list[dict[str, Any]]]) -> "list[pd.DataFrame]":
            return [table(_run(batch), self.kept) for batch in _batches(prepared, *item)]

        return work


def _rows(cases: Any) -> list[dict[str, Any]]:
    """Return cases as mappings, without missing values."""
    import pandas as pd

    if isinstance(cases, pd.DataFrame):
        cases = cases.to_dict("records")
    if not isinstance(cases, (list, tuple)) or not all(isinstance(one, Mapping) for one in cases):
        raise ConfigError("cases: give a list of mappings such as [{'start': '1984-01-01'}], or a DataFrame.")
    if not cases:
        raise ConfigError("cases: there is none.")
    return [{key: value for key, value in one.items() if not _is_missing(value)} for one in cases]


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))


class _Preparation:
    """Prepares cases; what several of them name is read once."""

    def __init__(self, model: str, shared: Mapping[str, Any]) -> None:
        self._name = model
        self._shared = dict(shared)
        self._arguments = [name for name in signature(field.simulate).parameters if name not in _NOT_HERE]
        for name in self._shared:
            if name not in self._arguments:
                self._refuse(name)
        self._models: dict[Any, CropModel] = {}
        self._parameters: dict[Any, dict[str, Any]] = {}
        self._series: dict[str, Any] = {}

    def case(self, number: int, own: Mapping[str, Any]) -> _Case:
        """Return a case that can be run; errors name its number."""
        try:
            return self._case(number, own)
        except AgBenchError as error:
            raise type(error)(f"case {number}: {error}") from None

    def any_model(self, own: Mapping[str, Any]) -> CropModel:
        """Return the model of a case."""
        return self.case(0, own).model

    def _case(self, number: int, own: Mapping[str, Any]) -> _Case:
        given = {**self._shared, **own}
        model = self._model(given)
        changes = {key: given.pop(key) for key in list(given) if key not in self._arguments}
        for name in changes:
            if name not in model.parameters:
                self._refuse(name, model)
        if "start" not in given:
            raise ConfigError("start must be given.")
        setting = given.get("setting", "sound")
        if setting not in ("sound", "published"):
            raise ConfigError(f"setting {setting!r} must be 'sound' or 'published'.")
        season = field.prepare(
            model,
            self._parameters_of(model, given, changes, setting),
            self._weather(given),
            given["start"],
            given.get("end"),
            given.get("calendar"),
            given.get("events"),
            setting,
            given.get("limitation"),
            self._name,
        )
        return _Case(number, model, season, "end" in given)

    def _model(self, given: Mapping[str, Any]) -> CropModel:
        crop, soil_water = given.get("crop"), given.get("soil_water", "single")
        key = crop if isinstance(crop, str) else id(crop), soil_water, given.get("crop_type")
        if key not in self._models:
            found = models.find(self._name, "compiled", soil_water, field.crop_type_of(crop, key[2]))
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
        key = (id(model), setting, *(s if isinstance(s, str) else id(s) for s in sources.values()))
        if key not in self._parameters:
            self._parameters[key] = read_all(model, sources, setting)
        if not changes:
            return self._parameters[key]
        result = self._parameters[key] | read_mapping(model, changes, "case", setting)
        check_whole(model, result, {"crop": "crop", "soil": "soil"}, setting)
        return result

    def _weather(self, given: Mapping[str, Any]) -> Any:
        source = given.get("weather", given.get("site"))
        if not isinstance(source, str):
            return field.series_of(source)
        if source not in self._series:
            self._series[source] = field.series_of(source)
        return self._series[source]

    def _refuse(self, name: str, model: CropModel | None = None) -> None:
        if name in _NOT_HERE:
            raise ConfigError(f"{name!r} is no argument of a batch; use agbench.simulate for it.")
        known = [*self._arguments, *(model.parameters.names if model is not None else ())]
        raise unknown("argument or parameter", name, known, where=f"simulate_many({self._name!r})")


def _batches(
    prepared: _Preparation, first: int, rows: Sequence[Mapping[str, Any]]
) -> Iterator[list[_Case]]:
    """Yield cases, numbered from `first`, that one batch can run: of one model, as many as memory is for."""
    waiting: dict[int, list[_Case]] = {}
    for number, own in enumerate(rows, first):
        case = prepared.case(number, own)
        group = waiting.setdefault(id(case.model), [])
        group.append(case)
        longest = max(_length(one) for one in group)
        if len(group) >= min(_MOST_ROWS, max(1, _BYTES // (longest * len(case.model.variables) * 8))):
            yield waiting.pop(id(case.model))
    yield from waiting.values()


def _length(case: _Case) -> int:
    """Return the days of a case at most."""
    setup = case.season.setup
    return (setup.end - setup.start).days + 1


def _run(cases: list[_Case]) -> _Run:
    """Run cases side by side, each through its own world and management."""
    model = cases[0].model
    simulator: Any = model.simulator(len(cases))
    simulator.reset([model.world(case.season.setup) for case in cases])
    longest = max(_length(case) for case in cases)
    given = [model.management(case.season.setup, case.season.events) for case in cases]
    management = np.zeros((longest, len(cases), given[0].shape[1]))
    for row, one in enumerate(given):
        management[: len(one), row] = one
    records = simulator.for_all(management[:, 0]).dtype
    days = np.full((len(cases), longest, len(model.variables)), np.nan)
    simulator.seasons(management.view(records)[..., 0], days, len(cases))
    lasted = simulator.elapsed.copy()
    for row, case in enumerate(cases):
        _require_whole(case, bool(simulator.finished[row]), int(lasted[row]))
    return _Run(cases, days, lasted)


def _require_whole(case: _Case, finished: bool, lasted: int) -> None:
    """Raise `WeatherError` where the weather, not the crop or its calendar, ended the season."""
    setup = case.season.setup
    if case.may_be_cut or finished or setup.end >= setup.calendar.latest_end:
        return
    raise WeatherError(
        f"case {case.number}: weather {setup.series.name} ends or breaks after {setup.end}, before the crop "
        f"does. Give more weather, or end={setup.end.isoformat()!r} for a season that is cut short."
    )


def _kept(variables: Sequence[str] | None, model: CropModel) -> list[str]:
    """Return the variables to keep; raises `UnknownNameError` with the nearest names."""
    names = list(model.variables.names)
    if variables is None:
        return [name for name in names if name not in model.memory and name not in model.lacks]
    if isinstance(variables, str):
        raise ConfigError(f"variables must be a list of names, such as [{variables!r}].")
    for name in variables:
        if name not in names:
            raise unknown("variable", name, names, where=model.name)
    return list(variables)


def _summary(run: _Run, kept: Sequence[str]) -> "pd.DataFrame":
    """Return a row a case: when it ended, last and largest values."""
    import pandas as pd

    table = run.cases[0].model.variables
    columns = [table.column(name) for name in kept]
    rows = np.arange(len(run.cases))
    last = run.days[rows, run.lasted][:, columns]
    with np.errstate(invalid="ignore"):
        most = np.nanmax(run.days[:, :, columns], axis=1)
    starts = np.array([case.season.setup.start for case in run.cases], dtype="datetime64[D]")
    result: dict[str, Any] = {"start": starts.astype("datetime64[ms]")}
    result["end"] = (starts + run.lasted).astype("datetime64[ms]")
    result["days"] = run.lasted + 1
    for i, name in enumerate(kept):
        if table[name].unit == _DATED:
            result[name] = _dates(last[:, i])
        else:
            result[name] = last[:, i]
            result[f"max({name})"] = most[:, i]
    index = pd.Index([case.number for case in run.cases], name="case")
    return pd.DataFrame(result, index=index)


def _dates(values: Floats) -> Any:
    """Return days since 1970 as dates; what has not come is missing."""
    there = values >= 0.0
    days = np.where(there, values, 0.0).astype("datetime64[D]").astype("datetime64[ms]")
    return np.where(there, days, np.datetime64("NaT"))


def _days(run: _Run, kept: Sequence[str]) -> "pd.DataFrame":
    """Return a row a day of each case."""
    import pandas as pd

    columns = [run.cases[0].model.variables.column(name) for name in kept]
    lived = np.arange(run.days.shape[1]) <= run.lasted[:, None]
    values = run.days[:, :, columns][lived]
    rows, numbers = np.nonzero(lived)
    starts = np.array([case.season.setup.start for case in run.cases], dtype="datetime64[D]")
    case = np.array([one.number for one in run.cases])[rows]
    dates = (starts[rows] + numbers).astype("datetime64[ms]")
    head = pd.DataFrame({"case": case, "day": numbers, "date": dates})
    return pd.concat([head, pd.DataFrame(values, columns=list(kept))], axis=1)


def _dataset(tables: list["pd.DataFrame"], model: CropModel, kept: Sequence[str]) -> Any:
    """Return tables of days as an xarray Dataset, (case, day)."""
    import pandas as pd

    try:
        import xarray
    except ImportError:
        raise MissingExtraError(
            'output="days" in memory needs xarray. Install it with: pip install "agbench[data]"; or give '
            "out=FILE.parquet."
        ) from None
    table = pd.concat(tables).set_index(["case", "day"]).sort_index()
    result = xarray.Dataset.from_dataframe(table)
    for name in kept:
        variable = model.variables[name]
        result[name].attrs.update(units=variable.unit, long_name=variable.meaning)
    return result


def _write(tables: Iterator["pd.DataFrame"], target: Path) -> Path:
    """Write tables into one Parquet file, one after the other; a killed run leaves none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def fill(path: Path) -> None:
        writer = None
        try:
            for table in tables:
                content = pa.Table.from_pandas(table, preserve_index=table.index.name is not None)
                writer = writer or pq.ParquetWriter(path, content.schema, compression="zstd")
                writer.write_table(content.cast(writer.schema))
        finally:
            if writer is not None:
                writer.close()

    write(target, fill)
    return target
