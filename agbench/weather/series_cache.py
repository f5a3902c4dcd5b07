"""Series that were read from files, in the user's cache folder: no other process parses the files.

The key of a cached series holds the contents of the files and the source of the reader, so that the series
equals what reading the files again would give.
"""

import json
from collections.abc import Callable, Iterable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from agbench.cache import cache_folder
from agbench.compiled import cache_file
from agbench.compiled.closure import closure_hash
from agbench.files import sha256
from agbench.variables import Floats
from agbench.weather.daily import DailySeries
from agbench.weather.greenhouse.series import GreenhouseSeries


def folder() -> Path:
    """Return the folder of the series."""
    return cache_folder() / "series"


def daily(what: str, files: Iterable[Path], start: str, read: Callable[[], DailySeries]) -> DailySeries:
    """Return the daily series that `read` reads from files; see `_cached`."""

    def parts() -> tuple[dict[str, Any], Floats]:
        series = read()
        place = {key: getattr(series, key) for key in ("name", "latitude", "longitude", "elevation")}
        more = {"start": series.start.isoformat(), "provenance": dict(series.provenance)}
        return place | more, series.values

    facts, values = _cached(what, files, start, parts)
    facts["start"] = date.fromisoformat(facts["start"])
    return DailySeries(values=values, **facts)


def greenhouse(
    what: str, files: Iterable[Path], start: str, read: Callable[[], GreenhouseSeries]
) -> GreenhouseSeries:
    """Return the series for greenhouses that `read` reads from files; see `_cached`."""

    def parts() -> tuple[dict[str, Any], Floats]:
        series = read()
        facts = {"name": series.name, "interval": series.interval, "begin": series.begin.isoformat()}
        return facts | {"provenance": dict(series.provenance)}, series.values

    facts, values = _cached(what, files, start, parts)
    facts["begin"] = datetime.fromisoformat(facts["begin"])
    return GreenhouseSeries(values=values, **facts)


def _cached(
    what: str, files: Iterable[Path], start: str, read: Callable[[], tuple[dict[str, Any], Floats]]
) -> tuple[dict[str, Any], Floats]:
    """Return plain facts and an array (rows, columns), read from the files or from the cache.

    They follow from `what`, which names the settings of the reader; from the contents of the files; and from
    the source that can be reached from `start`, as `module:name`.
    """
    contents = {path.name: sha256(path) for path in files}
    key = json.dumps({"reads": what, "files": contents, "start": start, "code": closure_hash(start)})
    path = folder() / f"{cache_file.name(key)}.series"
    content = cache_file.read(path, key)
    if content is None:
        facts, values = read()
        head = json.dumps({"facts": facts, "shape": values.shape}).encode() + b"\n"
        content = head + np.ascontiguousarray(values, dtype="<f8").tobytes()
        cache_file.write(path, key, content)
    head, _, numbers = content.partition(b"\n")
    described = json.loads(head)
    return described["facts"], np.frombuffer(numbers, dtype="<f8").reshape(described["shape"]).copy()
