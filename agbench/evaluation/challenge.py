"""Holding a task's references against blind calendars: an oracle that one of them beats is no bound.

Thousands of random calendars, which observe nothing, are played in every scenario of a split, as the task's
protocol plays a policy. A second search, which knows the stored solutions as little as the first one knew
these, may then go on from the best of them, season by season.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agbench.data import catalog
from agbench.data.task import Task
from agbench.envs import rollout
from agbench.envs.core import BatchCore, Parts
from agbench.envs.family import build
from agbench.envs.threads import with_threads
from agbench.evaluation import anchors, protocol
from agbench.evaluation.anchors import SplitAnchors
from agbench.policies.tuning.blind import calendars
from agbench.policies.tuning.search import number_of_decisions
from agbench.policies.tuning.sequences import Edits, improve
from agbench.running import Engine, in_order
from agbench.variables import Floats

Actions = NDArray[Any]

SHARE: Final = 0.01
"""An oracle is beaten by what lies above it by more than this share of oracle less floor."""

_ROWS: Final = 4096  # episodes simulated together
_NUMBERS: Final = 32_000_000  # of actions held at once
_CLONES: Final = 256  # of the second search
_STARTS: Final = 8  # it begins with: the best calendars of each season
_NOTICED: Final = 1e-9  # of a constraint cost; what is less is rounding


class Played(NamedTuple):
    """What sequences reach: objective and constraint cost, each (sequences, episodes)."""

    objective: Floats
    cost: Floats


@dataclass(frozen=True)
class Challenge:
    """What random blind calendars, and a second search, reach beside a task's references.

    `objective` is that of the calendars that keep the task's limit of constraint costs, (n, scenarios);
    `searched` what the second search reached in each scenario, None where there was none.
    """

    task: Task
    split: str
    drawn: int
    scenarios: list[str]
    references: SplitAnchors
    objective: Floats
    searched: Floats | None

    @property
    def scores(self) -> Floats:
        """The mean scores of the calendars, the best first."""
        return np.sort(self.references.scores(self.objective).mean(axis=1))[::-1]

    @property
    def best(self) -> Floats:
        """The best that is known of each scenario without the oracle, (scenarios,)."""
        own = self.objective.max(axis=0) if len(self.objective) else np.full(len(self.scenarios), -np.inf)
        return own if self.searched is None else np.maximum(own, self.searched)

    @property
    def above_expert(self) -> int:
        """How many calendars have a higher mean than the expert."""
        return int((self.objective.mean(axis=1) > self.references.expert.mean()).sum())

    @property
    def excess(self) -> Floats | None:
        """By how much the best lies above the oracle in each scenario, as a share of oracle less floor.

        Both are means over the split, so that a season that nothing can change does not count. None where
        the task has no oracle.
        """
        oracle = self.references.oracle
        if oracle is None:
            return None
        excess: Floats = (self.best - oracle) / (oracle.mean() - self.references.floor.mean())
        return excess

    @property
    def beaten(self) -> list[str]:
        """The scenarios in which the oracle is no bound."""
        excess = self.excess
        if excess is None:
            return []
        return [key for key, one in zip(self.scenarios, excess, strict=True) if one > SHARE]

    @property
    def oracle_holds(self) -> bool:
        """Whether nothing that was tried beats the oracle, in any scenario or in the mean."""
        excess = self.excess
        return excess is None or not (self.beaten or float(excess.mean()) > SHARE)


def challenge(
    name: str, split: str = "test", count: int = 1000, seed: int = 0, rounds: int = 0, threads: int = 1
) -> Challenge:
    """Return what `count` random blind calendars reach beside a task's stored anchors.

    With `rounds` a second search goes on from the best of them in each scenario for so many rounds. Batches
    run in so many `threads`, with the same result for any number.
    Raises `ConfigError` where the task has no anchors that fit.
    """
    task = catalog.task(name)
    references = anchors.of_split(task, split)
    parts = with_threads(build(task, split), threads)
    generator = np.random.default_rng(seed)
    keys = list(parts.scenarios.keys)
    steps = number_of_decisions(parts)
    batch = max(1, min(_ROWS // len(_episodes(parts)), _NUMBERS // steps, count))
    reached = []
    kept: list[_Best] = [_Best() for _ in keys]
    for first in range(0, count, batch):
        drawn = calendars(parts, min(batch, count - first), steps, generator)
        played = play(parts, drawn)
        objective, cost = (_by_scenario(values, len(keys)) for values in played)
        reached.append(objective[_feasible(cost.mean(axis=1), references.limit)])
        if rounds:
            allowed = np.where(_feasible(cost, references.limit), objective, -np.inf)
            for best, values in zip(kept, allowed.T, strict=True):
                best.take(drawn, values)
    searched = None
    if rounds:
        searched = np.array(
            [
                _searched(parts, key, best.sequences, rounds, references.limit, generator)
                for key, best in zip(keys, kept, strict=True)
            ]
        )
    return Challenge(task, split, count, keys, references, np.concatenate(reached), searched)


def challenges(names: Sequence[str], engine: Engine, **options: Any) -> Iterator[Challenge]:
    """Yield the challenges of tasks in order, each an item of an engine; options as for `challenge`.

    A task that is named twice is played once.
    """
    return by_task(challenge, names, engine, options)


def by_task(
    function: Callable[..., Any], names: Sequence[str], engine: Engine, options: Mapping[str, Any]
) -> Iterator[Any]:
    """Yield what a function of a task and options gives for each task with anchors, once, in order."""
    each = list(dict.fromkeys(names))
    for name in each:  # before the first is worked on
        anchors.of_split(catalog.task(name), options.get("split", "test"))
    return in_order(engine.run(_ByTask(function, options), each))


@dataclass(frozen=True)
class _ByTask:
    """The work of a function of a task; its items are ids of tasks."""

    function: Callable[..., Any]
    options: Mapping[str, Any]

    def files(self) -> list[str]:
        """Return none."""
        return []

    def prepare(self, place: Mapping[str, str]) -> Callable[[str], Any]:
        """Return the function from a task to its result."""
        return lambda name: self.function(name, **self.options)


def play(parts: Parts, sequences: Actions, keys: Sequence[str] | None = None) -> Played:
    """Return what sequences (n, steps, ...) reach in every episode of the protocol, or of some scenarios.

    A sequence that is too short goes on with its last action. Row for row this is what an evaluation of a
    policy that takes these actions gives.
    """
    episodes = [episode for episode in _episodes(parts) if keys is None or episode.scenario in keys]
    core = BatchCore(parts, len(sequences) * len(episodes))
    core.start(
        [episode.scenario for episode in episodes] * len(sequences),
        [e.seed for e in episodes] * len(sequences),
    )
    of_row = np.repeat(np.arange(len(sequences)), len(episodes))
    total, cost, moving = np.zeros(core.n), np.zeros(core.n), ~core.over

    def act(_: NDArray[np.float32], number: int) -> Actions:
        moving[:] = ~core.over
        taken: Actions = sequences[:, min(number, sequences.shape[1] - 1)][of_row]
        return taken

    for rewards in rollout.steps(core, act):
        total += rewards
        cost += np.where(moving, core.reward.cost, 0.0)
    name = parts.task.protocol.objective
    objective = total if name == "return" else core.info()[name]
    return Played(*(np.array(v, float).reshape(len(sequences), -1) for v in (objective, cost)))


class _Best:
    """The best sequences of one scenario so far."""

    def __init__(self) -> None:
        self.sequences: Any = None
        self._values: Floats = np.zeros(0)

    def take(self, sequences: Actions, values: Floats) -> None:
        """Take over those of more sequences that belong to the best."""
        if self.sequences is not None:
            sequences = np.concatenate([self.sequences, sequences])
            values = np.concatenate([self._values, values])
        order = np.argsort(-values, kind="stable")[:_STARTS]
        self.sequences, self._values = sequences[order], values[order]


def _searched(
    parts: Parts, key: str, start: Actions, rounds: int, limit: float, generator: np.random.Generator
) -> float:
    """Return what a search from sequences reaches in a scenario, within the limit of constraint costs."""

    def value(candidates: Actions) -> Floats:
        objective, cost = (values.mean(axis=1) for values in play(parts, candidates, [key]))
        return np.where(_feasible(cost, limit), objective, -np.inf)

    _, values = improve(value, Edits(parts), start, (0, start.shape[1]), _CLONES, rounds, generator)
    return float(values[0])


def _episodes(parts: Parts) -> list[protocol.Episode]:
    return protocol.episodes(parts.task, parts.scenarios)


def _by_scenario(values: Floats, scenarios: int) -> Floats:
    """Return values (n, episodes) with the repeats of each scenario averaged, (n, scenarios)."""
    means: Floats = values.reshape(len(values), scenarios, -1).mean(axis=2)
    return means


def _feasible(cost: Floats, limit: float) -> NDArray[np.bool_]:
    feasible: NDArray[np.bool_] = cost <= limit * (1.0 + _NOTICED) + _NOTICED
    return feasible


def lines(result: Challenge) -> list[str]:
    """Return the result in words: whom the calendars beat, and whether the oracle is a bound."""
    of, unit = result.references, result.task.protocol.objective_unit
    roles = {"floor": of.floor, "blind": of.blind, "expert": of.expert, "oracle": of.oracle}
    means = ", ".join(f"{role} {v.mean():.4g}" for role, v in roles.items() if v is not None)
    left = result.drawn - len(result.objective)
    infeasible = f", {left} beyond the limit of constraint costs" if left else ""
    text = [
        f"{result.task.task}  {result.split}: {result.drawn} random blind calendars in "
        f"{len(result.scenarios)} scenarios{infeasible}",
        f"    references  mean {result.task.protocol.objective} of {means} {unit}",
    ]
    if len(result.objective):
        best = int(np.argmax(result.objective.mean(axis=1)))
        wins = int((result.objective[best] > of.expert).sum())
        text.append(
            f"    calendars   the best has {result.objective[best].mean():.4g} {unit}, score "
            f"{result.scores[0]:.1f}, above the expert in {wins} of {len(result.scenarios)} scenarios; "
            f"{result.above_expert} beat the expert's mean"
        )
    if result.searched is not None:
        text.append(f"    search      {result.searched.mean():.4g} {unit} in the mean, season by season")
    excess = result.excess
    if not np.isfinite(result.best).any():
        text.append(
            "    oracle      not tried: no calendar keeps the limit of constraint costs; draw more of them"
        )
    elif excess is not None:
        most = int(np.argmax(excess))
        how = "holds" if result.oracle_holds else f"is beaten in {len(result.beaten)} scenarios"
        text.append(
            f"    oracle      {how}: the best lies {100 * excess[most]:+.1f} % of oracle - floor from it in "
            f"{result.scenarios[most]}, {100 * excess.mean():+.1f} % in the mean"
        )
    return text


def content(result: Challenge) -> dict[str, Any]:
    """Return the result as plain data."""
    excess = result.excess
    return {
        "task": result.task.task,
        "split": result.split,
        "calendars": result.drawn,
        "feasible": len(result.objective),
        "best_score": float(result.scores[0]) if len(result.objective) else None,
        "above_expert": result.above_expert,
        "oracle_holds": result.oracle_holds,
        "beaten_in": result.beaten,
        "best": dict(zip(result.scenarios, result.best.tolist(), strict=True)),
        "excess": None if excess is None else dict(zip(result.scenarios, excess.tolist(), strict=True)),
    }
