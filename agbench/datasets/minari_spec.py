"""What Minari keeps beside the arrays: spaces, the environment to recover, who made it."""

import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final

from gymnasium.envs.registration import EnvSpec

from agbench import __version__
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.family import action_map, observer
from agbench.errors import MissingExtraError

VERSION: Final = "0.5.4"
"""The version of Minari whose layout datasets have."""


def require() -> None:
    """Raise `MissingExtraError` without Minari."""
    if find_spec("minari") is None:
        raise MissingExtraError(
            'The format minari needs Minari. Install it with: pip install "agbench[data]"; '
            "or choose the format npz or parquet."
        )


def metadata(description: Mapping[str, Any], megabytes: float) -> dict[str, Any]:
    """Return the content of Minari's `metadata.json`; what Minari has no key for stands under `agbench`."""
    from minari.serialization import serialize_space

    task = override(catalog.task(description["task"]), description["overrides"])
    references = description["references"] or {}
    scores = {role: references[role]["mean"] for role in ("floor", "expert") if role in references}
    found = {
        "ref_min_score": scores.get("floor"),
        "ref_max_score": scores.get("expert"),
        "num_episodes_average_score": references.get("episodes"),
    }
    return {
        "total_episodes": description["episodes"],
        "total_steps": description["transitions"],
        "data_format": "hdf5",
        "jpeg_encoding": False,
        "observation_space": serialize_space(observer(task).space),
        "action_space": serialize_space(action_map(task).space),
        "env_spec": env_spec(description, description["split"]),
        "eval_env_spec": env_spec(description, "test" if "test" in task.splits else description["split"]),
        "dataset_id": description["id"],
        "minari_version": VERSION,
        "dataset_size": megabytes,
        "description": description["summary"],
        "algorithm_name": ", ".join(b["policy"] for b in description["behaviour"]),
        "requirements": [f"agbench=={__version__}"],
        **{key: value for key, value in found.items() if value is not None},
        "agbench": dict(description),
    }


def env_spec(description: Mapping[str, Any], split: str) -> str:
    """Return, as JSON, what `gymnasium.make` makes the dataset's environment of."""
    arguments: dict[str, Any] = {"task": description["task"], "split": split, **description["overrides"]}
    if description["years"] is not None and split == description["split"]:
        arguments["years"] = description["years"]
    spec = EnvSpec(
        id=f"agbench/{description['task']}",
        entry_point="agbench.envs.registry:single_environment",
        vector_entry_point="agbench.envs.registry:vector_environment",
        kwargs=arguments,
    )
    return json.dumps(json.loads(spec.to_json()))
