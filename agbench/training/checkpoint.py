"""The whole state of a training, in one file: what follows a resumption equals an unbroken run to the bit.

A checkpoint is taken between two rollouts, when the rollout buffer is empty. It holds a pickle: only go on
from files of your own.
"""

import io
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from agbench.errors import ConfigError
from agbench.files import write_bytes
from agbench.training.difference import difference
from agbench.training.folders import CHECKPOINT
from agbench.training.sb3 import FieldVecEnv

FILE: Final = CHECKPOINT
"""Its name in the folder of a training."""


@dataclass(frozen=True)
class Checkpoint:
    """A model as Stable-Baselines3 saves it, what that leaves out, and what training keeps beside it.

    `identity`: all that the run follows from; `generators`: the states of torch's, NumPy's and the action
    space's; `env`: the environments, each row to the bit; `progress`: the trainer's own.
    """

    identity: dict[str, Any]
    model: bytes
    memory: dict[str, Any]
    generators: dict[str, Any]
    env: FieldVecEnv
    progress: dict[str, Any]

    def write(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        write_bytes(path, pickle.dumps(self))


_MEMORY = ("replay_buffer", "_last_lstm_states")
"""What Stable-Baselines3 leaves out of the files of its models, and a run that goes on needs."""


def take(model: Any, identity: dict[str, Any], progress: dict[str, Any]) -> Checkpoint:
    """Return the state of a training, between two rollouts."""
    content = io.BytesIO()
    model.save(content)
    generators = {
        "torch": torch.get_rng_state(),
        "numpy": np.random.get_state(),  # noqa: NPY002  Stable-Baselines3 draws from it
        "actions": model.action_space.np_random.bit_generator.state,
    }
    memory = {name: getattr(model, name) for name in _MEMORY if hasattr(model, name)}
    return Checkpoint(identity, content.getvalue(), memory, generators, model.get_env(), progress)


def read(path: Path, identity: dict[str, Any]) -> Checkpoint:
    """Return a checkpoint; raises `ConfigError` for one of another run, naming what differs."""
    try:
        result = pickle.loads(path.read_bytes())
        if not isinstance(result, Checkpoint):
            raise TypeError(f"it holds a {type(result).__name__}")
    except Exception as error:  # unpickling raises anything
        raise ConfigError(f"{path}: cannot be read ({error}). Remove it to train from the start.") from None
    if apart := difference(result.identity, identity):
        raise ConfigError(
            f"{path}: is of another run: {apart}. Name another folder with --out, or remove that one."
        )
    return result


def restored(cls: Any, checkpoint: Checkpoint) -> Any:
    """Return the model of a checkpoint, in environments that stand where they stood."""
    model = cls.load(io.BytesIO(checkpoint.model), env=checkpoint.env, device="cpu", force_reset=False)
    for name, value in checkpoint.memory.items():
        setattr(model, name, value)
    model.action_space.np_random.bit_generator.state = checkpoint.generators["actions"]
    np.random.set_state(checkpoint.generators["numpy"])  # noqa: NPY002
    torch.set_rng_state(checkpoint.generators["torch"])
    return model
