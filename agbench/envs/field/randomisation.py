"""Domain randomisation: the parameters of an episode, drawn from its own generator."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.data.randomisation import NoiseSpec
from agbench.errors import ConfigError, unknown
from agbench.simulation.parameters import check_whole, parameters_of, place
from agbench.simulators import models
from agbench.simulators.field.parameters import FixedParameters, check
from agbench.simulators.models import CropModel
from agbench.variables import Parameter
from agbench.weather.draws import standard_normal, uniform

_MOISTURES: Final = ("SMW", "SMFCF", "SM0")
"""Wilting point, field capacity, saturation: they ascend [cm3 cm-3]."""
_GAP: Final = 0.01  # cm3 cm-3, least distance between them
_LEAST: Final = 0.1  # of a parameter; normal noise may not turn it around


class RandomParameters:
    """The parameters of a task's field: those of its files, or drawn around them within their bounds.

    What the task says is `changed` holds for every crop and soil, and the age of its trees.
    """

    def __init__(self, task: FieldTask, model: CropModel) -> None:
        self._spec = task.randomisation
        simulator = task.simulator
        changed = simulator.changed
        for name in changed:
            if name not in model.parameters:
                where = f"{task.task}: changed parameters"
                raise unknown("parameter", name, model.parameters.names, where=where)
        check(model.parameters, changed, models.parameter_names, f"{task.task}: changed parameters")
        read = {
            kind: {name: {**parameters_of(model, kind, name, simulator.setting), **changed} for name in names}
            for kind, names in (
                ("site", [simulator.site]),
                ("soil", [simulator.soil, *self._spec.soils]),
                ("crop", [simulator.crop, *task.season.rotation, *self._spec.crops]),
            )
        }
        for name, values in read["soil"].items():
            _require_profile(task, name, values)
        self._site = read["site"][simulator.site]
        for kind in ("soil", "crop"):
            for name, values in read[kind].items():
                check_whole(model, {**self._site, **values}, {kind: place(kind, name)}, simulator.setting)
        self._declared = model.parameters
        self._age = {} if task.season.age is None else {"AGEI": float(task.season.age)}
        self._fixed: dict[str, FixedParameters] = {}
        self._soils, self._crops = read["soil"], read["crop"]
        self._soil, self._crop = simulator.soil, simulator.crop
        parameters = {**self._site, **self._soils[self._soil], **self._crops[self._crop]}
        for name in self._spec.parameters:
            if name not in parameters or name not in model.parameters:
                raise unknown("parameter", name, parameters, where=f"{task.task}: randomisation")

    def draw(self, generator: np.random.Generator | None, crop: str | None = None) -> Mapping[str, Any]:
        """Return the parameters of an episode; without a generator, those of the files.

        `crop` is the one that is drawn for, of a rotation; by default that of the task.
        """
        own = crop or self._crop
        if generator is None or not self._spec.any:
            if own not in self._fixed:
                whole = {**self._site, **self._soils[self._soil], **self._crops[own], **self._age}
                self._fixed[own] = FixedParameters(whole)
            return self._fixed[own]
        soil = _one_of(self._spec.soils, self._soil, generator)
        crop = _one_of(self._spec.crops, own, generator)
        drawn = {**self._site, **self._soils[soil], **self._crops[crop]}
        for name, noise in self._spec.parameters.items():
            if name in drawn:
                drawn[name] = _within(self._declared[name], _noisy(drawn[name], noise, generator))
        return _consistent(drawn | self._age)


def _require_profile(task: FieldTask, soil: str, values: Mapping[str, Any]) -> None:
    """Refuse a soil of one layer for layered water, the reverse, and noise that would do nothing."""
    layered = task.simulator.soil_water == "layered"
    has_profile = "SoilProfileDescription" in values
    if layered and not has_profile:
        with_profile = [name for name in catalog.readable("soil") if catalog.soil(name).profile is not None]
        raise ConfigError(
            f"{task.task}: simulator.soil_water 'layered' needs a soil with a profile; {soil} has none. "
            f"Soils that have: {', '.join(with_profile)}."
        )
    if not layered and has_profile:
        raise ConfigError(
            f"{task.task}: the soil {soil} is a profile of layers; it needs simulator.soil_water 'layered'."
        )
    idle = [name for name in task.randomisation.parameters if name in _MOISTURES]
    if layered and idle:
        raise ConfigError(
            f"{task.task}: randomisation: {', '.join(idle)} follow from the layers' curves in a layered soil."
        )


def _one_of(names: list[str], default: str, generator: np.random.Generator) -> str:
    return names[int(generator.integers(len(names)))] if names else default


def _noisy(value: Any, noise: NoiseSpec, generator: np.random.Generator) -> Any:
    """Return a scalar, or a flat table's ordinates, times 1 plus noise."""
    if not isinstance(value, list):
        return value * float(_factors(1, noise, generator)[0])
    ordinates = np.array(value[1::2]) * _factors(len(value) // 2, noise, generator)
    return [x for point in zip(value[::2], ordinates.tolist(), strict=True) for x in point]


def _within(parameter: Parameter, value: Any) -> Any:
    """Return a scalar, or a flat table, whose numbers are held within the parameter's bounds."""
    if not isinstance(value, list):
        return min(max(value, parameter.low), parameter.high)
    ordinates = np.clip(value[1::2], parameter.low, parameter.high).tolist()
    return [x for point in zip(value[::2], ordinates, strict=True) for x in point]


def _factors(count: int, noise: NoiseSpec, generator: np.random.Generator) -> Any:
    if noise.kind == "uniform":
        return 1.0 + uniform(generator, -noise.share, noise.share, count)
    return np.maximum(1.0 + noise.share * standard_normal(generator, count), _LEAST)


def _consistent(drawn: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with soil moistures that ascend again, where noise crossed them."""
    if not all(name in drawn for name in _MOISTURES):
        return drawn
    wilting, capacity, saturation = sorted(drawn[name] for name in _MOISTURES)
    capacity = max(capacity, wilting + _GAP)
    saturation = max(saturation, capacity + _GAP)
    return {**drawn, "SMW": wilting, "SMFCF": capacity, "SM0": saturation}
