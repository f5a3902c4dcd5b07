"""Series that were read from files, kept on disk: another process needs no reader for the same files.

What is kept is sealed under the contents of the files and the source of the reader, so that it is what
reading the files anew would give.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from agbench.cache import cache_folder
from agbench.compiled import sealed
from agbench.compiled.closure import closure_hash
from agbench.variables import Floats
from agbench.weather.daily import DailySeries
from agbench.weather.greenhouse.series import GreenhouseSeries


def folder() -> Path:
    """Return where series are kept."""
    return cache_folder() / "series"


def daily(what: str, files: Iterable[Path], start: str, read: Callable[[], DailySeries]) -> DailySeries:
    """Return the daily series that `read` reads from files; see `_kept`."""

    def taken_apart() -> tuple[dict[str, Any], Floats]:
        series = read()
        place = {key: getattr(series, key) for key in ("name", "latitude", "longitude", "elevation")}
        more = {"start": series.start.isoformat(), "provenance": dict(series.provenance)}
        return place | more, series.values

    facts, values = _kept(what, files, start, taken_apart)
    facts["start"] = date.fromisoformat(facts["start"])
    return DailySeries(values=values, **facts)


def greenhouse(
    what: str, files: Iterable[Path], start: str, read: Callable[[], GreenhouseSeries]
) -> GreenhouseSeries:
    """Return the series for greenhouses that `read` reads from files; see `_kept`."""

    def taken_apart() -> tuple[dict[str, Any], Floats]:
        series = read()
        facts = {"name": series.name, "interval": series.interval, "begin": series.begin.isoformat()}
        return facts | {"provenance": dict(series.provenance)}, series.values

    facts, values = _kept(what, files, start, taken_apart)
    facts["begin"] = datetime.fromisoformat(facts["begin"])
    return GreenhouseSeries(values=values, **facts)


def _kept(
    what: str, files: Iterable[Path], start: str, read: Callable[[], tuple[dict[str, Any], Floats]]
) -> tuple[dict[str, Any], Floats]:
    """Return plain facts and an array (rows, columns), read or kept.

    They follow from `what`, which names the settings of the reader; from the contents of the files; and from
    the source that can be reached from `start`, as `module:name`.
    """
    contents = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    key = json.dumps({"reads": what, "files": contents, "start": start, "code": closure_hash(start)})
    path = folder() / f"{sealed.name(key)}.series"
    content = sealed.read(path, key)
    if content is None:
        facts, values = read()
        head = json.dumps({"facts": facts, "shape": values.shape}).encode() + b"\n"
        content = head + np.ascontiguousarray(values, dtype="<f8").tobytes()
        sealed.write(path, key, content)
    head, _, numbers = content.partition(b"\n")
    described = json.loads(head)
    return described["facts"], np.frombuffer(numbers, dtype="<f8").reshape(described["shape"]).copy()
