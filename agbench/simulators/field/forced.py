"""States that a caller forces day by day: read from a table, refused where they could not act."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agbench.errors import ConfigError, did_you_mean
from agbench.variables import Floats, VariableTable
from agbench.weather.readers.dates import date_column, read_dates

if TYPE_CHECKING:
    import pandas as pd

Columns = NDArray[np.intp]


def read_forced(
    external: "pd.DataFrame | None",
    start: date,
    days: int,
    variables: VariableTable,
    states: Collection[str],
    aliases: Mapping[str, str] | None = None,
) -> tuple[Columns, Floats]:
    """Return the columns of forced states (k,) and their values (days, k), NaN where not forced.

    `external` has a row a day, dated by its index or a column DAY, and a column a state; a NaN forces
    nothing on its day. Only `states` can be forced; `aliases` are other names for some of them.
    """
    if external is None:
        return np.zeros(0, dtype=np.intp), np.zeros((days, 0))
    import pandas as pd

    if not isinstance(external, pd.DataFrame):
        raise ConfigError(
            "external: must be a DataFrame indexed by date, one column a state, such as"
            f" pandas.DataFrame({{'SM': values}}, index=days); got a {type(external).__name__}."
        )
    positions, inside = _positions(external, start, days)
    table = external.drop(columns=[name for name in [date_column(external)] if name])
    names = _names([str(name) for name in table.columns], variables, states, aliases or {})
    values = np.full((days, len(names)), np.nan)
    for j, name in enumerate(names):
        values[positions[inside], j] = _numbers(table.iloc[:, j], name, variables)[inside]
    return variables.columns(names), values


def _positions(external: "pd.DataFrame", start: date, days: int) -> tuple[Any, Any]:
    """Return the days since `start` of all rows, and which of them lie in the run."""
    dates = read_dates(external, "external", ConfigError)
    result, counts = np.unique(dates, return_counts=True)
    if (counts > 1).any():
        raise ConfigError(f"external: {result[counts > 1][0]} appears more than once; give one row a day.")
    positions = (dates - np.datetime64(start)).astype(np.int64)
    inside = (positions >= 0) & (positions < days)
    if not inside.any():
        last = np.datetime64(start) + np.timedelta64(days - 1, "D")
        raise ConfigError(
            f"external: no row lies in the run, {start} to {last}; "
            f"the rows are of {result[0]} to {result[-1]}."
        )
    return positions, inside


def _names(
    columns: list[str], variables: VariableTable, states: Collection[str], aliases: Mapping[str, str]
) -> list[str]:
    """Return the variables that are forced; refuse unknown names, those of no state, and repeated ones."""
    if not columns:
        raise ConfigError("external: the table has dates and no state to force.")
    names = [aliases.get(name, name) for name in columns]
    for name in names:
        variables.column(name)
        if name not in states:
            raise ConfigError(
                f"external: {name} is computed from the model's states, and cannot be forced; force a"
                f" state instead.{did_you_mean(name, states)}"
            )
        if names.count(name) > 1:
            raise ConfigError(f"external: {name} is given twice.")
    return names


def _numbers(column: "pd.Series[Any]", name: str, variables: VariableTable) -> Floats:
    """Return the values of a state; refuse what is no number, infinite, or beyond its bounds."""
    try:
        values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"external: {name} is not numeric: {error}.") from None
    variable = variables[name]
    wrong = (values < variable.low) | (values > variable.high) | np.isinf(values)
    if wrong.any():
        raise ConfigError(
            f"external: {name} is {values[wrong][0]:g}; expected {variable.unit},"
            f" {variable.low:g} to {variable.high:g}, or NaN where it is not forced."
        )
    return values
