"""The schema of a split of a field task: measured or generated seasons, perhaps with a change of climate."""

import re

from pydantic import Field, field_validator, model_validator

from agbench.data.quantity import split_quantity
from agbench.data.reading import Strict

_YEAR_RANGE = re.compile(r"^(odd|even|all) (\d{4})-(\d{4})$")


class Change(Strict):
    """A stated change of climate: `temperature: 2 degC` is added, `rain: -20 %` multiplies."""

    temperature: str | None = None
    rain: str | None = None

    @field_validator("temperature", "rain")
    @classmethod
    def _readable(cls, value: str | None, info: object) -> str | None:
        name = getattr(info, "field_name", "")
        unit, limit = {"temperature": ("degC", 10.0), "rain": ("%", 100.0)}[name]
        if value is not None:
            number, result = split_quantity(value)
            if result != unit or abs(number) > limit:
                example = "2 degC" if name == "temperature" else "-20 %"
                raise ValueError(f"{value!r} is not a change such as '{example}' (at most {limit:g} {unit}).")
        return value

    @property
    def degrees(self) -> float:
        """What is added to all temperatures [K]."""
        return split_quantity(self.temperature)[0] if self.temperature else 0.0

    @property
    def percent(self) -> float:
        """What is added to the rain of each day [%]."""
        return split_quantity(self.rain)[0] if self.rain else 0.0

    @property
    def key(self) -> str:
        """The change as the last part of a scenario's key: `temperature+2,rain-20`."""
        parts = {"temperature": self.degrees, "rain": self.percent}
        return ",".join(f"{name}{value:+g}" for name, value in parts.items() if value)


class SplitSpec(Strict):
    """A set of scenarios at a site, one of three kinds, all of them under one `change` or none.

    `years`: measured, as a list or as `odd 1977-1999`, less `leaving_out`. `generated`: seasons
    of the site's climate, from the first to the last number. `hidden`: how many seasons that
    follow from the organisers' secret.
    """

    years: list[int] | str | None = None
    leaving_out: list[int] = []
    generated: tuple[int, int] | None = None
    hidden: int | None = Field(default=None, ge=1)
    site: str | None = None
    change: Change | None = None

    @field_validator("years")
    @classmethod
    def _readable(cls, value: list[int] | str | None) -> list[int] | str | None:
        if isinstance(value, str) and not _YEAR_RANGE.match(value):
            raise ValueError(f"{value!r} is not a list of years or text such as 'odd 1977-1999'.")
        return value

    @field_validator("generated", mode="before")
    @classmethod
    def _range(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _one_kind(self) -> "SplitSpec":
        if sum(kind is not None for kind in (self.years, self.generated, self.hidden)) != 1:
            raise ValueError("a split needs exactly one of 'years', 'generated' and 'hidden'.")
        if self.generated is not None and not 0 <= self.generated[0] <= self.generated[1]:
            raise ValueError(f"generated: {list(self.generated)} is not a range such as [0, 999].")
        return self

    @property
    def all_years(self) -> list[int]:
        """The measured years of the split, ascending."""
        if self.years is None:
            return []
        if isinstance(self.years, list):
            years = list(self.years)
        else:
            match = _YEAR_RANGE.match(self.years)
            assert match is not None
            years = list(range(int(match[2]), int(match[3]) + 1))
            if match[1] != "all":
                years = [y for y in years if y % 2 == (match[1] == "odd")]
        return [y for y in years if y not in self.leaving_out]

    def keys(self, site: str) -> list[str]:
        """Return the keys of the scenarios, such as `wageningen/1984` or `wageningen/generated/17`."""
        if self.generated is not None:
            first, last = self.generated
            keys = [f"{site}/generated/{i}" for i in range(first, last + 1) if i not in self.leaving_out]
        elif self.hidden is not None:
            keys = [f"{site}/hidden/{i}" for i in range(self.hidden)]
        else:
            keys = [f"{site}/{year}" for year in self.all_years]
        changed = self.change.key if self.change else ""
        return [f"{key}/{changed}" for key in keys] if changed else keys
