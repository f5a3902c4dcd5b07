"""Checking data files: schema first, then everything that they name."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from agbench.calibration import calibrating
from agbench.data import catalog, dataset
from agbench.data.anchors import Anchors
from agbench.data.baseline import Baseline
from agbench.data.calibration import CalibrationSpec
from agbench.data.dataset import Recipes
from agbench.data.families import read_task
from agbench.data.field import Crop, Soil
from agbench.data.places import SCALING
from agbench.data.prices import PriceModel, PriceSeries, read_prices
from agbench.data.reading import Strict, load_yaml, no_mapping, read_data
from agbench.data.scaling import ScalingTable
from agbench.data.site import Site
from agbench.data.suites import Suites, check_tasks, suites
from agbench.data.sweep import SWEEPS, sweep_space
from agbench.data.table import GivenTable
from agbench.data.task import Task
from agbench.data.training import CHANGES, TrainingSettings, evidence, training_settings
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.greenhouse.prices import read_price
from agbench.envs.registry import require_totals
from agbench.envs.scaling import scaling_of
from agbench.envs.scenario_weather import SECRET_VARIABLE, secret_is_here
from agbench.errors import AgBenchError, ConfigError, did_you_mean
from agbench.evaluation import anchors
from agbench.evaluation.references import ROLES, policy_name
from agbench.policies.registry import load_policy
from agbench.simulation.parameters import check_crop, check_soil
from agbench.simulators.field import afgen
from agbench.testing.site_files import follow_site

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def check_file(path: Path) -> str | None:
    """Return what is wrong with a data file (task, crop, soil, site, baseline, anchors, ...), or None."""
    try:
        _check(path)
    except AgBenchError as error:
        return str(error)
    return None


def note_on(path: Path) -> str | None:
    """Return what of a right file could not be tried on this machine or is still to do, or None."""
    content = load_yaml(path.read_text(encoding="utf-8"), str(path))
    if "stages" in content:
        return None if content.get("observations") else _NO_TABLE
    if "task" not in content or "datasets" in content or path.stem in (catalog.ANCHORS, SCALING):
        return None
    notes = []
    if untried := sorted(_secret_splits(read_task(content, str(path)))):
        notes.append(
            f"not tried: the split {', '.join(untried)}, whose seasons follow from a secret"
            f" ({SECRET_VARIABLE} names its file)."
        )
    if catalog.find_anchors(path.stem) is None:
        notes.append(
            f"no anchors yet, which scores and the leaderboard need: agbench anchors {path.stem}, and in a"
            f" checkout python tests/reference/tasks/freeze.py {path.stem}, which freezes this version."
        )
    if all(path.stem not in suite.ids for suite in suites().values()):
        notes.append("in no suite, so no rank counts it: name it in tasks/suites.yaml.")
    return " ".join(notes) or None


def _secret_splits(task: Task) -> set[str]:
    """Return the splits of hidden seasons, where the secret is not on this machine."""
    if secret_is_here():
        return set()
    return {name for name, split in task.splits.items() if getattr(split, "hidden", None)}


def _content(path: Path) -> dict[Any, Any]:
    """Return the keys and values of a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: cannot be read: {error}.") from None
    try:
        _check_keys(text, path)
        content = load_yaml(text, str(path))
    except RecursionError:
        raise ConfigError(f"{path}: has more brackets within brackets than can be read.") from None
    if not isinstance(content, dict):
        raise no_mapping(content, str(path))
    return content


def _check_keys(text: str, path: Path) -> None:
    """Refuse a key that is a list or has keys itself, which YAML allows and no file here has."""
    try:
        nodes = [yaml.compose(text, Loader=_LOADER)]
    except yaml.YAMLError:
        return  # whoever loads it says what is wrong
    seen: set[int] = set()  # an alias is its node again
    while nodes:
        node = nodes.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            nodes += node.value
        elif isinstance(node, yaml.MappingNode):
            nodes += [value for _, value in node.value]
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    line, kind = key.start_mark.line + 1, "list" if key.id == "sequence" else "mapping"
                    raise ConfigError(f"{path}:{line}: a key is a {kind}; a key must be one word or number.")


def _check(path: Path) -> None:
    """Read a file by what it says it is, and follow the names in it."""
    content = _content(path)
    if path.stem == catalog.ANCHORS:
        return _check_anchors(content, path)
    if "algorithm" in content or path.parent.name == CHANGES:
        return _check_training(content, path)
    if "sweep" in content:
        return _check_sweep(content, path)
    if path.stem == SCALING:
        return _check_scaling(content, path)
    if "datasets" in content:
        return _check_recipes(content, path)
    kind = _CALIBRATION if "stages" in content else next((k for k in _KINDS if k in content), None)
    if kind is None:
        first = str(next(iter(content), ""))
        raise ConfigError(
            f"{path}: unknown kind of file; it needs one of the keys {', '.join(_KINDS)}."
            f"{did_you_mean(first, _KINDS)}"
        )
    read, follow = _KINDS[kind]
    result = read(content, str(path))
    if kind not in ("policy", "suites", _CALIBRATION) and content[kind] != path.stem:
        raise ConfigError(f"{path}: {kind}: must be the file's own name, {path.stem!r}.")
    try:
        follow(result, path)
    except AgBenchError as error:
        message = str(error)
        raise ConfigError(message if str(path) in message else f"{path}: {message}") from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        name = Path(str(error.filename)).stem
        raise ConfigError(f"{path}: the name {name[:40]!r}... is too long for a file.") from None


def _check_training(content: Any, path: Path) -> None:
    """Raise `ConfigError` for settings of an algorithm, or a task's changes to them, that are wrong."""
    if path.parent.name == CHANGES:
        evidence(path)
        training_settings(path.stem, catalog.task(path.parent.parent.name).task, file=path)
    elif read_data(TrainingSettings, content, str(path)).algorithm != path.stem:
        raise ConfigError(f"{path}: algorithm: must be the file's own name, {path.stem!r}.")


def _check_recipes(content: Any, path: Path) -> None:
    """Raise `ConfigError` for recipes that cannot be followed, or that nothing would read."""
    recipes = read_data(Recipes, content, str(path))
    if (path.parent.name, path.parent.parent.name) != (dataset.FOLDER, "tasks"):
        raise ConfigError(f"{path}: recipes are read from tasks/{dataset.FOLDER}/ of a folder of data.")
    task = catalog.task(recipes.task)
    for name, recipe in recipes.datasets.items():
        where = f"{path}: datasets.{name}"
        try:
            dataset.check_recipe(task, recipe)
            for one in recipe.behaviour:
                load_policy(one.policy, task)
        except AgBenchError as error:
            raise ConfigError(f"{where}: {error}") from None


def _check_sweep(content: Any, path: Path) -> None:
    """Raise `ConfigError` for a space that a sweep cannot vary, or that no sweep would find."""
    if path.parent.name == SWEEPS and content["sweep"] != path.stem:
        raise ConfigError(f"{path}: sweep: must be the file's own name, {path.stem!r}.")
    sweep_space(str(content["sweep"]), file=path)


def _check_anchors(content: Any, path: Path) -> None:
    """Raise `ConfigError` for anchors that are not those of the task whose folder they lie in."""
    read = read_data(Anchors, content, str(path))
    task = catalog.task(path.parent.name)
    problem = anchors.outdated(task)
    if problem is not None:
        raise ConfigError(f"{path}: {problem}")
    values = [value for split in read.splits.values() for value in split.values()]
    lowest = min((min(value.floor, value.expert) for value in values), default=task.protocol.worst)
    if lowest < task.protocol.worst:
        raise ConfigError(
            f"{path}: a season of the references has {lowest:g}, below the task's protocol.worst,"
            f" {task.protocol.worst:g}, which an episode that fails gets. Give a lower one in the task."
        )


def _check_scaling(content: Any, path: Path) -> None:
    """Raise `ConfigError` for a scaling that does not fit the task whose folder it lies in."""
    task = catalog.task(path.parent.name)
    read_data(ScalingTable, content, str(path))
    scaling_of(task, path)


def _follow_task(task: Task, path: Path) -> None:
    """Build the task on every split that can be built here, and load its reference policies."""
    secret = _secret_splits(task)
    _check_splits(task, path)
    _check_words(task, path)
    _check_scale(task, path)
    for split in (name for name in task.splits if name not in secret):
        core = BatchCore(build(task, split), 1)
        require_totals(core)
        _check_units(task, core, path)
    for role in ROLES:
        name = policy_name(task, role)
        if name is not None:
            load_policy(name, task)


def _check_splits(task: Task, path: Path) -> None:
    """Raise `ConfigError` where splits lack that an evaluation needs, or are no splits to train on."""
    if "test" not in task.splits:
        raise ConfigError(f"{path}: splits: 'test' is missing, on which policies are compared.")
    for name in task.protocol.training_splits:
        if name not in task.splits or name == "test":
            what = "what policies are compared on" if name in task.splits else "no split"
            raise ConfigError(f"{path}: protocol.training_splits: {name} is {what}.")


def _check_words(task: Task, path: Path) -> None:
    """Raise `ConfigError` for a text that pages and tables show and that says nothing."""
    words = {"summary": task.summary, "source": task.source}
    words |= {f"metrics.{name}.meaning": metric.meaning for name, metric in task.metrics.items()}
    for key, text in words.items():
        if not text.strip():
            raise ConfigError(f"{path}: {key}: there is nothing; readers of the task's page need it.")


def _check_scale(task: Task, path: Path) -> None:
    """Raise `ConfigError` for points between a policy and itself, and for an objective in another unit."""
    if task.references.floor == task.references.expert:
        raise ConfigError(
            f"{path}: references: floor and expert are both {task.references.floor}; 0 and 100 points are"
            " theirs: name two policies."
        )
    objective = task.protocol.objective
    of_return = getattr(getattr(task, "reward", None), "unit", None)
    unit = of_return if objective == "return" else task.metrics[objective].unit
    if unit is not None and unit != task.protocol.objective_unit:
        whose = "reward.unit" if objective == "return" else f"metrics.{objective}.unit"
        raise ConfigError(
            f"{path}: protocol.objective_unit: {task.protocol.objective_unit!r} is not the unit of the"
            f" objective: {whose} is {unit!r}."
        )


def _check_units(task: Task, core: BatchCore, path: Path) -> None:
    """Raise `ConfigError` for a metric or reward in another unit than the variable that it is, unchanged."""
    units = {entry.name: entry.unit for entry in (*core.simulator.inputs, *core.simulator.variables)}
    written = []
    for name, metric in task.metrics.items():
        if metric.factor == 0.0:
            raise ConfigError(f"{path}: metrics.{name}.factor: 0; every value would be 0.")
        if metric.factor == 1.0:
            written.append((f"metrics.{name}", metric.state or metric.input, metric.unit))
    reward: Any = getattr(task, "reward", None)
    if hasattr(reward, "variable") and "profit" not in reward.kind:
        written.append(("reward", reward.variable, reward.unit))
    for key, source, unit in written:
        if units.get(source, unit) != unit:
            remedy = " Give the factor between the two." if key != "reward" else ""
            raise ConfigError(f"{path}: {key}.unit: {unit!r}; {source} is in {units[source]!r}.{remedy}")


def _follow_crop(crop: Crop, path: Path) -> None:
    with np.errstate(all="ignore"):  # a sentence says what is too large or too steep
        check_crop(crop, str(path))
    if crop.values.get(_DIVIDES) == 0.0:
        raise ConfigError(f"{path}: {_DIVIDES} is 0; models divide by it: it must be greater.")
    for tables in (crop.tables, crop.published):
        for name, table in tables.items():
            _require_slopes(name, table, path)


def _require_slopes(name: str, table: GivenTable, path: Path) -> None:
    """Raise `ConfigError` for a table of numbers with a slope that is none, which models interpolate by."""
    for points in (table.points, *(curve.points for curve in table.curves)):
        try:
            with np.errstate(all="ignore"):
                x, y, slopes = afgen.build(name, [number for point in points for number in point])
        except (ConfigError, TypeError, ValueError, OverflowError):
            continue  # none of the crop's models reads it
        with np.errstate(over="ignore"):
            sound = np.isfinite(slopes[:-1]) & np.isfinite(np.diff(x))
        for i in np.flatnonzero(~sound):
            raise ConfigError(
                f"{path}: {name} goes from {y[i]:g} at {table.of} {x[i]:g} to {y[i + 1]:g} at {x[i + 1]:g}: "
                "its slope, or the way between, is beyond all numbers. Change one of the two."
            )


def _follow_soil(soil: Soil, path: Path) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        check_soil(soil, str(path))


def _follow_prices(prices: PriceSeries | PriceModel, path: Path) -> None:
    """Read all of a series; a model has no other file."""
    read_price(str(path))


def _follow_baseline(baseline: Baseline, path: Path) -> None:
    load_policy(path, catalog.task(path.parent.name))


def _follow_calibration(spec: CalibrationSpec, path: Path) -> None:
    calibrating.check(spec, path.parent)


def _follow_suites(content: Suites, path: Path) -> None:
    """Raise `ConfigError` for tasks that there are not, and for a file that nothing would read."""
    if path.stem != catalog.SUITES:
        raise ConfigError(f"{path}: suites are read from tasks/{catalog.SUITES}.yaml of a folder of data.")
    check_tasks(content)


def _reader(schema: type[Strict]) -> Callable[[Any, str], Strict]:
    return lambda content, where: read_data(schema, content, where)


_DIVIDES: Final = "ROOTDM"
"""A parameter of crops that models divide by, though its limits allow 0."""
_NO_TABLE: Final = "not tried: its observations, which it names no file of; they are given from Python."
_CALIBRATION: Final = "calibration"
"""A specification names a crop too, and the file of a calibrated crop has this key: `stages` tells it."""
_KINDS: dict[str, tuple[Callable[[Any, str], Strict], Callable[[Any, Path], None]]] = {
    "task": (read_task, _follow_task),
    "crop": (_reader(Crop), _follow_crop),
    "soil": (_reader(Soil), _follow_soil),
    "site": (_reader(Site), follow_site),
    "prices": (read_prices, _follow_prices),
    "policy": (_reader(Baseline), _follow_baseline),
    _CALIBRATION: (_reader(CalibrationSpec), _follow_calibration),
    "suites": (_reader(Suites), _follow_suites),
}
