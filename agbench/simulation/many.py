"""Many seasons of a crop model in one compiled batch: a table of cases in, a table of seasons out."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from agbench.errors import ConfigError, MissingExtraError, UnknownNameError, unknown
from agbench.running import Engine, engine_of, in_order
from agbench.simulation.batches import Run, Runner
from agbench.simulation.cases import Preparation, parameters_among
from agbench.simulation.columns import Columns, read_columns
from agbench.simulation.state_events import shown_as
from agbench.simulation.writing import writer
from agbench.simulators.models import CropModel
from agbench.variables import Floats

if TYPE_CHECKING:
    import pandas as pd

Output = Literal["summary", "days"]
_PIECE: Final = 2048  # cases that a worker takes at once
_DATED: Final = "date"
"""The unit of variables that are days since 1970, -1 before they come."""


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
            `crop_type`), or names of the model's parameters, whose values stand in place of those of crop,
            soil and site. A missing value (None, NaN) is as good as no key.
        output: `summary`, a row a case: its last day, how it ended, the last value of each variable and the
            largest of each; `days`, all days.
        variables: those to keep, by the names that `agbench show model` lists; default all.
        out: a file `.parquet`, `.nc` (NetCDF) or `.zarr`, written a piece at a time, in place of a result in
            memory.
        workers: processes; the result is the same for any number of them.
        on: where cases run, in place of `workers`: `processes`, `processes:4`, `ray`, `ray://HOST:10001`; see
            docs/cluster.md.
        **shared: arguments and parameters that all cases have, unless a case has its own.

    Returns:
        For `summary` a DataFrame indexed by case; for `days` an xarray Dataset with the dimensions case and
        day, NaN after a season's end; with `out` the path of the file: in Parquet a row a case or a row a
        day, in NetCDF and Zarr arrays with these dimensions.

    Raises:
        ConfigError, UnknownNameError, WeatherError: naming the case and what would be right.

    >>> years = [{"start": f"{year}-01-01"} for year in (1984, 1985)]
    >>> field = {"crop": "winter-wheat-nl", "soil": "cropgym-nl", "site": "wageningen"}
    >>> simulate_many("lintul3", years, **field)["WSO"].round().tolist()
    [97.0, 142.0]
    """
    if output not in ("summary", "days"):
        raise unknown("output", str(output), ["summary", "days"])
    if out is not None and not isinstance(out, (str, os.PathLike)):
        raise ConfigError(f"out must be the path of a file, such as 'runs/days.parquet'; got {out!r}.")
    target = None if out is None else Path(out)
    write = None if target is None else writer(target)
    engine = engine_of(on, workers)
    parameters = parameters_among(shared)
    columns = read_columns(cases).filled(parameters)
    arguments = {name: value for name, value in shared.items() if name not in parameters}
    found = Preparation(model, arguments).model(columns)
    kept = _kept(variables, found)
    work = _Cases(model, arguments, output, kept)
    pieces = ((number * _PIECE, piece) for number, piece in enumerate(columns.pieces(_PIECE)))
    done = in_order(engine.run(work, pieces))
    if write is not None and target is not None:
        write(done, target, len(columns), _attributes(found, kept))
        return target
    tables = (table for piece in done for table in piece)
    if output == "summary":
        import pandas as pd

        return pd.concat(list(tables)).sort_index()
    return _dataset(list(tables), found, kept)


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

    def prepare(self, place: Mapping[str, str]) -> "Callable[[tuple[int, Columns]], list[pd.DataFrame]]":
        """Return the function that runs some cases."""
        runner = Runner(Preparation(self.model, self.shared))
        if self.output == "summary":
            return lambda item: [_table([_summary(run, self.kept) for run in runner.runs(*item)])]
        return lambda item: [_days(run, self.kept) for run in runner.runs(*item)]


def _kept(variables: Sequence[str] | None, model: CropModel) -> list[str]:
    """Return the variables to keep; raises `UnknownNameError` with the nearest names."""
    names = list(model.variables.names)
    if variables is None:
        return [name for name in names if name not in model.memory and name not in model.lacks]
    if isinstance(variables, str):
        raise ConfigError(f"variables must be a list of names, such as [{variables!r}].")
    own = {shown: name for name, shown in shown_as(model).items()}
    for name in variables:
        if name in own and name not in names:
            raise UnknownNameError(
                f"{model.name}: {name!r} is its name in tables of agbench.simulate; here it is {own[name]!r}."
            )
        if name not in names:
            raise unknown("variable", name, names, where=model.name)
    return list(dict.fromkeys(variables))


def _summary(run: Run, kept: Sequence[str]) -> dict[str, Any]:
    """Return what each case has, by column, (n,): its number, when it ended, last and largest values."""
    table = run.model.variables
    columns = [table.column(name) for name in kept]
    last = run.days[run.rows, run.lasted]
    result: dict[str, Any] = {"case": run.numbers, "start": run.starts.astype("datetime64[ms]")}
    result["end"] = (run.starts + run.lasted).astype("datetime64[ms]")
    result["days"] = run.lasted + 1
    over = np.arange(run.days.shape[1]) > run.lasted[:, None]
    for name, column in zip(kept, columns, strict=True):
        if table[name].unit == _DATED:
            result[name] = _dates(last[:, column])
            continue
        result[name] = last[:, column]
        days = run.days[run.rows, :, column]
        days[over] = np.nan
        result[f"max({name})"] = np.fmax.reduce(days, axis=1)
    return result


def _table(summaries: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """Return summaries as one table with a row a case: pandas takes as long for few rows as for many."""
    import pandas as pd

    columns = {name: np.concatenate([one[name] for one in summaries]) for name in summaries[0]}
    return pd.DataFrame(columns).set_index("case")


def _dates(values: Floats) -> Any:
    """Return days since 1970 as dates; what has not come is missing."""
    there = values >= 0.0
    days = np.where(there, values, 0.0).astype("datetime64[D]").astype("datetime64[ms]")
    return np.where(there, days, np.datetime64("NaT", "ms"))


def _days(run: Run, kept: Sequence[str]) -> "pd.DataFrame":
    """Return a row a day of each case."""
    import pandas as pd

    columns = [run.model.variables.column(name) for name in kept]
    lived = np.arange(run.days.shape[1]) <= run.lasted[:, None]
    values = run.days[run.rows[:, None, None], np.arange(run.days.shape[1])[:, None], columns][lived]
    rows, numbers = np.nonzero(lived)
    dates = (run.starts[rows] + numbers).astype("datetime64[ms]")
    head = pd.DataFrame({"case": run.numbers[rows], "day": numbers, "date": dates})
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
    for name, known in _attributes(model, kept).items():
        if name in result:
            result[name].attrs.update(known)
    return result


def _attributes(model: CropModel, kept: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return unit and meaning of variables, and of their largest values."""
    result = {}
    for name in kept:
        variable = model.variables[name]
        if variable.unit != _DATED:
            result[name] = {"units": variable.unit, "long_name": variable.meaning}
            result[f"max({name})"] = {**result[name], "long_name": f"largest {variable.meaning}"}
    return result
