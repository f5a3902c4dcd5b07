"""What writes a dataset in a format, part by part, in bounded memory."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, Protocol, get_args

from agbench.datasets.part import PlayedPart
from agbench.errors import unknown

Format = Literal["minari", "parquet", "npz"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


class DatasetWriter(Protocol):
    """Writes the parts of a dataset in their order into an empty folder."""

    def add(self, part: PlayedPart) -> None:
        """Write the next episodes."""

    def finish(self, description: Mapping[str, Any]) -> None:
        """Close the files; `description` is what `metadata.json` holds."""

    def close(self) -> None:
        """Let go of the files, finished or not."""


def writer_of(format: str) -> Callable[[Path, Mapping[str, Any]], DatasetWriter]:
    """Return what makes the writer of a format: (folder, the description so far) -> writer.

    Raises `UnknownNameError` for a format that there is not, `MissingExtraError` without its library.
    """
    if format == "minari":
        from agbench.datasets.minari_format import MinariWriter

        return MinariWriter
    if format == "parquet":
        from agbench.datasets.parquet_format import ParquetWriter

        return ParquetWriter
    if format == "npz":
        from agbench.datasets.npz_format import NpzWriter

        return NpzWriter
    raise unknown("format", str(format), FORMATS)
