"""The format `minari`: what `minari.load_dataset` reads, HDF5 with a group an episode.

The layout is Minari's own (https://minari.farama.org, 0.5): `episode_0` and on, each with `observations`
(T + 1), `actions`, `rewards`, `terminations`, `truncations` (T) and the group `infos`, here `cost` and
`behaviour` (T + 1; the first row is that of the reset) and on request `state` (T + 1, k), the simulator's
whole state. The file is written here and not by Minari, whose arrays can grow and take four times the space
and the time.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.datasets import tables
from agbench.datasets.crew import RANDOM
from agbench.datasets.part import PlayedPart
from agbench.errors import DatasetError, MissingExtraError
from agbench.files import require_space, write_text

FOLDER: Final = "data"
"""Where Minari looks for a dataset's files in its folder."""
FILE: Final = f"{FOLDER}/main_data.hdf5"
METADATA: Final = f"{FOLDER}/metadata.json"
_COMPACT: Final = (
    60_000  # bytes that fit into the header of a dataset, beside which a block of its own is waste
)

_PENDING: Final = 40_000_000  # bytes that HDF5 may hold back until it closes a file

try:
    import h5py
except ImportError:
    raise MissingExtraError(
        'The format minari needs h5py and minari. Install them with: pip install "agbench[data]"'
    ) from None


class MinariWriter:
    """Writes a group an episode, without times: the same episodes are the same bytes."""

    def __init__(self, folder: Path, description: Mapping[str, Any]) -> None:
        from agbench.datasets import minari_spec

        minari_spec.require()
        self._spec = minari_spec
        (folder / FOLDER).mkdir()
        self._folder = folder
        self._group = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
        self._group.set_obj_track_times(False)
        creation = h5py.h5p.create(h5py.h5p.FILE_CREATE)
        creation.set_obj_track_times(False)
        access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
        self._file = h5py.h5f.create(bytes(folder / FILE), h5py.h5f.ACC_EXCL, fcpl=creation, fapl=access)
        self._scalar = h5py.h5s.create(h5py.h5s.SCALAR)
        self._layouts = {layout: _creation(layout) for layout in (h5py.h5d.COMPACT, h5py.h5d.CONTIGUOUS)}
        self._text = h5py.h5t.py_create(h5py.string_dtype(), logical=True)
        self._types: dict[Any, Any] = {}
        self._spaces: dict[tuple[int, ...], Any] = {}
        self._next = 0

    def add(self, part: PlayedPart) -> None:
        """Write the next episodes; raises `OSError` where they may not find room."""
        require_space(self._folder / FILE, _PENDING + 2 * part.nbytes)
        for i, steps in enumerate(part.slices):
            episode = h5py.h5g.create(self._file, b"episode_%d" % self._next, gcpl=self._group)
            self._note(episode, b"id", self._next)
            self._note(episode, b"options/scenario", str(part.scenarios[i]))
            self._note(episode, b"seed", int(part.seeds[i]))
            self._note(episode, b"total_steps", int(part.episode_lengths[i]))
            seen = np.concatenate([part.observations[steps], part.final_observations[i, None]])
            self._keep(episode, b"observations", seen)
            self._keep(episode, b"actions", part.actions[steps])
            self._keep(episode, b"rewards", part.rewards[steps])
            self._keep(episode, b"terminations", part.terminations[steps])
            self._keep(episode, b"truncations", part.truncations[steps])
            infos = h5py.h5g.create(episode, b"infos", gcpl=self._group)
            self._keep(infos, b"behaviour", _after_reset(part.behaviours[steps], RANDOM))
            self._keep(infos, b"cost", _after_reset(part.costs[steps], 0.0))
            if part.states.shape[1]:
                states = np.concatenate([part.states[steps], part.final_states[i, None]])
                self._keep(infos, b"state", states)
            self._next += 1

    def finish(self, description: Mapping[str, Any]) -> None:
        """Close the file and write Minari's own metadata beside it."""
        self.close()
        size = (self._folder / FILE).stat().st_size
        metadata = self._spec.metadata(description, round(size / 1e6, 1))
        write_text(self._folder / METADATA, json.dumps(metadata, indent=1) + "\n")

    def close(self) -> None:
        """Close the file; raises `OSError` where the last of it cannot be written."""
        if self._file.valid:
            try:
                self._file.close()
            except RuntimeError as error:
                raise OSError(str(error)) from error

    def _keep(self, group: Any, name: bytes, values: NDArray[Any]) -> None:
        kind = self._types.get(values.dtype)
        if kind is None:
            kind = self._types[values.dtype] = h5py.h5t.py_create(values.dtype, logical=True)
        layout = h5py.h5d.COMPACT if values.nbytes <= _COMPACT else h5py.h5d.CONTIGUOUS
        space = self._spaces.get(values.shape)
        if space is None:
            space = self._spaces[values.shape] = h5py.h5s.create_simple(values.shape)
        dataset = h5py.h5d.create(group, name, kind, space, self._layouts[layout])
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(values))

    def _note(self, group: Any, name: bytes, value: int | str) -> None:
        if isinstance(value, str):
            h5py.h5a.create(group, name, self._text, self._scalar).write(np.array(value, dtype=object))
        else:
            h5py.h5a.create(group, name, h5py.h5t.STD_I64LE, self._scalar).write(np.array(value))


def _creation(layout: int) -> Any:
    """Return how datasets of a layout are created: without times, without a fill."""
    result = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    result.set_layout(layout)
    result.set_obj_track_times(False)
    result.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    return result


def _after_reset(values: NDArray[Any], first: float) -> NDArray[Any]:
    """Return one number a step as Minari has infos: with one for the reset before them."""
    return np.concatenate([np.array([first], dtype=values.dtype), values])


def read(folder: Path) -> PlayedPart:
    """Return all of a dataset as one part."""
    import pyarrow.parquet as pq

    ends = pq.read_table(folder / tables.EPISODES)
    lengths = ends.column("steps").to_numpy()
    with h5py.File(folder / FILE, "r") as file:
        missing = f"episode_{len(lengths) - 1}" not in file
        if missing or f"episode_{len(lengths)}" in file:
            raise DatasetError(f"{folder / FILE}: has not {len(lengths)} episodes, as {tables.EPISODES} has.")
        seen, last = _both(file, b"observations", lengths)
        hidden = "state" in file["episode_0/infos"]
        states, last_states = _both(file, b"infos/state", lengths) if hidden else _none(lengths)
        return PlayedPart(
            observations=seen,
            actions=_joined(file, b"actions", lengths),
            rewards=_joined(file, b"rewards", lengths),
            costs=_both(file, b"infos/cost", lengths, first=True)[0],
            terminations=_joined(file, b"terminations", lengths),
            truncations=_joined(file, b"truncations", lengths),
            behaviours=_both(file, b"infos/behaviour", lengths, first=True)[0],
            states=states,
            episode_lengths=lengths,
            final_observations=last,
            final_states=last_states,
            seeds=ends.column("seed").to_numpy(),
            scenarios=np.array(ends.column("scenario").to_pylist()),
            metrics=tables.read_matrix(ends, "metric", np.float64),
        )


def _none(lengths: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
    return np.zeros((int(lengths.sum()), 0)), np.zeros((len(lengths), 0))


def _joined(file: Any, name: bytes, lengths: NDArray[np.int64], more: int = 0) -> NDArray[Any]:
    """Return an array of every episode, one after the other; `more` are the rows that exceed the steps."""
    like = file[f"episode_0/{name.decode()}"]
    out = np.empty((int(lengths.sum()) + more * len(lengths), *like.shape[1:]), dtype=like.dtype)
    start = 0
    for number, length in enumerate((lengths + more).tolist()):
        dataset = h5py.h5d.open(file.id, b"episode_%d/%s" % (number, name))
        if dataset.shape[0] != length:
            raise DatasetError(f"episode_{number}/{name.decode()}: {dataset.shape[0]} rows, not {length}.")
        dataset.read(h5py.h5s.ALL, h5py.h5s.ALL, out[start : start + length])
        start += length
    return out


def _both(
    file: Any, name: bytes, lengths: NDArray[np.int64], first: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return T rows of the T + 1 of every episode, and the one left over: the last, or the `first`."""
    every = _joined(file, name, lengths, more=1)
    ends = np.cumsum(lengths + 1)
    alone = ends - lengths - 1 if first else ends - 1
    others = np.ones(len(every), dtype=np.bool_)
    others[alone] = False
    return every[others], every[alone]
