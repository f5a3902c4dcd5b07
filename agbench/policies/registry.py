"""Loading policies: by name, from a settings file, from code, or from a trained model's object."""

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_args

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.field_task import FieldTask
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import read_data, read_file
from agbench.data.task import Task
from agbench.envs.actions import ActionMap
from agbench.envs.family import action_map
from agbench.errors import ConfigError, unknown
from agbench.policies.base import Information, Policy
from agbench.policies.field.ceres import Ceres, CeresSettings
from agbench.policies.field.evolution import EvolutionSettings, Evolved
from agbench.policies.field.rules import Rules, RulesSettings
from agbench.policies.field.schedule import Schedule, ScheduleSettings
from agbench.policies.greenhouse.constant import Constant, ConstantSettings
from agbench.policies.greenhouse.light_setpoints import LightSetpoints, LightSettings
from agbench.policies.greenhouse.mpc import Predictive, PredictiveSettings
from agbench.policies.greenhouse.receding import RecedingHorizon, RecedingSettings
from agbench.policies.greenhouse.rule_based import RuleBased
from agbench.policies.simple import Predicting, Random, Zero
from agbench.simulators.greenlight.climate_computer import settings_vector

_BLIND: Final[dict[str, Callable[[ActionMap], Policy]]] = {"zero": Zero, "random": Random}
_GREENHOUSE: Final = ("rule-based", "constant", "light-setpoints", "receding-horizon", "mpc")
_CODE = re.compile(r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")


def policies(task: str | Task) -> list[str]:
    """Return the names of the policies that a task has."""
    name = task if isinstance(task, str) else task.task
    return sorted({*_BLIND, *catalog.baselines(name)})


def load_policy(name_or_path: str | Path, task: str | Task) -> Policy:
    """Return a policy for a task.

    Args:
        name_or_path: a name (`zero`, `random`, or one with settings in `baselines/TASK/`), the path
            of such a settings file, that of a network (`policy.npz`, `policy.onnx`), or code as
            `package.module:Name`, a class or function that is called with the task's `Task`, if it
            takes an argument, and returns a policy.
        task: an id, or a task with overrides applied.

    Raises:
        UnknownNameError: for a policy that does not exist, with the nearest names.
        ConfigError: for wrong settings or code that is no policy.
    """
    spec = catalog.task(task) if isinstance(task, str) else task
    said = str(name_or_path)
    if said in _BLIND:
        return _BLIND[said](action_map(spec))
    if _CODE.match(said):
        return _from_code(said, spec)
    if said.endswith(".npz"):
        from agbench.policies.networks import mlp

        return mlp.load(Path(said), spec)
    if said.endswith(".onnx"):
        from agbench.policies.networks import onnx

        return onnx.load(Path(said), spec)
    if said.endswith(".zip"):
        raise ConfigError(f"{said}: write the model as policy.npz first: agbench export {spec.task} {said}")
    if said.endswith((".yaml", ".yml")):
        return _from_settings(Path(said), spec)
    path = catalog.find_baseline(spec.task, said)
    if path is None:
        raise unknown("policy", said, policies(spec), where=spec.task)
    return _from_settings(path, spec)


def as_policy(given: Any, task: Task) -> Policy:
    """Return a policy from a name, a path, a policy, or a model with `predict`."""
    if isinstance(given, (str, Path)):
        return load_policy(given, task)
    if isinstance(given, Policy):
        if given.information not in get_args(Information):
            known = ", ".join(get_args(Information))
            raise ConfigError(f"policy {given.name}: information {given.information!r} is none of {known}.")
        return given
    if callable(getattr(given, "predict", None)):
        return Predicting(given, task.protocol.deterministic)
    raise ConfigError(
        f"{given!r} is no policy: it needs name, information, reset(seed) and "
        "__call__(observation), or predict(observation)."
    )


def _from_settings(path: Path, task: Task) -> Policy:
    """Return a policy from a settings file."""
    baseline = read_file(Baseline, path)
    where = f"{path}: settings"
    if isinstance(task, GreenhouseTask):
        return _in_greenhouse(path.stem, baseline, task, where)
    if not isinstance(task, FieldTask) or baseline.policy in _GREENHOUSE:
        raise ConfigError(f"{path}: a {baseline.policy} is not for {task.task}.")
    if baseline.policy == "ceres":
        ceres = read_data(CeresSettings, baseline.settings, where)
        _check_input(ceres.input, task, where)
        return Ceres(path.stem, ceres, action_map(task))
    if baseline.policy == "rules":
        rules = read_data(RulesSettings, baseline.settings, where)
        return Rules(path.stem, rules.rules, task, action_map(task))
    if baseline.policy == "evolution":
        evolution = read_data(EvolutionSettings, baseline.settings, where)
        return Evolved(path.stem, evolution, load_policy(evolution.start, task))
    schedule = read_data(ScheduleSettings, baseline.settings, where)
    _check_input(schedule.input, task, where)
    return Schedule(path.stem, schedule, task.season, action_map(task))


def _in_greenhouse(name: str, baseline: Baseline, task: GreenhouseTask, where: str) -> Policy:
    """Return a greenhouse policy from its settings."""
    if baseline.policy == "rule-based":
        return RuleBased(name, settings_vector(baseline.settings, where), task)
    if baseline.policy == "constant":
        values = read_data(ConstantSettings, baseline.settings, where).values
        return Constant(name, values, task, action_map(task))
    if baseline.policy == "mpc":
        settings = read_data(PredictiveSettings, baseline.settings, where)
        return Predictive(name, settings, load_policy(settings.start, task), task)
    if baseline.policy == "light-setpoints":
        setpoints = read_data(LightSettings, baseline.settings, where)
        return LightSetpoints(name, setpoints, task, action_map(task))
    if baseline.policy == "receding-horizon":
        receding = read_data(RecedingSettings, baseline.settings, where)
        return RecedingHorizon(name, receding, load_policy(receding.start, task), task)
    raise ConfigError(f"{where}: a {baseline.policy} is for fields, not for {task.task}.")


def _check_input(name: str, task: FieldTask, where: str) -> None:
    if name not in task.action.doses:
        raise unknown("input", name, task.action.doses, where=where)


def _from_code(said: str, task: Task) -> Policy:
    """Return a policy from `package.module:Name`."""
    module, name = said.split(":")
    try:
        found = getattr(import_module(module), name)
    except ImportError as error:
        raise ConfigError(f"policy {said}: {error}. Is its folder on PYTHONPATH?") from None
    except AttributeError:
        raise ConfigError(f"policy {said}: {module} has no {name!r}.") from None
    if not callable(found):
        raise ConfigError(f"policy {said}: {name} is neither a class nor a function.")
    made = found(task) if inspect.signature(found).parameters else found()
    return as_policy(made, task)
