"""Random blind calendars of fields: what a farmer could plan who never looks.

Menus of doses: sparse dates, one input after another in turn, everything early, and anything at any density.
"""

from collections.abc import Callable
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from agbench.data.field_task import FieldTask
from agbench.envs.actions import Menu, menu_sizes
from agbench.envs.core import Parts
from agbench.policies.tuning.blind import Actions, log_uniform, of_any_space

_YEAR: Final = 365  # d
_ALL: Final = 0.5  # the chance that all inputs are given
_TAKEN: Final = 0.7  # the chance of each input, where not all are
_WHOLE: Final = 0.5  # the chance of the season's first day, and of its last one
_FORMS: Final = (0.4, 0.2, 0.2, 0.2)  # of inputs in turn, dates, anything, everything early
_WITHIN: Final = 0.8  # the chance that a calendar keeps to the task's limits of inputs
_ALIKE: Final = 0.5  # the chance that all fields of a farm have one calendar
_EACH: Final = 0.5  # the chance that inputs in turn are given at every decision
_WORKED: Final = 0.9  # the chance of each yearly work, such as a harvest
_ROTATED: Final = 0.5  # the chance that years of a rotation are alike


def calendars(parts: Parts, count: int, steps: int, generator: np.random.Generator) -> Actions:
    """Return action sequences (count, steps, ...) of a field's action space, or of a farm's."""
    task, of_a_field = cast("FieldTask", parts.task), getattr(parts.actions, "of_a_field", None)
    if isinstance(parts.actions, Menu):
        drawn = _Doses(task, parts.actions, steps)
        return np.array([drawn.draw(generator) for _ in range(count)])
    if isinstance(of_a_field, Menu):
        drawn, fields = _Doses(task, of_a_field, steps), len(menu_sizes(parts.actions.space))
        return np.array([_of_fields(drawn.draw, fields, generator) for _ in range(count)])
    return of_any_space(parts, count, steps, generator)


def _of_fields(
    draw: Callable[[np.random.Generator], Actions], fields: int, generator: np.random.Generator
) -> Actions:
    """Return a calendar of a farm, (steps, fields): the same for all fields, or one for each."""
    if generator.random() < _ALIKE:
        return np.repeat(draw(generator)[:, None], fields, axis=1)
    return np.stack([draw(generator) for _ in range(fields)], axis=1)


class _Doses:
    """Calendars of a menu: one dose a decision, in as many decisions as an episode has."""

    def __init__(self, task: FieldTask, menu: Menu, steps: int) -> None:
        limits, work = task.reward.limits, set(task.season.work)
        self._steps = steps
        self._rotates = bool(task.season.rotation)
        self._period = min(steps, _YEAR // task.season.step_days)
        doses = {name: menu.doses(name)[1:] for name in menu.names}
        codes = {name: [menu.encode(name, amount)[0] for amount in doses[name]] for name in menu.names}
        self._work = {name: codes[name] for name in menu.names if name in work or doses[name] == [1.0]}
        self._sows = "PLANT" in self._work
        inputs = [name for name in menu.names if name not in self._work]
        self._codes = [np.array(codes[name]) for name in inputs]
        self._amounts = [np.array(doses[name]) for name in inputs]
        self._limits = [float(limits.get(name, np.inf)) for name in inputs]

    def draw(self, generator: np.random.Generator) -> Actions:
        """Return a calendar, (steps,); years of a perennial are alike."""
        if self._rotates and generator.random() >= _ROTATED:
            result = self._inputs(self._steps, generator)
        else:
            year = self._inputs(self._period, generator)
            if not self._sows:
                self._yearly(year, generator)
            result = np.resize(year, self._steps)
        if self._sows:
            self._sow(result, generator)
        return result

    def _inputs(self, steps: int, generator: np.random.Generator) -> Actions:
        """Return doses of some of the inputs in a part of the season, in one of four forms."""
        result = np.zeros(steps, dtype=np.int64)
        chance = 1.0 if generator.random() < _ALL else _TAKEN
        taken = np.flatnonzero(generator.random(len(self._codes)) < chance)
        if len(taken) == 0:
            return result
        first = 0 if generator.random() < _WHOLE else int(generator.integers(0, max(1, 3 * steps // 5)))
        last = steps if generator.random() < _WHOLE else int(generator.integers(first + 1, steps + 1))
        generator.shuffle(taken)
        forms = (self._in_turn, self._on_dates, self._anything, self._early)
        given = forms[int(generator.choice(len(forms), p=_FORMS))](taken, last - first, generator)
        if generator.random() < _WITHIN:
            self._limit(given)
        result[first:last] = given
        return result

    def _in_turn(self, taken: NDArray[np.intp], steps: int, generator: np.random.Generator) -> Actions:
        """Give the inputs one after another, over and over, every so many decisions."""
        cycle = np.array([self._dose(j, generator) for j in taken])
        each = generator.random() < _EACH
        every = 1 if each else log_uniform(1, max(1, steps // 6), generator)
        result = np.zeros(steps, dtype=np.int64)
        result[::every] = np.resize(cycle, len(result[::every]))
        return result

    def _on_dates(self, taken: NDArray[np.intp], steps: int, generator: np.random.Generator) -> Actions:
        """Give each input its dose on a number of dates of its own."""
        result = np.zeros(steps, dtype=np.int64)
        for j in taken:
            dates = generator.integers(steps, size=log_uniform(1, max(1, steps // 4), generator))
            result[dates] = self._dose(j, generator)
        return result

    def _anything(self, taken: NDArray[np.intp], steps: int, generator: np.random.Generator) -> Actions:
        """Give any dose of any input at any decision, by some chance."""
        codes = np.concatenate([self._codes[j] for j in taken])
        acting = generator.random(steps) < 1.0 / log_uniform(1, steps, generator)
        drawn: Actions = np.where(acting, generator.choice(codes, steps), 0)
        return drawn

    def _early(self, taken: NDArray[np.intp], steps: int, generator: np.random.Generator) -> Actions:
        """Give a number of doses of each input at once, one input after another."""
        parts = [
            np.full(log_uniform(1, max(1, steps // 2), generator), self._dose(j, generator)) for j in taken
        ]
        given = np.concatenate(parts)[:steps]
        result: Actions = np.concatenate([given, np.zeros(steps - len(given), dtype=np.int64)])
        return result

    def _dose(self, j: int, generator: np.random.Generator) -> int:
        return int(generator.choice(self._codes[j]))

    def _limit(self, given: Actions) -> None:
        """Leave out what exceeds the limits that the task sets on inputs."""
        for codes, amounts, most in zip(self._codes, self._amounts, self._limits, strict=True):
            if np.isfinite(most):
                of_code = np.zeros(max(int(codes.max()), int(given.max())) + 1)
                of_code[codes] = amounts
                given[(np.cumsum(of_code[given]) > most) & (of_code[given] > 0.0)] = 0

    def _yearly(self, year: Actions, generator: np.random.Generator) -> None:
        """Do each work of a year, such as a harvest, on one date."""
        for codes in self._work.values():
            if generator.random() < _WORKED:
                year[int(generator.integers(len(year)))] = int(generator.choice(codes))

    def _sow(self, sequence: Actions, generator: np.random.Generator) -> None:
        """Sow and harvest: once, or in a rotation over and over."""
        sowing, harvest = self._work["PLANT"], self._work.get("HARVEST", [0])[0]
        day, longest = 0, max(2, self._period)
        while True:
            day += int(generator.integers(0, max(1, 3 * longest // 5)))
            end = day + int(generator.integers(1, longest))
            if day >= self._steps:
                return
            sequence[day] = int(generator.choice(sowing))
            if end < self._steps:
                sequence[end] = harvest
            day = end + 1
            if not self._rotates:
                return
