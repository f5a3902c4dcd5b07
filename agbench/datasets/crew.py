"""A crew: the behaviours of a dataset, acting in all rows of a batch."""

import copy
from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.data.task import Task
from agbench.datasets.behaviour import Behaviour, strength
from agbench.datasets.plan import Plan
from agbench.envs.actions import menu_sizes, written
from agbench.envs.core import BatchCore
from agbench.errors import AgBenchError, DatasetError, described
from agbench.policies.base import Batching, Planner, Policy
from agbench.policies.simple import Zero
from agbench.variables import Booleans, Floats
from agbench.weather.draws import standard_normal

RANDOM: Final = -1
"""The number of the behaviour of an action that was drawn from the action space."""
_BLOCK: Final = 64  # decisions that are drawn for at once
_CHOICES, _NOISE = 1, 2  # streams of an episode's seed


class _Actor(Protocol):
    """A policy in all rows of a batch."""

    def begin(self, core: BatchCore, rows: NDArray[np.intp], seeds: Sequence[int]) -> None: ...

    def act(self, core: BatchCore, rows: NDArray[np.intp]) -> Any: ...


class _Together:
    """One policy that acts for all rows at once."""

    def __init__(self, policy: Batching) -> None:
        self._policy = policy
        self._states: Any = ()

    def begin(self, core: BatchCore, rows: NDArray[np.intp], seeds: Sequence[int]) -> None:
        self._states = self._policy.start(core.n)

    def act(self, core: BatchCore, rows: NDArray[np.intp]) -> Any:
        actions, states = self._policy.act(core.observations[rows], tuple(s[rows] for s in self._states))
        for state, new in zip(self._states, states, strict=True):
            state[rows] = new
        return actions


class _RowByRow:
    """A copy of a policy in each row, made when it first acts there."""

    def __init__(self, policy: Policy, behaviour: Behaviour, task: Task, rows: int) -> None:
        self.policy = policy
        self._behaviour, self._task = behaviour, task
        self._policies = {0: policy} if rows == 1 else {}

    def begin(self, core: BatchCore, rows: NDArray[np.intp], seeds: Sequence[int]) -> None:
        for row in rows.tolist():
            if row not in self._policies:
                self._policies[row] = _another(self.policy, self._behaviour, self._task)
            policy = self._policies[row]
            try:
                policy.reset(seeds[row])
                if isinstance(policy, Planner):
                    policy.plan(core, row)
            except (Exception, SystemExit) as error:
                raise _raised(policy, error, core, row, "at the start") from error

    def act(self, core: BatchCore, rows: NDArray[np.intp]) -> Any:
        result = []
        for row in rows.tolist():
            try:
                result.append(self._policies[row](core.observations[row].copy()))
            except (Exception, SystemExit) as error:  # a policy is anybody's code
                raise _raised(self._policies[row], error, core, row, "in the middle") from error
        return result


def _another(policy: Policy, behaviour: Behaviour, task: Task) -> Policy:
    """Return a policy like this one that shares nothing that changes; its task does not."""
    try:
        return copy.deepcopy(policy, {id(task): task})
    except Exception as error:  # what it holds cannot be copied
        if not isinstance(behaviour.source, str):
            raise DatasetError(
                f"policy {policy.name} cannot be copied, which every row of a batch needs: "
                f"{described(error)}. Give it as package.module:Name."
            ) from error
        return behaviour.policy(task)


def _raised(policy: Policy, error: BaseException, core: BatchCore, row: int, when: str) -> DatasetError:
    what = str(error) if isinstance(error, AgBenchError) else f"it raised {described(error)}"
    return DatasetError(f"policy {policy.name}: {what.rstrip('.')}, {when} of {core.scenario[row]}.")


class Crew:
    """The behaviours of a plan in a batch of `rows`."""

    def __init__(self, plan: Plan, space: spaces.Space[Any], rows: int) -> None:
        self._plan, self._space, self.rows = plan, space, rows
        self._sizes = np.array(menu_sizes(space), dtype=np.int64)
        self._shape = space.shape or ()
        self._width = int(np.prod(self._shape, dtype=np.int64))
        self._actors = [self._actor(behaviour, rows) for behaviour in plan.behaviours]
        self._nothing = self._rest(plan.task)
        self._mixes = plan.mix == "step" and len(plan.behaviours) > 1
        self._draws = self._mixes or any(b.explores for b in plan.behaviours)
        self._noisy = any(b.is_noisy for b in plan.behaviours)

    def _actor(self, behaviour: Behaviour, rows: int) -> _Actor:
        policy = behaviour.policy(self._plan.task)
        if isinstance(policy, Batching):
            return _Together(policy)
        return _RowByRow(policy, behaviour, self._plan.task, rows)

    def _rest(self, task: Task) -> NDArray[Any]:
        """Return an action that any row can take, for rows whose episode is over."""
        from agbench.policies.registry import interface_of

        return np.asarray(Zero("zero", None, interface_of(task))(None), dtype=self._space.dtype)

    @property
    def plans(self) -> bool:
        """Whether a policy sees the batch itself, and may hold on to it."""
        return any(isinstance(a, _RowByRow) and isinstance(a.policy, Planner) for a in self._actors)

    def begin(self, core: BatchCore, episodes: range, seeds: Sequence[int]) -> None:
        """Start the episodes of all rows."""
        plan, count = self._plan, len(self._plan.behaviours)
        self._choices = [_stream(seed, _CHOICES) for seed in seeds]
        self._normals = [_stream(seed, _NOISE) for seed in seeds] if self._noisy else []
        progress = plan.progress(episodes)
        if plan.mix == "order":
            self.who, progress = plan.in_order(episodes)
        elif plan.mix == "episode" and count > 1:
            drawn = np.array([stream.random() for stream in self._choices])
            self.who = np.searchsorted(plan.bounds, drawn, "right")
        else:
            self.who = np.zeros(core.n, dtype=np.intp)
        specs = [b.spec for b in plan.behaviours]
        self._epsilon = np.stack([strength(spec.epsilon, progress) for spec in specs])
        self._sigma = np.stack([strength(spec.noise, progress) for spec in specs])
        for number, actor in enumerate(self._actors):
            rows = np.arange(core.n) if self._mixes else np.flatnonzero(self.who == number)
            if len(rows):
                actor.begin(core, rows, seeds)

    def act(self, core: BatchCore, moving: Booleans, step: int) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Return the actions of all rows, and which behaviour each is of; `RANDOM` for those drawn.

        Where behaviours change from step to step, each of them sees every observation.
        """
        self._draw(step)
        uniform = self._uniform[:, step % _BLOCK] if self._draws else None
        who = self.who
        if self._mixes and uniform is not None:
            who = np.searchsorted(self._plan.bounds, uniform[:, 0], "right")
        actions = np.repeat(self._nothing[None], core.n, axis=0)
        for number, actor in enumerate(self._actors):
            chosen = moving & (who == number)
            rows = np.flatnonzero(moving if self._mixes else chosen)
            if len(rows):
                out = self._read(actor.act(core, rows), len(rows), number)
                actions[rows[chosen[rows]]] = out[chosen[rows]]
        everyone = np.arange(core.n)
        if self._noisy:
            noise = self._normal[:, step % _BLOCK] * self._sigma[who, everyone][:, None]
            actions = self._shifted(actions, noise.reshape(actions.shape))
        by = who.astype(np.int8)
        if uniform is not None:
            explores = uniform[:, 1] < self._epsilon[who, everyone]
            actions[explores] = self._any(uniform[explores, 2:])
            by[explores] = RANDOM
        return actions, by

    def _draw(self, step: int) -> None:
        """Draw the random numbers of the next decisions."""
        if step % _BLOCK:
            return
        if self._draws:
            self._uniform = np.stack([s.random((_BLOCK, 2 + self._width)) for s in self._choices])
        if self._noisy:
            self._normal = np.stack([standard_normal(s, (_BLOCK, self._width)) for s in self._normals])

    def _read(self, out: Any, rows: int, number: int) -> NDArray[Any]:
        """Return what a policy chose in some rows, of the action space's type."""
        name = self._plan.behaviours[number].spec.policy
        try:
            values = np.asarray(out)
        except ValueError:
            raise DatasetError(f"policy {name}: its actions differ in shape from row to row.") from None
        if self._sizes.size and values.dtype.kind not in "iu":
            raise DatasetError(
                f"policy {name}: its action {written(values[0])} is of type {values.dtype}; a menu takes "
                "whole numbers."
            )
        if values.shape != (rows, *self._shape) and values.size == rows * self._width:
            values = values.reshape(rows, *self._shape)  # a menu number as an array of one
        if values.shape != (rows, *self._shape) or values.dtype.kind not in "iuf":
            raise DatasetError(
                f"policy {name}: its action {written(values[0])} does not fit the action space {self._space}."
            )
        return values.astype(self._space.dtype)

    def _shifted(self, actions: NDArray[Any], noise: Floats) -> NDArray[Any]:
        """Return amounts with noise, within the space."""
        assert isinstance(self._space, spaces.Box)
        shifted = actions.astype(np.float64) + noise
        return np.clip(shifted, self._space.low, self._space.high).astype(self._space.dtype)

    def _any(self, uniform: Floats) -> NDArray[Any]:
        """Return an action of the space for each row of numbers from 0 to 1, (rows, width)."""
        if self._sizes.size:
            drawn = np.floor(uniform * self._sizes).astype(np.int64)
            return drawn.reshape(len(uniform), *self._shape)
        assert isinstance(self._space, spaces.Box)
        low, high = self._space.low.astype(np.float64), self._space.high.astype(np.float64)
        return low + (high - low) * uniform.reshape(len(uniform), *self._shape)


def _stream(seed: int, number: int) -> np.random.Generator:
    """Return a stream of an episode's seed; that of its environment is another."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, number])))
