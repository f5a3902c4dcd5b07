"""The fitted crop: the base crop's parameters with the fitted ones in their place, and its evidence."""

from collections.abc import Mapping
from typing import Any

from agbench.calibration.dimensions import scaled
from agbench.calibration.problem import Problem
from agbench.data import catalog
from agbench.data.evidence import Evidence
from agbench.data.field import Crop
from agbench.data.reading import read_data
from agbench.variables import Floats


def crop_file(problem: Problem, values: Floats, evidence: Evidence) -> Crop:
    """Return the fitted crop, for the one model that it was fitted with."""
    spec = problem.spec
    content: dict[str, Any] = catalog.crop(spec.crop).model_dump(exclude_defaults=True)
    tables: dict[str, Any] = dict(content.pop("tables", {}))
    published: dict[str, Any] = dict(content.pop("published", {}))
    other: dict[str, Any] = dict(content.pop("published_parameters", {}))
    if spec.setting == "published":
        tables, published = tables | published, {}
        content["parameters"], other = content["parameters"] | other, {}
    for dimension, value in zip(problem.dimensions, values, strict=True):
        name = dimension.parameter.name
        if dimension.is_factor:
            tables[name] = _scaled(tables[name], float(value), dimension.at)
            published.pop(name, None)
        else:
            unit = dimension.parameter.unit
            other.pop(name, None)
            content["parameters"][name] = float(value) if unit == "-" else f"{float(value)!r} {unit}"
    before = {"crop": spec.variety, "summary": spec.summary or _summary(problem), "source": _source(problem)}
    content |= before | {"models": [spec.model], "tables": tables, "published": published}
    content["published_parameters"] = other
    return read_data(Crop, content | {"calibration": evidence.model_dump()}, spec.variety)


def _summary(problem: Problem) -> str:
    spec = problem.spec
    return f"{spec.crop} with {', '.join(spec.parameters)} fitted in {spec.model}."


def _source(problem: Problem) -> str:
    spec = problem.spec
    return f"agbench calibrate, {spec.calibration}: {spec.source} Other parameters: {spec.crop}."


def _scaled(table: Mapping[str, Any], factor: float, at: Any) -> dict[str, Any]:
    """Return a table of a crop's file with its points, or those of each of its curves, scaled."""
    if table.get("curves"):
        return {**table, "curves": [_scaled(curve, factor, at) for curve in table["curves"]]}
    flat = scaled([number for point in table["points"] for number in point], factor, at)
    return {**table, "points": list(zip(flat[0::2], flat[1::2], strict=True))}
