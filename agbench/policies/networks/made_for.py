"""What a network was made for. Its file says so, and a policy is not run on something else unasked."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from warnings import warn

from gymnasium import spaces

from agbench.data import catalog
from agbench.envs.actions import menu_sizes
from agbench.errors import AgBenchWarning, ConfigError

if TYPE_CHECKING:
    from agbench.data.task import Task

AMOUNTS: Final = "amounts"
MENU: Final = "one menu"
MENUS: Final = "several menus"
_REMEDY: Final = "If that is meant, say so: --other-task, or other_task=True in Python."


@dataclass(frozen=True)
class MadeFor:
    """A task, the names of what is observed in it, and what an action is: amounts, one menu or several."""

    task: str
    observations: tuple[str, ...]
    actions: str


def kind_of(space: spaces.Space[Any]) -> str:
    """Return what an action is: amounts, one menu or several."""
    if not menu_sizes(space):
        return AMOUNTS
    return MENU if isinstance(space, spaces.Discrete) else MENUS


def made_for(task: "str | Task") -> MadeFor:
    """Return what a network for a task (its id, or the task with overrides) is made for."""
    from agbench.envs.family import action_map, observer

    spec = catalog.task(task) if isinstance(task, str) else task
    names = tuple(entry.name for entry in observer(spec).entries)
    return MadeFor(spec.task, names, kind_of(action_map(spec).space))


def require_made_for(made: MadeFor | None, task: "Task", file: str) -> None:
    """Refuse a network of another task, of other observations or of other actions.

    Raises `ConfigError` with the difference; warns where a file does not say what it was made for.
    """
    if made is None:
        warn(
            f"{file}: does not say what task it was made for, so nothing tells whether {task.task} is that "
            "one. Files of agbench export and agbench train say it.",
            AgBenchWarning,
            stacklevel=3,
        )
        return
    now = made_for(task)
    if made.task != now.task:
        raise ConfigError(f"{file}: was made for {made.task}, not for {now.task}. {_REMEDY}")
    if made.observations != now.observations:
        raise ConfigError(
            f"{file}: observes otherwise than {now.task} shows here: "
            f"{_difference(made.observations, now.observations)}. {_REMEDY}"
        )
    if made.actions != now.actions:
        raise ConfigError(
            f"{file}: chooses {made.actions}; an action of {now.task} is {now.actions} here. Evaluate it "
            "with the overrides that it was trained with."
        )


def _difference(made: tuple[str, ...], now: tuple[str, ...]) -> str:
    """Return in words how two lists of observed variables differ."""
    lacking = [name for name in made if name not in now]
    added = [name for name in now if name not in made]
    parts = [f"{_listed(lacking)} not shown"] * bool(lacking) + [f"{_listed(added)} not known"] * bool(added)
    return ", ".join(parts) or "the same variables in another order"


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:5]), *([f"{len(names) - 5} more"] if len(names) > 5 else [])])
