"""The protocol of policies, and the decorator that registers a kind of policy."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Protocol, TypeVar, runtime_checkable
from warnings import warn

from numpy.typing import NDArray

from agbench.data.reading import Strict, read_data
from agbench.data.task import Task
from agbench.errors import AgBenchWarning, ConfigError
from agbench.variables import Floats

if TYPE_CHECKING:
    from agbench.envs.actions import ActionMap
    from agbench.envs.core import BatchCore, Observer

Information = Literal["observation", "forecast", "state", "model"]

T = TypeVar("T", bound=Task)


@runtime_checkable
class Policy(Protocol):
    """Maps observations to actions, one episode at a time.

    `information` says what it may read: the task's `observation`, also its `forecast`, the
    simulator's whole `state`, or the `model` itself with the episode's weather (an oracle).
    """

    name: str
    information: Information

    def reset(self, seed: int) -> None:
        """Start an episode; all randomness comes from `seed`."""

    def __call__(self, observation: Any) -> Any:
        """Return the action for an observation, of the environment's action space."""


@runtime_checkable
class Valuing(Policy, Protocol):
    """A policy that takes the largest of values and shows them, so that a near-tie can be recognised.

    `rounding`: by which part of themselves two values may differ on another machine.
    """

    rounding: float

    def decide(self, observation: Any) -> tuple[Any, Floats]:
        """Return the action for an observation, as a call does, and the value of each choice, (choices,)."""


@runtime_checkable
class Planner(Policy, Protocol):
    """A policy that may look at more than observations, and says so in `information`."""

    def plan(self, core: "BatchCore", row: int) -> None:
        """Prepare for the episode that has just started in a row of the environment's core."""


@runtime_checkable
class Batching(Policy, Protocol):
    """A policy that also acts for many episodes at once, in each as it does alone, to the last bit.

    `reset` is not called then, so that nothing may be drawn at random. Evaluations and datasets play such a
    policy many episodes at a time.
    """

    def start(self, rows: int) -> tuple[Floats, ...]:
        """Return what it remembers at the start of so many episodes, arrays of (rows, ...)."""

    def act(
        self, observations: NDArray[Any], memory: tuple[Floats, ...]
    ) -> tuple[NDArray[Any], tuple[Floats, ...]]:
        """Return the actions for observations (rows, size), and what it remembers then."""


@dataclass(frozen=True)
class Interface(Generic[T]):
    """What a policy is made for: a task, its actions, its observations, and its other policies."""

    task: T
    actions: "ActionMap"
    observer: "Observer"
    load: Callable[[str], Policy]
    """Returns another policy of the task by name."""

    def columns(self, names: Sequence[str]) -> list[int]:
        """Return the positions of variables in an observation; raises `UnknownNameError`."""
        return [self.observer.index(name) for name in names]


@dataclass(frozen=True)
class Kind:
    """A kind of policy: what makes it, what its settings are, and for which families of tasks it is."""

    name: str
    make: Callable[[str, Any, Interface[Any]], Policy]
    settings: type[Strict] | Callable[[Mapping[str, Any], str], Any] | None
    families: tuple[str, ...]
    fit: str | None

    @property
    def is_ours(self) -> bool:
        """Whether the kind comes with AgBench."""
        return _is_ours(self.make)

    def read(self, settings: Mapping[str, Any], where: str) -> Any:
        """Return settings that were checked; raises `ConfigError`, which names `where` they stand."""
        if self.settings is None:
            return read_data(Strict, settings, where)
        if isinstance(self.settings, type):
            return read_data(self.settings, settings, where)
        return self.settings(settings, where)


KINDS: Final[dict[str, Kind]] = {}
"""The kinds of policies whose modules are loaded, by name; `agbench.policies.registry.kind` loads them."""

C = TypeVar("C", bound=Callable[[str, Any, Interface[Any]], Policy])


def policy(
    name: str,
    settings: type[Strict] | Callable[[Mapping[str, Any], str], Any] | None = None,
    families: Sequence[str] = (),
    fit: str | None = None,
) -> Callable[[C], C]:
    """Register a class, or a function, that makes policies: it takes name, settings and `Interface`.

    Args:
        name: what a settings file calls the kind (`policy: NAME`). It is found at once if its module
            has the same name, `light-setpoints` in `light_setpoints.py`.
        settings: the schema of its settings, or a function that checks plain data and says `where` it
            is wrong. A kind without settings is a policy of every task by its own name.
        families: those whose tasks it is for; all, if none is named.
        fit: what `agbench fit` runs, as `package.module:function`: from (task, settings), or (task,
            settings, search), to the fitted settings and what they reach in training.

    Raises:
        ConfigError: for a name that another kind has, and for arguments that cannot be.
    """

    if not isinstance(name, str) or not name:
        raise ConfigError(f'a kind of policy needs a name: write @policy("weekly"), not {name!r}.')
    if isinstance(families, str):
        raise ConfigError(f"the kind of policy {name!r}: families is a list; write [{families!r}].")
    if settings is not None and not callable(settings):
        raise ConfigError(f"the kind of policy {name!r}: settings is a subclass of Strict or a function.")

    def register(make: C) -> C:
        other = KINDS.get(name)
        if other is not None and _place(other.make) != _place(make):
            if not _is_ours(make) or _is_ours(other.make):
                raise ConfigError(
                    f"there is a kind of policy {name!r} already, {_place(other.make)}; give {_place(make)} "
                    "another name."
                )
            warn(_taken(name, other.make), AgBenchWarning, stacklevel=2)
        KINDS[name] = Kind(name, make, settings, tuple(families), fit)
        return make

    return register


def _place(make: Any) -> str:
    """Return where a kind is written, as `module:name`."""
    return f"{make.__module__}:{getattr(make, '__qualname__', make)}"


def _is_ours(make: Any) -> bool:
    return str(make.__module__).partition(".")[0] == "agbench"


def _taken(name: str, make: Any) -> str:
    return f"{_place(make)} is passed over: {name!r} is a kind of policy of agbench. Give it another name."
