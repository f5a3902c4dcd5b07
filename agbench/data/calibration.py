"""The schema of a calibration: which parameters of a crop are fitted to which observations, and how."""

import re
from typing import Any, Final, Literal

from pydantic import Field, field_validator, model_validator

from agbench.data.field_task import MonthDay
from agbench.data.reading import Strict
from agbench.data.table import Number
from agbench.errors import did_you_mean

Method = Literal["bayesian", "cma"]
BUDGETS: Final = {"bayesian": 500, "cma": 10_000}
"""Evaluations a stage where a specification says none: 500 as published (Solow et al. 2025)."""
_NAME: Final = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")


class FittedParameter(Strict):
    """The bounds of a fitted parameter; without them those of the model's table of parameters hold.

    Of a table it is a factor on its ordinates that is fitted. `prior` is what other experiments say of the
    parameter before its observations are seen: mean and standard deviation.
    """

    bounds: tuple[Number, Number] | None = None
    prior: tuple[Number, Number] | None = None

    @field_validator("bounds", "prior", mode="before")
    @classmethod
    def _pair(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _ascending(self) -> "FittedParameter":
        if self.bounds is not None and not self.bounds[0] < self.bounds[1]:
            low, high = self.bounds
            raise ValueError(f"bounds [{low:g}, {high:g}] must ascend: the lower one stands first.")
        return self

    @model_validator(mode="after")
    def _spread(self) -> "FittedParameter":
        if self.prior is not None and not self.prior[1] > 0.0:
            raise ValueError(
                f"prior [{self.prior[0]:g}, {self.prior[1]:g}] is a mean and a standard deviation, which must"
                " be above 0."
            )
        return self


class Stage(Strict):
    """Parameters that are fitted together, and the variables that their stage is fitted to."""

    name: str
    parameters: list[str] = Field(min_length=1)
    observations: list[str] = Field(min_length=1)


class CalibrationSeason(Strict):
    """When a season starts and how its crop does; the keys of PCSE's CropCalendar with days of the year.

    Without a `start` the table of observations gives the day on which each crop starts, in its column
    `start`. A season is simulated up to `end`, or for `max_duration` days, or until its crop ends.
    """

    start: MonthDay | None = None
    crop_start: MonthDay | None = None
    crop_start_type: str = "emergence"
    crop_end: MonthDay | None = None
    crop_end_type: str = "maturity"
    end: MonthDay | None = None
    max_duration: int = Field(default=365, ge=1, le=36_525)  # d, a hundred years


class ManagementEvent(Strict):
    """What is done in every season: an event of `agbench.simulate` on a day of the year."""

    date: MonthDay
    event: str
    amount: Number | list[Number]
    recovery: Number | None = None


class CalibrationSpec(Strict):
    """A calibration: a crop of a model, where and when it grew, what is fitted, to what, and how.

    `observations` is a CSV file beside the specification. Parameters that stand in no stage are an error.
    One that stands in several stages is fitted anew in each, from where it stands by then.
    The loss of a stage sums over the variables of this stage and of the `stages_in_loss` - 1 before it.
    `variety` is the name of the crop file that is written.
    """

    calibration: str
    summary: str = ""
    source: str
    model: str
    crop: str
    soil: str
    site: str
    variety: str
    observations: str | None = None
    season: CalibrationSeason = CalibrationSeason()
    management: list[ManagementEvent] = []
    setting: Literal["sound", "published"] = "sound"
    limitation: Literal["pp", "lw", "ln", "lnw", "lnpk", "lnpkw"] | None = None
    soil_water: Literal["single", "layered"] = "single"
    parameters: dict[str, FittedParameter] = Field(min_length=1)
    stages: list[Stage] = Field(min_length=1)
    stages_in_loss: int = Field(default=2, ge=1)
    hold_out: list[int] = []
    method: Method = "cma"
    budget: int | None = Field(default=None, ge=4)
    population: int = Field(default=256, ge=4)
    seed: int = Field(default=0, ge=0)

    @property
    def evaluations(self) -> int:
        """The evaluations that a stage may use."""
        return self.budget or BUDGETS[self.method]

    @field_validator("variety")
    @classmethod
    def _file_name(cls, value: str) -> str:
        if not _NAME.match(value):
            raise ValueError(
                f"{value!r} names a file: small letters, digits and hyphens, such as wheat-mine."
            )
        return value

    @field_validator("parameters", mode="before")
    @classmethod
    def _default_bounds(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: {} if entry is None else entry for name, entry in value.items()}

    @model_validator(mode="after")
    def _parameters_in_stages(self) -> "CalibrationSpec":
        staged = [name for stage in self.stages for name in stage.parameters]
        for stage in self.stages:
            if twice := sorted({n for n in stage.parameters if stage.parameters.count(n) > 1}):
                raise ValueError(f"stages: {stage.name}: {', '.join(twice)} stands there twice.")
            for name in stage.parameters:
                if name not in self.parameters:
                    hint = did_you_mean(name, self.parameters)
                    raise ValueError(f"stages: {stage.name}: {name!r} stands not under parameters.{hint}")
        for name in self.parameters:
            if name not in staged:
                raise ValueError(f"parameters: {name} must stand in a stage; it stands in none.")
        if self.variety == self.crop:
            raise ValueError(
                f"variety: {self.variety!r} is the crop that is fitted; give the result a new name."
            )
        names = [stage.name for stage in self.stages]
        if len(set(names)) != len(names):
            raise ValueError(f"stages: two have one name; got {', '.join(names)}.")
        if self.method == "cma" and self.evaluations < self.population:
            raise ValueError(
                f"budget: {self.evaluations} evaluations are not one generation of {self.population};"
                " give a larger budget or a smaller population."
            )
        return self
