"""The schemas of crops, soils and sites."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from agbench.data.evidence import Evidence
from agbench.data.quantity import split_quantity
from agbench.data.reading import Strict
from agbench.data.retention import contradiction
from agbench.data.soil_profile import SoilProfile
from agbench.data.table import GivenTable
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


_LARGEST = 1e300  # beyond any parameter, and within a float


class Crop(Strict):
    """A crop: the parameters of one variety for one or more models, each of which checks its own.

    `crop_type` is its way of life: `annual`, `perennial` or `grape`.
    """

    crop: str
    summary: str
    source: str
    crop_type: Literal["annual", "perennial", "grape"] = "annual"
    models: list[str] = Field(min_length=1)
    parameters: dict[str, Any]
    tables: dict[str, GivenTable] = {}
    published: dict[str, GivenTable] = {}
    """Tables as the original has them, where ours repair it."""
    published_parameters: Quantities = {}
    """Likewise, of its parameters."""
    calibration: Evidence | None = None
    """What the parameters rest on, where `agbench calibrate` fitted them."""

    @model_validator(mode="after")
    def _named_once(self) -> "Crop":
        _check_named_once(self.parameters, self.tables)
        return self

    @property
    def values(self) -> dict[str, Any]:
        """All parameters as plain numbers and flat tables, under the model's own names."""
        return plain(self.parameters) | {name: t.flat for name, t in self.tables.items()}

    @property
    def published_values(self) -> dict[str, Any]:
        """As `values`, with the original's tables in place of repaired ones."""
        tables = {name: t.flat for name, t in self.published.items()}
        return self.values | tables | plain(self.published_parameters)


class Soil(Strict):
    """A soil: hydraulic and nutrient parameters under the model's own names.

    A soil with a `profile` is for layered water: its moisture limits are those of the layers.
    One that cannot hold water as it says is refused; see `agbench.data.retention`.
    """

    soil: str
    summary: str
    source: str
    parameters: dict[str, Any]
    tables: dict[str, GivenTable] = {}
    profile: SoilProfile | None = None

    @property
    def values(self) -> dict[str, Any]:
        """All parameters as plain numbers and flat tables, under the model's own names."""
        result = plain(self.parameters) | {name: t.flat for name, t in self.tables.items()}
        return result | ({"SoilProfileDescription": self.profile.description} if self.profile else {})

    @property
    def _numbers(self) -> dict[str, float]:
        """The parameters that are numbers; what is none is for the models to refuse."""
        return {
            name: value
            for name, value in plain(self.parameters).items()
            if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _LARGEST
        }

    @model_validator(mode="after")
    def _named_once(self) -> "Soil":
        _check_named_once(self.parameters, self.tables)
        return self

    @model_validator(mode="after")
    def _rootable(self) -> "Soil":
        rootable = self._numbers.get("RDMSOL", 0.0)
        if self.profile is not None and rootable > self.profile.depth:
            depth = self.profile.depth
            raise ValueError(f"RDMSOL is {rootable:g} cm, but the profile ends at {depth:g} cm.")
        return self

    @model_validator(mode="after")
    def _holds_water(self) -> "Soil":
        wrong = contradiction(self._numbers)
        if wrong is not None:
            raise ValueError(wrong)
        return self


def _check_named_once(parameters: Mapping[str, Any], tables: Mapping[str, Any]) -> None:
    """Refuse a name that stands twice: one of the two values would be passed over in silence."""
    twice = sorted(parameters.keys() & tables.keys())
    if twice:
        raise ValueError(
            f"{', '.join(twice)} {'stands' if len(twice) == 1 else 'stand'} in parameters and in tables; "
            "keep one of the two."
        )


def plain(quantities: Mapping[str, Any]) -> dict[str, Any]:
    """Return quantities without their units; what is no text of a quantity stays as it is."""
    return {name: number_and_unit(value)[0] for name, value in quantities.items()}


def number_and_unit(value: Any) -> tuple[Any, str]:
    """Return a quantity's number and unit; what is no text of a quantity is returned with the unit `-`."""
    try:
        return split_quantity(value) if isinstance(value, str) else (value, "-")
    except ValueError:
        return value, "-"
