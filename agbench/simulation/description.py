"""A model in plain data, as `agbench show model` prints it and the pages of docs/models hold it."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from agbench.errors import unknown
from agbench.simulators import models
from agbench.variables import ABOVE_0, Parameter, Variable

GREENHOUSE = "greenlight"


def model_names() -> list[str]:
    """Return the names of all models: those of fields, and the greenhouse."""
    return [GREENHOUSE, *models.names()]


def describe_model(name: str) -> dict[str, Any]:
    """Return what a model computes and reads: states, rates or fluxes, memory, inputs, weather, parameters.

    `crop_types` holds what differs for crops that are not annual. Each entry has name, unit, meaning and
    bounds (`low` and `high`, None without); parameters also have default, source and what they describe.
    Raises `UnknownNameError` with the nearest names.
    """
    if name not in model_names():
        raise unknown("model", name, model_names())
    return _greenhouse() if name == GREENHOUSE else _field(name)


def _field(name: str) -> dict[str, Any]:
    model = models.find(name)
    result = _columns(model)
    result["parameters"] = [_parameter(p) for p in model.parameters]
    if name in models.parameter_tables("layered"):
        from agbench.simulators.wofost.soil_parameters import PROFILE

        result["soil_profile"] = [_parameter(p) for p in PROFILE]
    if others := models.crop_types(name)[1:]:
        result["crop_types"] = {kind: _beyond(result, models.find(name, crop_type=kind)) for kind in others}
    return result


def _beyond(annual: dict[str, Any], model: models.CropModel) -> dict[str, Any]:
    """Return what a model has for crops of another type, as far as it differs from annual ones."""
    own = _columns(model) | {"parameters": [_parameter(p) for p in model.parameters]}
    sections = (key for key in own if isinstance(own[key], list))
    differing = {key: [entry for entry in own[key] if entry not in annual[key]] for key in sections}
    return {key: entries for key, entries in differing.items() if entries}


def _columns(model: models.CropModel) -> dict[str, Any]:
    """Return a model's name, events, columns, inputs and weather."""
    columns = {"states": [], "rates": [], "memory": []}  # type: dict[str, list[Variable]]
    for variable in (v for v in model.variables if v.name not in model.lacks):
        role = next((r for r in ("rates", "memory") if variable.name in getattr(model, r)), "states")
        columns[role].append(variable)
    result: dict[str, Any] = {"model": model.name, "summary": model.summary, "events": list(model.events)}
    result |= {role: _variables(entries) for role, entries in columns.items()}
    result |= {
        "inputs": _variables(v for v in model.inputs if v.name not in model.ignores),
        "weather": _variables(model.weather),
    }
    return result


def _greenhouse() -> dict[str, Any]:
    from agbench.simulators.greenlight.fluxes import FLUXES
    from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE, UNUSED
    from agbench.simulators.greenlight.presets import PRESETS
    from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER

    return {
        "model": GREENHOUSE,
        "summary": "Greenhouse climate and tomato crop (Vanthoor 2011; Katzin 2020, 2021), rates in CasADi",
        "states": _variables(STATES),
        "fluxes": _variables(FLUXES),
        "inputs": _variables(CONTROLS),
        "weather": _variables(WEATHER),
        "parameters": [_parameter(p, lambda p: p.name not in UNUSED) for p in PARAMETER_TABLE],
        "presets": {name: dict(preset.changes) for name, preset in PRESETS.items()},
    }


def _variables(entries: Iterable[Variable]) -> list[dict[str, Any]]:
    return [
        {"name": v.name, "unit": v.unit, "meaning": v.meaning, "low": _finite(v.low), "high": _finite(v.high)}
        for v in entries
    ]


def _parameter(p: Parameter, used: Callable[[Parameter], bool] = lambda _: True) -> dict[str, Any]:
    """Return a parameter as plain data; `default` is a number, or one of three words."""
    default: Any = p.default
    if p.default is None:
        default = "required" if p.only_if is None else f"required where {p.only_if[0]} >= {p.only_if[1]:g}"
    elif math.isnan(p.default):
        default = "derived" if p.source.startswith("follows") else "optional"
    return {
        "name": p.name,
        "unit": p.unit,
        "meaning": p.meaning if used(p) else f"{p.meaning} (no equation reads it)",
        "low": 0.0 if p.low == ABOVE_0 else _finite(p.low),
        "high": _finite(p.high),
        "bounds": p.bounds,
        "default": default,
        "function_of": f"{p.of} by {p.by}" if p.by else p.of or None,
        "part": p.part or None,
        "source": p.source,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
