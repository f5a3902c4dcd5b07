"""Where a weather series comes from, as data; and the one function that reads any of them."""

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel, ConfigDict, StrictFloat, field_validator

from agbench.errors import WeatherError, unknown
from agbench.files import checked
from agbench.weather.daily import ANGSTROM, DailySeries, from_frame
from agbench.weather.readers.cabo import Fill, read_cabo
from agbench.weather.readers.units import in_our_units

if TYPE_CHECKING:
    import pandas as pd


class SeriesSource(BaseModel):
    """Which reader reads which file, and where the weather was measured.

    `cabo` takes `folder`, `station` and `fill`; `csv` and `parquet` take `file` and the place; the
    other readers take `file`, which holds its place. Paths are relative to the description, or lie
    inside the installed `package`, if one is named. `sha256` is that of the file, if it must be this one.
    `without` are days whose values are implausible, separated by commas: they count as missing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reader: str
    package: str | None = None
    folder: str = "."
    station: str | None = None
    fill: Fill = "none"
    file: str | None = None
    latitude: StrictFloat | None = None
    longitude: StrictFloat | None = None
    elevation: StrictFloat | None = None
    angstrom: tuple[StrictFloat, StrictFloat] | None = None
    sha256: str | None = None
    without: tuple[date, ...] = ()

    @field_validator("without", mode="before")
    @classmethod
    def _separated(cls, value: object) -> object:
        return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


def load_series(source: SeriesSource, root: Path | None = None) -> DailySeries:
    """Return the series of a source; `root` is the folder that relative paths start from."""
    if source.reader not in _READERS:
        raise unknown("weather reader", source.reader, _READERS)
    series = _READERS[source.reader](source, root or Path())
    return _without(series, source.without) if source.without else series


def _without(series: DailySeries, days: Sequence[date]) -> DailySeries:
    """Return a series in which some days are missing; the provenance names them."""
    values = series.values.copy()
    for day in days:
        if not series.start <= day <= series.end:
            raise WeatherError(f"weather {series.name}: without: {day} is no day of the series.")
        values[(day - series.start).days] = np.nan
    provenance = {**series.provenance, "without": ", ".join(map(str, days))}
    return replace(series, values=values, provenance=provenance)


def _load_cabo(source: SeriesSource, root: Path) -> DailySeries:
    if source.station is None:
        raise WeatherError("weather reader cabo: key station is missing, such as NL1.")
    base = package_folder(source.package) if source.package else root
    return read_cabo(base / source.folder, source.station, source.fill)


def _load_csv(source: SeriesSource, root: Path) -> DailySeries:
    import pandas as pd

    return _load_table(
        source, root, lambda path: pd.read_csv(path, comment="#", float_precision="round_trip")
    )


def _load_parquet(source: SeriesSource, root: Path) -> DailySeries:
    import pandas as pd

    return _load_table(source, root, pd.read_parquet)


def _load_table(source: SeriesSource, root: Path, read: "Callable[[Path], pd.DataFrame]") -> DailySeries:
    """Read a table; a place in the source counts more than one in the table."""
    path = _file(source, root)
    frame = read(path)
    coordinates = {"lat": source.latitude, "lon": source.longitude, "elev": source.elevation}
    for key, value in coordinates.items():
        if value is not None:
            frame = frame.drop(columns=key.upper(), errors="ignore")
            frame.attrs[key] = value
    if source.angstrom is not None:
        frame.attrs.update(angstA=source.angstrom[0], angstB=source.angstrom[1])
    return from_frame(in_our_units(frame, path.stem), path.stem)


def _load_nasa_power(source: SeriesSource, root: Path) -> DailySeries:
    from agbench.weather.readers.nasa_power import read_nasa_power

    series = read_nasa_power(_file(source, root), source.angstrom or ANGSTROM)
    return replace(series, provenance={**series.provenance, "file sha256": source.sha256 or "not stated"})


def _load_file(module: str, function: str) -> "Callable[[SeriesSource, Path], DailySeries]":
    """Return the loader of files of one kind, whose module is imported when it is first used."""

    def load(source: SeriesSource, root: Path) -> DailySeries:
        read = getattr(importlib.import_module(f"agbench.weather.readers.{module}"), function)
        path = _file(source, root)
        series: DailySeries = read(path)
        return series

    return load


def _file(source: SeriesSource, root: Path) -> Path:
    """Return the file of a source, its checksum verified if the source states one."""
    if source.file is None:
        raise WeatherError(f"weather reader {source.reader}: key file is missing.")
    path = (package_folder(source.package) if source.package else root) / source.file
    checked(path, source.sha256, f"weather reader {source.reader}", WeatherError)
    return path


def package_folder(package: str) -> Path:
    """Return the folder of an installed package without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise WeatherError(f"package {package} is not installed: pip install {package}.")
    return Path(spec.submodule_search_locations[0])


_READERS: Mapping[str, Callable[[SeriesSource, Path], DailySeries]] = {
    "cabo": _load_cabo,
    "csv": _load_csv,
    "parquet": _load_parquet,
    "excel": _load_file("excel", "read_excel"),
    "nasa-power": _load_nasa_power,
    "knmi": _load_file("knmi", "read_knmi"),
    "epw": _load_file("typical_years", "read_epw"),
    "tmy2": _load_file("typical_years", "read_tm2"),
    "tmy3": _load_file("typical_years", "read_tmy3"),
}
