"""Response: each field answers to what it is given, and to nothing that is given to others."""

import numpy as np

from agbench.data.farm_task import FarmTask
from agbench.envs.core import BatchCore, Parts
from agbench.envs.farm.rewards import FarmReward
from agbench.envs.field import building as field
from agbench.envs.field import response
from agbench.envs.rollout import steps
from agbench.errors import ContractError
from agbench.simulators.field.farm import FarmSimulator


def check(task: FarmTask, parts: Parts) -> None:
    """Every input does something on every field, and a farm is its fields side by side.

    Each field by itself is held to what `agbench.envs.field.response` asks of a field. On the farm, doses
    in turn must reach the fields that the action names and no others: the states of every field are those
    of that field by itself under the same inputs, bit for bit, and so is what it earns. Raises
    `ContractError` where that is not so.
    """
    for number in range(len(task.fields)):
        own = task.field(number)
        response.check(own, field.build(own, parts.scenarios.split))
        _require_field_alone(task, number, parts)


def _require_field_alone(task: FarmTask, number: int, parts: Parts) -> None:
    """Run the farm, and one of its fields beside it under what the farm gave that field."""
    key, name = parts.scenarios.keys[0], task.field_names[number]
    farm, actions = BatchCore(parts, 1), parts.actions
    farm.seed(0, task.protocol.seed)
    farm.reset([0], [key])
    simulator, reward = farm.simulator, farm.reward
    assert isinstance(simulator, FarmSimulator)
    assert isinstance(reward, FarmReward)
    model = field.model_of(task)
    alone, earns = model.simulator(1), field.reward(model, task)(1)
    world = farm.worlds[0].fields[number]
    alone.reset([world])
    earns.reset(0, world)
    moving = np.ones(1, dtype=np.bool_)
    alone.advance(np.zeros((1, len(alone.inputs))), task.warmup)
    doses = [actions.encode(input, np.inf)[0] for input in actions.names]
    before = farm.applied.copy()
    for decision, _ in enumerate(steps(farm, lambda _, i: np.array([doses[i % len(doses)]]))):
        given = (farm.applied - before).reshape(1, simulator.fields, -1)[:, number]
        before = farm.applied.copy()
        if alone.finished[0]:
            continue
        earns.before(alone)
        alone.advance(given, task.step)
        earned = earns.after(alone, given, moving) * task.areas[number]
        same = alone.state[0].tobytes() == simulator.batch.state[number].tobytes()
        if not same or earned[0] != reward.of_fields[0, number]:
            raise ContractError(
                f"{task.task}: the field {name} in {key} is not what it is by itself after decision "
                f"{decision + 1}."
            )
