"""Fitting a blind calendar: the best that is found for the mean of the training seasons.

Four searches, each from the best of the one before: random calendars of every kind; the amount of each input
in each period, inputs in turn as they are due, by the covariance matrix adaptation evolution strategy (Hansen
and Ostermeier 2001, Evolutionary Computation 9, 159-195; package `cma`); edits of single decisions, a few at
a time; and every move of a decision by a few steps, every next dose and every omission, until none is better.
The first two play fewer of the training seasons than the last two.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data.field_task import FieldTask, SeasonSpec
from agbench.envs.actions import Menu
from agbench.envs.core import BatchCore, Parts
from agbench.envs.family import build
from agbench.envs.threads import threaded
from agbench.errors import ConfigError
from agbench.policies.field.calendar import Calendar, CalendarEntry, CalendarSettings
from agbench.policies.field.evolution import _Seasons
from agbench.policies.field.worth import worth
from agbench.policies.playing import seeds_of, spread, totals
from agbench.policies.registry import interface_of
from agbench.policies.tuning import blind
from agbench.policies.tuning.search import number_of_decisions
from agbench.policies.tuning.sequences import Edits, improve, simplified
from agbench.variables import Floats

Actions = NDArray[Any]

_PERIODS: Final = 12  # of a season's amounts, as the oracle `evolution` has them
_POPULATION: Final = 64  # calendars of a generation
_SPREAD: Final = 0.7  # of the first generation, in the largest dose of an input a period
_PATIENCE: Final = 2048  # edited calendars without a better one, after which a search ends
_KEPT: Final = 8  # calendars that the edits begin with
_MOVES: Final = (-3, -2, -1, 1, 2, 3)  # decisions by which the last search moves one


def fit_calendar(task: FieldTask, settings: CalendarSettings) -> tuple[CalendarSettings, float]:
    """Return the calendar with the best mean return found over the training scenarios, and that mean.

    The settings' own plan takes part: what is returned is never worse.
    """
    parts = threaded(build(task, task.protocol.training_splits[0]))
    if not isinstance(parts.actions, Menu):
        raise ConfigError(f"{task.task}: a calendar is fitted to a menu, not to amounts.")
    search, steps = settings.search, number_of_decisions(parts)
    keys, every = (spread(parts.scenarios.keys, count) for count in (settings.coarse, settings.scenarios))
    generator = np.random.default_rng(search.seed)
    training = _Training(parts, keys, search.clones)
    own = _own(task, settings, steps)[None]
    drawn = blind.calendars(parts, search.calendars, steps, generator)
    best = _best(training, np.concatenate([own, drawn.reshape(-1, steps).astype(np.int64)]))
    if search.generations:
        amounts = _Training(parts, keys, _POPULATION)
        best = np.concatenate([_by_amounts(parts, amounts, best[0], search.generations, generator), best])
    if not (best == own).all(axis=1).any():
        best = np.concatenate([best, own])  # it may be the best where all seasons are played
    patience = -(-_PATIENCE // search.clones)
    training = _Training(parts, every, search.clones)
    best, _ = improve(
        training, Edits(parts), best, (0, steps), search.clones, search.rounds, generator, patience
    )
    settled, most = _settled(training, parts.actions, best[0])
    plain = simplified(_Training(parts, every, 1), settled, 0)
    plan = _entries(task.season, parts.actions, plain.tolist())
    return settings.model_copy(update={"plan": plan}), most


def neighbours(actions: Menu, sequence: Actions) -> Actions:
    """Return what differs from a calendar (steps,) by one decision, (n, steps).

    Each decision that does something is made up to three steps sooner or later, in exchange for what stands
    there, with the next smaller or larger dose, or not at all.
    """
    found = []
    for i in np.flatnonzero(sequence):
        for j in (i + move for move in _MOVES):
            if 0 <= j < len(sequence) and sequence[j] != sequence[i]:
                found.append(sequence.copy())
                found[-1][[i, j]] = sequence[[j, i]]
        for other in (0, *_next_doses(actions, int(sequence[i]))):
            found.append(sequence.copy())
            found[-1][i] = other
    return np.array(found, dtype=sequence.dtype).reshape(-1, len(sequence))


def _next_doses(actions: Menu, code: int) -> list[int]:
    """Return the numbers of the doses of the same input that are next to one's own."""
    ((name, amount),) = actions.amounts(code).items()
    doses = [dose for dose in actions.doses(name) if dose > 0.0]
    own = doses.index(amount)
    return [actions.encode(name, doses[k])[0] for k in (own - 1, own + 1) if 0 <= k < len(doses)]


def _settled(training: "_Training", actions: Menu, sequence: Actions) -> tuple[Actions, float]:
    """Return the calendar at which no neighbour is better, taking the best one each time, and its value."""
    most = float(training(sequence[None])[0])
    while len(others := neighbours(actions, sequence)):
        values = training(others)
        if not values.max() > most:
            break
        sequence, most = others[int(np.argmax(values))], float(values.max())
    return sequence, most


class _Training:
    """The mean return of sequences over training scenarios, so many sequences at a time."""

    def __init__(self, parts: Parts, keys: Sequence[str], at_once: int) -> None:
        self._core, self._parts, self._keys, self._at_once = (
            BatchCore(parts, at_once * len(keys)),
            parts,
            keys,
            at_once,
        )

    def __call__(self, sequences: Actions) -> Floats:
        """Return the mean return of each of sequences (n, steps), (n,)."""
        groups = range(0, len(sequences), self._at_once)
        means = [
            _means(self._core, self._parts, self._keys, sequences[i : i + self._at_once]) for i in groups
        ]
        return np.concatenate(means)


def _own(task: FieldTask, settings: CalendarSettings, steps: int) -> Actions:
    """Return the actions of the settings' own plan, (steps,)."""
    own = Calendar("candidate", settings, interface_of(task))
    return np.array([own(None) for _ in range(steps)], dtype=np.int64)


def _best(training: _Training, sequences: Actions) -> Actions:
    """Return the best of sequences, the best first."""
    return sequences[np.argsort(-training(sequences), kind="stable")[:_KEPT]]


def _by_amounts(
    parts: Parts, training: _Training, start: Actions, generations: int, generator: np.random.Generator
) -> Actions:
    """Return the best calendar found from a start by the amounts of each period, (1, steps)."""
    from cma import CMAEvolutionStrategy

    seasons = _Seasons(parts, _PERIODS, parts.task.task)
    seasons.take_up_work(start)
    options = {
        "popsize": _POPULATION,
        "bounds": [0.0, None],
        "randn": lambda *shape: generator.standard_normal(shape),
        "seed": np.nan,  # the generator is ours: no global state is touched
        "verbose": -9,
    }
    search = CMAEvolutionStrategy(seasons.point(start, len(start)).ravel(), _SPREAD, options)
    best, most = start, -np.inf
    for _ in range(generations):
        points = search.ask()
        candidates = seasons.actions(np.array(points), len(start))
        values = training(candidates)
        search.tell(points, (-values).tolist())
        if values.max() > most:
            best, most = candidates[int(np.argmax(values))], float(values.max())
    return best[None]


def _means(core: BatchCore, parts: Parts, keys: Sequence[str], candidates: NDArray[Any]) -> Floats:
    """Return what each sequence is worth over scenarios, (n,)."""
    most = core.n // len(keys)
    padded = np.resize(candidates, (most, *candidates.shape[1:]))
    core.start(list(keys) * most, seeds_of(parts, keys) * most)
    rows = np.repeat(padded, len(keys), axis=0)
    returns, costs = (values.reshape(most, len(keys)) for values in totals(core, rows))
    assert isinstance(parts.task, FieldTask)
    return worth(parts.task, returns, costs)[: len(candidates)]


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
