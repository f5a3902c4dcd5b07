"""The schema of greenhouse tasks: episode, actions and observations in a greenhouse."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from agbench.data.field import Number
from agbench.data.field_observation import Days
from agbench.data.field_task import MonthDay
from agbench.data.greenhouse_reward import ConstraintsSpec, GreenhouseReward
from agbench.data.greenhouse_split import GreenhouseSplit
from agbench.data.quantity import days, seconds
from agbench.data.reading import Strict
from agbench.data.task import Task

INTERVAL = 300
"""Length of a model step [s]: weather and controls are held over it."""

_TOLERATED: Final = 0.02  # of the hours of an episode


def _steps(value: Any) -> Any:
    if seconds(value) % INTERVAL:
        raise ValueError(f"{value!r} must be a multiple of {INTERVAL} s (5 min), the model's step.")
    return value


Steps = Annotated[str, BeforeValidator(_steps)]


Period = Literal["inside", "outside"]

_USERS: Final = {"electricity": ("uLamp", "uIntLamp"), "heat": ("uBoil", "uBoilGro"), "co2": ("uCo2",)}
"""What has a price, and the controls that use it."""

_ERRONEOUS: Final = ("iGlob", "tOut", "vpOut", "wind", "tSky")


class GreenhouseSpec(Strict):
    """Which greenhouse stands where, and how its equations are solved.

    `structure` sets choices of `agbench.simulators.greenlight.presets.Structure` by name.
    """

    model: Literal["greenlight"] = "greenlight"
    preset: str = "gym"
    site: str
    parameters: dict[str, Number] = {}
    structure: dict[str, bool | Number | str] = {}
    accuracy: Literal["accurate", "fast", "reference"] = "accurate"


class GreenhouseEpisode(Strict):
    """When an episode starts, how long it and a decision last, which crop it starts with.

    `cloudiness` says whether a site of daily weather gets new random clouds in each `episode`, or
    `none`. `clock` says what the hours of such a site are: those of its `local` standard time, with the sun
    where it stands then and below the top of the atmosphere, or `solar` time without that limit, 35 to 50
    minutes beside the hours of prices in the Netherlands. `dli` is the radiation of the `past` 24 hours, or
    that of the whole `day`, which foresees the afternoon. `crop` sets states at the start by name.
    """

    start: MonthDay = "03-01"
    length: Days = "60 d"
    step: Steps = "5 min"
    cloudiness: Literal["episode", "none"] = "episode"
    clock: Literal["local", "solar"] = "local"
    dli: Literal["past", "day"] = "past"
    crop: dict[str, Number] = {}

    @model_validator(mode="after")
    def _whole_steps(self) -> "GreenhouseEpisode":
        if self.intervals % self.step_intervals:
            raise ValueError(f"step: {self.step} does not divide the length of the episode, {self.length}.")
        return self

    @property
    def intervals(self) -> int:
        """The model steps of an episode."""
        return days(self.length) * 86_400 // INTERVAL

    @property
    def step_intervals(self) -> int:
        """The model steps of a decision."""
        return seconds(self.step) // INTERVAL


class GreenhouseAction(Strict):
    """What the agent may do.

    `increment`: each control changes by up to `rate` a step. `absolute`: [-1, 1] is 0 .. 1 of each
    control. `temperature`: a menu of temperatures [degC] for the heating, by day or by night;
    `period` says whose: that of the climate computer `inside`, or the sun's `outside`.
    `setpoints`: [-1, 1] is the range of each set point in `ranges`.
    """

    kind: Literal["increment", "absolute", "temperature", "setpoints"] = "increment"
    controls: list[str] = ["uBoil", "uCo2", "uThScr", "uVent", "uLamp", "uBlScr"]
    rate: Number = Field(default=0.1, gt=0, le=1)
    temperatures: list[Number] = []
    period: Period = "inside"
    ranges: dict[str, list[Number]] = {}
    rules: dict[str, Number] = {}
    """Settings of the climate computer in tasks with set points."""

    @field_validator("ranges")
    @classmethod
    def _ascending(cls, ranges: dict[str, list[float]]) -> dict[str, list[float]]:
        for name, ends in ranges.items():
            if len(ends) != 2 or ends[0] >= ends[1]:
                raise ValueError(f"{name}: a range has a lower and an upper end; got {ends}.")
        return ranges

    @field_validator("temperatures")
    @classmethod
    def _menu(cls, temperatures: list[float]) -> list[float]:
        if len(set(temperatures)) < len(temperatures):
            raise ValueError(f"name each temperature once; got {temperatures}.")
        wrong = [each for each in temperatures if not 0.0 <= each <= 50.0]
        if wrong:
            raise ValueError(
                f"{wrong[0]:g} is no set point in degC; give 0 to 50 (kelvin need 273.15 subtracted)."
            )
        return temperatures

    @field_validator("controls")
    @classmethod
    def _distinct(cls, controls: list[str]) -> list[str]:
        if not controls or len(set(controls)) < len(controls):
            raise ValueError(f"name each control once, and at least one; got {controls}.")
        return controls

    @model_validator(mode="after")
    def _something(self) -> "GreenhouseAction":
        if self.kind == "temperature" and len(self.temperatures) < 2:
            raise ValueError("temperature: the menu needs at least two 'temperatures'.")
        if self.kind == "setpoints" and not self.ranges:
            raise ValueError("setpoints: 'ranges' is empty.")
        return self

    @property
    def uses_setpoints(self) -> bool:
        """Whether the agent sets set points, which a climate computer turns into controls."""
        return self.kind in ("temperature", "setpoints")

    def idle(self) -> dict[str, str]:
        """Return the keys that change nothing in actions of this kind, and what would give them an effect."""
        kinds: dict[str, tuple[str, ...]] = {
            "controls": ("increment", "absolute"),
            "rate": ("increment",),
            "temperatures": ("temperature",),
            "period": ("temperature",),
            "ranges": ("setpoints",),
            "rules": ("temperature", "setpoints"),
        }
        return {
            key: f"it counts with actions of the kind {' or '.join(map(repr, of))} alone"
            for key, of in kinds.items()
            if self.kind not in of
        }


class GreenhouseObservation(Strict):
    """What the agent sees, module by module; an empty list leaves a module out.

    `climate`, `time`, `setpoints`, `fluxes` and `energy` have their names in
    `agbench.envs.greenhouse.observations`; `state`, `controls` and `weather` are the model's.
    `prices` lists what of fruit, co2, heat and electricity is shown at its present price. `forecast`
    lists weather variables, and prices as `electricityPrice`, which are known ahead as far as their
    series says; they are seen every `forecast_every` up to `forecast_length` ahead. `forecast_error` is the
    standard deviation of forecasts a day ahead, by variable: of iGlob, vpOut and wind as a share, of tOut and
    tSky in K; it grows with the root of the lead time. Without it forecasts are the truth.
    """

    climate: list[str] = []
    state: list[str] = []
    controls: list[str] = []
    setpoints: list[str] = []
    fluxes: list[str] = []
    energy: list[str] = []
    weather: list[str] = []
    prices: list[Literal["fruit", "co2", "heat", "electricity"]] = []
    time: list[str] = []
    forecast: list[str] = []
    forecast_length: Steps = "12 h"
    forecast_every: Steps = "1 h"
    forecast_error: dict[str, Annotated[Number, Field(gt=0, le=10)]] = {}

    @model_validator(mode="after")
    def _consistent(self) -> "GreenhouseObservation":
        beside = sorted(set(self.forecast_error) - set(self.forecast))
        if beside:
            raise ValueError(f"forecast_error: {beside[0]} is not among the variables of 'forecast'.")
        exact = sorted(set(self.forecast_error) - set(_ERRONEOUS))
        if exact:
            raise ValueError(
                f"forecast_error: {exact[0]} has no error; those that have are {', '.join(_ERRONEOUS)}."
            )
        for module, names in self:
            if isinstance(names, list) and len(set(names)) < len(names):
                raise ValueError(f"{module}: name each variable once; got {names}.")
        if self.forecast and seconds(self.forecast_every) > seconds(self.forecast_length):
            raise ValueError(
                f"forecast_every: {self.forecast_every} is beyond the forecast's length of "
                f"{self.forecast_length}; nothing would be seen ahead."
            )
        return self

    @property
    def forecast_steps(self) -> list[int]:
        """The model steps ahead that are forecast."""
        if not self.forecast:
            return []
        every, last = seconds(self.forecast_every), seconds(self.forecast_length)
        return [ahead // INTERVAL for ahead in range(every, last + 1, every)]


class UncertaintySpec(Strict):
    """Crop parameters that a scenario's level d perturbs: each times 1 + U(-d, d).

    `level` is that of scenarios whose split names none. Drawn at each `step`, or once an
    `episode`. `parameters` is a list of names, or the name of a list: `sound` (28 parameters of the
    crop), or `published`, the 34 of GreenLight-Gym 2, which are drawn as its code does: each times
    1 + U(-d/2, d/2).
    """

    level: Number = Field(default=0.0, ge=0, lt=1)
    every: Literal["step", "episode"] = "step"
    parameters: list[str] | Literal["sound", "published"] = []


class GreenhouseTask(Task):
    """A task in a greenhouse: one crop and some weeks an episode."""

    other_words: ClassVar[Mapping[str, str]] = {"season": "episode"}

    family: Literal["greenhouse"]
    simulator: GreenhouseSpec
    episode: GreenhouseEpisode
    action: GreenhouseAction
    observation: GreenhouseObservation
    reward: GreenhouseReward
    constraints: ConstraintsSpec = ConstraintsSpec()
    uncertainty: UncertaintySpec = UncertaintySpec()
    splits: dict[str, GreenhouseSplit] = Field(min_length=1)

    @model_validator(mode="after")
    def _uncertain_or_not(self) -> "GreenhouseTask":
        levels = self.uncertainty.level > 0 or any(any(split.levels) for split in self.splits.values())
        if levels and not self.uncertainty.parameters:
            raise ValueError("uncertainty.parameters is empty, but there are levels: try 'sound'.")
        if self.uncertainty.parameters and not levels:
            raise ValueError("uncertainty.level is 0 and no split has levels: set it, for example to 0.1.")
        return self

    def scenarios(self, split: str) -> list[str]:
        """Return the keys of a split's scenarios: `site/2010-03-01` or `site/generated/17/03-01`, and
        `/level` where it has levels.
        """
        self.check_split(split)
        spec = self.splits[split]
        keys = [f"{spec.site or self.simulator.site}/{day}" for day in spec.first_days(self.episode.start)]
        return [f"{key}/{level:g}" for level in spec.levels for key in keys] if spec.levels else keys

    def idle(self) -> dict[str, str]:
        """Return the keys that change nothing here; prices of what no control uses are among them."""
        keys = {f"action.{key}": why for key, why in self.action.idle().items()}
        keys |= {f"reward.{key}": why for key, why in self.reward.idle().items()}
        if not self.observation.forecast:
            for key in ("forecast_length", "forecast_every"):
                keys[f"observation.{key}"] = "it needs variables in 'observation.forecast'"
        if not self.uncertainty.parameters:
            keys["uncertainty.every"] = "it needs 'uncertainty.parameters' to draw, and a level"
        return keys | {
            f"reward.{price}": f"nothing here uses it; give action.controls one of {', '.join(users)}"
            for what, users in _USERS.items()
            if self._never_used(what, users)
            for price in (("electricity", "electricity_night") if what == "electricity" else (what,))
        }

    def _never_used(self, what: str, users: tuple[str, ...]) -> bool:
        """Return whether what has a price is neither used by the agent's controls nor seen by the agent."""
        seen = what in self.observation.prices or f"{what}Price" in self.observation.forecast
        return not self.action.uses_setpoints and not seen and not set(users) & set(self.action.controls)

    @property
    def step(self) -> int:
        """The model steps of a decision."""
        return self.episode.step_intervals

    @property
    def tolerated_cost(self) -> float:
        """Hours of full violation that are feasible whatever the expert's are: a share of the episode."""
        return _TOLERATED * self.episode.intervals * INTERVAL / 3600.0
