"""From a dataset to the containers of learning libraries."""

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from agbench.envs.family import action_map, observer
from agbench.errors import DatasetError, MissingExtraError

if TYPE_CHECKING:
    from agbench.datasets.dataset import Dataset


def to_torch(data: "Dataset", device: str) -> Any:
    """Return a `TensorDataset`; numbers are float32, menu numbers int64, terminations float32."""
    torch = _needed("torch", "agbench[rl]")
    from torch.utils.data import TensorDataset

    def tensor(values: Any) -> Any:
        return torch.as_tensor(np.ascontiguousarray(values), device=device)

    return TensorDataset(
        tensor(data.observations),
        tensor(data.actions),
        tensor(data.rewards.astype(np.float32)),
        tensor(data.next_observations),
        tensor(data.terminations.astype(np.float32)),
    )


def to_sb3(data: "Dataset", device: str) -> Any:
    """Return a full `ReplayBuffer`, for `model.replay_buffer` of an off-policy algorithm.

    Its spaces are those of the dataset: scaled ones if it was loaded so.
    """
    _needed("stable_baselines3", "agbench[rl]")
    from stable_baselines3.common.buffers import ReplayBuffer

    seen = observer(data.task).space if data.scaling is None else data.scaling.space
    buffer = ReplayBuffer(
        len(data), seen, action_map(data.task).space, device, n_envs=1, handle_timeout_termination=True
    )
    buffer.observations[:, 0] = data.observations
    buffer.next_observations[:, 0] = data.next_observations
    buffer.actions[:, 0] = data.actions.reshape(len(data), -1)
    buffer.rewards[:, 0] = data.rewards
    buffer.dones[:, 0] = data.terminations | data.timeouts
    buffer.timeouts[:, 0] = data.timeouts
    buffer.pos, buffer.full = 0, True
    return buffer


def to_imitation(data: "Dataset") -> list[Any]:
    """Return `TrajectoryWithRew` objects, one an episode."""
    types = _needed("imitation.data.types", "imitation==1.0.1", "--no-deps ")
    return [
        types.TrajectoryWithRew(
            obs=one.observations, acts=one.actions, infos=None, terminal=one.terminated, rews=one.rewards
        )
        for one in data.episodes()
    ]


def to_d3rlpy(data: "Dataset") -> Any:
    """Return an `MDPDataset`, its actions discrete for a menu, continuous for amounts.

    Raises `DatasetError` for actions of several menus, which no algorithm of d3rlpy takes.
    """
    menus = data.metadata["actions"].get("menus", [])
    if len(menus) > 1:
        raise DatasetError(
            f"{data.metadata['id']}: its actions are of {len(menus)} menus; d3rlpy takes one menu, or "
            "amounts. to_imitation() and to_torch() take them as they are."
        )
    d3rlpy = _needed("d3rlpy", "d3rlpy==2.8.0", "--no-deps ")
    kind = d3rlpy.constants.ActionSpace.DISCRETE if menus else d3rlpy.constants.ActionSpace.CONTINUOUS
    return d3rlpy.dataset.MDPDataset(
        observations=data.observations,
        actions=data.actions.reshape(len(data), -1),
        rewards=data.rewards.astype(np.float32).reshape(-1, 1),
        terminals=data.terminations.astype(np.float32),
        timeouts=data.timeouts.astype(np.float32),
        action_space=kind,
        action_size=menus[0] if menus else data.metadata["actions"]["width"],  # all, chosen or not
    )


def _needed(module: str, requirement: str, options: str = "") -> ModuleType:
    """Return a library; raises `MissingExtraError` without it."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{module.partition('.')[0]} is not installed, or lacks a part ({error}). Install it with: "
            f'pip install {options}"{requirement}"'
        ) from None
