"""The tables of a dataset, as Parquet: a row a transition, or an episode; columns have units and meanings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.datasets.part import PlayedPart

TRANSITIONS: Final = "transitions.parquet"
EPISODES: Final = "episodes.parquet"
"""The table of episodes, which every format has."""


class GrowingTable:
    """A Parquet file that grows by a row group a part."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: Any = None

    def add(self, columns: Mapping[str, tuple[NDArray[Any], str, str]]) -> None:
        """Write rows; a column is its values, its unit and its meaning."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        arrays = [pa.array(values) for values, _, _ in columns.values()]
        if self._writer is None:
            schema = pa.schema(
                [
                    pa.field(name, array.type, metadata={"unit": unit, "meaning": meaning})
                    for array, (name, (_, unit, meaning)) in zip(arrays, columns.items(), strict=True)
                ]
            )
            self._writer = pq.ParquetWriter(self._path, schema, compression="zstd")
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._writer.schema))

    def close(self) -> None:
        """Close the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def transitions(part: PlayedPart, first: int, description: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a part's transitions; `first` is the number of its first episode."""
    numbers = np.repeat(np.arange(first, first + part.episodes), part.episode_lengths)
    steps = np.concatenate([np.arange(length) for length in part.episode_lengths.tolist()])
    return {
        "episode": (numbers, "-", "number of the episode"),
        "step": (steps, "-", "number of the decision"),
        **_matrix("observation", part.observations, description["observations"]),
        **_actions(part, description),
        "reward": (part.rewards, description["reward_unit"], "reward"),
        "cost": (part.costs, "-", "by how much the step violated constraints"),
        "terminated": (part.terminations, "-", "whether the task's own end was reached"),
        "truncated": (part.truncations, "-", "whether an outer limit ended the episode"),
        "behaviour": (part.behaviours, "-", "number of the behaviour; -1: drawn from the action space"),
        **_matrix("state", part.states, description["states"]),
    }


def episodes(part: PlayedPart, first: int, description: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a part's episodes."""
    unit = description["reward_unit"]
    metrics = {
        f"metric.{name}": (part.metrics[:, i], spec["unit"], spec["meaning"])
        for i, (name, spec) in enumerate(description["metrics"].items())
    }
    return {
        "episode": (np.arange(first, first + part.episodes), "-", "number of the episode"),
        "seed": (part.seeds, "-", "seed of the environment and of what the policy draws"),
        "scenario": (part.scenarios, "-", "key of the scenario"),
        "behaviour": (mostly(part), "-", "number of the behaviour that acted most; -1: none did"),
        "steps": (part.episode_lengths, "-", "number of decisions"),
        "return": (part.sums(part.rewards), unit, "sum of rewards"),
        "cost": (part.sums(part.costs), "-", "by how much constraints were violated, in all"),
        **metrics,
        **_matrix("final_observation", part.final_observations, description["observations"]),
        **_matrix("final_state", part.final_states, description["states"]),
    }


def mostly(part: PlayedPart) -> NDArray[np.int8]:
    """Return the behaviour that acted most often in each episode; -1 where all actions were drawn."""
    counts = np.stack([np.add.reduceat(part.behaviours == b, _starts(part)) for b in range(_most(part) + 1)])
    return np.where(counts.max(axis=0) > 0, counts.argmax(axis=0), -1).astype(np.int8)


def _most(part: PlayedPart) -> int:
    return max(int(part.behaviours.max(initial=0)), 0)


def _starts(part: PlayedPart) -> NDArray[np.int64]:
    return part.ends - part.episode_lengths


def read_matrix(table: Any, prefix: str, dtype: Any) -> NDArray[Any]:
    """Return the columns of a table that begin with `prefix.`, (rows, columns)."""
    names = [name for name in table.column_names if name.startswith(f"{prefix}.")]
    result = np.empty((table.num_rows, len(names)), dtype=dtype)
    for i, name in enumerate(names):
        result[:, i] = table.column(name).to_numpy()
    return result


def _matrix(prefix: str, values: NDArray[Any], variables: Any) -> dict[str, Any]:
    """Return a matrix as columns."""
    return {
        f"{prefix}.{v['name']}": (np.ascontiguousarray(values[:, i]), v["unit"], v["meaning"])
        for i, v in enumerate(variables)
    }


def _actions(part: PlayedPart, description: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of actions: `action` of one menu, `action.0`, `action.1`, ... of more."""
    labels = [str(label) for label in description["actions"]["labels"]]
    if part.actions.ndim == 1:
        return {"action": (part.actions, "-", "; ".join(f"{i}: {text}" for i, text in enumerate(labels)))}
    width = part.actions.shape[1]
    meanings = labels if len(labels) == width else [", ".join(labels)] * width
    return {f"action.{i}": (np.ascontiguousarray(part.actions[:, i]), "-", meanings[i]) for i in range(width)}
