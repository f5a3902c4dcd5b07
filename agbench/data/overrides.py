"""Overrides: change single keys of a task by name, checked like the file itself."""

import copy
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.task import Task
from agbench.errors import ConfigError, UnknownKeyError, UnknownNameError, did_you_mean

_FIXED: Final = ("metrics", "splits", "references")
_REMEDIES: Final = {
    "splits": "Choose one by split=, years by years=[1984, 1985], other weather by weather=",
    "metrics": "Set what a step is worth by keys of 'reward'",
    "references": "Name the policy to evaluate instead",
}
"""What to do in place of changing a section that a task's results rest on."""
_WHOLE: Final = ("fields",)
"""Lists of a task that are changed as a whole, such as the fields of a farm."""

_LEVEL: Final = "uncertainty.level"
"""Where splits have levels, not even the level that a task has already would be the one of its scenarios."""

_WITHOUT_NUTRIENTS: Final = ("pp", "lw")
"""The limitations under which crops need no N, P or K."""

T = TypeVar("T", bound=Task)


def override(task: Task, changes: Mapping[str, Any]) -> Task:
    """Return the task with some of its keys changed.

    A key is named by its path (`reward.beta`, or `reward__beta` where dots cannot be written) or,
    where only one section has it, by its last word (`beta`). The path may go on into the value
    (`constraints.temperature.low`), which then keeps its other parts. Raises `ConfigError` for a key that
    does not exist, is ambiguous, or takes no such value.
    """
    if not changes:
        return task
    content = copy.deepcopy(task.content())
    for key, value in changes.items():
        *parents, last = _path(task, key)
        target: Any = content
        for i, parent in enumerate(parents):
            target = target.get(parent)
            if not isinstance(target, dict):
                place = ".".join(parents[: i + 1])
                raise ConfigError(f"override {key!r}: {place} is {target!r} and has no parts. Give it whole.")
        target[last] = dict(value) if isinstance(value, Mapping) else _plain(value)
    result = read_task(task.without_loose_ends(content), f"override of {task.task}")
    for key in changes:
        _require_effect(task, result, key)
    return result


def _require_effect(task: Task, result: Task, key: str) -> None:
    """Raise `ConfigError` for an override that changed a value which the task makes no use of."""
    path = _path(task, key)
    idle = _idle(result)
    name = next((name for name in (".".join(path[:n]) for n in (3, 2)) if name in idle), None)
    if name is None or (name != _LEVEL and _at(task, path[:2]) == _at(result, path[:2])):
        return
    why = idle[name]
    raise ConfigError(f"override {key!r}: {name} has no effect in {task.task} as it stands: {why}.")


def _idle(task: Task) -> dict[str, str]:
    """Return what changes nothing as a task stands, by path: what its section says, or another one."""
    keys = task.idle()
    reward, season, simulator = (getattr(task, name, None) for name in ("reward", "season", "simulator"))
    if hasattr(reward, "tolerated") and not task.has_costs:
        keys["reward.tolerated"] = "there are no 'limits' and nothing 'lost' that it could tolerate"
    if getattr(season, "management", "") == "plant":
        keys["season.start_type"] = "the agent sows; it counts where the calendar starts the crop"
    if all(getattr(split, "levels", ()) for split in task.splits.values()):
        keys[_LEVEL] = (
            "each split has levels of its own; reset takes another, options={'scenario': 'SITE/DAY/0.3'}"
        )
    limitation = getattr(simulator, "limitation", None)
    if limitation in _WITHOUT_NUTRIENTS:
        for each in set("NPK") - getattr(reward, "prices", {}).keys():
            why = f"the limitation {limitation!r} knows no nutrients, and {each} has no price"
            keys[f"action.doses.{each}"] = why
    return keys


def _at(task: Task, path: list[str]) -> Any:
    """Return the value of a section's key."""
    section, key = path
    return task.content()[section][key]


def as_filed(task: T) -> T:
    """Return a task as its file has it, without overrides; the task itself where it has no file.

    Overrides leave splits alone: a task with other splits was not made by them.
    """
    try:
        filed = catalog.task(task.task)
    except UnknownNameError:
        return task
    return filed if isinstance(filed, type(task)) and filed.splits == task.splits else task


def keys(task: Task) -> list[str]:
    """Return the paths of all keys that can be overridden."""
    contents = task.content()
    return [
        f"{section}.{key}"
        for section, content in contents.items()
        if isinstance(content, dict) and section not in _FIXED
        for key in content
    ] + [name for name in _WHOLE if name in contents]


def _path(task: Task, key: str) -> list[str]:
    """Return the path of a key from its full or short name."""
    paths = keys(task)
    text = key.replace("__", ".")
    section = text.split(".")[0]
    if section in _FIXED:
        raise ConfigError(
            f"override {key!r}: the {section} of a task cannot be changed, since results and anchors rest on "
            f"them. {_REMEDIES[section]}; or write a task of your own (see CONTRIBUTING.md)."
        )
    within = [path for path in paths if text == path or text.startswith(f"{path}.")]
    if within:
        return text.split(".")
    word, *rest = text.split(".")
    meant = [path for path in paths if path.split(".")[-1] == word]
    if len(meant) == 1:
        return [*meant[0].split("."), *rest]
    if meant:
        raise ConfigError(
            f"override {key!r} is ambiguous: {' or '.join(meant)} "
            f"(in Python {' or '.join(path.replace('.', '__') for path in meant)})."
        )
    if word in task.other_words:
        text = ".".join([task.other_words[word], *rest])
    words = {path.split(".")[-1] for path in paths} | set(paths)
    raise UnknownKeyError(f"override: unknown key {key!r}.{did_you_mean(text, words)}", key)


def _plain(value: Any) -> Any:
    """Return NumPy scalars and tuples as what YAML would have given."""
    if isinstance(value, tuple):
        return list(value)
    return value.item() if hasattr(value, "item") and not hasattr(value, "__len__") else value
