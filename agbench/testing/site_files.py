"""Checking a site's file: its soils, the weather that it names, the climate that seasons are drawn from."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from agbench.data import catalog
from agbench.data.climate import Climate
from agbench.data.reading import read_data
from agbench.data.site import Site
from agbench.errors import AgBenchError, ConfigError, WeatherError, one_line
from agbench.weather import plausibility
from agbench.weather.greenhouse.series import READERS
from agbench.weather.greenhouse.site import measured_series
from agbench.weather.readers.sources import SeriesSource
from agbench.weather.site import site_generator, site_series

_MOST_RAIN: Final = 5.0
"""cm d-1, the scale of the rain of wet days in a month; ten times that of the wettest site that ships."""


def follow_site(site: Site, path: Path) -> None:
    """Read a site's soils, and the weather that needs no network and no further package.

    Raises `ConfigError` that names the file and the key for what cannot be read or believed.
    """
    _require_package((site.series or {}).get("package"), path)
    for soil in site.soils:
        catalog.soil(soil)
    if site.climate is not None:
        _check_climate(site.climate, path)
    if site.series is not None and site.reader not in READERS:
        schema: Any = SeriesSource
        read_data(schema, dict(site.series), f"{path}: series")
    if site.site not in catalog.names("site"):
        return
    if site.climate is not None:
        _check_season(site.site, path)
    if site.series is not None and _installed(site.series.get("package")):
        _check_series(site, site.series, path)


def _check_series(site: Site, described: Mapping[str, Any], path: Path) -> None:
    """Raise `ConfigError` for a series whose file cannot be read."""
    try:
        (measured_series if site.reader in READERS else site_series)(site.site)
    except (AgBenchError, OSError):
        raise
    except Exception as error:  # libraries have their own for each way in which a file is none
        raise ConfigError(
            f"{path}: series.file: {described.get('file')} cannot be read as {site.reader}:"
            f" {one_line(str(error))}"
        ) from None


def _check_climate(climate: Climate, path: Path) -> None:
    """Raise `ConfigError` for chances that are none, and for amounts and spreads below 0."""
    for key, chances in climate.occurrence.model_dump().items():
        for month, chance in enumerate(chances, 1):
            if not 0.0 <= chance <= 1.0:
                raise ConfigError(
                    f"{path}: climate.occurrence.{key}: month {month}: {chance:g}; a chance is from 0 to 1."
                )
    spreads = {"amounts.scale": climate.amounts.scale}
    for name, element in climate.elements.items():
        for part in ("sd", "dry_spread", "wet_spread"):
            spreads[f"elements.{name}.{part}"] = getattr(element, part)
    for key, values in spreads.items():
        if (least := min(values)) < 0.0:
            raise ConfigError(f"{path}: climate.{key}: {least:g}; it must be at least 0.")
    if (most := max(climate.amounts.scale)) > _MOST_RAIN:
        raise ConfigError(
            f"{path}: climate.amounts.scale: {most:g} cm d-1; at most {_MOST_RAIN:g} is allowed. Give cm,"
            " not mm."
        )


def _check_season(name: str, path: Path) -> None:
    """Raise `ConfigError` where a site's climate gives weather that is none, or none of this planet."""
    with np.errstate(all="ignore"):
        season = site_generator(name).season(0)
    if not np.isfinite(season.values).all():
        raise ConfigError(f"{path}: climate: its seasons have values that are no numbers.")
    try:
        plausibility.check_plausible(season.values, season.start, name)
    except WeatherError as error:
        raise ConfigError(f"{path}: climate: of a season that it gives, {error}") from None


def _require_package(package: object, path: Path) -> None:
    """Raise `ConfigError` for what is no name of a package, which Python would refuse in its own words."""
    if package is not None and not str(package).isidentifier():
        raise ConfigError(
            f"{path}: series.package: {package!r} is not the name of a Python package, such as pvlib."
        )


def _installed(package: object) -> bool:
    """Return whether a package that holds a series is there; without one the answer is yes."""
    return package is None or find_spec(str(package)) is not None
