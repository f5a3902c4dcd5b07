"""Numbers and piecewise linear tables, in crop and soil files."""

from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from agbench.data.reading import Strict

Number = Annotated[float, Field(allow_inf_nan=False)]
"""A finite number; text and true or false are none."""


def _pairs(value: Any) -> Any:
    """Return YAML's lists of two as pairs; raises `ValueError` for another form."""
    listed = isinstance(value, list) and all(isinstance(p, (list, tuple)) for p in value)
    if not listed or any(len(p) != 2 for p in value):
        raise ValueError("must be a list of pairs [x, y].")
    if len(value) < 2:
        raise ValueError("must be at least two pairs [x, y].")
    return [tuple(p) for p in value]


def _flat(points: list[tuple[Any, Any]]) -> list[Any]:
    return [number for point in points for number in point]


class Curve(Strict):
    """One curve of a family of tables: the value `at` which it holds, and its points."""

    at: Number
    points: list[tuple[Any, Any]]

    @field_validator("points", mode="before")
    @classmethod
    def _as_pairs(cls, value: Any) -> Any:
        return _pairs(value)


class GivenTable(Strict):
    """A piecewise linear table whose numbers are not checked here, but by the model that reads it.

    A table that is also a function of `by`, such as AGE, has `curves` in the place of points: one for
    each of some values of it, between which one interpolates.
    """

    unit: str
    of: str
    points: list[tuple[Any, Any]] = []
    by: str = ""
    curves: list[Curve] = []

    @property
    def flat(self) -> list[Any]:
        """The points as x0, y0, x1, y1, ...; a family as a0, [x0, y0, ...], a1, [...], ..."""
        if not self.by:
            return _flat(self.points)
        return [entry for curve in self.curves for entry in (curve.at, _flat(curve.points))]

    @field_validator("points", mode="before")
    @classmethod
    def _as_pairs(cls, value: Any) -> Any:
        return _pairs(value)

    @model_validator(mode="after")
    def _points_or_curves(self) -> "GivenTable":
        if self.by and (self.points or not self.curves):
            raise ValueError(f"a table by {self.by} has curves, each at a value of {self.by}, and no points.")
        if not self.by and (self.curves or not self.points):
            raise ValueError("a table has points; curves need `by`, what else it is a function of.")
        return self


class Table(GivenTable):
    """A piecewise linear table: unit of its values, what it is a function of, its points."""

    points: list[tuple[Number, Number]] = []
