"""The settings of the predictive controller."""

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from agbench.data.field import Number
from agbench.data.quantity import seconds
from agbench.data.reading import Strict

INTERVAL = 300
"""Length of a model step [s]."""


def _steps(value: str) -> str:
    if seconds(value) % INTERVAL:
        raise ValueError(f"{value!r} must be a multiple of 5 min, the model's step.")
    return value


Steps = Annotated[str, AfterValidator(_steps)]


class Stretch(Strict):
    """A stretch of the horizon: `over` this long, with a new slope of the controls `every` so often."""

    over: Steps
    every: Steps

    @model_validator(mode="after")
    def _whole(self) -> "Stretch":
        if seconds(self.over) % seconds(self.every):
            raise ValueError(f"over: {self.over} must be a multiple of every: {self.every}.")
        return self


class ForecastSettings(Strict):
    """How wrong the forecast is: standard deviations of its errors a day ahead; all 0 is perfect.

    `radiation` is relative, `temperature` in K. Errors grow with the square root of the time ahead and
    are drawn from the episode's seed for every plan.
    """

    radiation: Number = Field(default=0.0, ge=0, le=1)
    temperature: Number = Field(default=0.0, ge=0, le=10)


class PredictiveSettings(Strict):
    """Horizon and grid, how often to plan, and how to solve.

    `start` names the policy that is the first guess and the one to fall back on; of several, each plans an
    episode of its own, and the best of these is the one. `along` names a policy whose whole episode is
    played first; what it does with the controls is tried beside every plan. `points` are the
    collocation points of an interval; `iterations` and `tolerance` are IPOPT's. `wear` [EUR m-2] is
    paid in the plan, not in the task, for the square of a full change of a control in an interval: it
    settles what nothing else decides. `smoothing` [K] is the difference of temperature below which the
    plan's equations round off roots, which have no slope at zero.
    """

    start: str | Annotated[list[str], Field(min_length=1)] = "rule-based"
    along: str | None = None
    grid: list[Stretch] = Field(min_length=1)
    commit: Steps = "6 h"
    points: int = Field(default=2, ge=1, le=4)
    iterations: int = Field(default=60, ge=1)
    tolerance: Number = Field(default=1e-3, gt=0, le=0.1)
    wear: Number = Field(default=1e-4, gt=0)
    smoothing: Number = Field(default=1.0, ge=0.01, le=5)
    forecast: ForecastSettings = ForecastSettings()

    @model_validator(mode="after")
    def _within(self) -> "PredictiveSettings":
        if seconds(self.commit) > sum(seconds(part.over) for part in self.grid):
            raise ValueError(
                f"commit: {self.commit} is longer than the horizon, the sum of the grid's 'over'."
            )
        return self

    @property
    def starts(self) -> list[str]:
        """The names of the policies to start from."""
        return [self.start] if isinstance(self.start, str) else self.start

    @property
    def lengths(self) -> list[int]:
        """The model steps of each interval of the horizon."""
        result: list[int] = []
        for part in self.grid:
            result += [seconds(part.every) // INTERVAL] * (seconds(part.over) // seconds(part.every))
        return result

    @property
    def commit_steps(self) -> int:
        """The model steps from one planning to the next."""
        return seconds(self.commit) // INTERVAL
