"""A farm with an agent for each field: PettingZoo's parallel interface on the same batch."""

from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from agbench.envs.actions import as_array, written
from agbench.envs.core import BatchCore, Parts
from agbench.envs.family import family
from agbench.envs.farm.actions import Each
from agbench.envs.farm.observations import FarmObserver
from agbench.envs.farm.rewards import FarmReward
from agbench.envs.rendering import EpisodePlot
from agbench.envs.scaling import Scaling
from agbench.envs.single import FPS, RENDER_MODES
from agbench.errors import ActionError, ConfigError, MissingExtraError, SimulationError, did_you_mean
from agbench.simulators.field.farm import FarmSimulator

try:
    from pettingzoo import ParallelEnv
except ImportError:
    raise MissingExtraError(
        'PettingZoo is not installed. Install it with: pip install "agbench[farm]"'
    ) from None

Observations = dict[str, NDArray[np.float32]]
Infos = dict[str, dict[str, Any]]


class FarmParallelEnv(ParallelEnv):  # type: ignore[misc]  # PettingZoo's classes have no types
    """One farm, one season an episode, one agent a field, named after it.

    An agent sees its own field and what all share, and acts on its own field. It is paid what its field
    earns, times its area, and leaves when its field has finished. With `shared_reward` all agents get what
    the farm earns and stay until the farm has finished; actions on finished fields do nothing. Budgets are
    the farm's. `reset(options={"scenario": ...})` chooses the scenario;
    other options are not looked at.
    """

    metadata: Final = {"name": "agbench_farm", "render_modes": list(RENDER_MODES), "render_fps": FPS}

    def __init__(self, parts: Parts, shared_reward: bool = False, render_mode: str | None = None) -> None:
        actions, observer = parts.actions, parts.observer
        assert isinstance(actions, Each)
        assert isinstance(observer, FarmObserver)
        if render_mode not in (None, *RENDER_MODES):
            raise ConfigError(
                f"render_mode {render_mode!r} is unknown.{did_you_mean(render_mode, RENDER_MODES)}"
            )
        self.render_mode = render_mode
        self.core = BatchCore(parts, 1)
        self.task = parts.task
        self.scaling: Scaling | None = None
        self.scaled_reward = False
        self.possible_agents: list[str] = list(parts.task.field_names)  # type: ignore[attr-defined]
        self.agents: list[str] = []
        self.observation_entries = observer.of_a_field.entries
        self.action_labels = actions.of_a_field.describe()
        self._shared = shared_reward
        self._seen = [observer.columns_of(i) for i in range(len(self.possible_agents))]
        own: Any = observer.of_a_field.space
        self.observation_spaces: dict[str, spaces.Box] = {
            agent: spaces.Box(own.low, own.high, dtype=np.float32) for agent in self.possible_agents
        }
        nothing = actions.of_a_field.encode(actions.of_a_field.names[0], 0.0)[0]
        self._nothing: NDArray[Any] = np.asarray(nothing)
        self.action_spaces = {agent: _copy(actions.of_a_field.space) for agent in self.possible_agents}
        self._moving = np.ones(1, dtype=np.bool_)
        self._plot: EpisodePlot | None = None

    def scale(self, scaling: Scaling | None, scaled_reward: bool = False) -> None:
        """Give observations, and rewards where asked, by the scaling of the farm; None: in physical units."""
        self.scaling, self.scaled_reward = scaling, scaled_reward
        if scaling is not None:
            for agent, columns in zip(self.possible_agents, self._seen, strict=True):
                self.observation_spaces[agent] = scaling.of_columns(columns).space

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return what an agent may do."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Start an episode; without a seed the generator goes on."""
        if seed is not None or self.core.generators[0] is None:
            self.core.generators[0] = seeding.np_random(seed)[0]
        self.core.reset([0], [(options or {}).get("scenario")])
        self.agents = list(self.possible_agents)
        if self.render_mode is not None:
            self._plotter().begin(self.core)
        return self._observed(), self._infos()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Apply the agents' actions and simulate one step of the season."""
        if not self.agents:
            raise SimulationError("step() after the episode's end; call reset() first.")
        own_actions = [self._action(actions, agent)[None] for agent in self.possible_agents]
        actions_of = self.core.parts.actions
        assert isinstance(actions_of, Each)
        together = actions_of.together(own_actions)
        earned, terminated, truncated = self.core.step(together, self._moving)
        reward, simulator = self.core.reward, self.core.simulator
        assert isinstance(reward, FarmReward)
        assert isinstance(simulator, FarmSimulator)
        if self.render_mode is not None:
            self._plotter().add(self.core, together[0], float(earned[0]))
        places = {agent: self.possible_agents.index(agent) for agent in self.agents}
        own = {agent: float(reward.of_fields[0, i]) for agent, i in places.items()}
        rewards = dict.fromkeys(self.agents, float(earned[0])) if self._shared else own
        if self.scaling is not None and self.scaled_reward:
            rewards = {agent: reward / self.scaling.reward for agent, reward in rewards.items()}
        over = bool(terminated[0])
        left = simulator.batch.finished & (not self._shared)
        ended = {agent: over or bool(left[i]) for agent, i in places.items()}
        stopped = {agent: bool(truncated[0]) and not ended[agent] for agent in self.agents}
        answer = self._observed(), rewards, ended, stopped, self._infos()
        self.agents = [agent for agent in self.agents if not (ended[agent] or stopped[agent])]
        return answer

    def render(self) -> NDArray[np.uint8] | None:
        """Draw the farm's season so far: an image (height, width, 3), or a window in mode `human`."""
        return None if self.render_mode is None else self._plotter().draw(show=self.render_mode == "human")

    def state(self) -> NDArray[np.float32]:
        """Return what is seen of the whole farm, for critics that see more than an agent."""
        return self._whole().copy()

    def close(self) -> None:
        """Close the window, if one is open."""
        if self._plot is not None:
            self._plot.close()
            self._plot = None

    def _action(self, actions: dict[str, Any], agent: str) -> NDArray[Any]:
        """Return an agent's action; that of one which has left is nothing."""
        if agent not in self.agents:
            return self._nothing
        if agent not in actions:
            raise ActionError(f"no action for the field {agent}; agents are {', '.join(self.agents)}.")
        action = as_array(actions[agent])
        if action.shape != self._nothing.shape:
            raise ActionError(
                f"the action {written(action)} for {agent} is not in {self.action_space(agent)}."
            )
        return action

    def _observed(self) -> Observations:
        seen = self._whole()
        return {agent: seen[self._seen[self.possible_agents.index(agent)]] for agent in self.agents}

    def _whole(self) -> NDArray[np.float32]:
        seen: NDArray[np.float32] = self.core.observations[0]
        return seen if self.scaling is None else self.scaling.observations(seen)

    def _infos(self) -> Infos:
        info = {name: values[0] for name, values in self.core.info().items()}
        plain = {name: value.item() if hasattr(value, "item") else value for name, value in info.items()}
        return {agent: dict(plain) for agent in self.agents}

    def _plotter(self) -> EpisodePlot:
        if self._plot is None:
            self._plot = family(self.task).plot(self.core)
        return self._plot


def _copy(space: spaces.Space[Any]) -> spaces.Space[Any]:
    """Return a space of an agent's own, whose seed is its own."""
    if isinstance(space, spaces.Discrete):
        return spaces.Discrete(int(space.n))
    assert isinstance(space, spaces.Box)
    return spaces.Box(space.low, space.high, dtype=np.float32)
