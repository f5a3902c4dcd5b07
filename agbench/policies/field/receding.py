"""Receding-horizon search for fields, among clones of the field: the oracle of long episodes.

Its counterpart for greenhouses is `agbench.policies.greenhouse.receding_greenhouse`.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from pydantic import Field

from agbench.data.field_observation import Days
from agbench.data.field_task import FieldTask
from agbench.data.quantity import days
from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.policies.base import Interface, policy
from agbench.policies.field.solver import Actions, Found, JoiningSettings, JoiningSolver
from agbench.policies.playing import actions_of, gain, padded
from agbench.policies.tuning.blind import calendars
from agbench.policies.tuning.search import number_of_decisions
from agbench.policies.tuning.sequences import Edits, improve
from agbench.variables import Floats


class RecedingSettings(JoiningSettings):
    """The policy to start from, or several, and how far the search looks.

    From every stretch of the length `commit` on, plans vary over the next `window` and are valued over the
    next `horizon`, by default to the end; then the stretch is played. The budget of an episode is (its days /
    commit) x rounds x clones, each of them simulated over the horizon. Each of the `restarts` first plays so
    many rounds over the whole episode, from random calendars.
    """

    start: str | list[str] = Field(min_length=1)
    restarts: int = Field(default=0, ge=0)
    window: Days = "365 d"
    commit: Days = "28 d"
    horizon: Days | None = None


@policy("receding", settings=RecedingSettings, families=["field"])
class Receding(JoiningSolver):
    """Searches the best sequence of actions for the very episode, a stretch at a time: an upper bound.

    Clones of the field, its weather to come included, play edited plans (`agbench.policies.tuning.sequences`)
    from the state that has been reached. What lies beyond the window is as in the best plan so far, so that
    a plan valued to the end never gets worse from one stretch to the next. Where seasons have several
    summits, plans that grew from random calendars stand beside those of the policies to start from.
    """

    def __init__(self, name: str, settings: RecedingSettings, interface: Interface[FieldTask]) -> None:
        super().__init__(name, settings, interface)
        self._settings = settings
        names = [settings.start] if isinstance(settings.start, str) else settings.start
        self._starts = [interface.load(own) for own in names]
        step = interface.task.season.step_days
        self._window, self._commit = (max(1, days(d) // step) for d in (settings.window, settings.commit))
        self._horizon = None if settings.horizon is None else max(1, days(settings.horizon) // step)

    def search(self, parts: Parts, start: SavedEpisode, generator: np.random.Generator) -> Found:
        """Return the best action sequence that one search finds from the start of an episode."""
        settings, edits = self._settings, Edits(parts)
        steps = number_of_decisions(parts)
        plans = np.stack(
            [padded(actions_of(parts, own, start), steps, edits.nothing) for own in self._starts]
        )
        clones, played = BatchCore(parts, settings.clones), BatchCore(parts, 1)
        budget = settings.clones, settings.rounds, generator
        for _ in range(settings.restarts):
            drawn = calendars(parts, settings.clones, steps, generator)
            grown, _ = improve(partial(_gains, clones, start), edits, drawn, (0, steps), *budget)
            plans = np.concatenate([plans, grown])
        state = start
        for now in range(0, steps, self._commit):
            if state.over:
                break

            def value(candidates: Actions, now: int = now, state: SavedEpisode = state) -> Floats:
                return _gains(clones, state, candidates[:, now:], self._horizon)

            window = now, min(now + self._window, steps)
            plans, _ = improve(value, edits, plans, window, *budget)
            state = _advanced(played, state, plans[0, now : now + self._commit])
            same = (plans[:, : now + self._commit] == plans[0, : now + self._commit]).reshape(len(plans), -1)
            plans = plans[same.all(axis=1)]
        return Found(plans[0], float(_gains(played, start, plans[:1])[0]))

    def worth(self, parts: Parts, start: SavedEpisode) -> Callable[[Actions], Floats]:
        """Return what tells by how much plans raise the objective from the start of an episode."""
        return partial(_gains, BatchCore(parts, self._settings.clones), start)


def _gains(core: BatchCore, start: SavedEpisode, actions: Actions, most: int | None = None) -> Floats:
    """Return by how much the objective grows from `start` under each sequence (n, steps, ...), (n,)."""
    if len(actions) > core.n:
        parts = actions[: core.n], actions[core.n :]
        return np.concatenate([_gains(core, start, part, most) for part in parts])
    if len(actions) < core.n:
        padded = np.concatenate([actions, np.repeat(actions[:1], core.n - len(actions), axis=0)])
        return _gains(core, start, padded, most)[: len(actions)]
    core.load(range(core.n), start)
    return gain(core, lambda _, number: actions[:, min(number, actions.shape[1] - 1)], most)


def _advanced(core: BatchCore, start: SavedEpisode, actions: Actions) -> SavedEpisode:
    """Return the state that a stretch of actions (steps, ...) leads to."""
    core.load(0, start)
    gain(core, lambda _, number: actions[number][None], len(actions))
    return core.save(0)
