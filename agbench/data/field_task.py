"""The schema of field tasks: what an agent sees, does and is paid for on a field."""

import itertools
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from agbench.data.field import Number
from agbench.data.field_observation import Days, ObservationSpec
from agbench.data.field_reward import RewardSpec
from agbench.data.quantity import days
from agbench.data.randomisation import RandomisationSpec
from agbench.data.reading import Strict
from agbench.data.split import SplitSpec
from agbench.data.task import Task


def _month_day(value: str) -> str:
    try:
        date.fromisoformat(f"2001-{value}")
    except ValueError:
        raise ValueError(f"{value!r} is not a day of the year such as '09-01'.") from None
    return value


MonthDay = Annotated[str, AfterValidator(_month_day)]


class SimulatorSpec(Strict):
    """Which model runs, with which crop, soil and site, by which engine.

    `limitation` and `soil_water` are for models that offer a choice. `warming` is added to the
    temperatures of the site [degC], evaporation following. `changed` are parameters that differ from
    those of the files of crop, soil and site: numbers, or flat tables x0, y0, x1, y1, ...
    """

    model: str
    crop: str
    soil: str
    site: str
    engine: Literal["compiled", "pcse"] = "compiled"
    setting: Literal["sound", "published"] = "sound"
    limitation: Literal["pp", "lw", "ln", "lnw", "lnpk", "lnpkw"] | None = None
    soil_water: Literal["single", "layered"] = "single"
    warming: Annotated[Number, Field(ge=-10, le=10)] = 0.0  # as far as splits may change the climate
    changed: dict[str, Number | list[Number]] = {}


class RotationSpec(Strict):
    """A crop of a rotation: the days of the year on which it may be sown, the first and the last one.

    One that is `incorporated` is not harvested: it stays on the field whole, as a catch crop does.
    """

    sowing: tuple[MonthDay, MonthDay]
    incorporated: bool = False

    @field_validator("sowing", mode="before")
    @classmethod
    def _window(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value


class SeasonSpec(Strict):
    """When an episode starts and ends, how long a step is, what runs before the first decision.

    It ends on the first `end` after its start, or with more `years` that many years on. The crop starts on
    the first day, or on `crop_start`: until then the soil lies bare.

    `management` is who sows and harvests: with `inputs` the calendar does, the crop ends when it is ripe;
    with `harvest` the agent harvests, which ends the season; with `plant` it also sows, on a day of the
    `sowing_window`, the first and the last one; with `orchard` the trees stand throughout, a harvest takes
    their fruit, and the agent may prune and replant; with `rotation` it sows and harvests as often as it
    likes, each time one of the crops of the `rotation`, which are numbered from 1 in their order. The day
    on which time runs out ends every season, harvested or not. An orchard without HARVEST among the doses is
    not picked: its fruit falls with the leaves.

    Orchards and rotations may last several `years`; `age` is that of the trees on the first day, by default
    that of the crop's file.
    """

    start: MonthDay
    start_type: Literal["emergence", "sowing", "dormant", "endodorm", "ecodorm"] = "emergence"
    end: MonthDay
    crop_start: MonthDay | None = None
    years: int = Field(default=1, ge=1, le=30)
    age: int | None = Field(default=None, ge=0, le=100)
    step: Days = "7 d"
    warmup: Days = "7 d"
    management: Literal["inputs", "harvest", "plant", "orchard", "rotation"] = "inputs"
    sowing_window: tuple[MonthDay, MonthDay] | None = None
    rotation: dict[str, RotationSpec] = {}

    @field_validator("sowing_window", mode="before")
    @classmethod
    def _window(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _window_for_planting(self) -> "SeasonSpec":
        if (self.management == "plant") != (self.sowing_window is not None):
            raise ValueError("the management 'plant', and it alone, needs a sowing_window.")
        if (self.management == "rotation") != bool(self.rotation):
            raise ValueError("the management 'rotation', and it alone, needs the crops of a rotation.")
        if self.years > 1 and self.management not in ("orchard", "rotation"):
            raise ValueError(
                f"{self.years} years need the management 'orchard' or 'rotation': other crops end earlier."
            )
        return self

    @model_validator(mode="after")
    def _days_within(self) -> "SeasonSpec":
        start, end = self.days_from(2001)
        if (length := (end - start).days) <= self.warmup_days:
            raise ValueError(f"a warmup of {self.warmup} leaves nothing of a season of {length} d.")
        if (window := self.sowing_days(start)) and not window[0] <= window[1] <= end:
            raise ValueError(
                f"sowing_window {self.sowing_window}: the first and the last day of sowing must lie in this"
                f" order in a season from {self.start} to {self.end}."
            )
        if self.crop_start is not None:
            self.check_crop_start(self.crop_start)
        return self

    def check_crop_start(self, day: str) -> None:
        """Raise `ValueError` for a day of the year on which a crop cannot start: one outside the season."""
        start, end = self.days_from(2001)
        if self.day_after(start, day) > end:
            raise ValueError(f"crop_start {day} lies outside the season, {self.start} to {self.end}.")

    def sowing_days(self, start: date) -> tuple[date, date] | None:
        """Return the first and the last day for sowing in a season from `start`; None without a window."""
        if self.sowing_window is None:
            return None
        first, last = self.sowing_window
        return self.day_after(start, first), self.day_after(start, last)

    @staticmethod
    def day_after(start: date, month_day: str) -> date:
        """Return a day of the year, on or after `start`."""
        day = date.fromisoformat(f"{start.year}-{month_day}")
        return day if day >= start else day.replace(year=start.year + 1)

    def days_from(self, year: int) -> tuple[date, date]:
        """Return the first and the last day of a season that starts in a year; one may end in the next."""
        start = date.fromisoformat(f"{year}-{self.start}")
        end = date.fromisoformat(f"{year + self.years - 1}-{self.end}")
        crosses = self.end <= self.start
        return start, end.replace(year=end.year + 1) if crosses else end

    @property
    def step_days(self) -> int:
        """The length of a step [d]."""
        return days(self.step)

    @property
    def warmup_days(self) -> int:
        """The days simulated before the first observation [d]."""
        return days(self.warmup)

    @property
    def work(self) -> tuple[str, ...]:
        """The inputs with which the agent sows and harvests, in that order."""
        own = {"inputs": (), "harvest": WORK[1:], "orchard": WORK[1:]}
        return own.get(self.management, WORK)


class ActionSpec(Strict):
    """What the agent may do.

    `menu`: one of a list of doses, the first being nothing. `continuous`: every input at once,
    [-1, 1] mapped to 0 .. `limit` of the input (default: its largest dose).
    """

    kind: Literal["menu", "continuous"] = "menu"
    doses: dict[str, list[Number]] = Field(min_length=1)
    limit: dict[str, Number] = {}
    recovery: Number = Field(default=0.7, gt=0, le=1)
    efficiency: Number = Field(default=0.7, gt=0, le=1)

    @field_validator("doses")
    @classmethod
    def _ascending(cls, doses: dict[str, list[float]]) -> dict[str, list[float]]:
        for name, amounts in doses.items():
            ascending = all(a < b for a, b in itertools.pairwise(amounts))
            if len(amounts) < 2 or amounts[0] != 0 or not ascending:
                raise ValueError(f"{name}: doses must start with 0 and ascend; got {amounts}.")
            _check_most(name, amounts[-1])
        return doses

    @field_validator("limit")
    @classmethod
    def _possible(cls, limit: dict[str, float]) -> dict[str, float]:
        for name, amount in limit.items():
            if not amount > 0.0:
                raise ValueError(f"{name}: {amount:g} is no amount; the most of an input is above 0.")
            _check_most(name, amount)
        return limit

    def idle(self) -> dict[str, str]:
        """Return the keys that change nothing in actions like these, and what would give them an effect."""
        keys: dict[str, str] = {}
        if self.kind == "menu":
            keys["limit"] = "it counts with actions of the kind 'continuous' alone"
        if not {"N", "P", "K"} & self.doses.keys():
            keys["recovery"] = "there is no N, P or K among the doses"
        if "IRRIG" not in self.doses:
            keys["efficiency"] = "there is no IRRIG among the doses"
        return keys

    @model_validator(mode="after")
    def _limits_of_doses(self) -> "ActionSpec":
        for name in self.limit:
            if name not in self.doses:
                raise ValueError(f"limit: {name} is none of the doses {', '.join(self.doses)}.")
            if name in WORK:
                raise ValueError(f"limit: {name} is work that is done or not, and has no other limit.")
        return self


WORK: Final = ("PLANT", "HARVEST")
"""The inputs that are work: the agent sows with the one and harvests with the other."""

MOST: Final[Mapping[str, tuple[float, str]]] = {
    "N": (1_000.0, "kg ha-1"),
    "P": (1_000.0, "kg ha-1"),
    "K": (1_000.0, "kg ha-1"),
    "IRRIG": (100.0, "cm"),
    "PRUNE": (1.0, "the whole of the wood"),
    "HARVEST": (1.0, "all of the fruit"),
}
"""The most that a day may bring of an input: several times what farms use in a season, or all there is."""


def _check_most(name: str, amount: float) -> None:
    most, unit = MOST.get(name, (float("inf"), ""))
    if amount > most:
        raise ValueError(f"{name}: {amount:g} is more than a day may bring, {most:g} ({unit}).")


_OPTIONS: Final = {
    "simulator": ("limitation", "soil_water", "warming", "changed"),
    "season": ("crop_start", "management", "sowing_window", "years", "age", "rotation"),
    "observation": ("progress", "forecast"),
    "reward": ("product_price", "penalty", "limits", "lost", "tolerated", "crop_prices", "crop_costs"),
}
"""Keys that a task need not know: absent and left at their default they are the same task."""


class FieldTask(Task):
    """A task on a field: one crop and one season an episode, or a rotation of several years."""

    other_words: ClassVar[Mapping[str, str]] = {"episode": "season"}

    family: Literal["field"]
    simulator: SimulatorSpec
    season: SeasonSpec
    action: ActionSpec
    observation: ObservationSpec
    reward: RewardSpec
    splits: dict[str, SplitSpec] = Field(min_length=1)
    randomisation: RandomisationSpec = RandomisationSpec()

    @model_validator(mode="after")
    def _can_sow_and_harvest(self) -> "FieldTask":
        management = self.season.management
        for name in self.season.work:
            if management == "orchard" and name not in self.action.doses:
                continue
            most = max(1, len(self.season.rotation)) if name == "PLANT" else 1
            choices = list(range(most + 1))
            if self.action.doses.get(name) != choices:
                raise ValueError(f"the management {management!r} needs action.doses {name}: {choices}.")
        if management in ("inputs", "harvest") and "PLANT" in self.action.doses:
            raise ValueError("PLANT among the doses needs season.management: plant, rotation or orchard.")
        return self

    @model_validator(mode="after")
    def _rotates(self) -> "FieldTask":
        crops, reward = self.season.rotation, self.reward
        if crops and self.simulator.crop != next(iter(crops)):
            raise ValueError(
                f"simulator.crop must be the first crop of season.rotation, {next(iter(crops))!r}."
            )
        if crops and self.randomisation.crops:
            raise ValueError("randomisation.crops draws one crop, and a rotation has several.")
        if (reward.kind == "rotation-profit") != bool(crops):
            raise ValueError("a reward of the kind 'rotation-profit' is for the management 'rotation'.")
        if crops and not reward.crop_prices.keys() == reward.crop_costs.keys() == crops.keys():
            raise ValueError(f"reward: crop_prices and crop_costs must name {', '.join(crops)}.")
        return self

    @model_validator(mode="after")
    def _train_apart(self) -> "FieldTask":
        """Refuse splits that share seasons with those to train on, or weather where seasons last years."""
        training = set(self.protocol.training_splits) & self.splits.keys()
        for name, other in itertools.product(sorted(training), sorted(self.splits.keys() - training)):
            if shared := set(self.scenarios(name)).intersection(self.scenarios(other)):
                raise ValueError(
                    f"splits: {name} and {other} both have the season {min(shared)}; leave it out of one."
                )
            if self.season.years > 1 and (met := self._weather_years(name) & self._weather_years(other)):
                site, year = min(met)
                raise ValueError(
                    f"splits: seasons of {self.season.years} years of {name} and {other} both reach into"
                    f" {year} at {site}; leave such years out."
                )
        return self

    def _weather_years(self, split: str) -> set[tuple[str, int]]:
        """Return the measured years, by site, that the seasons of a split reach into."""
        starts = self.splits[split].measured(self.simulator.site)
        reached = ((site, self.season.days_from(year)) for site, year in starts)
        return {(site, year) for site, days in reached for year in range(days[0].year, days[1].year + 1)}

    def scenarios(self, split: str) -> list[str]:
        """Return the keys of a split's scenarios: `site/year`, `site/generated/number`, ..."""
        self.check_split(split)
        return self.splits[split].keys(self.simulator.site)

    def endless(self, split: str) -> list[str]:
        """Return the keys of a split that stand for any generated season of their place."""
        self.check_split(split)
        return self.splits[split].endless_keys(self.simulator.site)

    def identity(self) -> dict[str, Any]:
        """Return the content; an option that is left at its default is as good as not there."""
        content = self.content()
        for section, options in _OPTIONS.items():
            defaults = type(getattr(self, section)).model_construct()
            for key in options:
                if getattr(getattr(self, section), key) == getattr(defaults, key):
                    del content[section][key]
        if self.randomisation == RandomisationSpec():
            del content["randomisation"]
        content["splits"] = {name: split.identity() for name, split in self.splits.items()}
        return content

    def idle(self) -> dict[str, str]:
        """Return the keys that change nothing as the task stands, and what would give them an effect."""
        keys = {f"action.{key}": why for key, why in self.action.idle().items()}
        return keys | {f"reward.{key}": why for key, why in self.reward.idle().items()}

    @property
    def has_costs(self) -> bool:
        """Whether there are constraints, so that a step can have a cost."""
        return self.reward.constrained

    @property
    def tolerated_cost(self) -> float:
        """The mean constraint cost of an episode that is feasible whatever the expert's is."""
        return float(self.reward.tolerated)

    @property
    def step(self) -> int:
        """The length of a step [d]."""
        return self.season.step_days

    @property
    def warmup(self) -> int:
        """The days before the first decision."""
        return self.season.warmup_days

    @property
    def sows(self) -> bool:
        """Whether the agent sows with the input PLANT and harvests with HARVEST."""
        return "PLANT" in self.season.work
