"""The single environment: a batch of one behind `gymnasium.Env`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from agbench.envs.actions import as_array
from agbench.envs.core import BatchCore, Parts, SavedEpisode
from agbench.envs.scenarios import ScenarioSet
from agbench.errors import ConfigError, SimulationError, did_you_mean

if TYPE_CHECKING:
    from agbench.envs.rendering import EpisodePlot

RENDER_MODES = ("human", "rgb_array")
FPS = 4


class AgBenchEnv(gym.Env[NDArray[np.float32], Any]):
    """One field, farm or greenhouse; an episode is a season, several, or some weeks in a greenhouse.

    Observation Space: float32 variables of crop, soil, climate and weather in physical units; names,
    units and bounds are in `observation_entries`. Action Space: a menu (`Discrete`), or amounts and
    positions (`Box` in [-1, 1]); `action_labels` says what each means. Rewards and Episode End are
    the task's: `terminated` at maturity, at harvest and when the time of the task is over, after which
    nothing is paid; never `truncated`, which is for limits put around an environment.
    `info` always holds `scenario`, `elapsed` (model steps since the start: of a day in fields, of five
    minutes in greenhouses) and the task's metrics so far.

    `reset(options={"scenario": "wageningen/1984"})` chooses the scenario, in fields any measured or
    generated season (docs/weather.md); without, it is drawn from the split by the episode's seed.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": FPS}  # noqa: RUF012

    def __init__(self, parts: Parts, render_mode: str | None = None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ConfigError(
                f"render_mode {render_mode!r} is unknown.{did_you_mean(render_mode, RENDER_MODES)}"
            )
        self.render_mode = render_mode
        self.core = BatchCore(parts, 1)
        self.task = parts.task
        self.action_space = parts.actions.space
        self.observation_space: gym.Space[NDArray[np.float32]] = parts.observer.space  # type: ignore[assignment]
        self.observation_entries = parts.observer.entries
        self.action_labels = parts.actions.describe()
        self._moving = np.ones(1, dtype=np.bool_)
        self._menu = isinstance(self.action_space, gym.spaces.Discrete)
        self._plot: EpisodePlot | None = None

    @property
    def scenarios(self) -> ScenarioSet:
        """The scenarios of the split."""
        return self.core.parts.scenarios

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start an episode; see the class for `options`."""
        super().reset(seed=seed)
        self.core.generators[0] = self.np_random
        key = _scenario_option(options)
        self.core.reset([0], [key])
        if self.render_mode is not None:
            self._plotter().begin(self.core)
            if self.render_mode == "human":
                self.render()
        return self._observed(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], SupportsFloat, bool, bool, dict[str, Any]]:
        """Apply an action and simulate one step of the episode."""
        if self.core.over[0]:
            raise SimulationError("step() after the end of the episode; call reset() first.")
        batched = as_array(action)
        if self._menu and batched.ndim != 0:
            batched = batched.reshape(-1) if batched.size == 1 else batched[None]
        else:
            batched = batched[None]
        reward, terminated, truncated = self.core.step(batched, self._moving)
        result = float(reward[0])
        if self.render_mode is not None:
            self._plotter().add(self.core, action, result)
            if self.render_mode == "human":
                self.render()
        return (self._observed(), result, bool(terminated[0]), bool(truncated[0]), self._info())

    def _info(self) -> dict[str, Any]:
        return {
            name: values[0].item() if values.dtype != object else values[0]
            for name, values in self.core.info().items()
        }

    def save_state(self) -> SavedEpisode:
        """Return the exact state of the episode, for `load_state` of any environment like this."""
        return self.core.save(0)

    def load_state(self, saved: SavedEpisode) -> NDArray[np.float32]:
        """Go on from a saved state, and return its observation; the future is equal bit for bit."""
        self.core.load(0, saved)
        generator = self.core.generators[0]
        if generator is not None:
            self.np_random = generator
        return self._observed()

    def _observed(self) -> NDArray[np.float32]:
        observation: NDArray[np.float32] = self.core.observations[0].copy()
        return observation

    def render(self) -> NDArray[np.uint8] | None:
        """Draw the episode so far: an image (height, width, 3), or a window in mode `human`."""
        if self.render_mode is None:
            gym.logger.warn('render() without a render_mode; make it with render_mode="rgb_array".')
            return None
        return self._plotter().draw(show=self.render_mode == "human")

    def save_picture(self, path: Path) -> None:
        """Draw the episode so far into a file; raises `SimulationError` without a render_mode."""
        if self.render_mode is None:
            raise SimulationError('nothing was drawn: make the environment with render_mode="rgb_array".')
        self._plotter().save(path)

    def close(self) -> None:
        """Close the window, if one is open."""
        if self._plot is not None:
            self._plot.close()
            self._plot = None

    def _plotter(self) -> "EpisodePlot":
        from agbench.envs.family import family

        if self._plot is None:
            self._plot = family(self.task).plot(self.core)
        return self._plot


def _scenario_option(options: dict[str, Any] | None) -> Any:
    """Return the scenario that reset options ask for; raises `ConfigError` for unknown options."""
    for key in options or {}:
        if key != "scenario":
            raise ConfigError(f"reset options: unknown key {key!r}.{did_you_mean(key, ['scenario'])}")
    return (options or {}).get("scenario")
