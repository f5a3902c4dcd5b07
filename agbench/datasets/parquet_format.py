"""The format `parquet`: `transitions.parquet`, a row a step, beside the table of episodes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agbench.datasets import tables
from agbench.datasets.part import PlayedPart


class ParquetWriter:
    """Writes a row group a part."""

    def __init__(self, folder: Path, description: Mapping[str, Any]) -> None:
        self._description = description
        self._table = tables.GrowingTable(folder / tables.TRANSITIONS)
        self._first = 0

    def add(self, part: PlayedPart) -> None:
        """Write the next episodes."""
        self._table.add(tables.transitions(part, self._first, self._description))
        self._first += part.episodes

    def finish(self, description: Mapping[str, Any]) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._table.close()


def read(folder: Path) -> PlayedPart:
    """Return all of a dataset as one part."""
    import pyarrow.parquet as pq

    steps = pq.read_table(folder / tables.TRANSITIONS)
    ends = pq.read_table(folder / tables.EPISODES)

    def column(table: Any, name: str) -> Any:
        return table.column(name).to_numpy()

    many = "action.0" in steps.column_names
    kind = steps.schema.field("action.0" if many else "action").type.to_pandas_dtype()
    return PlayedPart(
        observations=tables.read_matrix(steps, "observation", np.float32),
        actions=tables.read_matrix(steps, "action", kind) if many else column(steps, "action"),
        rewards=column(steps, "reward"),
        costs=column(steps, "cost"),
        terminations=column(steps, "terminated"),
        truncations=column(steps, "truncated"),
        behaviours=column(steps, "behaviour"),
        states=tables.read_matrix(steps, "state", np.float64),
        episode_lengths=column(ends, "steps"),
        final_observations=tables.read_matrix(ends, "final_observation", np.float32),
        final_states=tables.read_matrix(ends, "final_state", np.float64),
        seeds=column(ends, "seed"),
        scenarios=np.array(ends.column("scenario").to_pylist()),
        metrics=tables.read_matrix(ends, "metric", np.float64),
    )
