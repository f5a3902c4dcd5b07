"""What a policy is."""

from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from agbench.variables import Floats

if TYPE_CHECKING:
    from agbench.envs.core import BatchCore

Information = Literal["observation", "forecast", "state", "model"]


@runtime_checkable
class Policy(Protocol):
    """Maps observations to actions, one episode at a time.

    `information` says what it may read: the task's `observation`, also its `forecast`, the
    simulator's whole `state`, or the `model` itself with the season's weather (an oracle).
    """

    name: str
    information: Information

    def reset(self, seed: int) -> None:
        """Start an episode; all randomness comes from `seed`."""

    def __call__(self, observation: Any) -> Any:
        """Return the action for an observation, of the environment's action space."""


@runtime_checkable
class Valuing(Policy, Protocol):
    """A policy that takes the largest of values, and tells them: so a near-tie is known from a lie.

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
