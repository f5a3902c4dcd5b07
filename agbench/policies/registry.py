"""Loading policies: by name, from a settings file, from code, or from a trained model's object.

The kinds that settings files name are registered where they are written (`agbench.policies.base.policy`):
here, in the packages beside this module, or in other packages, through the entry point group
`agbench.policies`, whose names are kinds and whose values the classes.
"""

import inspect
import re
from collections.abc import Iterable
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Final, get_args

from agbench.data import catalog, packages
from agbench.data.baseline import Baseline
from agbench.data.read_once import read_once
from agbench.data.task import Task
from agbench.envs import family
from agbench.errors import AgBenchError, ConfigError, UnknownNameError, described, unknown
from agbench.policies.base import KINDS, Information, Interface, Kind, Policy
from agbench.policies.networks.made_for import MadeFor, require_made_for
from agbench.policies.simple import Predicting

ENTRY_POINT_GROUP: Final = "agbench.policies"
_CODE = re.compile(r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")


def policies(task: str | Task) -> list[str]:
    """Return the names of the policies that a task has."""
    name = task if isinstance(task, str) else task.task
    return sorted({*_without_settings(), *catalog.baselines(name)})


def kind(name: str, where: str = "") -> Kind:
    """Return a kind of policy.

    A module of that name is loaded first, then what a package says it has, and all others only if the
    kind is in none of them.

    Raises:
        UnknownNameError: for a kind that there is not, with the nearest names.
        ConfigError: where the package that adds it is broken; names the package.
    """
    _load(module for module in _modules() if module.endswith(f".{name.replace('-', '_')}"))
    if name in KINDS:
        if KINDS[name].is_ours:
            packages.warn_of_taken(ENTRY_POINT_GROUP, name, "kind of policy")
        return KINDS[name]
    added = packages.names(ENTRY_POINT_GROUP)
    if name in added:
        packages.load(ENTRY_POINT_GROUP, name)
        if name not in KINDS:
            raise ConfigError(
                f"{packages.where(ENTRY_POINT_GROUP, name)} registers no kind of policy of that name: the "
                f"class needs the decorator @policy({name!r})."
            )
    else:
        _load(_modules())
    if name not in KINDS:
        raise unknown("kind of policy", name, {*KINDS, *added}, where)
    return KINDS[name]


def _load(modules: Iterable[str]) -> None:
    for module in modules:
        import_module(module)


@cache
def _modules() -> list[str]:
    """Return the modules in the packages beside this one; none of them is loaded."""
    folder = Path(__file__).parent
    packages = [package.name for package in iter_modules([str(folder)]) if package.ispkg]
    return [
        f"{__package__}.{package}.{module.name}"
        for package in packages
        for module in iter_modules([str(folder / package)])
    ]


def _without_settings() -> list[str]:
    """Return the loaded kinds that need no settings: policies of every task."""
    return [name for name, kind in KINDS.items() if kind.settings is None]


def interface_of(task: Task) -> Interface[Any]:
    """Return what policies of a task are made for; reads no weather."""
    return _interface(task, ())


def _interface(task: Task, above: tuple[Path, ...]) -> Interface[Any]:
    """Return the interface of a policy; `above` are the settings files that are being loaded."""
    load = partial(_load_policy, task=task, above=above)
    return Interface(task, family.action_map(task), family.observer(task), load)


def load_policy(name_or_path: str | Path, task: str | Task, *, other_task: bool = False) -> Policy:
    """Return a policy for a task.

    Args:
        name_or_path: a name (`zero`, `random`, or one with settings in `baselines/TASK/`), the path
            of such a settings file, that of a network (`policy.npz`, `policy.onnx`), or code as
            `package.module:Name`, a class or function that is called with the task's `Task`, if it
            takes an argument, and returns a policy.
        task: an id, or a task with overrides applied.
        other_task: take a network's file that says it was made for another task or other observations.

    Raises:
        UnknownNameError: for a policy that does not exist, with the nearest names.
        ConfigError: for wrong settings, code that is no policy, or a network of another task.
    """
    spec = catalog.task(task) if isinstance(task, str) else task
    return _load_policy(name_or_path, spec, (), other_task)


def _load_policy(
    name_or_path: str | Path, task: Task, above: tuple[Path, ...], other_task: bool = False
) -> Policy:
    name = str(name_or_path)
    if name in _without_settings():
        return KINDS[name].make(name, None, interface_of(task))
    if _CODE.match(name):
        return _from_code(name, task)
    if name.endswith(".npz"):
        from agbench.policies.networks import mlp

        return mlp.load(Path(name), task, other_task)
    if name.endswith(".onnx"):
        from agbench.policies.networks import onnx

        return onnx.load(Path(name), task, other_task)
    if name.endswith(".zip"):
        raise ConfigError(f"{name}: write the model as policy.npz first: agbench export {task.task} {name}")
    if name.endswith((".yaml", ".yml")):
        return _from_settings(Path(name), task, above)
    path = catalog.find_baseline(task.task, name)
    if path is None:
        raise unknown("policy", name, policies(task), where=task.task)
    return _from_settings(path, task, above)


def as_policy(source: Any, task: Task, *, other_task: bool = False) -> Policy:
    """Return a policy from a name, a path, a policy, or a model with `predict`; see `load_policy`."""
    if isinstance(source, (str, Path)):
        return load_policy(source, task, other_task=other_task)
    if isinstance(source, Policy) and all(hasattr(source, name) for name in ("name", "information")):
        if source.information not in get_args(Information):
            choices = ", ".join(get_args(Information))
            raise ConfigError(
                f"policy {source.name}: information {source.information!r} is none of {choices}."
            )
        if not isinstance(source.name, str) or not source.name.strip() or not source.name.isprintable():
            raise ConfigError(
                f"policy {source!r}: its name is {source.name!r}; it must be a text of one line that can be"
                " printed."
            )
        made = getattr(source, "made_for", None)
        if isinstance(made, MadeFor) and not other_task:
            require_made_for(made, task, f"policy {source.name}")
        return source
    if callable(getattr(source, "predict", None)):
        return Predicting(source, task.protocol.deterministic)
    raise ConfigError(
        f"{source!r} is not a policy: it needs name, information, reset(seed) and "
        "__call__(observation), or predict(observation)."
    )


def _from_settings(path: Path, task: Task, above: tuple[Path, ...]) -> Policy:
    """Return a policy from a settings file; `above` are those that it is loaded for."""
    if path in above:
        raise ConfigError(f"it starts from itself, by way of {', '.join(p.stem for p in above)}.")
    baseline, where = read_once(Baseline, path), f"{path}: settings"
    chosen = kind_of(baseline, task, path)
    settings = chosen.read(baseline.settings, where)
    try:
        return as_policy(chosen.make(path.stem, settings, _interface(task, (*above, path))), task)
    except (ConfigError, UnknownNameError) as error:
        raise type(error)(f"{where}: {error}") from None
    except (Exception, SystemExit) as error:
        if chosen.is_ours:
            raise
        raise ConfigError(f"{where}: making the policy raised {described(error)}.") from error


def kind_of(baseline: Baseline, task: Task, path: Path) -> Kind:
    """Return the kind of a settings file; raises `ConfigError` if it is for other families of tasks."""
    chosen = kind(baseline.policy, str(path))
    if chosen.families and task.family not in chosen.families:
        raise ConfigError(
            f"{path}: policies of the kind {chosen.name!r} are for {' and '.join(chosen.families)} tasks; "
            f"{task.task} is a {task.family} task."
        )
    return chosen


def _from_code(place: str, task: Task) -> Policy:
    """Return a policy from `package.module:Name`."""
    module, name = place.split(":")
    try:
        make = getattr(import_module(module), name, None)
    except ImportError as error:
        remedy = "Is its folder on PYTHONPATH?"
        if module.endswith(".py"):
            remedy = f"A module has no ending: write {module.removesuffix('.py')}:{name}."
        raise ConfigError(f"policy {place}: {error}. {remedy}") from None
    except (Exception, SystemExit) as error:  # anybody's code
        raise ConfigError(f"policy {place}: importing {module} raised {described(error)}.") from error
    if make is None:
        raise ConfigError(f"policy {place}: {module} has no {name!r}.")
    if not callable(make):
        raise ConfigError(f"policy {place}: {name} is neither a class nor a function.")
    parameters = inspect.signature(make).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [p.name for p in parameters if p.kind in positional and p.default is p.empty]
    if len(required) > 1:
        raise ConfigError(
            f"policy {place}: {name} needs {', '.join(required)}; it may take the task, and nothing else. "
            "A kind of policy with settings is loaded from a settings file."
        )
    try:
        made = make(task) if parameters else make()
    except AgBenchError:
        raise
    except (Exception, SystemExit) as error:  # anybody's code
        raise ConfigError(f"policy {place}: making it raised {described(error)}.") from error
    return as_policy(made, task)
