"""Folders of data files: beside the package in a checkout, inside it in a wheel, and elsewhere.

Users add folders with the environment variable `AGBENCH_PATH` (separated as on `PATH`);
packages add theirs through the entry point group `agbench.data`, whose value names the package
that holds the folders. Each root has the same layout: `tasks/`, `crops/`, `sites/`, `sites/soils/`,
`prices/`, `baselines/`.
"""

import os
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from agbench.errors import ConfigError, unknown

PATH_VARIABLE: Final = "AGBENCH_PATH"
ENTRY_POINT_GROUP: Final = "agbench.data"
ANCHORS: Final = "anchors"
"""The name of the file of a task's anchors, in the folder of its baselines."""

_PACKAGE = Path(__file__).parents[1]
_FOLDERS: Final = {
    "task": "tasks",
    "crop": "crops",
    "site": "sites",
    "soil": "sites/soils",
    "prices": "prices",
}


def roots() -> list[Path]:
    """Return the folders that data files are looked for in: ours, packages', users'."""
    wheel = _PACKAGE / "_data"
    result = [wheel if wheel.is_dir() else _PACKAGE.parent, *_package_roots()]
    for folder in os.environ.get(PATH_VARIABLE, "").split(os.pathsep):
        if not folder:
            continue
        if not Path(folder).is_dir():
            raise ConfigError(f"{PATH_VARIABLE}: {folder} is not a folder.")
        result.append(Path(folder))
    return list(dict.fromkeys(root.resolve() for root in result))


@lru_cache(maxsize=1)
def _package_roots() -> list[Path]:
    """Return the roots that installed packages add through the entry point group."""
    result = []
    for point in metadata.entry_points(group=ENTRY_POINT_GROUP):
        spec = find_spec(point.module)
        if spec is None or not spec.submodule_search_locations:
            raise ConfigError(
                f"entry point {point.name!r} of {ENTRY_POINT_GROUP}: no package {point.module!r}."
            )
        result.append(Path(next(iter(spec.submodule_search_locations))))
    return result


def names(kind: str) -> list[str]:
    """Return the names of all files of a kind (`task`, `crop`, `site`, `soil`, `prices`), sorted."""
    return sorted(files(kind))


def files(kind: str) -> dict[str, Path]:
    """Return the files of a kind by name; one name in two roots is an error."""
    result: dict[str, Path] = {}
    for root in roots():
        for path in sorted((root / _FOLDERS[kind]).glob("*.yaml")):
            if path.stem in result:
                raise ConfigError(
                    f"the {kind} {path.stem!r} is defined twice: {result[path.stem]} and {path}."
                )
            result[path.stem] = path
    return result


def find(kind: str, name: str) -> Path:
    """Return the path of a data file; raises `UnknownNameError` with the nearest names."""
    present = files(kind)
    if name not in present:
        raise unknown(kind, name, present)
    return present[name]


def find_baseline(task: str, policy: str) -> Path | None:
    """Return the file of a policy's settings for a task, or None where there is none."""
    return None if policy == ANCHORS else _find_beside_baselines(task, policy)


def find_anchors(task: str) -> Path | None:
    """Return the file of a task's anchors, or None where there is none."""
    return _find_beside_baselines(task, ANCHORS)


def baseline_folder(root: Path, task: str) -> Path:
    """Return the folder of a task's policies and anchors under a root of data folders."""
    return root / "baselines" / task


def _find_beside_baselines(task: str, name: str) -> Path | None:
    paths = (baseline_folder(root, task) / f"{name}.yaml" for root in roots())
    return next((path for path in paths if path.is_file()), None)


def baselines(task: str) -> list[str]:
    """Return the names of the policies that have settings for a task."""
    files = {p.stem for root in roots() for p in baseline_folder(root, task).glob("*.yaml")}
    return sorted(files - {ANCHORS})
