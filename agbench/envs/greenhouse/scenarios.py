"""The keys of greenhouse scenarios, and the weather that they name.

Keys: `site/2010-03-01` (measured), `site/generated/17/03-01` and `site/hidden/3/03-01` (season 17 of the
site's generator from 1 March; see `agbench.envs.scenario_weather`), each perhaps with a level of uncertainty,
`/0.1`.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from agbench.data import catalog
from agbench.data.greenhouse_task import INTERVAL, GreenhouseEpisode
from agbench.envs import scenario_weather
from agbench.errors import ConfigError
from agbench.weather.generator.generate import FIRST_DAY
from agbench.weather.greenhouse.site import GreenhouseWeather, disaggregated, greenhouse_weather

_KEY: Final = re.compile(
    r"(?P<site>[^/]+)/(?:(?P<day>\d{4}-\d\d-\d\d)|(?P<season>(?:generated|hidden)/(?:0|[1-9]\d*))/(?P<start>\d\d-\d\d))"
    r"(?:/(?P<level>[\d.]+))?"
)
_KEPT: Final = 4  # generated series, of which each lasts two years


@dataclass(frozen=True)
class GreenhouseKey:
    """A scenario's key, taken apart."""

    site: str
    season: str
    """`generated/17` or `hidden/3`; empty for measured weather."""
    first: date
    level: float | None

    @property
    def generated(self) -> str:
        """The key of the generated season that it lies in, such as `wageningen/generated/17`."""
        return f"{self.site}/{self.season}"

    @property
    def covered_as(self) -> tuple[str, str, date]:
        """What decides whether there is weather for it: of a generated season not its number."""
        return self.site, self.season.partition("/")[0], self.first


def read_key(key: str) -> GreenhouseKey:
    """Return a scenario's key, taken apart; raises `ConfigError` for what is none."""
    match = _KEY.fullmatch(key)
    try:
        if match is None:
            raise ValueError
        level = None if match["level"] is None else float(match["level"])
    except ValueError:
        raise ConfigError(
            f"scenario {key!r} is not a key such as schiphol/2010-03-01 or wageningen/generated/17/03-01, "
            "perhaps with a level of uncertainty behind, as /0.1."
        ) from None
    day = match["day"] or f"{FIRST_DAY.year}-{match['start']}"
    try:
        first = date.fromisoformat(day)
    except ValueError:
        years = "" if match["day"] else f"; generated seasons begin in {FIRST_DAY.year}"
        raise ConfigError(f"scenario {key!r}: there is no day {day}{years}.") from None
    return GreenhouseKey(match["site"], match["season"] or "", first, level)


class EpisodeWeather:
    """The weather of keys for a task's episodes: each site's is read once, generated seasons when needed.

    `given` replaces the measured weather of all sites.
    """

    def __init__(self, episode: GreenhouseEpisode, given: GreenhouseWeather | None = None) -> None:
        self._clouds = episode.cloudiness == "episode"
        self._by_clock = episode.clock == "local"
        self._past = episode.dli == "past"
        self._given = given
        self._sites: dict[str, GreenhouseWeather] = {}
        self._generated: dict[str, GreenhouseWeather] = {}
        self._able: set[tuple[str, str]] = set()

    def of(self, key: GreenhouseKey) -> GreenhouseWeather:
        """Return the weather that a key names."""
        if not key.season:
            return self._given or self._at(key.site)
        if self._given is not None:
            raise ConfigError(
                f"scenario {key.generated} has generated weather; weather= is for measured days only."
            )
        mark = f"{key.generated} {scenario_weather.mark(key.generated)}"
        if mark not in self._generated:
            while len(self._generated) >= _KEPT:
                del self._generated[next(iter(self._generated))]
            self._generated[mark] = self._make(key)
        return self._generated[mark]

    def _at(self, site: str) -> GreenhouseWeather:
        if site not in self._sites:
            self._sites[site] = greenhouse_weather(site, self._clouds, INTERVAL, self._by_clock, self._past)
        return self._sites[site]

    def _make(self, key: GreenhouseKey) -> GreenhouseWeather:
        series = scenario_weather.series_of(key.generated)
        return disaggregated(series, key.site, self._clouds, INTERVAL, self._by_clock, self._past)

    def check(self, key: GreenhouseKey, days: int) -> None:
        """Raise where a key's days lack weather, its site a generator, or this machine a secret."""
        if key.season and self._given is None:
            place = key.site, key.season.partition("/")[0]
            if place not in self._able:
                scenario_weather.require_generator(key.generated)
                self._able.add(place)
            if (key.first - FIRST_DAY).days + days > 730:
                raise ConfigError(
                    f"a generated season has 730 days; {days} from {key.first:%m-%d} do not fit."
                )
            return
        self.of(key).check(key.first, days)

    def random(self, key: GreenhouseKey) -> bool:
        """Return whether the episode's generator draws a key's weather, its clouds."""
        return self._clouds if key.season else self.of(key).random

    def hashes(self, keys: Iterable[GreenhouseKey]) -> dict[str, str]:
        """Return the SHA-256 of each site's measured series and climate, as far as the keys need them."""
        every = list(keys)
        measured = {key.site: key for key in every if not key.season}
        result = {f"weather {site}": self.of(measured[site]).sha256 for site in sorted(measured)}
        generated = [key.generated for key in every if key.season]
        return result | (scenario_weather.hashes(generated, None) if generated else {})


def is_buildable(check: Callable[[GreenhouseKey], None], key: object) -> bool:
    """Return whether a key of no split is one that can be built: a site's days, or its generated seasons.

    Hidden seasons are for splits that name them. Raises what `check` raises for days without weather, and
    `ConfigError` for a day that no calendar has.
    """
    if not isinstance(key, str) or _KEY.fullmatch(key) is None:
        return False
    taken = read_key(key)
    if taken.site not in catalog.names("site") or taken.season.startswith("hidden"):
        return False
    check(taken)
    return True
