"""The schema of a soil's profile: layers from the top, with retention and conductivity of their materials."""

import itertools
from typing import Any, Final

from pydantic import Field, model_validator

from agbench.data.quantity import split_quantity
from agbench.data.reading import Strict
from agbench.data.table import Number, Table

SATURATED: Final = -1.0
"""The suction of a saturated soil [pF]."""

_UNITS: Final = {
    "SMW": "cm3 cm-3",
    "SMFCF": "cm3 cm-3",
    "SM0": "cm3 cm-3",
    "CRAIRC": "cm3 cm-3",
    "thickness": "cm",
    "surface_conductivity": "cm d-1",
}
_CURVES: Final = {"SMfromPF": "cm3 cm-3", "CONDfromPF": "log10(cm d-1)"}
_ROUNDING: Final = 1e-9


def _in_units(self: Any, names: tuple[str, ...]) -> None:
    """Raise `ValueError` for a quantity in another unit than its own."""
    for name in names:
        unit = split_quantity(getattr(self, name))[1]
        if unit != _UNITS[name]:
            raise ValueError(f"{name} is in {unit!r}; it must be in {_UNITS[name]!r}.")


class Material(Strict):
    """What layers are made of: curves against suction, and the limits that follow from them.

    `SMfromPF` is moisture, `CONDfromPF` the decimal logarithm of conductivity, both against pF, the
    decimal logarithm of suction in cm of water. `SMW`, `SMFCF` and `SM0` are the moisture at wilting
    point, field capacity and saturation; `CRAIRC` the air that roots need.
    """

    SMW: str
    SMFCF: str
    SM0: str
    CRAIRC: str
    SMfromPF: Table
    CONDfromPF: Table

    @model_validator(mode="after")
    def _falls(self) -> "Material":
        _in_units(self, ("SMW", "SMFCF", "SM0", "CRAIRC"))
        for name, unit in _CURVES.items():
            curve: Table = getattr(self, name)
            if (curve.unit, curve.of) != (unit, "pF"):
                raise ValueError(f"{name} must be in {unit!r} against 'pF'.")
            for (pf, value), (next_pf, next_value) in itertools.pairwise(curve.points):
                if not (pf < next_pf and value > next_value):
                    raise ValueError(f"{name} must fall with pF; it does not from pF {pf:g} to {next_pf:g}.")
        return self

    def moisture(self, pf: float) -> float:
        """Return the moisture at a suction [cm3 cm-3], linear between the points of the curve."""
        points = self.SMfromPF.points
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            if x0 <= pf <= x1:
                return y0 + (y1 - y0) / (x1 - x0) * (pf - x0)
        return points[0][1] if pf < points[0][0] else points[-1][1]


class SoilLayer(Strict):
    """A layer: how thick it is and what it is made of."""

    thickness: str
    material: str

    @model_validator(mode="after")
    def _thick(self) -> "SoilLayer":
        _in_units(self, ("thickness",))
        if not 5.0 <= self.centimetres <= 250.0:
            raise ValueError(f"thickness must lie in 5 to 250 cm; got {self.thickness}.")
        return self

    @property
    def centimetres(self) -> float:
        """The thickness [cm]."""
        return split_quantity(self.thickness)[0]


class SoilProfile(Strict):
    """Layers from the top, as PCSE 6's multi-layer water balance wants them.

    `wilting_point` and `field_capacity` are suctions [pF]; `surface_conductivity` is the most that
    enters the top. There is no groundwater: water leaves through the bottom.
    """

    source: str
    wilting_point: Number = Field(ge=3, le=6)
    field_capacity: Number = Field(ge=1, le=3)
    surface_conductivity: str
    materials: dict[str, Material] = Field(min_length=1)
    layers: list[SoilLayer] = Field(min_length=1, max_length=10)

    @model_validator(mode="after")
    def _consistent(self) -> "SoilProfile":
        _in_units(self, ("surface_conductivity",))
        for layer in self.layers:
            if layer.material not in self.materials:
                materials = ", ".join(self.materials)
                raise ValueError(f"a layer is of {layer.material!r}; the materials are {materials}.")
        at = {"SMW": self.wilting_point, "SMFCF": self.field_capacity, "SM0": SATURATED}
        for name, material in self.materials.items():
            for limit, pf in at.items():
                stated, result = split_quantity(getattr(material, limit))[0], material.moisture(pf)
                if abs(stated - result) > _ROUNDING:
                    raise ValueError(
                        f"material {name!r} states {limit} {stated:g}, but its curve holds {result:g} at "
                        f"pF {pf:g}."
                    )
        return self

    @property
    def depth(self) -> float:
        """The thickness of all layers together [cm]."""
        return sum(layer.centimetres for layer in self.layers)

    @property
    def description(self) -> dict[str, Any]:
        """The profile as PCSE's SoilProfileDescription."""
        return {
            "PFWiltingPoint": self.wilting_point,
            "PFFieldCapacity": self.field_capacity,
            "SurfaceConductivity": split_quantity(self.surface_conductivity)[0],
            "GroundWater": None,
            "SoilLayers": [self._described(layer) for layer in self.layers],
        }

    def _described(self, layer: SoilLayer) -> dict[str, Any]:
        material = self.materials[layer.material]
        return {
            "Thickness": layer.centimetres,
            "CRAIRC": split_quantity(material.CRAIRC)[0],
            "SMfromPF": material.SMfromPF.flat,
            "CONDfromPF": material.CONDfromPF.flat,
        }
