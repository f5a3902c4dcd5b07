"""Fitting the blind calendar of a greenhouse on training scenarios.

A calendar begins as it is given, or as what the task's expert does on the average, at each hour around each
day of the year, whichever is better. A search in pieces of seasons then betters the hours of each day by
themselves, in the first days of seasons that begin near that day; two more scale and shift each name's whole
table, in the beginnings of seasons from all the year and then in whole ones, whose crop is older and whose
crops differ. What is best over whole seasons is the result.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.envs.core import BatchCore
from agbench.envs.greenhouse.scenarios import read_key
from agbench.envs.rollout import steps
from agbench.policies.base import Interface
from agbench.policies.greenhouse.candidates import DIGITS, Actor, judged, pieces_objective, training_parts
from agbench.policies.greenhouse.daily import Daily, DailySettings
from agbench.policies.greenhouse.tuning import setpoint_range
from agbench.policies.registry import interface_of
from agbench.policies.tuning.cross_entropy import Search, settle
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.variables import Floats

WINDOW: Final = 4
"""Days that a day's hours are tried for: longer than the air and the stored carbohydrates remember."""

PIECES: Final = 12
"""Training seasons, others in each round, that they are tried on."""

BEGINNING: Final = (24, 10)
WHOLE: Final = (8, 400)
"""Seasons of a round, and days of each at most, in which tables are scaled and shifted."""

_SPREAD: Final = 0.1  # of a range, in the first round: what experts do is not far off
_SCALES: Final = (0.5, 1.5)  # between which a name's table is scaled at the end
_SHIFT: Final = 0.15  # of a range, by which it is shifted at most
_DAY: Final = 86_400  # s
_YEAR: Final = 365.0  # d


def tune_daily(task: GreenhouseTask, settings: DailySettings, search: Search) -> tuple[DailySettings, float]:
    """Return the best calendar by the mean objective over training scenarios, and that mean.

    Tuned are the values that the settings name, at their hours and days; of settings without values, those of
    all controls or set points.
    """
    calendar = _Calendar(task, settings)
    found = [calendar.given()]
    if task.references.expert:
        found.append(calendar.averages())
    start, _ = calendar.best(found)
    found.append(np.stack([calendar.tuned(k, start[k], search) for k in range(len(settings.days))]))
    found.append(calendar.scaled(found[-1], search, BEGINNING))
    found.append(calendar.scaled(found[-1], search, WHOLE))
    table, mean = calendar.best(found)
    return calendar.settings_of(table), mean


class _Calendar:
    """Tables (days, hours, names) of what is tuned, and how they do in training."""

    def __init__(self, task: GreenhouseTask, settings: DailySettings) -> None:
        self._task, self._settings = task, settings
        self._interface: Interface[GreenhouseTask] = interface_of(task)
        lowest = dict(
            zip(self._interface.actions.names, self._interface.actions.lowest.tolist(), strict=True)
        )
        if task.action.kind == "temperature":
            lowest.pop("tSpNight")
        self._names = list(settings.values or lowest)
        self._lowest = [lowest[name] for name in self._names]
        self._places = [self._interface.actions.names.index(name) for name in self._names]
        setpoints = task.action.uses_setpoints
        ends = [setpoint_range(task, name) if setpoints else (0.0, 1.0) for name in self._names]
        self._low, self._high = np.array(ends).T

    @property
    def _shape(self) -> tuple[int, int, int]:
        return len(self._settings.days), len(self._settings.hours), len(self._names)

    def given(self) -> Floats:
        """Return the table of the settings; where they have no values, all is at its lowest."""
        values = self._settings.values
        if not values:
            return np.tile(self._lowest, (*self._shape[:2], 1))
        return np.stack([np.array(values[name]) for name in self._names], axis=2)

    def settings_of(self, table: Floats) -> DailySettings:
        """Return the settings that say what a table does."""
        values = {name: table[:, :, i].tolist() for i, name in enumerate(self._names)}
        return self._settings.model_copy(update={"values": values})

    def averages(self) -> Floats:
        """Return the table of what the task's expert does on the average."""
        table = np.stack([self._usual_hours(self._scenarios(k)[:PIECES]) for k in range(self._shape[0])])
        return np.clip(table, self._low, self._high)

    def tuned(self, day: int, start: Floats, search: Search) -> Floats:
        """Return the hours (hours, names) of one of the days to which a search from `start` settles."""
        objective = pieces_objective(self._task, self._actor([0.0]), self._scenarios(day), PIECES, WINDOW)
        low, high = np.tile(self._low, len(start)), np.tile(self._high, len(start))
        return settle(objective, start.ravel(), low, high, search, _SPREAD).reshape(start.shape)

    def scaled(self, table: Floats, search: Search, pieces: tuple[int, int]) -> Floats:
        """Return a table with each name's values scaled and shifted to the best effect.

        `pieces` are how many seasons a round plays, and the days of each.
        """
        many = len(self._names)
        act = self._actor(self._settings.days)

        def changed(chosen: Floats) -> Floats:
            scales, shifts = chosen[:, None, None, :many], chosen[:, None, None, many:]
            width = self._high - self._low
            rows: Floats = np.clip(
                self._low + scales * (table - self._low) + shifts * width, self._low, self._high
            )
            return rows

        start = np.repeat([1.0, 0.0], many)
        ranges = [_SCALES] * many + [(-_SHIFT, _SHIFT)] * many
        objective = pieces_objective(self._task, lambda chosen: act(changed(chosen)), (), *pieces)
        low, high = np.array(ranges).T
        result: Floats = changed(settle(objective, start, low, high, search)[None])[0]
        return result

    def best(self, tables: Sequence[Floats]) -> tuple[Floats, float]:
        """Return the table that is best over whole training seasons, rounded, and its mean objective."""
        rounded: Floats = np.stack(tables).round(DIGITS)
        means = judged(self._task, self._actor(self._settings.days), rounded.reshape(len(rounded), -1))
        at = int(np.argmax(means))
        return rounded[at], float(means[at])

    def _actor(self, days: Sequence[float]) -> Callable[[Floats], Actor]:
        """Return what makes candidates (n, ...) of tables for these days act."""
        shape = len(days), *self._shape[1:]
        policy = Daily(
            "candidate", DailySettings(hours=self._settings.hours, days=list(days)), self._interface
        )
        actions = self._interface.actions

        def actor(chosen: Floats) -> Actor:
            tables = np.tile(actions.lowest, (len(chosen), *shape[:2], 1))
            tables[..., self._places] = chosen.reshape(-1, *shape)
            present, step = np.zeros((len(chosen), len(actions.names))), 0

            def act(seen: Any) -> Any:
                nonlocal present, step
                taken, present = policy.at(step, seen, tables, present)
                step += 1
                return taken

            return act

        return actor

    def _scenarios(self, day: int) -> list[str]:
        """Return the training scenarios that begin nearer to one of the days than to any other."""
        keys = training_parts(self._task).scenarios.keys
        starts = np.array([read_key(key).first.timetuple().tm_yday - 1.0 for key in keys])
        away = np.abs((starts[:, None] - self._settings.days + _YEAR / 2) % _YEAR - _YEAR / 2)
        near = np.flatnonzero(away.argmin(axis=1) == day)
        if not len(near):
            near = np.argsort(away[:, day], kind="stable")[:PIECES]
        return [keys[i] for i in near]

    def _usual_hours(self, scenarios: Sequence[str]) -> Floats:
        """Return what the expert has in force on the average at the hours, (hours, names)."""
        core = BatchCore(training_parts(self._task), len(scenarios))
        seed = self._task.protocol.seed
        core.start(scenarios, [seed + i for i in range(len(scenarios))])
        simulator = core.simulator
        assert isinstance(simulator, MeteredGreenhouse)
        columns = simulator.inputs.columns(self._names)
        experts = [self._interface.load(str(self._task.references.expert)) for _ in scenarios]
        for expert in experts:
            expert.reset(seed)
        nearest = self._nearest_hours()
        sums, counts = np.zeros(self._shape[1:]), np.zeros(self._shape[1])
        most = WINDOW * len(nearest)
        play = steps(
            core, lambda seen, _: np.array([e(row) for e, row in zip(experts, seen, strict=True)]), most
        )
        for step, _ in enumerate(play):
            at = nearest[step % len(nearest)]
            sums[at] += simulator.commands[:, columns].mean(axis=0)
            counts[at] += 1.0
        return sums / np.maximum(counts, 1.0)[:, None]

    def _nearest_hours(self) -> Any:
        """Return which of the hours each step of a day is nearest to, (steps a day,)."""
        count = _DAY // (self._task.step * INTERVAL)
        away = (np.arange(count) * 24.0 / count)[:, None] - np.array(self._settings.hours) + 12.0
        return np.abs(away % 24.0 - 12.0).argmin(axis=1)
