"""What candidate settings of a policy that looks are worth over training seasons, played here or by workers.

Most of such a season is the policy's own code, so that processes help and threads do not.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from agbench.data.task import Task
from agbench.envs.family import build
from agbench.envs.threads import threads_in_force
from agbench.errors import ConfigError
from agbench.policies.base import Interface, Policy
from agbench.policies.playing import totals_of_policies
from agbench.policies.registry import interface_of
from agbench.running import Engine, mapping
from agbench.running.engines import Here
from agbench.variables import Floats

_PIECE: Final = 8  # candidates that a worker takes at once

Worth = Callable[[Sequence[Any]], list[float]]
"""From settings of candidates to what each is worth."""


@dataclass(frozen=True)
class CandidateTrials:
    """The work of trying candidates; an item is some settings, its result what each is worth."""

    task: Task
    keys: tuple[str, ...]
    """Training scenarios, in all of which every candidate plays."""
    policy: Callable[[str, Any, Interface[Any]], Policy]
    """From a name, settings and interface to a policy."""
    worth: Callable[[Any, Floats, Floats], Floats]
    """From the task, returns and constraint costs, (n, keys) each, to what candidates are worth, (n,)."""

    def files(self) -> list[str]:
        """Return none."""
        return []

    def prepare(self, place: Mapping[str, str]) -> Worth:
        """Return the function that plays some candidates side by side."""
        parts = build(self.task, self.task.protocol.training_splits[0])
        interface = interface_of(self.task)

        def played(candidates: Sequence[Any]) -> list[float]:
            policies = [self.policy("candidate", one, interface) for one in candidates for _ in self.keys]
            totals = totals_of_policies(parts, policies, list(self.keys) * len(candidates))
            returns, costs = (values.reshape(len(candidates), -1) for values in totals)
            values: list[float] = self.worth(self.task, returns, costs).tolist()
            return values

        return played


@contextmanager
def tried(trials: CandidateTrials, rows: int, engine: Engine) -> Iterator[Worth]:
    """Yield the function from any number of candidates to what each is worth.

    About so many `rows` are simulated together, of workers fewer. What a candidate is worth depends on none
    beside it. Raises `ConfigError` inside `agbench.envs.threads.in_threads`.
    """
    if threads_in_force() != 1:
        raise ConfigError(
            "--threads is for what is fitted in one batch; rules are tried by processes: --workers 2."
        )
    size = max(1, rows // len(trials.keys))
    if not isinstance(engine, Here):
        size = min(size, _PIECE)
    with mapping(engine, trials) as played:

        def worth(candidates: Sequence[Any]) -> list[float]:
            items = [candidates[first : first + size] for first in range(0, len(candidates), size)]
            return [value for values in played(items) for value in values]

        yield worth


def require_here(engine: Engine, what: str) -> None:
    """Raise `ConfigError` for an engine that is not this process; `what` is fitted in one batch."""
    if not isinstance(engine, Here):
        raise ConfigError(
            f"{what} is fitted in one batch, which threads split (--threads 2); --workers and --on are for "
            "rules, whose candidates are tried by themselves."
        )
