"""The weather of a scenario's key: a measured year, a generated or a hidden season.

Keys: `site/1984`, `site/generated/17`, `site/hidden/3`, each perhaps with a change of climate
such as `/temperature+2,rain-20` [degC, %].
"""

import hashlib
import hmac
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import numpy as np

from agbench.data import catalog
from agbench.data.split import FIRST_ENDLESS, Change
from agbench.errors import ConfigError
from agbench.weather.change import changed
from agbench.weather.daily import DailySeries
from agbench.weather.generator.generate import FIRST_DAY, YEARS
from agbench.weather.site import site_generator, site_series

SECRET_VARIABLE: Final = "AGBENCH_SECRET_FILE"
"""Names the file whose contents the hidden seasons follow from."""

_LAST_ENDLESS = 2**53  # so that a number is exact wherever it is written
_LEAST_SECRET = 16  # bytes
_KEY = re.compile(
    r"^(?P<site>[^/]+)/(?:(?P<year>\d{4})|(?P<kind>generated|hidden)/(?P<number>\d+))"
    r"(?:/(?:temperature(?P<degrees>[+-][\d.]+))?,?(?:rain(?P<percent>[+-][\d.]+))?)?$"
)


@dataclass(frozen=True)
class SeasonKey:
    """A scenario's key, taken apart; `number` is the year of measured weather."""

    site: str
    kind: Literal["measured", "generated", "hidden"]
    number: int
    degrees: float = 0.0
    percent: float = 0.0

    @property
    def year(self) -> int:
        """The calendar year in which the season starts."""
        return self.number if self.kind == "measured" else FIRST_DAY.year


@lru_cache(maxsize=4096)
def parse(key: str) -> SeasonKey:
    """Return a scenario's key, taken apart."""
    match = _KEY.match(key)
    if match is None:
        raise ConfigError(
            f"scenario {key!r} is not a key such as wageningen/1984, wageningen/generated/17 or"
            " wageningen/1984/temperature+2,rain-20."
        )
    kind: Literal["measured", "generated", "hidden"] = match["kind"] or "measured"  # type: ignore[assignment]
    number = int(match["number"] or match["year"])
    return SeasonKey(
        match["site"], kind, number, float(match["degrees"] or 0.0), float(match["percent"] or 0.0)
    )


def read(key: str) -> SeasonKey | None:
    """Return a key from a caller, taken apart; None where it is not spelt as keys are."""
    try:
        season = parse(key)
        change = Change(temperature=f"{season.degrees} degC", rain=f"{season.percent} %").key
    except (ValueError, TypeError):
        return None
    kind = "" if season.kind == "measured" else f"{season.kind}/"
    spelt = f"{season.site}/{kind}{season.number}" + (f"/{change}" if change else "")
    return season if spelt == key else None


def another(key: str, generator: np.random.Generator) -> str:
    """Return the key of a drawn season of the same place and change, whose number no split lists."""
    site, kind, _, *change = key.split("/")
    return "/".join((site, kind, str(int(generator.integers(FIRST_ENDLESS, _LAST_ENDLESS))), *change))


def series_of(key: str, user_series: DailySeries | None = None, until: date | None = None) -> DailySeries:
    """Return the weather of a scenario; `user_series` replaces the measured weather of the site.

    Generated weather lasts for two years, or until a day.
    """
    years = YEARS if until is None else until.year - FIRST_DAY.year + 1
    season = parse(key)
    if season.kind == "measured":
        series = site_series(season.site) if user_series is None else user_series
    elif user_series is not None:
        raise ConfigError(f"scenario {key} has generated weather; weather= is for measured years only.")
    elif season.kind == "hidden":
        series = site_generator(season.site).season(_hidden_seed(season), years, until)
    else:
        series = site_generator(season.site).season(season.number, years, until)
    if season.degrees or season.percent:
        return changed(series, season.degrees, season.percent)
    return series


def require_generator(key: str) -> bool:
    """Return whether the weather is generated, in which case its generator and secret are there."""
    season = parse(key)
    if season.kind == "measured":
        return False
    site_generator(season.site)
    if season.kind == "hidden":
        _secret()
    return True


def measured(keys: Sequence[str]) -> list[str]:
    """Return the keys of measured weather; the generators and the secret of the others are there."""
    seasons = {key: parse(key) for key in keys}
    different = {(season.site, season.kind): key for key, season in seasons.items()}
    generated = {kind for kind, key in different.items() if require_generator(key)}
    return [key for key, season in seasons.items() if (season.site, season.kind) not in generated]


def hashes(keys: Sequence[str], user_series: DailySeries | None) -> dict[str, str]:
    """Return the SHA-256 of each site's measured series and climate, as far as the keys need them.

    Hidden seasons add a commitment: it distinguishes secrets without revealing them.
    """
    seasons = {(season.site, season.kind) for season in map(parse, keys)}
    result = {}
    for site, kind in sorted(seasons):
        if kind == "measured":
            result[f"weather {site}"] = (user_series or site_series(site)).sha256
            continue
        climate = catalog.site(site).climate
        text = climate.model_dump_json() if climate else ""
        result[f"climate {site}"] = hashlib.sha256(text.encode()).hexdigest()
        if kind == "hidden":
            result["hidden seasons"] = _commitment()
    return result


def mark(key: str) -> str:
    """Return a mark that differs between the hidden seasons of two secrets; empty for other scenarios."""
    return _commitment() if parse(key).kind == "hidden" else ""


@contextmanager
def secret(path: Path) -> Iterator[None]:
    """Let hidden seasons follow from the secret in a file while the block lasts."""
    before = os.environ.get(SECRET_VARIABLE)
    os.environ[SECRET_VARIABLE] = str(path)
    try:
        yield
    finally:
        if before is None:
            del os.environ[SECRET_VARIABLE]
        else:
            os.environ[SECRET_VARIABLE] = before


def secret_is_here() -> bool:
    """Return whether a file of the organisers' secret is named on this machine."""
    return bool(os.environ.get(SECRET_VARIABLE))


def read_secret(path: str | Path, where: str = "secret") -> bytes:
    """Return a file's secret, without white space at its ends; no message of ours shows any of it."""
    try:
        result = Path(path).read_bytes().strip()
    except OSError as error:
        raise ConfigError(f"{where}: {path} cannot be read: {error.strerror or error}.") from None
    if len(result) < _LEAST_SECRET:
        raise ConfigError(f"{where}: {path} is too short for a secret; give at least {_LEAST_SECRET} bytes.")
    return result


def _commitment() -> str:
    return _keyed(b"agbench commitment").hex()


def _hidden_seed(season: SeasonKey) -> bytes:
    return _keyed(f"{season.site}/{season.number}".encode())


def _keyed(message: bytes) -> bytes:
    return hmac.new(_secret(), message, hashlib.sha256).digest()


def _secret() -> bytes:
    named = os.environ.get(SECRET_VARIABLE)
    if not named:
        raise ConfigError(
            "hidden seasons need the organisers' secret, which is not on this machine"
            f" ({SECRET_VARIABLE} names its file). Use another split."
        )
    return read_secret(named, SECRET_VARIABLE)
