"""Random blind calendars of any action space: what somebody could plan who never looks.

Menus of doses: sparse dates, one input after another in turn, everything early, and anything at any density.
Amounts of every input at once: the same, in amounts. Where decisions are shorter than a day: what is repeated
every day at its hours.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.envs.actions import Menu, menu_sizes
from agbench.envs.core import Parts
from agbench.envs.family import family
from agbench.envs.greenhouse.actions import Controls

Actions = NDArray[Any]

_DAY: Final = 86_400  # s
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
_KNOTS: Final = 4  # of a day's profile, at most
_LOWEST: Final = 0.4  # the chance that a level is the lowest: equipment is mostly off


def calendars(parts: Parts, count: int, steps: int, generator: np.random.Generator) -> Actions:
    """Return action sequences (count, steps, ...) of a task's action space, drawn by a generator."""
    actions, own = parts.actions, family(parts.task)
    a_day = _DAY // (own.step_seconds * parts.task.step)
    of_a_field = getattr(actions, "of_a_field", None)
    if isinstance(actions, Menu):
        drawn = _Doses(parts, actions, steps)
        return np.array([drawn.draw(generator) for _ in range(count)])
    if isinstance(of_a_field, Menu):
        drawn, fields = _Doses(parts, of_a_field, steps), len(menu_sizes(actions.space))
        return np.array([_of_fields(drawn.draw, fields, generator) for _ in range(count)])
    if menu_sizes(actions.space):
        return _numbers(menu_sizes(actions.space), count, steps, a_day, generator)
    width = (actions.space.shape or (1,))[0]
    draw = _profile if a_day > 1 else _season
    shares = np.stack([_stacked(draw, width, steps, a_day, generator) for _ in range(count)])
    return _towards(actions, shares) if isinstance(actions, Controls) else _in_space(shares)


def _of_fields(
    draw: Callable[[np.random.Generator], Actions], fields: int, generator: np.random.Generator
) -> Actions:
    """Return a calendar of a farm, (steps, fields): the same for all fields, or one for each."""
    if generator.random() < _ALIKE:
        return np.repeat(draw(generator)[:, None], fields, axis=1)
    return np.stack([draw(generator) for _ in range(fields)], axis=1)


class _Doses:
    """Calendars of a menu: one dose a decision, in as many decisions as an episode has."""

    def __init__(self, parts: Parts, menu: Menu, steps: int) -> None:
        task: Any = parts.task
        season = getattr(task, "season", None)
        limits = getattr(task.reward, "limits", {})
        self._steps = steps
        self._rotates = bool(getattr(season, "rotation", None))
        self._period = min(steps, _YEAR * _DAY // (family(task).step_seconds * task.step))
        work = set(getattr(season, "work", ()))
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
        every = 1 if each else _log_uniform(1, max(1, steps // 6), generator)
        result = np.zeros(steps, dtype=np.int64)
        result[::every] = np.resize(cycle, len(result[::every]))
        return result

    def _on_dates(self, taken: NDArray[np.intp], steps: int, generator: np.random.Generator) -> Actions:
        """Give each input its dose on a number of dates of its own."""
        result = np.zeros(steps, dtype=np.int64)
        for j in taken:
            dates = generator.integers(steps, size=_log_uniform(1, max(1, steps // 4), generator))
            result[dates] = self._dose(j, generator)
        return result

    def _anything(self, taken: NDArray[np.intp], steps: int, generator: np.random.Generator) -> Actions:
        """Give any dose of any input at any decision, by some chance."""
        codes = np.concatenate([self._codes[j] for j in taken])
        acting = generator.random(steps) < 1.0 / _log_uniform(1, steps, generator)
        drawn: Actions = np.where(acting, generator.choice(codes, steps), 0)
        return drawn

    def _early(self, taken: NDArray[np.intp], steps: int, generator: np.random.Generator) -> Actions:
        """Give a number of doses of each input at once, one input after another."""
        parts = [
            np.full(_log_uniform(1, max(1, steps // 2), generator), self._dose(j, generator)) for j in taken
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


def _numbers(sizes: list[int], count: int, steps: int, a_day: int, generator: np.random.Generator) -> Actions:
    """Return numbers of menus that are no doses, (count, steps, ...): levels that change a few times."""
    draw = _profile if a_day > 1 else _season
    shares = np.stack([_stacked(draw, len(sizes), steps, a_day, generator) for _ in range(count)])
    numbers: Actions = np.minimum((shares * np.array(sizes)).astype(np.int64), np.array(sizes) - 1)
    return numbers[..., 0] if len(sizes) == 1 else numbers


def _stacked(
    draw: Callable[[int, int, np.random.Generator], NDArray[np.float32]],
    width: int,
    steps: int,
    a_day: int,
    generator: np.random.Generator,
) -> NDArray[np.float32]:
    """Return shares of the ranges of all components, (steps, width)."""
    return np.stack([draw(steps, a_day, generator) for _ in range(width)], axis=1)


def _profile(steps: int, a_day: int, generator: np.random.Generator) -> NDArray[np.float32]:
    """Return a share of a range, (steps,), repeated every day: up to four levels with hours between them."""
    knots = int(generator.integers(1, _KNOTS + 1))
    hours = np.sort(generator.integers(0, a_day, size=knots))
    levels = np.where(generator.random(knots) < _LOWEST, 0.0, generator.random(knots))
    day = levels[np.searchsorted(hours, np.arange(a_day), side="right") - 1]
    return np.resize(day, steps).astype(np.float32)


def _season(steps: int, a_day: int, generator: np.random.Generator) -> NDArray[np.float32]:
    """Return a share of a range, (steps,): one amount every so many decisions in a part of the season."""
    result = np.zeros(steps, dtype=np.float32)
    first = int(generator.integers(0, steps))
    last = int(generator.integers(first + 1, steps + 1))
    if generator.random() < _TAKEN:
        result[first : last : _log_uniform(1, max(1, steps // 4), generator)] = generator.random()
    return result


def _in_space(shares: NDArray[np.float32]) -> Actions:
    actions: Actions = np.clip(2.0 * shares - 1.0, -1.0, 1.0).astype(np.float32)
    return actions


def _towards(actions: Controls, shares: NDArray[np.float32]) -> Actions:
    """Return the actions (n, steps, controls) that bring controls to their shares; all are 0 at the start."""
    if actions.rate is None:
        return _in_space(shares)
    present = np.zeros((len(shares), len(actions.names)))
    result = np.empty_like(shares)
    for step in range(shares.shape[1]):
        result[:, step] = actions.actions_of(shares[:, step].astype(np.float64), present)
        present = actions.moved(result[:, step].astype(np.float64), present)
    return result


def _log_uniform(low: int, high: int, generator: np.random.Generator) -> int:
    """Return a whole number from `low` to `high`, small ones as often as large ones."""
    return int(np.exp(generator.uniform(np.log(low), np.log(high + 1))))
