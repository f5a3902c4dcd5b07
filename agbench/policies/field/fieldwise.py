"""A field's policy on a farm: one for each field, or one for all of them alike."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from agbench.data.farm_task import FarmTask
from agbench.data.field_task import FieldTask
from agbench.data.reading import Strict
from agbench.envs.farm.actions import Choice, Each
from agbench.envs.farm.observations import FarmObserver
from agbench.errors import ConfigError, unknown
from agbench.policies.base import Information, Interface, Kind, Planner, Policy, policy
from agbench.policies.registry import kind

if TYPE_CHECKING:
    from agbench.envs.core import Observer


class FieldwiseSettings(Strict):
    """The kind of policy of a field, and its settings; `fields` are those of single fields instead."""

    policy: str
    settings: dict[str, Any] = Field(default={})
    fields: dict[str, dict[str, Any]] = Field(default={})


@policy(
    "fieldwise",
    settings=FieldwiseSettings,
    families=["farm"],
    fit="agbench.policies.field.fieldwise_tuning:fit",
)
class Fieldwise:
    """Lets policies of fields decide on a farm, as the farm is worked.

    With an action a field each field has a policy, which sees that field and what all share. With one
    joint action one policy decides for all: it sees the mean over the farm's area. With a choice the
    fields take turns, a decision each: a field's policy decides once in as many decisions as there are
    fields.
    """

    information: Information = "observation"

    def __init__(self, name: str, settings: FieldwiseSettings, interface: Interface[FarmTask]) -> None:
        assert isinstance(interface.observer, FarmObserver)
        self.name = name
        self._actions, task = interface.actions, interface.task
        observer = interface.observer
        for field in settings.fields:
            if field not in task.field_names:
                raise unknown("field", field, task.field_names, where="fields")
        self._joint = not isinstance(self._actions, (Each, Choice))
        if self._joint and settings.fields:
            raise ConfigError("fields: one joint action is for all fields alike; give settings for all.")
        of_a_field = getattr(self._actions, "of_a_field", self._actions)
        self._seen = [observer.columns_of(i) for i in range(len(task.fields))]
        self._shares = np.array(task.areas) / sum(task.areas)
        chosen = kind(settings.policy, "policy")
        own = Interface(
            _field(task, 0, self._actions), of_a_field, cast("Observer", observer.of_a_field), interface.load
        )
        self._policies = [
            _made(chosen, settings, field, replace(own, task=_field(task, i, self._actions)))
            for i, field in enumerate(task.field_names[: 1 if self._joint else None])
        ]
        self._step = 0

    def reset(self, seed: int) -> None:
        """Go back to the season's first decision, on every field."""
        self._step = 0
        for of_field in self._policies:
            of_field.reset(seed)

    def __call__(self, observation: Any) -> Any:
        """Return the farm's action."""
        turn, self._step = self._step % len(self._seen), self._step + 1
        seen: NDArray[Any] = np.asarray(observation)
        if self._joint:
            fields = np.stack([seen[columns] for columns in self._seen]).astype(np.float64)
            mean = np.zeros(fields.shape[1])
            for share, of_field in zip(self._shares, fields, strict=True):
                mean += share * of_field
            return self._policies[0](mean)
        if isinstance(self._actions, Choice):
            return self._actions.on_field(turn, int(self._policies[turn](seen[self._seen[turn]])))
        assert isinstance(self._actions, Each)
        own = [p(seen[columns]) for p, columns in zip(self._policies, self._seen, strict=True)]
        return self._actions.together([np.asarray(action)[None] for action in own])[0]


def _field(task: FarmTask, number: int, actions: Any) -> FieldTask:
    """Return the task of one field; where fields take turns, its steps are those of its own turns."""
    own = task.field(number)
    if not isinstance(actions, Choice):
        return own
    season, step = own.season, own.season.step_days
    warmup, between = season.warmup_days + number * step, step * len(task.fields)
    turns = season.model_copy(update={"warmup": f"{warmup} d", "step": f"{between} d"})
    return own.model_copy(update={"season": turns})


def _made(chosen: Kind, settings: FieldwiseSettings, field: str, interface: Interface[FieldTask]) -> Policy:
    """Return a field's policy; raises `ConfigError` for one that is not for fields, or that plans."""
    if chosen.families and "field" not in chosen.families:
        raise ConfigError(f"policy: a {chosen.name} policy is for {' and '.join(chosen.families)} tasks.")
    own = settings.fields.get(field)
    where = "settings" if own is None else f"fields: {field}"
    made = chosen.make(field, chosen.read(settings.settings if own is None else own, where), interface)
    if isinstance(made, Planner):
        raise ConfigError(f"policy: {chosen.name} plans for an environment of its own; it cannot on a farm.")
    return made
