"""Numbers and piecewise linear tables, in crop and soil files."""

from typing import Annotated, Any

from pydantic import Field, field_validator

from agbench.data.reading import Strict

Number = Annotated[float, Field(strict=False)]


class Table(Strict):
    """A piecewise linear table: unit of its values, what it is a function of, its points."""

    unit: str
    of: str
    points: list[tuple[Number, Number]] = Field(min_length=2)

    @property
    def flat(self) -> list[float]:
        """The points as x0, y0, x1, y1, ..."""
        return [number for point in self.points for number in point]

    @field_validator("points", mode="before")
    @classmethod
    def _pairs(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [tuple(p) if isinstance(p, list) else p for p in value]
