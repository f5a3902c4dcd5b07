"""A report of the water that soils hold, to read before use."""

from dataclasses import dataclass

from agbench.data import catalog
from agbench.data.quantity import split_quantity
from agbench.data.retention import RETENTIONS, remark
from agbench.data.soil_profile import SoilProfile


@dataclass(frozen=True)
class SoilWater:
    """Moisture limits [cm3 cm-3], rootable depth and the water that plants can have in it [cm].

    Of a soil of several `layers` the limits are means over the rootable depth; one layer is 1.
    """

    soil: str
    summary: str
    wilting: float
    capacity: float
    saturation: float
    depth: float | None
    available: float | None
    remark: str | None
    layers: int = 1


def overview(name: str) -> SoilWater:
    """Return what a soil holds; depth and available water are None where the model fixes no depth."""
    soil = catalog.soil(name)
    values = soil.values
    depth = values.get("RDMSOL")
    if soil.profile is not None:
        layers, depth = len(soil.profile.layers), depth or soil.profile.depth
        wilting, capacity, saturation = _means(soil.profile, depth)
    else:
        layers = 1
        model = next(m for m in RETENTIONS if m.wilting in values)
        wilting, capacity = values[model.wilting], values[model.capacity]
        saturation = values[model.rising[-1]]
    available = None if depth is None else (capacity - wilting) * depth
    limits = (wilting, capacity, saturation)
    return SoilWater(name, soil.summary, *limits, depth, available, remark(values), layers)


def _means(profile: SoilProfile, depth: float) -> tuple[float, float, float]:
    """Return wilting point, field capacity and saturation as means over the rootable `depth` [cm]."""
    totals, top = [0.0, 0.0, 0.0], 0.0
    for layer in profile.layers:
        rootable = max(0.0, min(depth, top + layer.centimetres) - top)
        material = profile.materials[layer.material]
        for i, limit in enumerate((material.SMW, material.SMFCF, material.SM0)):
            totals[i] += rootable * split_quantity(limit)[0]
        top += layer.centimetres
    return totals[0] / depth, totals[1] / depth, totals[2] / depth
