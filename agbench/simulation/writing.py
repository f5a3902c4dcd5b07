"""Files of `simulate_many`, written a piece of cases at a time: Parquet, NetCDF, Zarr.

A table of a piece has a row a case, by its number, or a row a day with the columns case and day. NetCDF and
Zarr have arrays with the dimension case, or case and day, in which what is not there is NaN. Dates are days
since 1970, as the CF conventions have them, so that xarray reads them as dates.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from agbench.errors import ConfigError, MissingExtraError
from agbench.files import alone, place_of, recover, replacing, require_space, write

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Pieces = Iterator[Sequence["pd.DataFrame"]]
Attributes = Mapping[str, Mapping[str, str]]
"""By variable what is known of it: `units`, `long_name`."""

_CHUNK: Final = (512, 256)  # cases, days
_PENDING: Final = 40_000_000  # bytes that HDF5 may hold back until it closes a file
_DATES: Final = {"units": "days since 1970-01-01", "calendar": "proleptic_gregorian"}


class _Store(Protocol):
    """A file of arrays: created at their first piece, widened where a later one has more days."""

    def write(self, name: str, first: int, block: "_Block") -> None:
        """Write the cases of a block from number `first` on."""


class _Block(NamedTuple):
    """An array of some cases, (cases,) or (cases, days), and what is known of it."""

    values: NDArray[Any]
    attributes: Mapping[str, str]


def writer(target: Path) -> "Callable[[Pieces, Path, int, Attributes], None]":
    """Return what writes files with the ending of a path.

    It takes the pieces, the path, the number of cases and the attributes of variables. A run that is cut off
    leaves no file. Raises `ConfigError` for another ending and for a place that cannot be written, in the
    writer too; `MissingExtraError` without the format's library.
    """
    if target.suffix not in _WRITERS:
        raise ConfigError(f"out: {target} must end in {', '.join(list(_WRITERS)[:-1])} or .zarr.")
    library = _LIBRARIES.get(target.suffix)
    if library is not None:
        _require(library, target.suffix)
    if target.is_dir() and target.suffix != ".zarr":
        raise ConfigError(f"out: {target} is a folder. Give the name of a file.")

    def write(pieces: Pieces, target: Path, cases: int, attributes: Attributes) -> None:
        try:
            _WRITERS[target.suffix](pieces, target, cases, attributes)
        except OSError as error:
            reason = error.strerror or error
            text = f"out: {target} cannot be written: {reason}. What was there before is as it was."
            raise ConfigError(text) from None

    return write


def _require(library: str, ending: str) -> None:
    from importlib.util import find_spec

    if find_spec(library) is None:
        raise MissingExtraError(
            f'out: a file {ending} needs {library}. Install it with: pip install "agbench[data]"; or give '
            "out=FILE.parquet."
        )


def _write_parquet(pieces: Pieces, target: Path, cases: int, attributes: Attributes) -> None:
    """Write tables into one Parquet file, one after the other."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def fill(path: Path) -> None:
        opened = None
        try:
            for tables in pieces:
                for table in tables:
                    content = pa.Table.from_pandas(table, preserve_index=table.index.name is not None)
                    schema = _described(content.schema, attributes)
                    opened = opened or pq.ParquetWriter(path, schema, compression="zstd")
                    opened.write_table(content.cast(opened.schema))
        finally:
            if opened is not None:
                opened.close()

    write(target, fill)


def _described(schema: "pa.Schema", attributes: Attributes) -> "pa.Schema":
    """Return a schema whose fields say unit and meaning, as those of datasets do."""
    for place, field in enumerate(schema):
        known = attributes.get(field.name)
        if known is not None:
            told = {"unit": known["units"], "meaning": known["long_name"]}
            schema = schema.set(place, field.with_metadata(told))
    return schema


def _write_netcdf(pieces: Pieces, target: Path, cases: int, attributes: Attributes) -> None:
    """Write arrays into one NetCDF-4 file."""
    import h5netcdf

    def fill(path: Path) -> None:
        with h5netcdf.File(path, "w", locking=False) as file:  # the draft is locked already
            _fill(_NetCdf(file, path, cases), pieces, cases, attributes)

    write(target, fill)


class _NetCdf:
    """The arrays of an open NetCDF file."""

    def __init__(self, file: Any, path: Path, cases: int) -> None:
        self._file, self._path = file, path
        self._chunk = min(_CHUNK[0], cases), _CHUNK[1]
        file.dimensions["case"] = cases

    def write(self, name: str, first: int, block: _Block) -> None:
        values = block.values
        require_space(self._path, _PENDING + values.nbytes)
        dimensions = ("case", "day")[: values.ndim] if name != "day" else ("day",)
        if "day" in dimensions:
            days = self._file.dimensions.get("day")
            if days is None:
                self._file.dimensions["day"] = None
            if days is None or days.size < values.shape[-1]:
                self._file.resize_dimension("day", values.shape[-1])
        if name not in self._file.variables:
            floats = values.dtype.kind == "f"
            variable = self._file.create_variable(
                name,
                dimensions,
                values.dtype,
                chunks=self._chunk[: len(dimensions)] if name != "day" else self._chunk[1:],
                compression="gzip",
                compression_opts=1,
                shuffle=True,
                fillvalue=np.nan if floats else None,
            )
            variable.attrs.update(block.attributes)
        if name == "day":
            self._file.variables[name][:] = values
        else:
            place = (slice(first, first + len(values)), *(slice(n) for n in values.shape[1:]))
            self._file.variables[name][place] = values


def _write_zarr(pieces: Pieces, target: Path, cases: int, attributes: Attributes) -> None:
    """Write arrays into a Zarr store, a folder that appears when it is whole."""
    import zarr

    folder = place_of(target, _refusal)
    with alone(folder, _refusal):
        recover(folder)
        _require_store(target)
        with replacing(folder) as draft:
            _fill(_Zarr(zarr.create_group(store=draft), cases), pieces, cases, attributes)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that others than zarr and xarray may pass it over
                zarr.consolidate_metadata(str(draft))
            _require_store(target)  # as it is now, not as it was before it was simulated


def _refusal(text: str) -> ConfigError:
    return ConfigError(f"out: {text}")


def _require_store(target: Path) -> None:
    """Raise `ConfigError` where anything but the arrays of a Zarr store lies in a folder."""
    if not target.exists():
        return
    if not (target / "zarr.json").is_file():
        raise ConfigError(f"out: {target} exists and is no Zarr store. Give another name.")
    other = [p.name for p in target.iterdir() if p.name != "zarr.json" and not (p / "zarr.json").is_file()]
    if other:
        raise ConfigError(
            f"out: {target} has {min(other)}, which is no part of a Zarr store and would be lost. Give "
            f"another name, or move {min(other)} elsewhere."
        )


class _Zarr:
    """The arrays of a Zarr group."""

    def __init__(self, group: Any, cases: int) -> None:
        self._group, self._cases = group, cases
        self._arrays: dict[str, Any] = {}

    def write(self, name: str, first: int, block: _Block) -> None:
        values = block.values
        dimensions = ("case", "day")[: values.ndim] if name != "day" else ("day",)
        shape = values.shape if name == "day" else (self._cases, *values.shape[1:])
        if name not in self._arrays:
            self._arrays[name] = self._group.create_array(
                name,
                shape=shape,
                chunks=_CHUNK[: len(dimensions)] if name != "day" else _CHUNK[1:],
                dtype=values.dtype,
                fill_value=np.nan if values.dtype.kind == "f" else 0,
                dimension_names=dimensions,
                attributes=dict(block.attributes),
            )
        array = self._arrays[name]
        if array.shape[-1] < shape[-1]:
            array.resize(shape)
        if name == "day":
            array[:] = values
        else:
            array[(slice(first, first + len(values)), *(slice(n) for n in values.shape[1:]))] = values


def _fill(store: _Store, pieces: Pieces, cases: int, attributes: Attributes) -> None:
    """Write all pieces into a store, each behind the one before."""
    store.write("case", 0, _Block(np.arange(cases), {}))
    first = days = 0
    for tables in pieces:
        blocks = _blocks(tables, first, attributes)
        count = len(next(iter(blocks.values())).values)
        longest = max(
            (block.values.shape[1] for block in blocks.values() if block.values.ndim == 2), default=0
        )
        if longest > days:
            days = longest
            store.write("day", 0, _Block(np.arange(days), {}))
        for name, block in blocks.items():
            values = block.values
            if values.ndim == 2 and values.shape[1] < days:  # as wide as those before
                values = np.pad(values, ((0, 0), (0, days - values.shape[1])), constant_values=np.nan)
            store.write(name, first, _Block(values, block.attributes))
        first += count


def _blocks(tables: Sequence["pd.DataFrame"], first: int, attributes: Attributes) -> dict[str, _Block]:
    """Return the tables of consecutive cases, numbered from `first`, as arrays by name."""
    import pandas as pd

    whole = pd.concat(tables)
    if "day" not in whole:
        whole = whole.sort_index()
        return {str(name): _block(whole[name], _plain(whole[name]), attributes) for name in whole}
    case, day = whole.pop("case").to_numpy() - first, whole.pop("day").to_numpy()
    shape = int(case.max()) + 1, int(day.max()) + 1
    result = {}
    for name in whole:
        values = np.full(shape, np.nan)
        values[case, day] = _plain(whole[name])
        result[str(name)] = _block(whole[name], values, attributes)
    return result


def _plain(column: "pd.Series[Any]") -> NDArray[Any]:
    """Return a column as numbers; dates as days since 1970, NaN where there is none."""
    values = column.to_numpy()
    if values.dtype.kind != "M":
        return values
    days = values.astype("datetime64[D]").astype(np.float64)
    return np.where(np.isnat(values), np.nan, days)


def _block(column: "pd.Series[Any]", values: NDArray[Any], attributes: Attributes) -> _Block:
    """Return the values of a column with what is known of it."""
    known = attributes.get(str(column.name), {})
    return _Block(values, {**known, **(_DATES if column.to_numpy().dtype.kind == "M" else {})})


_WRITERS: Final[Mapping[str, Callable[[Pieces, Path, int, Attributes], None]]] = {
    ".parquet": _write_parquet,
    ".nc": _write_netcdf,
    ".zarr": _write_zarr,
}
_LIBRARIES: Final = {".nc": "h5netcdf", ".zarr": "zarr"}
