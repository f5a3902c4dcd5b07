"""Fitting, checking and drawing the generator of a site by its name; fetching its measured weather."""

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from agbench.data import catalog
from agbench.data.site import Site
from agbench.errors import WeatherError
from agbench.weather.daily import DailySeries
from agbench.weather.generator.check import CHECKED_SEASONS, Comparison, check
from agbench.weather.generator.figure import draw
from agbench.weather.generator.fit import fit
from agbench.weather.generator.parameters import to_climate
from agbench.weather.generator.site_file import write_climate
from agbench.weather.greenhouse.series import READER, READERS
from agbench.weather.readers import fetched, nasa_power
from agbench.weather.readers.observations import Repair, read_observations
from agbench.weather.site import angstrom_of, site_generator, site_series

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SiteWeather:
    """What weather a site has."""

    site: str
    summary: str
    latitude: float
    longitude: float
    elevation: float
    soils: tuple[str, ...]
    measured: str  # "at hand", "1984-2024, at hand", "nasa-power 1984-2024, not fetched", "none"
    generated: bool


def overview(name: str) -> SiteWeather:
    """Return what weather a site has, without a look at the weather itself."""
    site = catalog.site(name)
    measured = "none"
    if site.reader in READERS:
        measured = f"every {'five minutes' if site.reader == READER else 'hour'}, for greenhouses only"
    elif site.series is not None:
        measured = _at_hand(site)
    elif site.download is not None:
        years = f"{site.download.first}-{site.download.last}"
        there = fetched.cached_path(site.download, site.place).is_file()
        measured = f"{site.download.reader} {years}, {'fetched' if there else 'not fetched'}"
    place = site.place
    where = (place.latitude, place.longitude, place.elevation)
    return SiteWeather(name, site.summary, *where, tuple(site.soils), measured, site.climate is not None)


def _at_hand(site: Site) -> str:
    """Return that a series is at hand, with its years where the file's metadata state them."""
    if site.reader != "nasa-power":
        return "at hand"
    path = catalog.find("site", site.site).parent / str((site.series or {}).get("file"))
    years = (
        nasa_power.table_facts(path).get("years") if path.suffix == ".parquet" and path.is_file() else None
    )
    return f"{years}, at hand" if years else "at hand"


def months(name: str, year: int | None = None, season: int = 0) -> "pd.DataFrame":
    """Return monthly means, January to December: of a measured year, else of a generated season."""
    if year is None:
        return site_generator(name).season(season).to_frame().resample("MS").mean().iloc[:12]
    series = site_series(name)
    if not date.min.year <= year <= date.max.year:
        raise WeatherError(f"{year} is no year.")
    series.window(date(year, 1, 1), date(year, 12, 31))
    days = series.to_frame()
    return days[days.index.year == year].resample("MS").mean()  # type: ignore[attr-defined]


def observations(name: str, file: Path | None = None, repair: Repair = "none") -> DailySeries:
    """Return the observed weather of a site: in a file, else its own measured series."""
    if file is None:
        return site_series(name)
    catalog.site(name)
    series = replace(read_observations(file, repair), name=name)
    _check_place(name, series, file)
    return series


def _check_place(name: str, series: DailySeries, file: Path) -> None:
    """Refuse observations of another place: more than a degree away."""
    place = catalog.site(name).place
    north, east = series.latitude - place.latitude, series.longitude - place.longitude
    if abs(north) > 1.0 or abs(east) > 1.0:
        raise WeatherError(
            f"{file} was observed at {series.latitude:g} N {series.longitude:g} E; the site {name} lies"
            f" at {place.latitude:g} N {place.longitude:g} E."
        )


def fit_site(name: str, file: Path | None = None, repair: Repair = "none") -> Path:
    """Fit a site's generator, write its parameters into the site's file and return the file."""
    series = observations(name, file, repair)
    climate = fit(series)
    years = series.complete_years()
    source = (
        f"agbench weather fit {name}: {len(years)} complete years {years[0]}-{years[-1]},"
        f" SHA-256 {series.sha256[:16]}"
    )
    path = catalog.find("site", name)
    write_climate(path, to_climate(climate, source))
    return path


def check_site(
    name: str, file: Path | None = None, repair: Repair = "none", count: int = CHECKED_SEASONS
) -> list[Comparison]:
    """Return how a site's generated seasons compare with its observations."""
    series = observations(name, file, repair)
    return check(site_generator(name), series, count)


def draw_site(name: str, path: Path, file: Path | None = None, repair: Repair = "none") -> Path:
    """Draw a site's generated seasons beside its observations."""
    series = observations(name, file, repair)
    return draw(site_generator(name), series, path)


def fetch_site(name: str, progress: fetched.Progress | None = None) -> Path:
    """Bring a site's measured weather into the cache folder and return the file."""
    site = catalog.site(name)
    if site.download is None:
        raise WeatherError(
            f"the site {name} has nothing to download; its measured weather: {overview(name).measured}."
        )
    path = fetched.fetch(name, site.download, site.place, progress)
    fetched.load_fetched(name, site.download, site.place, angstrom_of(site))
    return path
