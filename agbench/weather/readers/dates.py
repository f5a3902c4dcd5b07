"""The dates of a table with a row a day: in its index, or in a column DAY, day or date."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS: Final = ("DAY", "day", "date")


def date_column(frame: "pd.DataFrame") -> str | None:
    """Return the column that holds a table's dates; None where the index does."""
    return next((column for column in _COLUMNS if column in frame.columns), None)


def read_dates(frame: "pd.DataFrame", where: str, error: type[Exception]) -> Any:
    """Return the dates of a table as datetime64[D], in its order; hours and time zones are dropped.

    What holds no dates raises `error`, a sentence that begins with `where`.
    """
    import pandas as pd

    column = date_column(frame)
    source = frame.index if column is None else frame[column]
    if len(frame) == 0:
        raise error(f"{where}: the table is empty.")
    if pd.api.types.is_numeric_dtype(source.dtype):
        raise error(
            f"{where}: the index holds numbers, not dates. Index the table by date, or give"
            " the dates in a column DAY."
        )
    try:
        stamps = pd.DatetimeIndex(pd.to_datetime(source)).tz_localize(None)
    except (ValueError, TypeError) as reason:
        raise error(f"{where}: the index holds no dates: {reason}.") from None
    days = stamps.to_numpy().astype("datetime64[D]")
    if np.isnat(days).any():
        raise error(f"{where}: {int(np.isnat(days).sum())} rows have no date.")
    return days
