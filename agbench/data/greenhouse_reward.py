"""The schema of what greenhouse tasks pay: prices, rewards and the limits of the climate."""

from typing import Final, Literal

from pydantic import Field, model_validator

from agbench.data.field import Number
from agbench.data.prices import LARGEST_OF_ENERGY, Price
from agbench.data.reading import Strict

PRICED = ("fruit", "co2", "heat", "electricity")
"""What has a price, in the order of tables of prices."""

UNITS: Final = {"fruit": "EUR kg-1", "co2": "EUR kg-1", "heat": "EUR kWh-1", "electricity": "EUR kWh-1"}
"""What each price is in."""


class GreenhouseReward(Strict):
    """How a step is paid.

    `profit`: fruit growth times its price, less energy and CO2, less penalties [EUR m-2].
    `scaled-profit`: profit between the worst (0) and the best (1) of a step, less scaled violations.
    `yield-and-energy`: the growing and harvest rewards of GreenLightPlus.

    Prices: fruit and CO2 in EUR kg-1, heat and electricity in EUR kWh-1; each a number, 24 of them by
    hour of the day, or the name of a series or of a model such as `day-ahead-nl` (see
    `agbench.data.prices`). The price at a step's start holds for it.
    `electricity_night` is a night tariff from `night_start` to `night_end` beside a day tariff that
    is a number.
    """

    kind: Literal["profit", "scaled-profit", "yield-and-energy"] = "profit"
    fruit: Price = 1.6
    dry_matter: Number = Field(default=0.065, gt=0, le=1)
    co2: Price = 0.3
    heat: Price = 0.09
    electricity: Price = 0.3
    electricity_night: Number | None = None
    night_start: int = Field(default=23, ge=0, le=23)
    night_end: int = Field(default=7, ge=0, le=23)
    penalty: Number = Field(default=0.0, ge=0)
    """EUR m-2 h-1 of each constraint violated by its full scale."""
    target_yield: Number = Field(default=4.0, gt=0)
    """kg m-2 in the episode (`yield-and-energy`)."""
    target_energy: Number = Field(default=20.0, gt=0)
    """kWh kg-1 (`yield-and-energy`)."""

    @model_validator(mode="after")
    def _in_kwh(self) -> "GreenhouseReward":
        for name in ("heat", "electricity", "electricity_night"):
            price = getattr(self, name)
            for each in price if isinstance(price, list) else [price]:
                if isinstance(each, float) and abs(each) > LARGEST_OF_ENERGY:
                    raise ValueError(
                        f"{name}: a price of {each:g} EUR kWh-1; at most {LARGEST_OF_ENERGY:g} is allowed. "
                        "EUR MWh-1 need a factor 0.001, ct kWh-1 0.01."
                    )
        return self

    @model_validator(mode="after")
    def _one_tariff(self) -> "GreenhouseReward":
        if self.electricity_night is not None and not isinstance(self.electricity, float):
            raise ValueError(
                "electricity_night: the night tariff goes with a day tariff that is a number; "
                "hourly prices already include the night."
            )
        return self

    def idle(self) -> dict[str, str]:
        """Return the keys that change nothing in this reward, and what would give them an effect."""
        keys: dict[str, str] = {}
        if self.kind != "yield-and-energy":
            keys |= dict.fromkeys(("target_yield", "target_energy"), _KIND.format("yield-and-energy"))
        if self.electricity_night is None:
            keys |= dict.fromkeys(("night_start", "night_end"), "it needs an 'electricity_night' beside it")
        return keys


_KIND: Final = "it counts in a reward of the kind {!r} alone"


class Constraint(Strict):
    """Limits of a climate variable, and the violation that counts as 1."""

    low: Number
    high: Number
    full_scale: Number = Field(gt=0)

    @model_validator(mode="after")
    def _in_order(self) -> "Constraint":
        if self.low >= self.high:
            raise ValueError(
                f"low is {self.low:g} and high {self.high:g}, and nothing lies between; give a low below the "
                "high, and change both where one would pass the other."
            )
        return self


_POSSIBLE: Final = {
    "temperature": (-20.0, 60.0, "degC; kelvin need 273.15 subtracted"),
    "co2": (0.0, 10_000.0, "ppm; % need a factor 10000"),
    "humidity": (0.0, 100.0, "%; shares need a factor 100"),
}
"""Between what limits of the climate lie, and their unit."""


class ConstraintsSpec(Strict):
    """The limits of temperature [degC], CO2 [ppm] and humidity [%].

    With `clip` no violation counts more than its full scale.
    """

    temperature: Constraint = Constraint(low=15.0, high=34.0, full_scale=15.0)
    co2: Constraint = Constraint(low=300.0, high=1600.0, full_scale=2500.0)
    humidity: Constraint = Constraint(low=50.0, high=85.0, full_scale=15.0)
    clip: bool = True

    @model_validator(mode="after")
    def _possible(self) -> "ConstraintsSpec":
        for name, (least, most, unit) in _POSSIBLE.items():
            limits = getattr(self, name)
            if not least <= limits.low < limits.high <= most:
                raise ValueError(
                    f"{name}: limits of {limits.low:g} and {limits.high:g}; give {unit}, "
                    f"from {least:g} to {most:g}."
                )
        return self
