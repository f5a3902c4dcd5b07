"""Simulation of candidates with the task's own simulator and reward, from the present state."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agbench.envs.core import Parts
from agbench.envs.greenhouse.actions import Controls
from agbench.envs.greenhouse.worlds import GreenhouseWorld
from agbench.policies.base import Policy
from agbench.simulators.greenlight.metered import MeteredGreenhouse, MeteredRow
from agbench.variables import Floats

Candidate = Callable[[int, Floats, NDArray[np.float32]], Any]
"""From model steps since the trial's start, present controls and observation to an action."""


@dataclass(frozen=True)
class Outcome:
    """One candidate's trial: states (steps + 1, 28), controls (steps + 1, controls), reward."""

    states: Floats
    controls: Floats
    reward: float


def try_out(
    parts: Parts,
    actions: Controls,
    world: GreenhouseWorld,
    start: MeteredRow,
    candidates: Sequence[Candidate],
    steps: int,
) -> list[Outcome]:
    """Return what each candidate leads to in `steps` model steps of a world from a state.

    The crop has the world's parameters, without the perturbations of single steps.
    """
    many = range(len(candidates))
    simulator, accounts = parts.make_simulator(len(candidates)), parts.make_reward(len(candidates))
    assert isinstance(simulator, MeteredGreenhouse)
    present = replace(start, row=replace(start.row, world=world, parameters=world.parameters))
    for row in many:
        simulator.load(row, present)
        accounts.reset(row, world)
    seen = np.zeros((len(candidates), len(parts.observer.entries)), dtype=np.float32)
    moving = np.ones(len(candidates), dtype=np.bool_)
    rewards = np.zeros(len(candidates))
    states, controls = [simulator.state.copy()], [simulator.controls[:, actions.columns].copy()]
    for step in range(0, steps, parts.task.step):
        parts.observer.write(simulator, seen)
        inputs = np.zeros_like(simulator.controls)
        for row in many:
            action = candidates[row](step, controls[-1][row], seen[row])
            inputs[row, actions.columns] = actions.moved(np.asarray(action, np.float64), controls[-1][row])
        accounts.before(simulator)
        for _ in range(parts.task.step):
            simulator.advance(inputs, 1, moving)
            states.append(simulator.state.copy())
            controls.append(simulator.controls[:, actions.columns].copy())
        rewards += accounts.after(simulator, inputs, moving)
    return [
        Outcome(np.array([s[row] for s in states]), np.array([u[row] for u in controls]), float(rewards[row]))
        for row in many
    ]


def policy_candidate(policy: Policy) -> Candidate:
    """Return a policy that reads observations as a candidate."""
    return lambda step, present, observation: policy(observation)
