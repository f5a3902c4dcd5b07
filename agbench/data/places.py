"""Folders of data files: beside the package in a checkout, inside it in a wheel, and elsewhere.

Users add folders with the environment variable `AGBENCH_PATH` (separated as on `PATH`);
packages add theirs through the entry point group `agbench.data`, whose value names the package
that holds the folders. Each root has the same layout: `tasks/`, `crops/`, `sites/`, `sites/soils/`,
`prices/`, `baselines/`.
"""

import os
import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from warnings import warn

from agbench.data import packages
from agbench.errors import AgBenchWarning, ConfigError, UnknownNameError, unknown

PATH_VARIABLE: Final = "AGBENCH_PATH"
ENTRY_POINT_GROUP: Final = "agbench.data"
ANCHORS: Final = "anchors"
"""The name of the file of a task's anchors, in the folder of its baselines."""

SCALING: Final = "scaling"
"""The name of the file of a task's scaling, in the same folder."""

SUITES: Final = "suites"
"""The name of the file of suites, among the tasks."""

TASK_ID: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*-v(0|[1-9][0-9]*)")
"""What a task may be called; the whole name must match."""

_PACKAGE = Path(__file__).parents[1]
_FOLDERS: Final = {
    "task": "tasks",
    "crop": "crops",
    "site": "sites",
    "soil": "sites/soils",
    "prices": "prices",
}
_SUFFIX: Final = ".yaml"
_FOUND: list[Any] = []  # what `PATH_VARIABLE` was, and the roots
_LAYOUT: Final = ("tasks", "crops", "sites", "prices", "baselines")


def roots() -> list[Path]:
    """Return the folders that data files are looked for in: ours, packages', users'.

    What is named and cannot be one is passed over, with an `AgBenchWarning` that says why.
    """
    result, wrong = _search()
    for text in wrong:
        warn(text, AgBenchWarning, stacklevel=2)
    return result


def problems() -> list[str]:
    """Return what is wrong with the folders that users and packages name, a sentence each."""
    return _search()[1]


def _search() -> tuple[list[Path], list[str]]:
    """Return the roots, and a sentence for each one that is named and cannot be one.

    Where nothing was wrong it is not looked for again.
    """
    named = os.environ.get(PATH_VARIABLE, "")
    if _FOUND[:1] != [named]:
        result, wrong = _searched(named)
        if wrong:
            return result, wrong
        _FOUND[:] = [named, result]
    return list(_FOUND[1]), []


def _searched(named: str) -> tuple[list[Path], list[str]]:
    wheel = _PACKAGE / "_data"
    added, wrong = _package_roots()
    result, wrong = [wheel if wheel.is_dir() else _PACKAGE.parent, *added], list(wrong)
    for folder in filter(None, named.split(os.pathsep)):
        if not Path(folder).is_dir():
            wrong.append(f"{PATH_VARIABLE}: {folder} is not a folder.")
        elif not any((Path(folder) / name).is_dir() for name in _LAYOUT):
            layout = ", ".join(f"{name}/" for name in _LAYOUT)
            wrong.append(f"{PATH_VARIABLE}: {folder} holds none of the folders {layout}.")
        else:
            result.append(Path(folder))
    return list(dict.fromkeys(root.resolve() for root in result)), wrong


@lru_cache(maxsize=1)
def _package_roots() -> tuple[list[Path], list[str]]:
    """Return the roots that installed packages add, and a sentence for each one that adds none."""
    result, wrong = [], []
    for point in packages.points(ENTRY_POINT_GROUP):
        package = point.value.partition(":")[0].strip()
        try:
            spec = find_spec(package)
        except (Exception, SystemExit):  # finding a package's part runs the package
            spec = None
        if spec is None or not spec.submodule_search_locations:
            wrong.append(
                f"{packages.label(point)}: there is no package {package!r}. {packages.remedy(point)}"
            )
        else:
            result.append(Path(next(iter(spec.submodule_search_locations))))
    return result, wrong


def names(kind: str) -> list[str]:
    """Return the names of all files of a kind (`task`, `crop`, `site`, `soil`, `prices`), sorted."""
    return sorted(_paths(kind))


def files(kind: str) -> dict[str, Path]:
    """Return the files of a kind by name; of a name in two roots the first one, with a warning."""
    result = {}
    for name, paths in _paths(kind).items():
        if len(paths) > 1:
            warn(_twice(kind, name, paths), AgBenchWarning, stacklevel=2)
        result[name] = paths[0]
    return result


def find(kind: str, name: str) -> Path:
    """Return the path of a data file.

    Raises:
        UnknownNameError: for a name that there is not, with the nearest ones.
        ConfigError: for a name in two roots.
    """
    if os.path.basename(name) == name and (kind, name) != ("task", SUITES):
        there = [
            path for root in roots() if os.path.isfile(path := root / _FOLDERS[kind] / f"{name}{_SUFFIX}")
        ]
        if len(there) == 1:
            return there[0]
    present = _paths(kind)
    if name not in present and (os.path.basename(name) != name or name.endswith(_SUFFIX)):
        raise UnknownNameError(
            f"unknown {kind} {name!r}: a {kind} is named, not given by its path. Put the file in the folder "
            f"{_FOLDERS[kind]} of a folder on {PATH_VARIABLE}, and write its name without {_SUFFIX}."
        )
    if name not in present:
        raise unknown(kind, name, present)
    if len(present[name]) > 1:
        raise ConfigError(_twice(kind, name, present[name]))
    return present[name][0]


def _paths(kind: str) -> dict[str, list[Path]]:
    """Return the files of a kind by name, in the order of the roots."""
    result: dict[str, list[Path]] = {}
    for root in roots():
        folder = root / _FOLDERS[kind]
        # Four times as fast as `Path.glob`.
        for entry in sorted(os.listdir(folder) if folder.is_dir() else []):
            name, suffix = os.path.splitext(entry)
            if suffix == _SUFFIX and (kind, name) != ("task", SUITES):
                result.setdefault(name, []).append(folder / entry)
    return result


def _twice(kind: str, name: str, paths: list[Path]) -> str:
    return f"the {kind} {name!r} is defined twice: {paths[0]} and {paths[1]}. Rename one of them."


def find_baseline(task: str, policy: str) -> Path | None:
    """Return the file of a policy's settings for a task, or None where there is none."""
    return None if policy in (ANCHORS, SCALING) else _find_beside_baselines(task, policy)


def find_anchors(task: str) -> Path | None:
    """Return the file of a task's anchors, or None where there is none."""
    return _find_beside_baselines(task, ANCHORS)


def find_scaling(task: str) -> Path | None:
    """Return the file of a task's scaling, or None where there is none."""
    return _find_beside_baselines(task, SCALING)


def baseline_folder(root: Path, task: str) -> Path:
    """Return the folder of a task's policies and anchors under a root of data folders."""
    return root / "baselines" / task


def _find_beside_baselines(task: str, name: str) -> Path | None:
    paths = (baseline_folder(root, task) / f"{name}.yaml" for root in roots())
    return next((path for path in paths if os.path.isfile(path)), None)  # False for a name too long


def baselines(task: str) -> list[str]:
    """Return the names of the policies that have settings for a task."""
    files = {p.stem for root in roots() for p in baseline_folder(root, task).glob("*.yaml")}
    return sorted(files - {ANCHORS, SCALING})
