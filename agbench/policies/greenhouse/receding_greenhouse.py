"""Receding-horizon search for greenhouses: in the true weather the oracle of set-point tasks, or a planner.

Its counterpart for fields is `agbench.policies.field.receding`.
"""

import math
from dataclasses import replace
from typing import Any, Final, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pydantic import Field, model_validator

from agbench.data.field import Number
from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.data.reading import Strict
from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.envs.greenhouse.building import make_simulator
from agbench.envs.rollout import play
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, Policy, policy
from agbench.policies.playing import gain
from agbench.policies.tuning.cross_entropy import Search, maximise, settle
from agbench.policies.tuning.search import number_of_decisions
from agbench.simulators.greenlight.stepping import COARSE
from agbench.variables import Floats

_SPREAD = 0.15  # of the range of a change, in the first round
_DAY: Final = 86_400 // INTERVAL  # steps
_SEASON_SPREAD = 0.05  # as well, where all changes of a season are drawn together


class WholeSeason(Strict):
    """The policy whose decisions a search changes all season at once, each change for `hold` of them."""

    start: str
    hold: int = Field(default=480, ge=1)
    search: Search = Search(candidates=48, rounds=8)


class GreenhouseRecedingSettings(Strict):
    """The policy whose decisions are bettered, or several, and the search.

    `horizon` decisions are looked ahead, of which the first `commit` are carried out before the next
    search; a change of the policy's decisions lasts `hold` of them and is at most `reach` of an
    action's whole range. With `season` a search over the whole season takes part.

    `cost_price` is taken off, in a search over the horizon, for each unit of the constraints' cost: what the
    reward charges for it may be too little to keep the limit.

    `weather` is what a search foresees: what is to come (`known`), or that every day to come is the last
    24 hours again (`yesterday`), as who has no forecast may plan; before a day has passed nothing is changed.
    Prices to come are known either way.
    """

    start: str | list[str] = Field(min_length=1)
    horizon: int = Field(default=48, ge=1)
    commit: int = Field(default=24, ge=1)
    hold: int = Field(default=3, ge=1)
    reach: float = Field(default=0.5, gt=0, le=1)
    search: Search = Search(candidates=48, rounds=6)
    season: WholeSeason | None = None
    cost_price: Number = Field(default=0.0, ge=0)
    weather: Literal["known", "yesterday"] = "known"

    @model_validator(mode="after")
    def _without_hindsight(self) -> "GreenhouseRecedingSettings":
        if self.weather != "known" and (isinstance(self.start, list) or self.season is not None):
            raise ValueError(
                f"weather: {self.weather} goes with one start and without a season: which of several earns "
                "most in a season is seen at its end alone."
            )
        return self


@policy("receding-greenhouse", settings=GreenhouseRecedingSettings, families=["greenhouse"])
class GreenhouseReceding:
    """Searches the best changes to another policy's decisions over some days, goes on a day, again.

    Of several policies to start from, each is searched from alone. Taken is what earns most in the whole
    episode: what a search found, or what one of the policies does by itself. A search over the whole `season`
    sees what a set point is worth beyond the horizon, and its policy answers to each candidate's own climate.

    A plan uses the true weather. Its value is the gain of the task's objective within the
    horizon, at the accuracy `COARSE`; over a season at the accuracy of the task, at which the chosen actions
    run too.

    Without that weather it is no oracle: each day it searches under the weather of the day before, from the
    true state, and what it changes is added to what the policy to start from decides as the day goes.
    """

    def __init__(
        self, name: str, settings: GreenhouseRecedingSettings, interface: Interface[GreenhouseTask]
    ) -> None:
        self.name = name
        self.information: Information = "model" if settings.weather == "known" else "state"
        if settings.commit > settings.horizon:
            raise ConfigError(f"commit is {settings.commit}, beyond the horizon, {settings.horizon}.")
        self._settings = settings
        names = [settings.start] if isinstance(settings.start, str) else settings.start
        self._starts = [interface.load(own) for own in names]
        season = settings.season
        self._in_season = (
            [] if season is None else [interface.load(season.start) for _ in range(season.search.candidates)]
        )
        self._task = interface.task
        self._actions: list[Any] = []
        self._step = 0

    def reset(self, seed: int) -> None:
        """Go back to the episode's first decision."""
        self._step = 0

    def plan(self, core: BatchCore, row: int) -> None:
        """Search the whole episode in a row."""
        self._actions = self.solve(core, row)

    def __call__(self, observation: Any) -> Any:
        """Return the action of the next decision."""
        self._step += 1
        return self._actions[self._step - 1]

    def solve(self, core: BatchCore, row: int) -> list[Any]:
        """Return the best actions found for the rest of a row's episode."""
        now, truth = core.save(row), BatchCore(core.parts, 1)
        if self._settings.weather == "yesterday":
            return self._searched(core, now, self._starts[0])
        found = [
            actions
            for own in self._starts
            for actions in (self._searched(core, now, own), _usual(truth, now, own))
        ]
        if self._settings.season is not None:
            found.append(self._over_season(core.parts, now, self._settings.season))
        return max(found, key=lambda actions: _worth(truth, now, actions))

    def _over_season(self, parts: Parts, now: SavedEpisode, season: WholeSeason) -> list[Any]:
        """Return the best found by changing a policy's decisions over the whole episode."""
        every, space = BatchCore(parts, season.search.candidates), parts.actions.space
        shape = -(-number_of_decisions(parts) // season.hold), *(space.shape or ())
        best: NDArray[Any] = np.zeros(0)
        most = -np.inf

        def value(changes: Floats, _: int) -> Floats:
            nonlocal best, most
            values, actions = self._followed(every, now, changes.reshape(-1, *shape), season.hold)
            if values.max() > most:
                best, most = actions[:, int(np.argmax(values))], float(values.max())
            return values

        none = np.zeros(math.prod(shape))
        reach = np.full(none.size, self._settings.reach * _width(space))
        settle(value, none, -reach, reach, season.search, _SEASON_SPREAD)
        return list(best)

    def _followed(
        self, core: BatchCore, now: SavedEpisode, changes: Floats, hold: int
    ) -> tuple[Floats, NDArray[Any]]:
        """Return what changes (n, holds, ...) of a policy's decisions gain, and actions (steps, n, ...)."""
        core.over[:] = True
        core.load(range(core.n), now)
        for one in self._in_season:
            one.reset(0)
        taken: list[NDArray[Any]] = []

        def act(observations: NDArray[np.float32], number: int) -> NDArray[Any]:
            usual = np.array(
                [own(seen) for own, seen in zip(self._in_season, observations.copy(), strict=True)]
            )
            taken.append(_within(usual + changes[:, number // hold], core.parts.actions.space))
            return taken[-1]

        gained = gain(core, act)
        return gained, np.array(taken)

    def _searched(self, core: BatchCore, start: SavedEpisode, policy: Policy) -> list[Any]:
        """Return what the search makes of a policy's decisions, from a saved episode to its end."""
        spec = self._settings
        coarse = replace(core.parts, make_simulator=lambda n: make_simulator(self._task, n, COARSE))
        ahead, one = BatchCore(coarse, spec.search.candidates), BatchCore(coarse, 1)
        truth = BatchCore(core.parts, 1)
        truth.load(0, start)
        space = core.parts.actions.space
        taken: list[Any] = []
        change = np.zeros((-(-spec.horizon // spec.hold), *(space.shape or ())))
        while not truth.over[0]:
            now = truth.save(0)
            if spec.weather == "yesterday":
                if int(now.simulation.row.elapsed) >= _DAY:
                    now = _as_yesterday(now)
                    usual = np.array(_usual(one, now, policy, spec.horizon))
                    change = self._best(ahead, now, usual, change, len(taken))
                taken += self._follow(truth, policy, change)
            else:
                usual = np.array(_usual(one, now, policy, spec.horizon))
                change = self._best(ahead, now, usual, change, len(taken))
                chosen = self._changed(usual, change[None], space)[0][: spec.commit]
                taken += self._apply(truth, chosen, space)
            gone = spec.commit // spec.hold
            change = np.concatenate([change[gone:], np.zeros_like(change[:gone])])
        return taken

    def _apply(self, truth: BatchCore, chosen: NDArray[Any], space: "spaces.Space[Any]") -> list[Any]:
        """Carry out actions as long as the episode lasts, and return those that were."""
        applied: list[Any] = []

        def act(_: Any, number: int) -> NDArray[Any]:
            applied.append(chosen[number] if space.shape else int(chosen[number]))
            return np.asarray(chosen[number])[None]

        play(truth, act, len(chosen))
        return applied

    def _follow(self, truth: BatchCore, policy: Policy, change: Floats) -> list[Any]:
        """Carry out what a policy decides as the episode goes, changed as planned; return the actions."""
        space = truth.parts.actions.space
        applied: list[NDArray[Any]] = []

        def act(observations: NDArray[np.float32], number: int) -> NDArray[Any]:
            usual = np.asarray(policy(observations[0].copy()))
            applied.append(_within(usual + change[number // self._settings.hold], space))
            return applied[-1][None]

        play(truth, act, self._settings.commit)
        return list(applied) if space.shape else [int(action) for action in applied]

    def _best(
        self, core: BatchCore, now: SavedEpisode, usual: NDArray[Any], warm: Floats, number: int
    ) -> Floats:
        """Return the best changes found, (holds, ...); no change and `warm` take part."""
        space = core.parts.actions.space

        def value(candidates: Floats) -> Floats:
            core.over[:] = True
            core.load(range(len(candidates)), now)
            actions = self._changed(usual, candidates.reshape(-1, *warm.shape), space)
            if len(actions) < core.n:
                actions = np.concatenate([actions, np.repeat(actions[:1], core.n - len(actions), axis=0)])
            cost = np.zeros(core.n)

            def act(_: Any, number: int) -> NDArray[Any]:
                cost[:] += core.reward.cost if number else 0.0
                return actions[:, number]

            gained = gain(core, act, len(usual))
            return (gained - self._settings.cost_price * (cost + core.reward.cost))[: len(candidates)]

        start = np.stack([np.zeros(warm.size), warm.ravel()])
        reach = np.full(warm.size, self._settings.reach * _width(space))
        search = self._settings.search
        seeded = search.model_copy(update={"seed": search.seed + number})
        return maximise(value, start, -reach, reach, seeded, _SPREAD)[0].reshape(warm.shape)

    def _changed(self, usual: NDArray[Any], changes: Floats, space: "spaces.Space[Any]") -> NDArray[Any]:
        """Return the decisions (n, horizon, ...) that changes (n, holds, ...) make of the usual ones."""
        by_decision = changes.repeat(self._settings.hold, axis=1)[:, : len(usual)]
        return _within(usual + by_decision, space)


def _as_yesterday(now: SavedEpisode) -> SavedEpisode:
    """Return an episode in which every day to come has the weather of the last 24 hours."""
    row = now.simulation.row
    past = np.array(row.world.weather[: row.elapsed])
    to_come = len(row.world.weather) - len(past)
    days = np.tile(past[-_DAY:], (-(-to_come // _DAY), 1))
    world = replace(row.world, weather=np.concatenate([past, days[:to_come]]))
    return replace(now, world=world, simulation=replace(now.simulation, row=replace(row, world=world)))


def _within(actions: NDArray[Any], space: "spaces.Space[Any]") -> NDArray[Any]:
    """Return the actions of a space that lie nearest to any."""
    if isinstance(space, spaces.Discrete):
        numbers: NDArray[Any] = np.clip(np.rint(actions), 0, space.n - 1).astype(np.int64)
        return numbers
    amounts: NDArray[Any] = np.clip(actions, -1.0, 1.0).astype(np.float32)
    return amounts


def _width(space: "spaces.Space[Any]") -> float:
    """Return the whole range of an action's components."""
    return float(space.n - 1) if isinstance(space, spaces.Discrete) else 2.0


def _usual(core: BatchCore, now: SavedEpisode, policy: Policy, most: int | None = None) -> list[Any]:
    """Return what a policy decides from a saved episode on, `most` times or to the end."""
    core.over[:] = True
    core.load(0, now)
    decided: list[Any] = []
    policy.reset(0)

    def act(observations: NDArray[np.float32], _: int) -> NDArray[Any]:
        decided.append(policy(observations[0].copy()))
        return np.array(decided[-1:])

    play(core, act, most)
    return decided


def _worth(core: BatchCore, now: SavedEpisode, actions: list[Any]) -> float:
    """Return by how much the objective grows under actions from a saved episode on."""
    core.over[:] = True
    core.load(0, now)
    return float(gain(core, lambda _, number: np.asarray(actions[number])[None], len(actions))[0])
