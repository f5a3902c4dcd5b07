"""An untrusted parquet table: its footer is checked before a page is read.

`read_table` runs in a confined process (see `confined`): the footer does not say how large a page
claims to be once unpacked.
"""

import struct
from typing import Any, Final

from agbench.untrusted.refusal import RefusedError

READER: Final = "agbench.untrusted.tables:read_table"
_FOOTER_BYTES: Final = 200_000
_COLUMN_BYTES: Final = 20_000_000
_ROW_GROUPS: Final = 16
_TEXT: Final = 2000  # characters of one value
_CODECS: Final = {"UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "BROTLI", "LZ4", "LZ4_RAW"}
_TYPES: Final = {
    "text": ("string", "large_string", "string_view"),
    "whole": ("int64",),
    "real": ("double",),
    "flag": ("bool",),
}


def prepare() -> None:
    """Import the library, and let it start whatever it starts, while files can still be opened.

    The table is one of nothing: to make one of values pyarrow imports pandas, which reading does without.
    """
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    sink = io.BytesIO()
    columns = [pa.nulls(1, pa.string()), pa.nulls(1, pa.float64())]
    pq.write_table(pa.table(columns, names=["text", "real"]), sink)
    pq.ParquetFile(pa.BufferReader(sink.getvalue())).read(use_threads=False)


def check_frame(content: bytes) -> None:
    """Refuse by the first and last bytes of a file; the error names none."""
    if len(content) < 12 or content[:4] != b"PAR1" or content[-4:] != b"PAR1":
        raise RefusedError("", "", "not a complete parquet file: PAR1 must be at both ends.")
    (length,) = struct.unpack("<I", content[-8:-4])
    if length > min(_FOOTER_BYTES, len(content) - 12):
        raise RefusedError("", "footer", f"claims {length:,} bytes; at most {_FOOTER_BYTES:,}.")


def read_table(question: dict[str, Any], content: bytes) -> dict[str, Any]:
    """Return the columns of a table; `question` says how many rows and which columns, of what type."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_frame(content)
    limits = {"thrift_string_size_limit": _FOOTER_BYTES, "thrift_container_size_limit": 10_000}
    table = pq.ParquetFile(pa.BufferReader(content), **limits)
    _check_metadata(table.metadata, question["rows"])
    _check_schema(table.schema_arrow, question["columns"])
    result = table.read(use_threads=False, use_pandas_metadata=False)
    if result.num_rows != question["rows"]:
        raise RefusedError("", "rows", f"{result.num_rows}; expected {question['rows']}.")
    return {name: _values(result.column(name), name) for name in question["columns"]}


def _check_metadata(metadata: Any, rows: int) -> None:
    if metadata.num_rows != rows:
        raise RefusedError("", "rows", f"{metadata.num_rows:,}; the protocol has {rows:,} episodes.")
    if metadata.num_row_groups > _ROW_GROUPS:
        raise RefusedError("", "row groups", f"{metadata.num_row_groups:,}; at most {_ROW_GROUPS}.")
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        for j in range(group.num_columns):
            column = group.column(j)
            if not 0 <= column.total_uncompressed_size <= _COLUMN_BYTES:
                raise RefusedError(
                    "", column.path_in_schema, f"claims {column.total_uncompressed_size:,} bytes."
                )
            if not 0 <= column.num_values <= rows or column.compression not in _CODECS:
                raise RefusedError(
                    "", column.path_in_schema, "more values than rows, or a codec that is not allowed."
                )


def _check_schema(schema: Any, columns: dict[str, str]) -> None:
    if schema.names != list(columns):
        unknown = [name for name in schema.names if name not in columns]
        missing = [name for name in columns if name not in schema.names]
        text = (
            f"unknown {unknown[0]!r}" if unknown else f"missing {missing[0]!r}" if missing else "in disorder"
        )
        raise RefusedError("", "columns", f"{text}; expected {', '.join(columns)}.")
    for name, kind in columns.items():
        if str(schema.field(name).type) not in _TYPES[kind]:
            raise RefusedError("", name, f"of type {schema.field(name).type}; expected {_TYPES[kind][0]}.")


def _values(column: Any, name: str) -> list[Any]:
    if column.null_count:
        raise RefusedError("", name, "an empty value.")
    values: list[Any] = column.to_pylist()
    if values and isinstance(values[0], str) and max(map(len, values)) > _TEXT:
        raise RefusedError("", name, f"a text of more than {_TEXT} characters.")
    return values
