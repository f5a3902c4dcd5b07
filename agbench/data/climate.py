"""The schema of a site's climate: the parameters of its weather generator.

`agbench.weather.generator.parameters` documents each number; months run from January,
seasons from winter (December to February) as on the northern hemisphere.
"""

from typing import Annotated

from pydantic import Field

from agbench.data.field import Number
from agbench.data.reading import Strict

Monthly = Annotated[list[Number], Field(min_length=12, max_length=12)]
Seasonal = Annotated[list[Number], Field(min_length=4, max_length=4)]
Row = Annotated[list[Number], Field(min_length=5, max_length=5)]
Matrix = Annotated[list[Row], Field(min_length=5, max_length=5)]
SlowRow = Annotated[list[Number], Field(min_length=6, max_length=6)]
Quantiles = Annotated[list[Number], Field(min_length=9, max_length=9)]


class Occurrence(Strict):
    """Probability that a day is wet, by the two days before (the day before yesterday first) [-]."""

    dry_dry: Monthly
    dry_wet: Monthly
    wet_dry: Monthly
    wet_wet: Monthly


class RainAmounts(Strict):
    """Rain of wet days: scale [cm d-1] x exp(shape x quantile), persistent within a spell."""

    scale: Monthly
    shape: Monthly
    persistence: Number = Field(ge=-1, le=1)
    quantiles: Annotated[list[Quantiles], Field(min_length=4, max_length=4)]


class Element(Strict):
    """One variable: its level and spread by month, and how rain moves its normal score."""

    mean: Monthly
    sd: Monthly
    dry: Monthly
    wet: Monthly
    dry_spread: Seasonal
    wet_spread: Seasonal
    rain_effect: Seasonal
    quantiles: Annotated[list[Quantiles], Field(min_length=4, max_length=4)]


class Dynamics(Strict):
    """Day-to-day dynamics of a season: scores = transition x yesterday's + innovation x noise."""

    transition: Matrix
    innovation: Matrix


class Slow(Strict):
    """What makes years differ: a slow process with this memory, and what it moves."""

    days: Number = Field(gt=0)
    mixing: Annotated[list[SlowRow], Field(min_length=6, max_length=6)]
    rain_odds: Number
    rain_amount: Number


class Climate(Strict):
    """The parameters of a site's weather generator and where they come from."""

    source: str
    occurrence: Occurrence
    amounts: RainAmounts
    elements: dict[str, Element]
    dynamics: Annotated[list[Dynamics], Field(min_length=4, max_length=4)]
    slow: Slow
