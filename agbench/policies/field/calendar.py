"""The blind calendar: what is done on which day, whatever the field looks like."""

from datetime import date
from typing import Any

from pydantic import Field

from agbench.data.field import Number
from agbench.data.field_task import FieldTask, MonthDay, SeasonSpec
from agbench.data.reading import Strict
from agbench.envs.actions import place
from agbench.policies.base import Information, Interface, policy
from agbench.policies.tuning.sequences import SequenceSearch

_SMALLEST = 1e-9  # of an input; what is less is rounding


class CalendarEntry(Strict):
    """An `amount` of an `input` on a date of a calendar year, 1 being the one in which the episode starts."""

    year: int = Field(default=1, ge=1)
    date: MonthDay
    input: str
    amount: Number = Field(gt=0)


class CalendarSearch(SequenceSearch):
    """The budget of a fit: random `calendars`, then `generations` on amounts, then `rounds` of edits."""

    calendars: int = Field(default=1000, ge=0)
    generations: int = Field(default=20, ge=0)


class CalendarSettings(Strict):
    """The entries, and the budget of the search that fits them on training scenarios.

    `agbench fit` plays `scenarios` of the training split, evenly spread, or all if there are fewer; random
    calendars and amounts are tried on `coarse` of them.
    """

    plan: list[CalendarEntry] = Field(default=[])
    search: CalendarSearch = CalendarSearch()
    scenarios: int = Field(default=100, ge=1)
    coarse: int = Field(default=25, ge=1)


@policy(
    "calendar",
    settings=CalendarSettings,
    families=["field"],
    fit="agbench.policies.field.calendar_tuning:fit_calendar",
)
class Calendar:
    """Does what its entries say at the first decision on or after their dates, one a decision."""

    information: Information = "observation"

    def __init__(self, name: str, settings: CalendarSettings, interface: Interface[FieldTask]) -> None:
        self.name = name
        self._actions = interface.actions
        season = interface.task.season
        for entry in settings.plan:
            place(interface.actions, entry.input)
        self.entries = settings.plan
        """The entries, as they are written."""
        due = [(_day(season, entry), entry.input, float(entry.amount)) for entry in settings.plan]
        self._due = sorted(due, key=lambda item: item[0])
        self._first, self._step_days = season.warmup_days, season.step_days
        self._nothing = interface.actions.actions_of(interface.actions.lowest[None])[0]
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Go back to the first decision."""
        self._day, self._done = self._first, 0

    def __call__(self, observation: Any) -> Any:
        """Return the action of the next entry that is due."""
        due = self.due()
        return self._nothing if due is None else self._actions.encode(due[0], due[1] + _SMALLEST)[0]

    def due(self) -> tuple[str, float] | None:
        """Go on to the next decision; return the input and the amount that are due at this one, if any."""
        today = self._day
        self._day += self._step_days
        if self._done == len(self._due) or self._due[self._done][0] > today:
            return None
        _, input, amount = self._due[self._done]
        self._done += 1
        return input, amount

    def put_back(self) -> None:
        """Leave what `due` returned last due at the next decision."""
        self._done -= 1


def _day(season: SeasonSpec, entry: CalendarEntry) -> int:
    """Return the day of an entry, in days since the start, in years of 365 days."""
    start, day = (date.fromisoformat(f"2001-{text}") for text in (season.start, entry.date))
    return (day - start).days + 365 * (entry.year - 1)
