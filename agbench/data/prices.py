"""Prices in tasks: a number, one for each hour of the day, or a series of hours; and series' schema."""

import math
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, Field

from agbench.data.reading import Strict

HOURS: Final = 24
LARGEST: Final = 100.0
"""EUR per unit, of either sign. A price beyond it was meant for another unit, such as MWh."""


def _price(value: Any) -> Any:
    """Check a price's form; what a series holds is checked where it is read."""
    if isinstance(value, str):
        return value
    hours = value if isinstance(value, (list, tuple)) else [value]
    if isinstance(value, (list, tuple)) and len(value) != HOURS:
        raise ValueError(f"a list of prices has one for each hour of the day, 24; got {len(value)}.")
    for hour, price in enumerate(hours):
        at = f" of hour {hour}" if len(hours) > 1 else ""
        if isinstance(price, bool) or not isinstance(price, (int, float)) or not math.isfinite(price):
            raise ValueError(
                f"the price{at} is {price!r}; give a number, 24 of them (one for each hour of the "
                "day), or the name or file of a price series."
            )
        if abs(price) > LARGEST:
            raise ValueError(f"the price{at} is {price:g}; at most {LARGEST:g} EUR per kg or kWh is allowed.")
    return [float(price) for price in hours] if isinstance(value, (list, tuple)) else float(value)


Price = Annotated[float | list[float] | str, BeforeValidator(_price)]
"""EUR per unit: always the same, hour by hour of the day, or the name or YAML file of a series."""


class PriceSeries(Strict):
    """A series of hourly prices: `prices/NAME.yaml` in a data folder, or a file of one's own.

    Its `file`, in the same folder, is CSV or Parquet with the columns `time` (local standard time, the
    beginning of each hour) and `price`. A series that `repeats` is one year that is used for every year.
    """

    prices: str
    summary: str
    source: str
    unit: str
    file: str
    sha256: str | None = Field(default=None, min_length=64, max_length=64)
    repeats: bool = False
