"""The format `npz`: one file, `transitions.npz`, with the arrays of `agbench.datasets.part.PlayedPart`."""

import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from agbench.datasets.part import PlayedPart

FILE: Final = "transitions.npz"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # of all members: the same content is the same bytes


class NpzWriter:
    """Gathers each array in a file of its own, and puts them together at the end."""

    def __init__(self, folder: Path, description: Mapping[str, Any]) -> None:
        self._folder = folder
        self._raw: dict[str, BinaryIO] = {}
        self._like: dict[str, NDArray[Any]] = {}
        self._counts: dict[str, int] = {}
        self._keys: list[str] = []

    def add(self, part: PlayedPart) -> None:
        """Write the next episodes."""
        for name, array in part.arrays().items():
            if name == "scenarios":
                self._keys += array.tolist()
                continue
            if name not in self._raw:
                self._raw[name] = (self._folder / f".{name}").open("w+b")
                self._like[name], self._counts[name] = array[:0], 0
            self._raw[name].write(np.ascontiguousarray(array).tobytes())
            self._counts[name] += len(array)

    def finish(self, description: Mapping[str, Any]) -> None:
        """Put the arrays together."""
        with zipfile.ZipFile(self._folder / FILE, "w", zipfile.ZIP_STORED) as archive:
            for name in (one.name for one in fields(PlayedPart)):
                entry = zipfile.ZipInfo(f"{name}.npy", _EPOCH)
                with archive.open(entry, "w", force_zip64=True) as member:
                    if name == "scenarios":
                        np.lib.format.write_array(member, np.array(self._keys), allow_pickle=False)
                        continue
                    like = self._like[name]
                    header = np.lib.format.header_data_from_array_1_0(like)
                    header["shape"] = (self._counts[name], *like.shape[1:])
                    np.lib.format.write_array_header_1_0(member, header)
                    self._raw[name].seek(0)
                    shutil.copyfileobj(self._raw[name], member, 1 << 20)
        self.close()

    def close(self) -> None:
        """Remove the gathered arrays."""
        for name, file in self._raw.items():
            file.close()
            (self._folder / f".{name}").unlink(missing_ok=True)
        self._raw = {}


def read(folder: Path) -> PlayedPart:
    """Return all of a dataset as one part."""
    return PlayedPart.load(folder / FILE)
