"""The blind calendar: what is done on which day, whatever the field looks like."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from agbench.data.field import Number
from agbench.data.field_task import FieldTask, MonthDay, SeasonSpec
from agbench.data.reading import Strict
from agbench.envs.actions import Menu, place
from agbench.envs.core import BatchCore, Parts
from agbench.envs.family import build
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, policy
from agbench.policies.playing import gain
from agbench.policies.registry import interface_of
from agbench.policies.tuning.search import number_of_decisions
from agbench.policies.tuning.sequences import Edits, SequenceSearch, improve, simplified
from agbench.variables import Floats

_SMALLEST = 1e-9  # of an input; what is less is rounding


class CalendarEntry(Strict):
    """An `amount` of an `input` on a date of a calendar year, 1 being the one in which the episode starts."""

    year: int = Field(default=1, ge=1)
    date: MonthDay
    input: str
    amount: Number = Field(gt=0)


class CalendarSettings(Strict):
    """The entries, and the budget of the search that fits them on training scenarios.

    `agbench fit` plays the first `scenarios` of the training split, or all.
    """

    plan: list[CalendarEntry]
    search: SequenceSearch = SequenceSearch()
    scenarios: int | None = Field(default=None, ge=1)


@policy(
    "calendar",
    settings=CalendarSettings,
    families=["field"],
    fit="agbench.policies.field.calendar:fit_calendar",
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
        today = self._day
        self._day += self._step_days
        if self._done == len(self._due) or self._due[self._done][0] > today:
            return self._nothing
        _, input, amount = self._due[self._done]
        self._done += 1
        return self._actions.encode(input, amount + _SMALLEST)[0]


def _day(season: SeasonSpec, entry: CalendarEntry) -> int:
    """Return the day of an entry, in days since the start, in years of 365 days."""
    start, day = (date.fromisoformat(f"2001-{text}") for text in (season.start, entry.date))
    return (day - start).days + 365 * (entry.year - 1)


def fit_calendar(task: FieldTask, settings: CalendarSettings) -> tuple[CalendarSettings, float]:
    """Return the calendar with the best mean return found over the training scenarios, and that mean.

    The search edits the settings' own plan; see `agbench.policies.tuning.sequences`.
    """
    parts = build(task, task.protocol.training_splits[0])
    if not isinstance(parts.actions, Menu):
        raise ConfigError(f"{task.task}: a calendar is fitted to a menu, not to amounts.")
    search, keys = settings.search, parts.scenarios.keys[: settings.scenarios]
    core = BatchCore(parts, search.clones * len(keys))
    steps = number_of_decisions(parts)
    own = Calendar("candidate", settings, interface_of(task))
    start = np.array([own(None) for _ in range(steps)], dtype=np.int64)

    def value(candidates: NDArray[Any]) -> Floats:
        return _means(core, parts, keys, candidates)

    generator = np.random.default_rng(search.seed)
    best, values = improve(
        value, Edits(parts), start[None], (0, steps), search.clones, search.rounds, generator
    )
    one = BatchCore(parts, len(keys))
    plain = simplified(lambda candidates: _means(one, parts, keys, candidates), best[0], 0)
    plan = _entries(task.season, parts.actions, plain.tolist())
    return settings.model_copy(update={"plan": plan}), float(values[0])


def _means(core: BatchCore, parts: Parts, keys: Sequence[str], candidates: NDArray[Any]) -> Floats:
    """Return the mean return of each sequence over scenarios, (n,)."""
    most = core.n // len(keys)
    padded = np.resize(candidates, (most, *candidates.shape[1:]))
    for row in range(core.n):
        core.seed(row, parts.task.protocol.seed)
    core.reset(range(core.n), list(keys) * most)
    rows = np.repeat(padded, len(keys), axis=0)
    returns = gain(core, lambda _, number: rows[:, min(number, rows.shape[1] - 1)])
    means: Floats = returns.reshape(most, len(keys)).mean(axis=1)
    return means[: len(candidates)]


def _entries(season: SeasonSpec, actions: Menu, codes: Sequence[int]) -> list[CalendarEntry]:
    """Return the entries of a sequence of menu numbers."""
    start = date.fromisoformat(f"2001-{season.start}")
    entries = []
    for number, code in enumerate(codes):
        year, rest = divmod(season.warmup_days + number * season.step_days, 365)
        on = date.fromordinal(start.toordinal() + rest)
        ahead = on.year - start.year  # the rest of a year's span lies in the calendar year after its start
        for name, amount in actions.amounts(code).items():
            when = {"year": year + 1 + ahead, "date": on.strftime("%m-%d")}
            entries.append(CalendarEntry.model_validate({**when, "input": name, "amount": amount}))
    return entries
