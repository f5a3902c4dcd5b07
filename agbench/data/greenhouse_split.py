"""The schema of a split of a greenhouse task: measured days, generated or hidden seasons."""

from datetime import date, timedelta
from functools import cache
from typing import Annotated, Final

from pydantic import AfterValidator, Field, field_validator, model_validator

from agbench.data.field import Number
from agbench.data.field_task import MonthDay
from agbench.data.reading import Strict
from agbench.data.split import FIRST_ENDLESS
from agbench.data.split import SplitSpec as Years

_PLAIN_YEAR: Final = 2001  # without a 29 February
_GOLDEN: Final = 0.6180339887498949


def _date(value: str) -> str:
    try:
        date.fromisoformat(value)
    except ValueError:
        raise ValueError(f"{value!r} is not a date such as '2009-12-01'.") from None
    return value


@cache
def _days_between(start: str, until: str) -> tuple[str, ...]:
    """Return each day of a plain year from one to another, both included, over the new year if need be."""
    first, last = (date.fromisoformat(f"{_PLAIN_YEAR}-{day}") for day in (start, until))
    return tuple(f"{first + timedelta(days=i):%m-%d}" for i in range((last - first).days % 365 + 1))


class GreenhouseSplit(Strict):
    """A set of scenarios at a site, one of four kinds; `levels` of uncertainty of each.

    `starts`: measured days on which an episode begins. `years`: measured years. `generated`: seasons of the
    site's climate, from the first to the last number, less `leaving_out`. `hidden`: how many seasons that
    follow from the organisers' secret. All but `starts` begin on `start`, by default the task's; with
    `until` on days spread evenly from `start` to `until`, over the new year where `until` comes first.
    """

    years: list[int] | str | None = None
    leaving_out: list[int] = []
    generated: tuple[int, int] | None = None
    hidden: int | None = Field(default=None, ge=1)
    start: MonthDay | None = None
    until: MonthDay | None = None
    starts: list[Annotated[str, AfterValidator(_date)]] = []
    site: str | None = None
    levels: list[Annotated[Number, Field(ge=0, lt=1)]] = []

    @field_validator("generated", mode="before")
    @classmethod
    def _range(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _one_of(self) -> "GreenhouseSplit":
        if (
            sum([self.years is not None, bool(self.starts), self.generated is not None, bool(self.hidden)])
            != 1
        ):
            raise ValueError("a split needs exactly one of 'years', 'starts', 'generated' and 'hidden'.")
        if self.generated is not None and not 0 <= self.generated[0] <= self.generated[1] < FIRST_ENDLESS:
            raise ValueError(
                f"generated: {list(self.generated)} is not a range such as [0, 999], below {FIRST_ENDLESS}."
            )
        if self.until is not None and self.starts:
            raise ValueError("until: 'starts' are days already; leave 'until' out.")
        return self

    def first_days(self, usual: str) -> list[str]:
        """Return how the keys of its episodes end: `2010-03-01`, or `generated/17/03-01`.

        `usual` is the task's start of an episode.
        """
        if self.starts:
            return list(self.starts)
        if self.years is not None:
            years = Years(years=self.years, leaving_out=self.leaving_out).all_years
            return [f"{year}-{self._start_of(year, usual)}" for year in years]
        kind, first, last = "hidden", 0, (self.hidden or 1) - 1
        if self.generated is not None:
            kind, first, last = "generated", *self.generated
        left_out = set(self.leaving_out)
        numbers = [i for i in range(first, last + 1) if i not in left_out]
        return [f"{kind}/{i}/{self._start_of(i, usual)}" for i in numbers]

    def _start_of(self, number: int, usual: str) -> str:
        """Return month and day on which the episode of a year or season begins.

        Numbers one after the other lie far apart in the range: the fractions of their multiples of the golden
        ratio fill it evenly, however many they are (Weyl's sequence).
        """
        start = self.start or usual
        if self.until is None:
            return start
        days = _days_between(start, self.until)
        return days[int(number * _GOLDEN % 1.0 * len(days))]
