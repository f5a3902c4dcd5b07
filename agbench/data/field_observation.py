"""The schema of what an agent sees of a field."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from agbench.data.field import Number
from agbench.data.quantity import days
from agbench.data.reading import Strict


def _days(value: Any) -> Any:
    days(value)
    return value


Days = Annotated[str, BeforeValidator(_days)]


class ForecastSpec(Strict):
    """Forecasts of `variables` for the next `days`; `error` grows by that much with each day ahead.

    `error` is the standard deviation of tomorrow's forecast by variable, in its unit.
    """

    days: int = Field(default=0, ge=0, le=30)
    variables: list[str] = []
    error: dict[str, Annotated[Number, Field(ge=0, le=1e9)]] = {}

    @model_validator(mode="after")
    def _complete(self) -> "ForecastSpec":
        if self.days and not self.variables:
            raise ValueError("a forecast needs variables, such as [RAIN, TEMP].")
        if not self.error.keys() <= set(self.variables):
            raise ValueError(f"error: {', '.join(self.error)} must be among the forecast's variables.")
        return self


class ObservationSpec(Strict):
    """What the agent sees: model variables of the last day, weather of the last `window`.

    `weather_form` is `mean` (one value a variable) or `daily` (one value a variable and day, the
    oldest first). `progress` adds `elapsed`, the days since the start, `day_of_year`, from 1, and
    `finished`, whether the season is over. `forecast` tells the weather of coming days, with errors.
    """

    state: list[str]
    weather: list[str] = []
    window: Days = "7 d"
    weather_form: Literal["mean", "daily"] = "mean"
    progress: list[Literal["elapsed", "day_of_year", "finished"]] = []
    forecast: ForecastSpec = ForecastSpec()

    @property
    def window_days(self) -> int:
        """The length of the weather window [d]."""
        return days(self.window)

    @model_validator(mode="after")
    def _something(self) -> "ObservationSpec":
        if not self.state and not self.weather:
            raise ValueError("an agent must see something: state and weather are both empty.")
        for names in (self.state, self.weather):
            twice = sorted({n for n in names if names.count(n) > 1})
            if twice:
                raise ValueError(f"listed twice: {', '.join(twice)}.")
        return self
