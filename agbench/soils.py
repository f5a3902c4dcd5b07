"""What the soils hold, as a modeller looks at them before use."""

from dataclasses import dataclass

from agbench import data
from agbench.spec.retention import RETENTIONS, remark


@dataclass(frozen=True)
class SoilWater:
    """Moisture limits [cm3 cm-3], rootable depth and the water that plants can have in it [cm]."""

    soil: str
    summary: str
    wilting: float
    capacity: float
    saturation: float
    depth: float | None
    available: float | None
    remark: str | None


def overview(name: str) -> SoilWater:
    """Return what a soil holds; depth and available water are None where the model fixes no depth."""
    soil = data.soil(name)
    values = soil.values
    model = next(m for m in RETENTIONS if m.wilting in values)
    wilting, capacity = values[model.wilting], values[model.capacity]
    depth = values.get("RDMSOL")
    available = None if depth is None else (capacity - wilting) * depth
    saturation = values[model.rising[-1]]
    return SoilWater(name, soil.summary, wilting, capacity, saturation, depth, available, remark(values))
