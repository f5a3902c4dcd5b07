"""The schemas of crops, soils and sites."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from agbench.data.evidence import Evidence
from agbench.data.quantity import split_quantity
from agbench.data.reading import Strict
from agbench.data.retention import contradiction
from agbench.data.soil_profile import SoilProfile
from agbench.data.table import Number as Number
from agbench.data.table import Table as Table


def _check_quantities(values: dict[str, Any]) -> dict[str, Any]:
    for name, value in values.items():
        try:
            split_quantity(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return values


Quantities = Annotated[dict[str, float | int | bool | str], AfterValidator(_check_quantities)]
"""Scalars by name; `LUE: 2.73 g MJ-1`, or a plain number where it has no unit."""


class Crop(Strict):
    """A crop: the parameters of one variety for one or more models.

    `crop_type` is its way of life: `annual`, `perennial` or `grape`.
    """

    crop: str
    summary: str
    source: str
    crop_type: Literal["annual", "perennial", "grape"] = "annual"
    models: list[str] = Field(min_length=1)
    parameters: Quantities
    tables: dict[str, Table] = {}
    published: dict[str, Table] = {}
    """Tables as the original has them, where ours repair it."""
    calibration: Evidence | None = None
    """What the parameters rest on, where `agbench calibrate` fitted them."""

    @property
    def values(self) -> dict[str, Any]:
        """All parameters as plain numbers and flat tables, under the model's own names."""
        return plain(self.parameters) | {name: t.flat for name, t in self.tables.items()}

    @property
    def published_values(self) -> dict[str, Any]:
        """As `values`, with the original's tables in place of repaired ones."""
        return self.values | {name: t.flat for name, t in self.published.items()}


class Soil(Strict):
    """A soil: hydraulic and nutrient parameters under the model's own names.

    A soil with a `profile` is for layered water: its moisture limits are those of the layers.
    One that cannot hold water as it says is refused; see `agbench.data.retention`.
    """

    soil: str
    summary: str
    source: str
    parameters: Quantities
    tables: dict[str, Table] = {}
    profile: SoilProfile | None = None

    @property
    def values(self) -> dict[str, Any]:
        """All parameters as plain numbers and flat tables, under the model's own names."""
        result = plain(self.parameters) | {name: t.flat for name, t in self.tables.items()}
        return result | ({"SoilProfileDescription": self.profile.description} if self.profile else {})

    @model_validator(mode="after")
    def _rootable(self) -> "Soil":
        rootable = plain(self.parameters).get("RDMSOL", 0.0)
        if self.profile is not None and rootable > self.profile.depth:
            depth = self.profile.depth
            raise ValueError(f"RDMSOL is {rootable:g} cm, but the profile ends at {depth:g} cm.")
        return self

    @model_validator(mode="after")
    def _holds_water(self) -> "Soil":
        wrong = contradiction(self.values)
        if wrong is not None:
            raise ValueError(wrong)
        return self


def plain(quantities: Mapping[str, Any]) -> dict[str, float | bool]:
    """Return quantities without their units; switches stay booleans."""
    return {
        name: value if isinstance(value, bool) else split_quantity(value)[0]
        for name, value in quantities.items()
    }
