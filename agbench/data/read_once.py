"""Data files that are asked for again and again, read once for as long as they stay as they are."""

from functools import lru_cache
from pathlib import Path

from agbench.data.plain import read_plain_file
from agbench.data.reading import Schema, Strict, read_file
from agbench.files import Stamp, stamp


def read_once(schema: type[Schema], path: Path) -> Schema:
    """Return a data file as `read_file` does, the same object each time; raises `ConfigError`."""
    result = _read(schema, path, stamp(path)) if path.is_file() else read_file(schema, path)
    assert isinstance(result, schema)
    return result


@lru_cache(maxsize=512)
def _read(schema: type[Strict], path: Path, as_of: Stamp) -> Strict:
    return read_plain_file(schema, path)
