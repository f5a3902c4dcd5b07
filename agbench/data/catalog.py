"""Data files by their names, read and checked; `agbench.data.places` knows their folders."""

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TypeVar
from warnings import warn

from agbench.data.families import read_task_file
from agbench.data.field import Crop, Soil
from agbench.data.places import ANCHORS as ANCHORS
from agbench.data.places import PATH_VARIABLE as PATH_VARIABLE
from agbench.data.places import SUITES as SUITES
from agbench.data.places import baseline_folder as baseline_folder
from agbench.data.places import baselines as baselines
from agbench.data.places import find as find
from agbench.data.places import find_anchors as find_anchors
from agbench.data.places import find_baseline as find_baseline
from agbench.data.places import names as names
from agbench.data.places import problems as problems
from agbench.data.places import roots as roots
from agbench.data.prices import PriceModel, PriceSeries, read_prices
from agbench.data.reading import Strict, load_file, read_file
from agbench.data.site import Site
from agbench.data.task import Task
from agbench.errors import AgBenchError, AgBenchWarning, ConfigError


def task(name: str) -> Task:
    """Read a task by its id."""
    return _named("task", name, read_task_file)


Kind = TypeVar("Kind", bound=Task)


def tasks_of(schema: type[Kind]) -> list[Kind]:
    """Return all tasks of a schema, by id; files that cannot be read are passed over."""
    result = []
    for name in names("task"):
        with suppress(AgBenchError):  # reading that task by its name raises it
            result.append(task(name))
    return [one for one in result if isinstance(one, schema)]


def readable(kind: str) -> list[str]:
    """Return the names of a kind (`crop`, `soil`, `site`) whose files can be read; others are warned of.

    For lists: a wrong file must not cost those who do not use it.
    """
    reader = {"crop": crop, "soil": soil, "site": site}[kind]
    result = []
    for name in names(kind):
        try:
            reader(name)
        except AgBenchError as error:
            warn(f"{error} It is passed over.", AgBenchWarning, stacklevel=2)
        else:
            result.append(name)
    return result


def crop(name: str) -> Crop:
    """Read a crop by its id."""
    return _named("crop", name, _read_crop)


def soil(name: str) -> Soil:
    """Read a soil by its id."""
    return _named("soil", name, _read_soil)


def site(name: str) -> Site:
    """Read a site by its id."""
    return _named("site", name, _read_site)


def prices(path: Path) -> PriceSeries | PriceModel:
    """Read the description of a price series or model, whose `prices` is its file's own name."""
    result: PriceSeries | PriceModel = _read(
        path, "prices", path.stat().st_mtime_ns if path.is_file() else 0, _read_prices
    )
    return result


def _read_prices(path: Path) -> PriceSeries | PriceModel:
    return read_prices(load_file(path), str(path))


def _read_crop(path: Path) -> Crop:
    return read_file(Crop, path)


def _read_soil(path: Path) -> Soil:
    return read_file(Soil, path)


def _read_site(path: Path) -> Site:
    return read_file(Site, path)


Schema = TypeVar("Schema", bound=Strict)


def _named(kind: str, name: str, read: Callable[[Path], Schema]) -> Schema:
    """Read a data file whose own name must be that of its file."""
    path = find(kind, name)
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:  # a link to nothing, such as an editor leaves
        raise ConfigError(f"{path}: {error.strerror}.") from None
    result: Schema = _read(path, kind, changed, read)
    return result


@lru_cache(maxsize=512)
def _read(path: Path, kind: str, changed: int, read: Callable[[Path], Schema]) -> Schema:
    result = read(path)
    text = getattr(result, kind)
    if text != path.stem:
        raise ConfigError(f"{path}: {kind}: {text!r} must be the file's own name, {path.stem!r}.")
    return result
