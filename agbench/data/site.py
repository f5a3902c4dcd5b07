"""The schema of sites: a place, the weather that it has, its soils and its climate."""

from typing import Any, Literal

from pydantic import Field, model_validator

from agbench.data.climate import Climate
from agbench.data.field import Number, Quantities, plain
from agbench.data.reading import Strict


class Place(Strict):
    """A point on the ground: degrees north and east, metres above sea level."""

    latitude: Number = Field(ge=-90, le=90)
    longitude: Number = Field(ge=-180, le=180)
    elevation: Number = Field(ge=-430, le=8850)


class Angstrom(Strict):
    """Angstrom coefficients: share of radiation on overcast days, and what full sunshine adds [-]."""

    a: Number = Field(ge=0, le=1)
    b: Number = Field(ge=0, le=1)


class Download(Strict):
    """A daily series that `agbench weather fetch` brings: the service, the years, KNMI's station."""

    reader: Literal["nasa-power", "knmi"]
    first: int = Field(ge=1900, le=2100)
    last: int = Field(ge=1900, le=2100)
    station: int | None = None

    @model_validator(mode="after")
    def _complete(self) -> "Download":
        if self.last < self.first:
            raise ValueError(f"the last year {self.last} lies before the first, {self.first}.")
        if (self.reader == "knmi") != (self.station is not None):
            raise ValueError("a station is needed for the reader knmi, and only for it.")
        return self


class Site(Strict):
    """A place with its weather and, where models want them, its own parameters.

    `series` is measured weather at hand without a network, `download` is measured weather that a
    user fetches once, `climate` gives generated seasons. `soils` are the soils that go with it.
    `zone` is how far the clock, local standard time all year round, is ahead of UTC [h]. Dates,
    prices, lamps and the sun of greenhouses follow this clock.
    """

    site: str
    summary: str
    source: str
    place: Place
    zone: Number | None = Field(default=None, ge=-12, le=14)
    angstrom: Angstrom | None = None
    soils: list[str] = []
    series: dict[str, str | float | int] | None = None
    download: Download | None = None
    parameters: Quantities = {}
    climate: Climate | None = None

    @property
    def reader(self) -> str | None:
        """What reads the series at hand; None where there is none."""
        return None if self.series is None else str(self.series.get("reader"))

    @property
    def clock(self) -> float:
        """Hours that the clock is ahead of UTC: the zone, else the whole hour nearest to the sun's time."""
        return float(round(self.place.longitude / 15.0)) if self.zone is None else self.zone

    @property
    def values(self) -> dict[str, Any]:
        """The site's parameters as plain numbers, under the model's own names."""
        return plain(self.parameters)

    @model_validator(mode="after")
    def _some_weather(self) -> "Site":
        if self.series is None and self.download is None and self.climate is None:
            raise ValueError("a site needs weather: 'series', 'download' or 'climate'.")
        return self
