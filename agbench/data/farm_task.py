"""The schema of farm tasks: many fields under one weather, with shared budgets."""

import re
from functools import cached_property
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field, model_validator

from agbench.data.field import Number
from agbench.data.field_task import WORK, FieldTask, MonthDay
from agbench.data.reading import Strict
from agbench.data.task import MetricSpec

_FIELD_NAME: Final = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
_OVER_FIELDS: Final = re.compile(r"^(?:total|mean)\((.+)\)$")


def _field_name(value: str) -> str:
    if not _FIELD_NAME.match(value):
        raise ValueError(f"{value!r} is not a field's name such as 'north' or 'sandy-2'.")
    return value


class FieldSpec(Strict):
    """One field of a farm: what it has of its own; the rest is as the task says for all of them.

    `parameters` differ from those of the files of crop, soil and site: numbers, or flat tables
    x0, y0, x1, y1, ...
    """

    name: Annotated[str, AfterValidator(_field_name)]
    area: Number = Field(default=1.0, gt=0, le=1e6)
    """[ha]"""
    crop: str | None = None
    soil: str | None = None
    crop_start: MonthDay | None = None
    parameters: dict[str, Number | list[Number]] = {}


class FarmSpec(Strict):
    """How a farm is worked.

    `control`: `joint`, one action for all fields; `each`, an action a field; `choice`, nothing or a dose
    of one input on one field. `budgets` are what the farm has of inputs for an episode, by input: amount a
    hectare times hectares, so kg, or cm ha. What exceeds a budget is `clipped`: a step gives each field
    the same share of what was asked; or it `costs`: it is applied, and reported as `cost`.
    """

    control: Literal["joint", "each", "choice"] = "each"
    budgets: dict[str, Annotated[Number, Field(gt=0, le=1e9)]] = {}
    overspending: Literal["clipped", "costs"] = "clipped"


class FarmTask(FieldTask):
    """A task on several fields, one crop each, under the same weather; one season an episode.

    Names of a field's variables and inputs are such as `WSO.north`; `total(WSO)` is the sum over the fields
    times their areas, `mean(WSO)` that sum divided by the farm's area. `simulator.crop`,
    `simulator.soil`, `season.crop_start` and `simulator.changed` are those of fields that say no other.
    Where parameters are random each field draws its own; a field that names its crop or its soil keeps it.
    """

    family: Literal["farm"]  # type: ignore[assignment]  # pydantic narrows it to another word
    farm: FarmSpec
    fields: list[FieldSpec] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits_together(self) -> "FarmTask":
        names = self.field_names
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"fields: {', '.join(twice)}: a name stands for one field.")
        if self.farm.control == "choice" and self.action.kind != "menu":
            raise ValueError("farm.control 'choice' needs action.kind: menu.")
        for name in self.farm.budgets:
            if name not in self.action.doses:
                raise ValueError(
                    f"farm.budgets: {name} is none of the inputs {', '.join(self.action.doses)}."
                )
            if name in (*WORK, "PRUNE"):
                raise ValueError(
                    f"farm.budgets: {name} is work; budgets are of what is bought: N, P, K, IRRIG."
                )
        for spec in self.fields:
            if spec.crop_start is not None:
                self.season.check_crop_start(spec.crop_start)
        return self

    @model_validator(mode="after")
    def _metrics_of_its_fields(self) -> "FarmTask":
        for name, metric in self.metrics.items():
            field = _field_of(metric.state or metric.input or "")
            if field and field not in self.field_names:
                raise ValueError(
                    f"metrics.{name}: {field} is none of the fields {', '.join(self.field_names)}."
                )
        return self

    @property
    def has_costs(self) -> bool:
        """Whether there are constraints, or budgets that may be overspent, so that a step can have a cost."""
        overspends = bool(self.farm.budgets) and self.farm.overspending == "costs"
        return super().has_costs or overspends

    def without_loose_ends(self, content: dict[str, Any]) -> dict[str, Any]:
        """Return an overridden content without the metrics of fields that it has no longer."""
        fields = content["fields"] if isinstance(content["fields"], list) else []
        names = {spec.get("name") for spec in fields if isinstance(spec, dict)}
        metrics = content["metrics"]
        gone = {
            n
            for n, m in metrics.items()
            if _field_of(m.get("state") or m.get("input") or "") not in {"", *names}
        }
        return content | {"metrics": {name: metric for name, metric in metrics.items() if name not in gone}}

    def idle(self) -> dict[str, str]:
        """Return the keys that change nothing as the farm stands, and what would give them an effect."""
        keys = super().idle()
        if not self.farm.budgets:
            keys["farm.overspending"] = "there are no 'farm.budgets' to exceed"
        return keys

    @cached_property
    def field_names(self) -> list[str]:
        """The names of the fields, in order."""
        return [spec.name for spec in self.fields]

    @cached_property
    def areas(self) -> list[float]:
        """The areas of the fields [ha]."""
        return [float(spec.area) for spec in self.fields]

    def field(self, number: int) -> FieldTask:
        """Return the task of one field by itself: its own crop, soil and dates, its own metrics.

        Rewards and amounts are those of a hectare; there are no budgets.
        """
        spec = self.fields[number]
        simulator = self.simulator.model_copy(
            update={
                "crop": spec.crop or self.simulator.crop,
                "soil": spec.soil or self.simulator.soil,
                "changed": {**self.simulator.changed, **spec.parameters},
            }
        )
        named = {"crops": spec.crop, "soils": spec.soil}
        drawn = self.randomisation.model_copy(update={key: [] for key, own in named.items() if own})
        start = spec.crop_start or self.season.crop_start
        content: dict[str, Any] = {name: getattr(self, name) for name in FieldTask.model_fields}
        content |= {
            "task": f"{self.task}, field {spec.name}",
            "family": "field",
            "simulator": simulator,
            "season": self.season.model_copy(update={"crop_start": start}),
            "randomisation": drawn,
            "metrics": _metrics_of(spec.name, self.metrics),
        }
        return FieldTask.model_construct(**content)


def _field_of(source: str) -> str:
    """Return the field of a variable such as `WSO.north`; nothing where it is that of all fields."""
    return "" if _OVER_FIELDS.match(source) else source.partition(".")[2]


def _metrics_of(field: str, metrics: dict[str, MetricSpec]) -> dict[str, MetricSpec]:
    """Return the metrics that one field has by itself: those of its own, and totals and means as its own."""
    result = {}
    for name, metric in metrics.items():
        source = metric.state or metric.input
        if source is None:
            continue
        over = _OVER_FIELDS.match(source)
        own = over[1] if over else source.removesuffix(f".{field}")
        if own != source:
            key = "state" if metric.state else "input"
            result[name] = metric.model_copy(update={key: own})
    return result
