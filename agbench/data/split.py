"""The schema of a split of a field task: measured or generated seasons, perhaps with a change of climate."""

import re
from typing import Any, Final

from pydantic import Field, field_validator, model_validator

from agbench.data.quantity import split_quantity
from agbench.data.reading import Strict

FIRST_ENDLESS: Final = 1_000_000
"""The number of the first generated season that no split lists: those that endless splits draw."""

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
    """A set of scenarios, one of three kinds, or several such sets as its `parts`.

    `years`: measured, as a list or as `odd 1977-1999`, less `leaving_out`. `generated`: seasons
    of the site's climate, from the first to the last number. `hidden`: how many seasons that
    follow from the organisers' secret.

    They are seasons at the `site`, or at each of the `sites` (hidden ones at one after the other), under one
    `change` or none. With `endless`, episodes that draw one of the generated seasons get any other of that
    place instead, numbered from `FIRST_ENDLESS` on; what runs through the split, as an evaluation does, runs
    the listed ones.
    """

    years: list[int] | str | None = None
    leaving_out: list[int] = []
    generated: tuple[int, int] | None = None
    endless: bool = False
    hidden: int | None = Field(default=None, ge=1)
    site: str | None = None
    sites: list[str] = []
    change: Change | None = None
    parts: list["SplitSpec"] = []

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
        if self.parts:
            self._check_parts()
        elif sum(kind is not None for kind in (self.years, self.generated, self.hidden)) != 1:
            raise ValueError("a split needs exactly one of 'years', 'generated' and 'hidden', or 'parts'.")
        if self.generated is not None and not 0 <= self.generated[0] <= self.generated[1] < FIRST_ENDLESS:
            raise ValueError(
                f"generated: {list(self.generated)} is not a range such as [0, 999], below {FIRST_ENDLESS}."
            )
        if self.endless and self.generated is None:
            raise ValueError("endless: only generated seasons are without end; write 'generated' too.")
        if self.sites and self.site is not None:
            raise ValueError("a split has a 'site' or 'sites', not both.")
        if len(set(self.sites)) < len(self.sites):
            raise ValueError(f"sites: {', '.join(self.sites)} names one of them twice.")
        return self

    def _check_parts(self) -> None:
        """Refuse parts of parts, and keys beside the parts, which would be those of no part."""
        fields = type(self).model_fields
        beside = [name for name in fields if name != "parts" and getattr(self, name) != fields[name].default]
        if beside:
            raise ValueError(f"a split of 'parts' has no {beside[0]!r}: give it to the parts.")
        if any(part.parts for part in self.parts):
            raise ValueError("parts: a part has no parts of its own; list them all in the split.")

    @property
    def all_years(self) -> list[int]:
        """The measured years of the split, ascending; those of a split of parts are its parts'."""
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

    def places(self, home: str) -> list[str]:
        """Return the sites of the split, which is at `home` where it names none."""
        if self.parts:
            return list(dict.fromkeys(site for part in self.parts for site in part.places(home)))
        return self.sites or [self.site or home]

    def keys(self, home: str) -> list[str]:
        """Return the keys of the scenarios, such as `wageningen/1984` or `wageningen/generated/17`.

        They come place by place, part by part; a scenario of two parts comes once. `home` is as in `places`.
        """
        if self.parts:
            return list(dict.fromkeys(key for part in self.parts for key in part.keys(home)))
        places = self.places(home)
        if self.generated is not None:
            first, last = self.generated
            numbers = [i for i in range(first, last + 1) if i not in self.leaving_out]
            keys = [f"{site}/generated/{i}" for site in places for i in numbers]
        elif self.hidden is not None:
            keys = [f"{places[i % len(places)]}/hidden/{i}" for i in range(self.hidden)]
        else:
            keys = [f"{site}/{year}" for site in places for year in self.all_years]
        changed = self.change.key if self.change else ""
        return [f"{key}/{changed}" for key in keys] if changed else keys

    def endless_keys(self, home: str) -> list[str]:
        """Return the keys that stand for any number of their place; `home` is as in `places`."""
        if self.parts:
            return [key for part in self.parts for key in part.endless_keys(home)]
        return self.keys(home) if self.endless else []

    def measured(self, home: str) -> set[tuple[str, int]]:
        """Return site and first year of each measured season; `home` is as in `places`."""
        if self.parts:
            return {season for part in self.parts for season in part.measured(home)}
        return {(site, year) for site in self.places(home) for year in self.all_years}

    def identity(self) -> dict[str, Any]:
        """Return the content; an option that is left at its default is as good as not there."""
        content = self.model_dump(mode="json")
        for key in ("endless", "sites", "parts"):
            if getattr(self, key) == type(self).model_fields[key].default:
                del content[key]
        if self.parts:
            content["parts"] = [part.identity() for part in self.parts]
        return content
