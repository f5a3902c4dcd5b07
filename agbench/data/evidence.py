"""What a calibrated crop rests on, as its file says it."""

from typing import Any

from pydantic import field_validator

from agbench.data.reading import Strict
from agbench.data.table import Number


class FittedValue(Strict):
    """A fitted parameter: what it became, what it was, the bounds of the search, its prior if any."""

    value: Number
    before: Number
    bounds: tuple[Number, Number]
    prior: tuple[Number, Number] | None = None

    @field_validator("bounds", "prior", mode="before")
    @classmethod
    def _pair(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value


class FitError(Strict):
    """The root mean square error of a variable, in its unit, before and after, fitted and held out."""

    unit: str
    observations: int
    before: Number | None
    after: Number | None
    held_out_observations: int = 0
    held_out_before: Number | None = None
    held_out_after: Number | None = None


class Evidence(Strict):
    """What a calibrated crop rests on: observations, method, budget, seed, bounds, errors."""

    base: str
    model: str
    soil: str
    sites: list[str]
    setting: str
    observations: str
    """SHA-256 of the table."""
    seasons: list[int]
    held_out: list[int] = []
    method: str
    budget: int
    seed: int
    fitted: dict[str, FittedValue]
    rmse: dict[str, FitError]
