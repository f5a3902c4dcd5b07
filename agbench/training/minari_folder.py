"""Datasets of Minari: their episodes as arrays."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.errors import ConfigError, MissingExtraError


def read(folder: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays of a dataset, one episode after another, and what it says of itself.

    Both are as `agbench.training.demonstrations` has them. Raises `MissingExtraError` without Minari,
    `ConfigError` where it cannot read the dataset or an environment of ours did not make it.
    """
    try:
        from minari import MinariDataset
    except ImportError:
        raise MissingExtraError(
            f"{folder} is a dataset of Minari, which is not installed. Install it with: "
            'pip install "agbench[data]"'
        ) from None
    inner = folder / "data" if (folder / "data").is_dir() else folder
    about = _about(inner)
    try:
        episodes = list(MinariDataset(inner).iterate_episodes())
        arrays = {
            "observations": np.concatenate([one.observations[:-1] for one in episodes]),
            "final_observations": np.stack([one.observations[-1] for one in episodes]),
            "episode_lengths": np.array([len(one.rewards) for one in episodes], dtype=np.int64),
        }
        for name in ("actions", "rewards", "terminations", "truncations"):
            arrays[name] = np.concatenate([getattr(one, name) for one in episodes])
    except Exception as error:  # of HDF5, Arrow and JSON: there is no telling which
        raise ConfigError(f"{folder}: Minari cannot read it: {error}.") from None
    return arrays, about


def _about(folder: Path) -> dict[str, Any]:
    """Return what a dataset says of itself; of one that we did not make at least the task."""
    path = folder / "metadata.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        own = content.get("agbench")
        if own is not None:
            return dict(own)
        spec = json.loads(content["env_spec"])
        changed = dict(spec["kwargs"])
        task = changed.pop("task", None) or str(spec["id"]).partition("/")[2]
        about = {"task": task, "split": changed.pop("split", "train")}
        about |= {key: changed.pop(key, None) for key in ("weather", "years")}
        changed.pop("render_mode", None)  # changes nothing of what is seen, done or paid
        for key in ("scaled", "scaled_reward"):
            if changed.get(key) is False:
                del changed[key]
        return about | {"overrides": changed}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{path}: does not say which task the dataset is of ({type(error).__name__}: {error}). Collect "
            "it in agbench.make(TASK)."
        ) from None
