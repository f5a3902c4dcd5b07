"""The batch of fields as a Stable-Baselines3 `VecEnv`: one object steps all rows, no copies between."""

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agbench.envs import AgBenchVectorEnv
from agbench.envs.registry import make_vec
from agbench.envs.scaling import Scaled
from agbench.errors import ConfigError, MissingExtraError
from agbench.training import reuse as reusing
from agbench.training.extras import import_gym_quietly
from agbench.variables import Floats

import_gym_quietly()
try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise MissingExtraError(
        'Stable-Baselines3 is not installed. Install it with: pip install "agbench[rl]"'
    ) from None

if TYPE_CHECKING:
    import gymnasium

Indices = int | Iterable[int] | None


def sb3_env(
    task: str,
    num_envs: int,
    split: str = "train",
    *,
    scaled: Scaled = True,
    scaled_reward: bool | None = None,
    reuse: int = 1,
    **overrides: Any,
) -> "FieldVecEnv":
    """Return `num_envs` environments of a task for Stable-Baselines3.

    Observations and rewards come scaled, as networks need them; `scaled=False` gives physical ones, and
    `scaled_reward=False` rewards in their own unit. Where the split has no end, a drawn season serves `reuse`
    episodes on average; see `agbench.training.reuse`. The other arguments are those of `make_vec`.
    """
    if isinstance(reuse, bool) or not isinstance(reuse, int) or reuse < 1:
        raise ConfigError(f"{task}: reuse must be a whole number of episodes, at least 1; got {reuse!r}.")
    if "autoreset_mode" in overrides:
        raise ConfigError(
            f"{task}: sb3_env takes no autoreset_mode: rows that end restart at once, as Stable-Baselines3 "
            "wants. Leave it out; agbench.make_vec has the other modes."
        )
    paid = scaled is not False if scaled_reward is None else scaled_reward
    if paid and scaled is False:
        raise ConfigError(f"{task}: scaled_reward needs scaled=True, which names the scaling.")
    envs = make_vec(task, num_envs, split, "same_step", scaled=scaled, **overrides)
    reusing.reuse(envs.core, split, reuse)
    return FieldVecEnv(envs, paid)


class FieldVecEnv(VecEnv):
    """A `AgBenchVectorEnv` behind Stable-Baselines3's interface.

    Rows that end restart at once. The info of every row holds `cost`, what the step violated constraints by;
    that of a row that ended also `terminal_observation`, `TimeLimit.truncated`, `episode` (return `r` in the
    reward's own unit, constraint cost `cost`, decisions `l`, seconds `t`) and the metrics of the episode.
    With `scaled_reward` rewards are divided by the spread of the task's scaling.
    """

    def __init__(self, envs: AgBenchVectorEnv, scaled_reward: bool = False) -> None:
        if scaled_reward and envs.scaling is None:
            raise ConfigError("scaled_reward needs environments that were made with scaled=True.")
        self.envs = envs
        self.render_mode = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self._actions: Any = None
        self._spread = envs.scaling.reward if scaled_reward and envs.scaling is not None else 1.0
        self._began = time.perf_counter()
        self._returns: Floats = np.zeros(self.num_envs)
        self._costs: Floats = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, dtype=np.int64)

    def reset(self) -> NDArray[np.float32]:
        """Start an episode in every row, with the seeds and options that were set before."""
        scenarios = [options.get("scenario") for options in self._options]
        options = {} if not any(scenarios) else {"scenario": scenarios}
        observations, info = self.envs.reset(seed=self._seeds, options=options)
        self.reset_infos = _rows(info, range(self.num_envs))
        self._reset_seeds()
        self._reset_options()
        for sums in (self._returns, self._costs, self._lengths):
            sums[:] = 0
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Step all rows."""
        observations, rewards, terminated, truncated, info = self.envs.step(self._actions)
        done = terminated | truncated
        cost = info["cost"]
        if "final_obs" in info:
            cost = np.where(done, info["final_info"]["cost"], cost)
        self._returns += rewards
        self._costs += cost
        self._lengths += 1
        infos: list[dict[str, Any]] = [{"cost": value} for value in cost.tolist()]
        if "final_obs" in info:
            ended = np.flatnonzero(done).tolist()
            for row, final in zip(ended, _rows(info["final_info"], ended), strict=True):
                infos[row] = final
                infos[row]["terminal_observation"] = info["final_obs"][row]
                infos[row]["TimeLimit.truncated"] = bool(truncated[row])
                infos[row]["episode"] = self._episode(row)
        return observations, (rewards / self._spread).astype(np.float32), done, infos

    def _episode(self, row: int) -> dict[str, float]:
        """Return the sums of an episode that has ended, as `Monitor` gives them, and begin the next."""
        sums = {
            "r": float(self._returns[row]),
            "l": int(self._lengths[row]),
            "t": round(time.perf_counter() - self._began, 6),
            "cost": float(self._costs[row]),
        }
        self._returns[row] = self._costs[row] = self._lengths[row] = 0
        return sums

    def close(self) -> None:
        """Close the batch."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of the batch, once a row."""
        owner = self if attr_name == "render_mode" else self.envs
        return [getattr(owner, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of the batch; rows share it."""
        setattr(self.envs, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the batch once and return its result a row."""
        result = getattr(self.envs, method_name)(*method_args, **method_kwargs)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(
        self, wrapper_class: "type[gymnasium.Wrapper[Any, Any, Any, Any]]", indices: Indices = None
    ) -> list[bool]:
        """Return False a row: rows are not wrapped one by one."""
        return [False for _ in self._get_indices(indices)]


def _rows(info: dict[str, Any], rows: Sequence[int]) -> list[dict[str, Any]]:
    """Return a batched info as one dict a row."""
    keys = [key for key in info if not key.startswith("_") and not key.startswith("final_")]
    return [{key: info[key][row] for key in keys} for row in rows]
