"""The weather of a site by its name: measured, fetched or generated; never a network call."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from agbench.data import catalog
from agbench.data.site import Site
from agbench.errors import WeatherError
from agbench.weather.daily import ANGSTROM, DailySeries
from agbench.weather.generator.generate import Generator
from agbench.weather.generator.parameters import from_climate
from agbench.weather.greenhouse.series import READERS as GREENHOUSE
from agbench.weather.readers.fetched import load_fetched
from agbench.weather.readers.sources import SeriesSource, load_series

_SERIES: dict[str, tuple[Site, int, DailySeries]] = {}  # with the time when the file was written
_GENERATORS: dict[str, tuple[Site, Generator]] = {}  # as long as the site file does not change


def site_series(name: str) -> DailySeries:
    """Return the measured series of a site: the one at hand, else the one that a user fetched."""
    site = catalog.site(name)
    if site.reader in GREENHOUSE:
        raise WeatherError(
            f"the site {name} has weather for greenhouses, a row every five minutes, and no daily one;"
            " field models need a site with daily weather: see agbench weather list."
        )
    if site.series is not None:
        return _series_of(name, site, catalog.find("site", name).parent)
    if site.download is not None:
        return load_fetched(name, site.download, site.place, angstrom_of(site))
    raise WeatherError(
        f"the site {name} has no measured weather; its seasons are generated: {name}/generated/0."
    )


def _series_of(name: str, site: Site, root: Path) -> DailySeries:
    """Return the series at hand; a table of NASA POWER is read once, until it or the site changes."""
    file = None if site.reader != "nasa-power" else root / str((site.series or {}).get("file"))
    if file is None or not file.is_file():
        return replace(_series_at_hand(site, root), name=name)
    written = file.stat().st_mtime_ns
    kept = _SERIES.get(name)
    if kept is None or kept[0] is not site or kept[1] != written:
        kept = site, written, replace(_series_at_hand(site, root), name=name)
        _SERIES[name] = kept
    return kept[2]


def _series_at_hand(site: Site, root: Path) -> DailySeries:
    described: dict[str, Any] = dict(site.series or {})
    if site.reader in ("csv", "parquet"):
        described |= site.place.model_dump()
    if site.angstrom is not None and site.reader in ("csv", "parquet", "nasa-power"):
        described["angstrom"] = angstrom_of(site)
    series = load_series(SeriesSource.model_validate(described), root)
    if site.reader == "nasa-power":
        _check_place(site, series)
    return series


def _check_place(site: Site, series: DailySeries) -> None:
    """Refuse a file of another place than the site's."""
    place = (site.place.latitude, site.place.longitude, site.place.elevation)
    there = (series.latitude, series.longitude, series.elevation)
    if there != place:
        raise WeatherError(
            f"the site {site.site} lies at {place}, but the weather in its file is of {there}."
        )


def site_generator(name: str) -> Generator:
    """Return the weather generator of a site."""
    site = catalog.site(name)
    if site.climate is None and site.reader in GREENHOUSE:
        raise WeatherError(
            f"the site {name} has no generator: its weather is measured in a greenhouse's five-minute"
            " steps, for which there is no generator."
        )
    if site.climate is None:
        raise WeatherError(
            f"the site {name} has no climate to generate seasons from; fit one with"
            f" agbench weather fit {name} --observations FILE."
        )
    generator = _GENERATORS.get(name)
    if generator is None or generator[0] is not site:
        place = site.place
        where = (place.latitude, place.longitude, place.elevation)
        generator = site, Generator(name, from_climate(site.climate), *where, angstrom_of(site))
        _GENERATORS[name] = generator
    return generator[1]


def angstrom_of(site: Site) -> tuple[float, float]:
    """Return the Angstrom coefficients of a site, A and B [-]."""
    return (site.angstrom.a, site.angstrom.b) if site.angstrom else ANGSTROM
