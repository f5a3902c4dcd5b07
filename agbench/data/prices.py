"""Prices in tasks: a number, one for each hour of the day, a series or a model; schemas of the last two."""

import math
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from agbench.data.field import Number
from agbench.data.reading import Strict, read_data

HOURS: Final = 24
LARGEST: Final = 100.0
"""EUR per kg, of either sign. A price beyond it was meant for another unit, such as t."""

LARGEST_OF_ENERGY: Final = 10.0
"""EUR per kWh, of either sign. A price beyond it was meant for another unit, such as MWh."""


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
"""EUR per unit: always the same, hour by hour of the day, or the name or YAML file of a series or a model."""


class PriceSeries(Strict):
    """A series of hourly prices: `prices/NAME.yaml` in a data folder, or a file of one's own.

    Its `unit` is EUR kWh-1 (heat, electricity) or EUR kg-1 (fruit, CO2). Its `file`, in the same folder, is
    CSV or Parquet with the columns `time` (local standard time, the beginning of each hour) and `price`. A
    series that `repeats` is one year that is used for every year. Without `published_at`, the hour of the day
    before at which a day's prices appear, all are known.
    """

    prices: str
    summary: str
    source: str
    unit: Literal["EUR kWh-1", "EUR kg-1"]
    file: str
    sha256: str | None = Field(default=None, min_length=64, max_length=64)
    repeats: bool = False
    published_at: int | None = Field(default=None, ge=0, le=23)


class PriceSeason(Strict):
    """The annual wave of a price model: its amplitude in shares of the mean, its highest day of the year."""

    amplitude: Number = Field(ge=0, lt=1)
    highest: int = Field(ge=1, le=365)


class PriceDeviation(Strict):
    """A deviation in shares of the mean, and its correlation from one day or hour to the next."""

    deviation: Number = Field(ge=0, lt=10)
    memory: Number = Field(ge=0, lt=1)


class PriceSun(Strict):
    """How far solar power lowers prices about `noon`, in shares of the mean.

    `depth` is the mean fall at noon on the longest day, `width` [h] the deviation of a bell about noon. Days
    differ by `deviation` in shares of the depth, with a correlation `memory` from one to the next.
    """

    depth: Number = Field(ge=0, le=5)
    noon: Number = Field(ge=10, le=15)
    width: Number = Field(gt=0, le=6)
    deviation: Number = Field(ge=0, le=2)
    memory: Number = Field(ge=0, lt=1)


class PriceModel(Strict):
    """A stochastic model of day-ahead prices: `prices/NAME.yaml`; see `agbench.envs.greenhouse.day_ahead`.

    `mean` [EUR kWh-1] is that of all hours of a year. `weekday` and `weekend` are the hours' means relative
    to each other without the `sun`; `limits` [EUR kWh-1] cut what is drawn. The prices of a day are published
    at the hour `published_at` of the day before.
    """

    prices: str
    summary: str
    source: str
    unit: Literal["EUR kWh-1"]
    model: Literal["day-ahead"]
    mean: Number = Field(gt=0, le=LARGEST_OF_ENERGY)
    weekday: list[Number] = Field(min_length=HOURS, max_length=HOURS)
    weekend: list[Number] = Field(min_length=HOURS, max_length=HOURS)
    season: PriceSeason
    sun: PriceSun | None = None
    days: PriceDeviation
    hours: PriceDeviation
    limits: tuple[Number, Number]
    published_at: int = Field(ge=0, le=23)

    @field_validator("limits", mode="before")
    @classmethod
    def _pair(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _in_order(self) -> "PriceModel":
        low, high = self.limits
        if not -LARGEST_OF_ENERGY <= low < self.mean < high <= LARGEST_OF_ENERGY:
            raise ValueError(f"limits: {low:g} and {high:g} do not lie about the mean, {self.mean:g}.")
        return self


def read_prices(content: Any, where: str) -> PriceSeries | PriceModel:
    """Return a description of prices, checked: of a model if it names one, else of a series."""
    if isinstance(content, dict) and "model" in content:
        return read_data(PriceModel, content, where)
    return read_data(PriceSeries, content, where)
