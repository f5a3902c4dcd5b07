"""The batch core: n episodes stepped together. Single and vector environments are views of it."""

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from agbench.data.task import MetricSpec, Task
from agbench.envs.actions import ActionMap
from agbench.envs.rewards import Reward
from agbench.envs.scenarios import ScenarioSet
from agbench.errors import SimulationError
from agbench.simulators.base import Simulator
from agbench.variables import Booleans, Floats, Variable, weighted_sum


class Observer(Protocol):
    """What an agent sees: its entries by name, its space, and how it is read from a simulator."""

    entries: list[Variable]
    space: spaces.Box

    def index(self, name: str) -> int:
        """Return the column of an entry; raises `UnknownNameError` with the nearest names."""

    def write(self, simulator: Simulator, out: NDArray[np.float32]) -> None:
        """Write the observations of all rows into `out`, (n, size)."""


@dataclass(frozen=True)
class Parts:
    """What a task is made of, ready to be run with n rows."""

    task: Task
    scenarios: ScenarioSet
    actions: ActionMap
    observer: Observer
    make_simulator: Callable[[int], Simulator]
    make_reward: Callable[[int], Reward]
    hashes: Callable[[], dict[str, str]]
    """The SHA-256 of every data file and series that the scenarios rest on, by name."""
    before_step: "Callable[[BatchCore], None] | None" = None
    """Draws what is random in each step, such as noise on parameters: once the inputs stand, before the
    simulator moves."""
    more_info: "Callable[[BatchCore], Mapping[str, Floats]] | None" = None
    """What info holds beside what it always does, by name, (n,) each; the names never change."""
    rebuild: "Callable[[], Parts] | None" = None
    """Makes these parts anew, in this process or another; `agbench.envs.family.build` sets it."""

    def __reduce__(self) -> Any:
        """Pickle how the parts are made: compiled code and open series are not for other processes."""
        if self.rebuild is None:
            raise SimulationError(
                f"{self.task.task}: parts that were not made by agbench.envs.family.build cannot be pickled."
            )
        return _rebuilt, (self.rebuild,)


def _rebuilt(rebuild: Callable[[], Parts]) -> Parts:
    return rebuild()


@dataclass(frozen=True)
class SavedEpisode:
    """The exact state of one episode, to go on from in any environment of the same task."""

    task: str
    widths: tuple[int, int, int]
    """The numbers of variables, inputs and totals of the reward, which overrides change."""
    scenario: str
    world: Any
    simulation: Any
    reward: Any
    totals: Floats
    generator: dict[str, Any]
    over: bool


class BatchCore:
    """n rows of a task: simulator, scenario draw, observation, reward, end, metrics.

    Every row has its own random generator, seeded by its own seed, so that a row is the same in
    any batch. Pickled or copied it is where it was, row by row, and its future is equal to the last bit.
    """

    def __init__(self, parts: Parts, n: int) -> None:
        self.parts = parts
        self.n = n
        self.task = parts.task
        self.simulator = parts.make_simulator(n)
        self.reward = parts.make_reward(n)
        self.observations: NDArray[np.float32] = np.zeros((n, len(parts.observer.entries)), dtype=np.float32)
        self.scenario: NDArray[np.object_] = np.full(n, None, dtype=object)
        self.over: Booleans = np.ones(n, dtype=np.bool_)
        self.generators: list[np.random.Generator | None] = [None] * n
        self.worlds: list[Any] = [None] * n
        self._before_step = parts.before_step
        self._step = self.task.step
        self._warmup = self.task.warmup
        self.applied: Floats = np.zeros((n, len(self.simulator.inputs)))
        """The sum of each input since the start of the episode."""
        self._widths = self.simulator.state.shape[1], len(self.simulator.inputs), len(self.reward.totals)
        self._nothing: Floats = np.zeros((n, len(self.simulator.inputs)))
        self._starts: dict[tuple[str, int], SavedEpisode] = {}
        self._metrics = {name: self._reader(metric) for name, metric in self.task.metrics.items()}

    def __getstate__(self) -> dict[str, Any]:
        """Return the parts, and the state of every row that has begun an episode."""
        return {
            "parts": self.parts,
            "n": self.n,
            "rows": {row: self.save(row) for row, key in enumerate(self.scenario) if key is not None},
            "generators": self.generators,
            "observations": self.observations.copy(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the batch anew and put each row where it was."""
        BatchCore.__init__(self, state["parts"], state["n"])
        for row, saved in state["rows"].items():
            self._load(row, saved)
        self.generators = state["generators"]
        self.observations[:] = state["observations"]

    def __deepcopy__(self, memo: dict[int, Any]) -> "BatchCore":
        """Return a batch with rows and generators of its own; parts and worlds are fixed, hence shared."""
        result = memo[id(self)] = BatchCore.__new__(BatchCore)
        result.__setstate__({**self.__getstate__(), "generators": copy.deepcopy(self.generators, memo)})
        return result

    def seed(self, row: int, seed: int | None) -> None:
        """Give a row a fresh generator."""
        self.generators[row] = seeding.np_random(seed)[0]

    def reset(self, rows: Sequence[int], keys: Sequence[str | None]) -> None:
        """Start a new episode in each row: in the scenario of its key, or in a drawn one."""
        chosen = [self._choose(row, key) for row, key in zip(rows, keys, strict=True)]
        worlds = [
            self.parts.scenarios.world(key, self.generator(row))
            for row, key in zip(rows, chosen, strict=True)
        ]
        self.scenario[rows] = chosen
        mask = np.zeros(self.n, dtype=np.bool_)
        mask[rows] = True
        self.simulator.reset(worlds, mask)
        if self._warmup:
            self.simulator.advance(self._nothing, self._warmup, mask)
        for row, world in zip(rows, worlds, strict=True):
            self.worlds[row] = world
            self.reward.reset(row, world)
        self.applied[rows] = 0.0
        self.over[rows] = False
        self.observe()

    def start(self, keys: Sequence[str], seeds: Sequence[int]) -> None:
        """Start all rows anew, each in the scenario of its key with a generator of its seed.

        Every row begins as `seed` and `reset` would let it begin. Rows with the same key and seed share one
        world, which is kept for the next start.
        """
        rows_of: dict[tuple[str, int], list[int]] = {}
        for row, pair in enumerate(zip(keys, seeds, strict=True)):
            rows_of.setdefault(pair, []).append(row)
        self._starts = {pair: saved for pair, saved in self._starts.items() if pair in rows_of}
        first = {pair: rows[0] for pair, rows in rows_of.items() if pair not in self._starts}
        for (_, seed), row in first.items():
            self.seed(row, seed)
        if first:
            self.reset(list(first.values()), [key for key, _ in first])
        self._starts |= {pair: self.save(row) for pair, row in first.items()}
        for pair, rows in rows_of.items():
            self.load(rows, self._starts[pair])

    def _choose(self, row: int, key: str | None) -> str:
        """Return the asked-for key, or a drawn one.

        Where worlds are random a key is drawn in any case, so that the same seed gives the same world
        to a scenario that was drawn and to one that the caller chose.
        """
        if key is not None and not self.parts.scenarios.random:
            return key
        drawn = self.parts.scenarios.draw(self.generator(row))
        return drawn if key is None else key

    def generator(self, row: int) -> np.random.Generator:
        """Return a row's generator; one of unknown seed if it has not been seeded."""
        generator = self.generators[row]
        if generator is None:
            generator = self.generators[row] = seeding.np_random()[0]
        return generator

    def step(self, actions: Any, moving: Booleans) -> tuple[Floats, Booleans, Booleans]:
        """Step the `moving` rows; return rewards, terminations and truncations, (n,) each.

        Time that runs out is an end of the task's own, beyond which nothing is paid: nothing truncates.
        """
        inputs = self.parts.actions.inputs(actions, self)
        if self._before_step is not None:
            self._before_step(self)
        self.reward.before(self.simulator)
        self.simulator.advance(inputs, self._step, moving)
        rewards = self.reward.after(self.simulator, inputs, moving)
        self.applied += np.where(moving[:, None], inputs, 0.0)
        ended = self.simulator.finished | (self.simulator.elapsed >= self.simulator.horizon)
        terminated = ended & moving
        self.over |= terminated
        self.observe()
        return rewards, terminated, np.zeros(self.n, dtype=np.bool_)

    def observe(self) -> None:
        """Write all rows' observations into `observations`."""
        self.parts.observer.write(self.simulator, self.observations)

    def info(self) -> dict[str, NDArray[Any]]:
        """Return scenario, model steps since the start, cost of the step and metrics so far, (n,) each."""
        info: dict[str, NDArray[Any]] = {
            "scenario": self.scenario.copy(),
            "elapsed": self.simulator.elapsed.copy(),
            "cost": self.reward.cost.copy(),
        }
        for name, read in self._metrics.items():
            info[name] = read()
        if self.parts.more_info is not None:
            info |= self.parts.more_info(self)
        return info

    def _reader(self, metric: MetricSpec) -> Callable[[], Floats]:
        """Return the function that reads a metric of all rows."""
        factor = metric.factor
        if metric.input is not None:
            applied = self.simulator.inputs.weighted(metric.input)
            return lambda: weighted_sum(self.applied, applied) * factor
        if metric.total is not None:
            name = metric.total
            return lambda: self.reward.totals[name] * factor
        columns = self.simulator.variables.weighted(str(metric.state))
        return lambda: weighted_sum(self.simulator.state, columns) * factor

    def save(self, row: int) -> SavedEpisode:
        """Return the exact state of a row's episode, its random generator included."""
        generator = self.generators[row]
        return SavedEpisode(
            task=self.task.task,
            widths=self._widths,
            scenario=str(self.scenario[row]),
            world=self.worlds[row],
            simulation=self.simulator.save(row),
            reward=self.reward.save(row),
            totals=self.applied[row].copy(),
            generator={} if generator is None else dict(generator.bit_generator.state),
            over=bool(self.over[row]),
        )

    def load(self, rows: int | Iterable[int], saved: SavedEpisode) -> None:
        """Put one row, or several, into a saved state; what follows is equal to the last bit.

        Raises `SimulationError`, and changes nothing, for a state of another task or of one that overrides
        made another.
        """
        self._require_alike(saved)
        for row in [rows] if isinstance(rows, int) else rows:
            self._load(row, saved)
        self.observe()

    def _require_alike(self, saved: SavedEpisode) -> None:
        if saved.task != self.task.task:
            raise SimulationError(f"the saved state is one of {saved.task}; this runs {self.task.task}.")
        if saved.widths != self._widths:
            raise SimulationError(
                f"the saved state is one of {saved.task} with other overrides: it has other variables."
            )

    def _load(self, row: int, saved: SavedEpisode) -> None:
        self.scenario[row] = saved.scenario
        self.simulator.load(row, saved.simulation)
        self.worlds[row] = saved.world
        self.reward.load(row, saved.reward, saved.world)
        self.applied[row] = saved.totals
        self.over[row] = saved.over
        if saved.generator:
            self.seed(row, 0)
            generator = self.generators[row]
            assert generator is not None
            generator.bit_generator.state = saved.generator
