"""Where a weather series comes from, as data; and the one function that reads any of them."""

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from agbench.errors import WeatherError, unknown
from agbench.weather.daily import DailySeries, from_frame
from agbench.weather.readers.cabo import Fill, read_cabo
from agbench.weather.readers.units import in_our_units

if TYPE_CHECKING:
    import pandas as pd


class SeriesSource(BaseModel):
    """Which reader reads which file, and where the weather was measured.

    `cabo` takes `folder`, `station` and `fill`; `csv` and `parquet` take `file` and the place; the
    other readers take `file`, which holds its place. Paths are relative to the description, or lie
    inside the installed `package`, if one is named.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reader: str
    package: str | None = None
    folder: str = "."
    station: str | None = None
    fill: Fill = "none"
    file: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    elevation: float | None = None
    angstrom: tuple[float, float] | None = None


def load_series(source: SeriesSource, root: Path | None = None) -> DailySeries:
    """Return the series of a source; `root` is the folder that relative paths start from."""
    if source.reader not in _READERS:
        raise unknown("weather reader", source.reader, _READERS)
    return _READERS[source.reader](source, root or Path())


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
    if source.file is None:
        raise WeatherError(f"weather reader {source.reader}: key file is missing.")
    path = root / source.file
    if not path.is_file():
        raise WeatherError(f"weather reader {source.reader}: there is no file {path}.")
    frame = read(path)
    coordinates = {"lat": source.latitude, "lon": source.longitude, "elev": source.elevation}
    for key, value in coordinates.items():
        if value is not None:
            frame = frame.drop(columns=key.upper(), errors="ignore")
            frame.attrs[key] = value
    if source.angstrom is not None:
        frame.attrs.update(angstA=source.angstrom[0], angstB=source.angstrom[1])
    return from_frame(in_our_units(frame, path.stem), path.stem)


def _load_file(module: str, function: str) -> "Callable[[SeriesSource, Path], DailySeries]":
    """Return the loader of files of one kind, whose module is imported when it is first used."""

    def load(source: SeriesSource, root: Path) -> DailySeries:
        if source.file is None:
            raise WeatherError(f"weather reader {source.reader}: key file is missing.")
        read = getattr(importlib.import_module(f"agbench.weather.readers.{module}"), function)
        path = (package_folder(source.package) if source.package else root) / source.file
        if not path.is_file():
            raise WeatherError(f"weather reader {source.reader}: there is no file {path}.")
        series: DailySeries = read(path)
        return series

    return load


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
    "nasa-power": _load_file("nasa_power", "read_nasa_power"),
    "knmi": _load_file("knmi", "read_knmi"),
    "epw": _load_file("typical_years", "read_epw"),
    "tmy2": _load_file("typical_years", "read_tm2"),
    "tmy3": _load_file("typical_years", "read_tmy3"),
}
