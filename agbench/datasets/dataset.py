"""A dataset in memory, and what other libraries take of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data.task import Task
from agbench.datasets import card, description, exchange, npz_format, parquet_format, tables
from agbench.datasets.part import PlayedPart
from agbench.envs.family import observer
from agbench.envs.scaling import Scaled, Scaling, scaling_of
from agbench.errors import DatasetError
from agbench.variables import Booleans, Floats

if TYPE_CHECKING:
    import pandas as pd


_NOT_READ: Final = (*card.FILES, f"data/{description.FILE}")
"""Files of a dataset that its arrays do not come from."""


def load(folder: str | Path, scaled: Scaled = False, scaled_reward: bool = False) -> "Dataset":
    """Return a dataset of any format, as `agbench dataset` and `agbench.collect` write them.

    `scaled` and `scaled_reward` are those of `agbench.make`: data for a learner whose environment is scaled
    must be scaled the same way. Raises `DatasetError` for a folder that holds none, or a damaged one.
    """
    path = description.folder_of(folder)
    told = description.read(path)
    if problem := description.damage(path, told, without=_NOT_READ):
        raise DatasetError(f"{path}: {problem} Make it again: {told['command']}")
    part = read_part(path, told)
    task = description.task_of(path, told)
    scaling = None if scaled is False else scaling_of(task, scaled)
    now, kept = len(observer(task).entries), part.observations.shape[1]
    if scaling is not None and now != kept:
        raise DatasetError(
            f"{path}: {told['task']} has {now} observations now and the dataset {kept}: they cannot be "
            f"scaled. Make it again: {told['command']}"
        )
    if scaled_reward and scaling is None:
        raise DatasetError(f"{path}: scaled_reward needs scaled=True, which names the scaling.")
    return Dataset(part, told, task, scaling, scaled_reward)


def read_part(folder: Path, told: Mapping[str, Any]) -> PlayedPart:
    """Return all arrays of a dataset; raises `DatasetError` where its files are missing or damaged."""
    try:
        if told["format"] == "npz":
            return npz_format.read(folder)
        if told["format"] == "parquet":
            return parquet_format.read(folder)
        if told["format"] == "minari":
            from agbench.datasets import minari_format

            return minari_format.read(folder)
    except (OSError, KeyError, ValueError, IndexError) as error:
        if isinstance(error, DatasetError):
            raise
        raise DatasetError(
            f"{folder}: a file is missing or damaged: {error}. Make it again: {told['command']}"
        ) from None
    raise DatasetError(f"{folder}: unknown format {told['format']!r}.")


@dataclass(frozen=True)
class Dataset:
    """N transitions of E episodes, one after the other. Observations are scaled if it was loaded so."""

    part: PlayedPart
    metadata: Mapping[str, Any]
    task: Task
    scaling: Scaling | None = None
    scaled_reward: bool = False

    @property
    def observations(self) -> NDArray[np.float32]:
        """What the actions answered, (N, d)."""
        return self._scaled(self.part.observations)

    @property
    def final_observations(self) -> NDArray[np.float32]:
        """The last observation of each episode, (E, d)."""
        return self._scaled(self.part.final_observations)

    @property
    def next_observations(self) -> NDArray[np.float32]:
        """What came of the actions, (N, d)."""
        following = np.concatenate([self.observations[1:], self.observations[:1]])
        following[self.part.ends - 1] = self.final_observations
        return following

    @property
    def actions(self) -> NDArray[Any]:
        """The actions, (N,) of one menu, (N, k) of several menus or of amounts."""
        return self.part.actions

    @property
    def rewards(self) -> Floats:
        """The rewards, (N,)."""
        if self.scaled_reward and self.scaling is not None:
            return self.scaling.rewards(self.part.rewards)
        return self.part.rewards

    @property
    def costs(self) -> Floats:
        """By how much each step violated constraints, (N,)."""
        return self.part.costs

    @property
    def terminations(self) -> Booleans:
        """Whether the step reached the task's own end, (N,)."""
        return self.part.terminations

    @property
    def truncations(self) -> Booleans:
        """Whether an outer limit ended the episode, (N,)."""
        return self.part.truncations

    @property
    def timeouts(self) -> Booleans:
        """Whether an episode ends here without the task's own end, (N,)."""
        last = np.zeros(len(self.part.rewards), dtype=np.bool_)
        last[self.part.ends - 1] = True
        return last & ~self.part.terminations

    @property
    def episode_lengths(self) -> NDArray[np.int64]:
        """The decisions of each episode, (E,)."""
        return self.part.episode_lengths

    @property
    def returns(self) -> Floats:
        """The sum of each episode's rewards, (E,), in the reward's own unit."""
        return self.part.sums(self.part.rewards)

    def __len__(self) -> int:
        return len(self.part.rewards)

    def episodes(self) -> Iterator["RecordedEpisode"]:
        """Yield the episodes one by one."""
        observations, last, rewards = self.observations, self.final_observations, self.rewards
        for i, steps in enumerate(self.part.slices):
            seen = np.concatenate([observations[steps], last[i, None]])
            ended = bool(self.part.terminations[steps][-1])
            yield RecordedEpisode(seen, self.part.actions[steps], rewards[steps], ended)

    def to_pandas(self) -> "pd.DataFrame":
        """Return the transitions as a table: a row a step, named columns, as the format `parquet` has."""
        import pandas as pd

        columns = tables.transitions(self.part, 0, self.metadata)
        return pd.DataFrame({name: values for name, (values, _, _) in columns.items()})

    def to_torch(self, device: str = "cpu") -> Any:
        """Return a `TensorDataset` of observation, action, reward, next observation and termination."""
        return exchange.to_torch(self, device)

    def to_sb3(self, device: str = "cpu") -> Any:
        """Return a full `ReplayBuffer` of Stable-Baselines3."""
        return exchange.to_sb3(self, device)

    def to_imitation(self) -> list[Any]:
        """Return a list of `imitation`'s trajectories with rewards."""
        return exchange.to_imitation(self)

    def to_d3rlpy(self) -> Any:
        """Return an `MDPDataset` of d3rlpy."""
        return exchange.to_d3rlpy(self)

    def _scaled(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return values if self.scaling is None else self.scaling.observations(values)


@dataclass(frozen=True)
class RecordedEpisode:
    """An episode of T decisions: observations (T + 1, d), actions, rewards (T,), and how it ended."""

    observations: NDArray[np.float32]
    actions: NDArray[Any]
    rewards: Floats
    terminated: bool
