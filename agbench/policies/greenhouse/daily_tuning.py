"""Fitting the blind calendar of a greenhouse on training scenarios.

A calendar begins as what the task's expert does on the average: at each hour, around each day of the year.
A cross-entropy search then betters the hours of each day by themselves, in the first days of seasons that
begin near that day; a last one scales and shifts each name's whole table, over longer stretches of seasons
from all the year. What is best over whole seasons is the result, the given calendar among them.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.envs.core import BatchCore
from agbench.envs.greenhouse.scenarios import read_key
from agbench.envs.rollout import steps
from agbench.policies.base import Interface
from agbench.policies.greenhouse.daily import Daily, DailySettings
from agbench.policies.greenhouse.tuning import (
    BEGINNING,
    DIGITS,
    Actor,
    mean_objective,
    search_settings,
    setpoint_range,
    training_parts,
)
from agbench.policies.registry import interface_of
from agbench.policies.tuning.cross_entropy import Search, maximise
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.variables import Floats

SCENARIOS: Final = 8
"""Training scenarios that a day's hours are tried on."""

WINDOW: Final = 4
"""Days that they are tried for: longer than the air and the stored carbohydrates remember."""

_SPREAD: Final = 0.15  # of a range, in the first round: what experts do is not far off
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
    given = calendar.given()
    usual = calendar.averages() if task.references.expert else given
    tuned = np.stack(
        [calendar.tuned(k, np.stack([given[k], usual[k]]), search) for k in range(len(settings.days))]
    )
    scaled = calendar.scaled(tuned, search)
    finalists = np.round([given, usual, tuned, scaled], DIGITS)
    means = calendar.whole(finalists, search.seed)
    best = int(np.argmax(means))
    return calendar.settings_of(finalists[best]), float(means[best])


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
        table = np.stack([self._usual_hours(self._scenarios(k)) for k in range(self._shape[0])])
        return np.clip(table, self._low, self._high)

    def tuned(self, day: int, start: Floats, search: Search) -> Floats:
        """Return the best hours (hours, names) of one of the days; `start`, (m, hours, names), begin."""
        share = BEGINNING if self._shape[0] == 1 else min(1.0, WINDOW / self._length)
        objective = mean_objective(self._task, self._actor([0.0]), share, search.seed, self._scenarios(day))
        hours = self._shape[1]
        low, high = np.tile(self._low, hours), np.tile(self._high, hours)
        first = start.reshape(len(start), -1)
        best, _ = maximise(objective, first, low, high, search, _SPREAD)
        return best.reshape(hours, -1)

    def scaled(self, table: Floats, search: Search) -> Floats:
        """Return a table with each name's values scaled and shifted to the best effect."""
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
        best, _ = search_settings(self._task, lambda chosen: act(changed(chosen)), start, ranges, search)
        result: Floats = changed(best[None])[0]
        return result

    def whole(self, tables: Floats, seed: int) -> Floats:
        """Return the mean objective of tables over whole training seasons, (n,)."""
        objective = mean_objective(self._task, self._actor(self._settings.days), 1.0, seed)
        return objective(tables.reshape(len(tables), -1))

    @property
    def _length(self) -> float:
        """Days of an episode."""
        return self._task.episode.intervals * INTERVAL / _DAY

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
        """Return the training scenarios that begin nearest to one of the days; all alike for a single day."""
        keys = training_parts(self._task).scenarios.keys
        if self._shape[0] == 1:
            return list(keys[:: max(1, len(keys) // SCENARIOS)][:SCENARIOS])
        starts = np.array([read_key(key).first.timetuple().tm_yday - 1.0 for key in keys])
        away = np.abs((starts - self._settings.days[day] + _YEAR / 2) % _YEAR - _YEAR / 2)
        return [keys[i] for i in np.argsort(away, kind="stable")[:SCENARIOS]]

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
        most = round(min(WINDOW, self._length) * len(nearest))
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
