"""Fetched weather: where it lies in the user's cache folder, and the only code that downloads.

Reading never touches the network: what is not there is an error that names the command.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from agbench import files
from agbench.cache import cache_folder
from agbench.data.site import Download, Place
from agbench.errors import WeatherError
from agbench.weather.daily import ANGSTROM, DailySeries
from agbench.weather.readers import knmi, nasa_power

Progress = Callable[[int, int | None], None]
"""Called after each piece with the bytes so far, and the total if the service states it."""

ATTEMPTS: Final = 4
_PAUSE = 2.0  # s before the second attempt, doubled before each further one
_TIMEOUT = 120.0  # s
_PIECE = 65_536  # bytes


def load_fetched(
    name: str, download: Download, place: Place, angstrom: tuple[float, float] = ANGSTROM
) -> DailySeries:
    """Return a site's fetched series from the cache folder, its checksum verified."""
    path = cached_path(download, place)
    if not path.is_file():
        raise WeatherError(
            f"the measured weather of {name} is not on this machine; fetch it once with:"
            f" agbench weather fetch {name}"
        )
    _verify(path, name)
    read = nasa_power.read_nasa_power if download.reader == "nasa-power" else knmi.read_knmi
    series = read(path, angstrom)
    provenance = {**series.provenance, "file": path.name, "file sha256": files.sha256(path)}
    return replace(series, name=name, provenance=provenance)


def fetch(
    name: str,
    download: Download,
    place: Place,
    progress: Progress | None = None,
    get: "Callable[[str, Progress | None], bytes] | None" = None,
) -> Path:
    """Bring a site's series into the cache folder unless it is there; return its path.

    The answer is read before it is kept: a malformed one leaves nothing behind. Raises `WeatherError` for
    one, where the service does not answer, and while another process writes the same.
    """
    path = cached_path(download, place)
    if not path.is_file():
        content = (get or _get)(_request(download, place), progress)
        with files.alone(path, _refused):  # no two answers are the same, and a checksum is that of one
            if not path.is_file():
                _keep(path, download, content)
    _verify(path, name)
    return path


def _refused(sentence: str) -> WeatherError:
    return WeatherError(f"{sentence} AGBENCH_CACHE_DIR names the folder of fetched weather.")


def _keep(path: Path, download: Download, content: bytes) -> None:
    """Keep an answer and, before it, its checksum: a series without one counts as damaged."""
    read = nasa_power.read_nasa_power if download.reader == "nasa-power" else knmi.read_knmi

    def fill(temporary: Path) -> None:
        temporary.write_bytes(content)
        read(temporary)
        files.write_text(_checksum_path(path), f"{files.sha256(temporary)}  {path.name}\n")

    files.write(path, fill)


def cached_path(download: Download, place: Place) -> Path:
    """Return where a series lies in the cache folder."""
    years = f"{download.first}-{download.last}"
    if download.reader == "knmi":
        file = f"knmi-{download.station}-{years}.txt"
    else:
        file = f"nasa-power-{place.latitude:+.4f}-{place.longitude:+.4f}-{years}.json"
    return cache_folder() / "weather" / file


def _request(download: Download, place: Place) -> str:
    years = download.first, download.last
    if download.station is not None:
        return knmi.request(download.station, *years)
    return nasa_power.request(place.latitude, place.longitude, *years)


def _checksum_path(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def _verify(path: Path, name: str) -> None:
    """Refuse a file that is not the one that was fetched."""
    checksum = _checksum_path(path)
    text = checksum.read_text(encoding="utf-8").split()[0] if checksum.is_file() else None
    if text != files.sha256(path):
        raise WeatherError(
            f"{path} is damaged: its SHA-256 is not that of the fetched file. Delete it and fetch it"
            f" again: agbench weather fetch {name}"
        )


def _get(address: str, progress: Progress | None) -> bytes:
    """Return what the service answers; three more attempts when the connection fails."""
    import http.client
    import urllib.error
    import urllib.request

    for attempt in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(address, timeout=_TIMEOUT) as answer:
                return _read(answer, progress)
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                raise WeatherError(
                    f"the weather service refused {address}: {error.code} {error.reason}."
                ) from None
            problem = f"{error.code} {error.reason}"
        except (OSError, http.client.HTTPException) as error:
            problem = str(getattr(error, "reason", error))
        if attempt < ATTEMPTS - 1:
            time.sleep(_PAUSE * 2**attempt)
    raise WeatherError(
        f"the weather service did not answer in {ATTEMPTS} attempts ({problem}): {address}."
        " Is this machine online?"
    )


def _read(answer: Any, progress: Progress | None) -> bytes:
    """Return the whole body; a body shorter than announced is a failed attempt."""
    announced = answer.headers.get("Content-Length")
    total = int(announced) if announced else None
    pieces, size = [], 0
    while piece := answer.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if progress is not None:
            progress(size, total)
    if total is not None and size != total:
        from http.client import IncompleteRead

        raise IncompleteRead(b"".join(pieces), total - size)
    return b"".join(pieces)
