"""Playing the episodes of a plan, part by part, in one compiled batch."""

import gc
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.datasets.crew import Crew
from agbench.datasets.part import PlayedPart
from agbench.datasets.plan import Plan
from agbench.envs.core import BatchCore
from agbench.errors import ActionError, DatasetError
from agbench.variables import Booleans

_SEASONS: Final = 512  # that are drawn, with weather of their own, before all is made anew


class Player:
    """Plays any part of a plan. Policies, code and weather are kept from one part to the next.

    Of drawn seasons, which hardly come back, only so many are kept.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._parts = plan.parts()
        self._core: BatchCore | None = None
        self._crew: Crew | None = None
        self._drawn = 0

    def play(self, episodes: range) -> PlayedPart:
        """Return the part of some episodes, as long as no policy raises; that is a `DatasetError`."""
        plan = self._plan
        if plan.scenarios == "drawn" and self._drawn >= _SEASONS:
            del self._parts
            self._core, self._drawn = None, 0
            if self._crew is not None and self._crew.plans:
                self._crew = None
            gc.collect()  # a batch and its parts refer to each other
            self._parts = plan.parts()
        self._drawn += len(episodes)
        core, crew = self._of_size(len(episodes))
        seeds = [plan.seed_of(i) for i in episodes]
        for row, seed in enumerate(seeds):
            core.seed(row, seed)
        core.reset(range(core.n), [plan.key_of(i, self._parts) for i in episodes])
        crew.begin(core, episodes, seeds)
        record = _Record(plan.state)
        while not core.over.all():
            moving = ~core.over
            actions, by = crew.act(core, moving, len(record.moving))
            record.before(core, moving, actions, by)
            try:
                rewards, terminated, truncated = core.step(actions, moving)
            except ActionError as error:
                names = ", ".join(b.spec.policy for b in plan.behaviours)
                raise DatasetError(f"policy {names}: {error}") from error
            record.after(rewards, core.reward.cost, terminated, truncated)
        return record.part(core, seeds)

    def _of_size(self, rows: int) -> tuple[BatchCore, Crew]:
        if self._core is None or self._core.n != rows:
            self._core = BatchCore(self._parts, rows)
        if self._crew is None or self._crew.rows != rows:
            self._crew = Crew(self._plan, self._parts.actions.space, rows)
        return self._core, self._crew


@dataclass
class _Record:
    """What happens in a batch, one array of all rows a step."""

    keeps_states: bool
    moving: list[Booleans] = field(default_factory=list)
    steps: dict[str, list[NDArray[Any]]] = field(default_factory=dict)

    def before(self, core: BatchCore, moving: Booleans, actions: NDArray[Any], by: NDArray[np.int8]) -> None:
        """Keep what was seen, and what is done about it."""
        self.moving.append(moving)
        self._add("observations", core.observations.copy())
        self._add("states", self._states(core))
        self._add("actions", actions)
        self._add("behaviours", by)

    def after(self, rewards: Any, costs: Any, terminated: Any, truncated: Any) -> None:
        """Keep what came of it."""
        self._add("rewards", rewards.copy())
        self._add("costs", costs.copy())
        self._add("terminations", terminated)
        self._add("truncations", truncated)

    def part(self, core: BatchCore, seeds: list[int]) -> PlayedPart:
        """Return all as a part; every row's episode is over."""
        moved = np.stack(self.moving, axis=1)
        info = core.info()
        per_step = {name: np.stack(values, axis=1)[moved] for name, values in self.steps.items()}
        return PlayedPart(
            **per_step,
            episode_lengths=moved.sum(axis=1, dtype=np.int64),
            final_observations=core.observations.copy(),
            final_states=self._states(core),
            seeds=np.array(seeds, dtype=np.int64),
            scenarios=np.array([str(key) for key in core.scenario]),
            metrics=np.stack([info[name] for name in core.task.metrics], axis=1).astype(np.float64)
            if core.task.metrics
            else np.zeros((core.n, 0)),
        )

    def _states(self, core: BatchCore) -> NDArray[Any]:
        state: NDArray[Any] = core.simulator.state
        return state.copy() if self.keeps_states else np.zeros((core.n, 0))

    def _add(self, name: str, values: NDArray[Any]) -> None:
        self.steps.setdefault(name, []).append(values)
