"""What installed packages add through entry points: which there are, and loading them.

A package that is broken costs no other one: what it adds is passed over with a warning that names the
package, and asking for it by name raises `ConfigError`.
"""

from functools import lru_cache
from importlib import import_module, metadata
from typing import Any, Final
from warnings import warn

from agbench.errors import AgBenchError, AgBenchWarning, ConfigError

_GROUPS: Final = ("agbench.data", "agbench.families", "agbench.policies")


@lru_cache(maxsize=1)
def _installed() -> dict[str, list[metadata.EntryPoint]]:
    """Return the entry points of our groups, read once a process: each reading walks all packages."""
    try:
        points = metadata.entry_points()
    except Exception as error:  # the records of other packages may hold anything
        warn(
            f"the records of installed packages cannot be read ({_of(error)}): what packages add to agbench "
            "is passed over. `pip check` may name the package that is damaged.",
            AgBenchWarning,
            stacklevel=2,
        )
        return {}
    return {group: list(points.select(group=group)) for group in _GROUPS}


def points(group: str) -> list[metadata.EntryPoint]:
    """Return what installed packages name in an entry point group."""
    return _installed().get(group, [])


def names(group: str) -> list[str]:
    """Return the names in an entry point group, each once."""
    return list(dict.fromkeys(point.name for point in points(group)))


def load(group: str, name: str) -> Any:
    """Return what a package adds under a name that is in `names(group)`.

    Raises:
        ConfigError: where it cannot be loaded, or two packages add the name; names them and the remedy.
    """
    first, *others = [point for point in points(group) if point.name == name]
    if others:
        packages = " and ".join(label(point) for point in (first, *others))
        raise ConfigError(f"{packages} have the same name. Uninstall one of them.")
    try:
        return first.load()
    except (Exception, SystemExit) as error:  # importing a package runs anybody's code
        raise ConfigError(f"{label(first)} cannot be loaded: {_of(error)}. {remedy(first)}") from error


def where(group: str, name: str) -> str:
    """Return how errors name what a package adds under a name that is in `names(group)`."""
    return next(label(point) for point in points(group) if point.name == name)


def label(point: metadata.EntryPoint) -> str:
    """Return how errors name an entry point: with its package, its group and what it stands for."""
    return f"{_package(point)} (entry point {point.name!r} of {point.group}: {point.value})"


def remedy(point: metadata.EntryPoint) -> str:
    """Return what to do about an entry point that is broken."""
    return f"Mend or uninstall {_package(point)}."


def warn_of_taken(group: str, name: str, what: str) -> None:
    """Warn of packages that add something under a name of ours: it is passed over."""
    for point in points(group):
        if point.name == name:
            warn(
                f"{label(point)} is passed over: {name!r} is a {what} of agbench. Its package must give it "
                "another name.",
                AgBenchWarning,
                stacklevel=3,
            )


def load_place(place: str) -> Any:
    """Return what a text such as `package.module:name` names; raises `ConfigError` where it names nothing."""
    module, _, name = place.partition(":")
    try:
        return getattr(import_module(module), name)
    except AgBenchError:
        raise
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"{place!r} cannot be loaded: {_of(error)}. It must be package.module:name."
        ) from error


def _package(point: metadata.EntryPoint) -> str:
    return f"the package {point.dist.name!r}" if point.dist is not None else f"what names {point.value!r}"


def _of(error: BaseException) -> str:
    """Return an error in one line: its type and its text."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": .")
