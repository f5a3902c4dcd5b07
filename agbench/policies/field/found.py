"""Plans that searches found for single scenarios, kept so that no later search does worse."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field

from agbench.data.field_task import FieldTask
from agbench.data.reading import Strict
from agbench.envs.actions import Menu
from agbench.envs.core import BatchCore
from agbench.errors import ActionError, ConfigError
from agbench.policies.base import Information, Interface, policy

Actions = NDArray[Any]

_RUN: Final = re.compile(r"([0-9]{1,6})(?:x([0-9]{1,6}))?")


def _readable(text: str) -> str:
    for run in text.split():
        if not _RUN.fullmatch(run):
            raise ValueError(f"{run!r}: a plan is numbers of the menu, such as 0x40 3 for 0 40 times, then 3")
    return text


class FoundSettings(Strict):
    """By scenario the numbers of the menu, one a decision, equal ones together: `0x40 3 0x7`."""

    plans: dict[str, Annotated[str, AfterValidator(_readable)]] = Field(min_length=1)


@policy("found", settings=FoundSettings, families=["field"])
class Plans:
    """Plays the plan that is kept for a scenario, and does nothing where none is.

    A plan that is too short goes on with nothing. An oracle names it under `known`: the plan is held against
    what the oracle's own search finds.
    """

    information: Information = "model"

    def __init__(self, name: str, settings: FoundSettings, interface: Interface[FieldTask]) -> None:
        menu = interface.actions
        if not isinstance(menu, Menu):
            raise ConfigError(f"{name}: plans are of a menu; {interface.task.task} acts by amounts.")
        self.name = name
        self._plans = {key: read(text) for key, text in settings.plans.items()}
        for key, plan in self._plans.items():
            try:
                menu.inputs(plan)
            except ActionError as error:
                raise ConfigError(f"plans.{key}: {error}") from None
        self._plan: Actions = np.zeros(0, dtype=np.int64)
        self._step = 0

    def plan_of(self, scenario: str) -> Actions | None:
        """Return the plan of a scenario, menu numbers (decisions,), or None."""
        return self._plans.get(scenario)

    def plan(self, core: BatchCore, row: int) -> None:
        """Take the plan of the scenario that a row plays."""
        self._plan = self._plans.get(str(core.scenario[row]), np.zeros(0, dtype=np.int64))

    def reset(self, seed: int) -> None:
        """Go back to the first decision."""
        self._step = 0

    def __call__(self, observation: Any) -> int:
        """Return the plan's next action."""
        self._step += 1
        return int(self._plan[self._step - 1]) if self._step <= len(self._plan) else 0


def read(text: str) -> Actions:
    """Return a plan from its text, menu numbers (decisions,)."""
    runs = [_RUN.fullmatch(run) for run in text.split()]
    parts = [np.full(int(run[2] or 1), int(run[1]), dtype=np.int64) for run in runs if run]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def written(plan: Sequence[int] | Actions) -> str:
    """Return the text of a plan of menu numbers; nothing at its end is left out."""
    numbers = np.trim_zeros(np.asarray(plan, dtype=np.int64), "b")
    ends = np.flatnonzero(np.diff(numbers, append=-1)) + 1
    runs = [
        (int(numbers[last - 1]), times) for last, times in zip(ends, np.diff(ends, prepend=0), strict=True)
    ]
    return " ".join(str(number) if times == 1 else f"{number}x{times}" for number, times in runs)
