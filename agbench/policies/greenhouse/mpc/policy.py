"""The model-predictive controller: plans on the equations of the model with known weather."""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data.greenhouse_task import GreenhouseTask
from agbench.envs.core import BatchCore, Parts
from agbench.envs.greenhouse.actions import Controls
from agbench.envs.greenhouse.worlds import GreenhouseWorld
from agbench.errors import ConfigError, SimulationError
from agbench.policies.base import Information, Interface, policy
from agbench.policies.greenhouse.mpc.episodes import best_episode, controls_of
from agbench.policies.greenhouse.mpc.forecast import forecast_of
from agbench.policies.greenhouse.mpc.horizon import Horizon, limits
from agbench.policies.greenhouse.mpc.interval import Layout, interval
from agbench.policies.greenhouse.mpc.nonlinear_program import NonlinearProgram
from agbench.policies.greenhouse.mpc.settings import PredictiveSettings
from agbench.policies.greenhouse.mpc.trial import Candidate, Outcome, policy_candidate, try_out
from agbench.simulators.greenlight.metered import MeteredGreenhouse, MeteredRow
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.simulators.greenlight.smooth import TEMPERATURE_WIDTH
from agbench.variables import Floats

_NO_HARVEST: Final = 1e12  # mg m-2: fruit stays on the plan's plants, so that its growth can be read off


@dataclass
class SolveLog:
    """How planning went in an episode."""

    plans: int = 0
    solved: int = 0
    """Plans that met the solver's tolerance."""
    iterations: int = 0
    kept: int = 0
    """Times that the former plan proved better than the new one."""
    rules: int = 0
    """Times that the starting policy proved better than both."""


@policy("mpc", settings=PredictiveSettings, families=["greenhouse"])
class Predictive:
    """Plans ahead, tries the plan out in the task's own simulator, follows it, and plans again.

    At each planning three candidates are tried out over the horizon: the starting policy, what is
    left of the former plan (then the starting policy), and the new plan, whether or not the solver
    met its tolerance. The best is followed: a failure of the solver can cost only the gain of a new plan.

    A plan sees no further than the horizon, so that what it starts from decides where a season goes. With
    several starting policies, an episode is played from each of them first, and the best is played again.
    Where there is an episode to plan `along`, its controls are a fourth candidate.
    """

    information: Information = "model"

    def __init__(self, name: str, settings: PredictiveSettings, interface: Interface[GreenhouseTask]) -> None:
        self.name = name
        self._settings = settings
        first, *others = settings.starts
        self._start = interface.load(first)
        self._each = [
            Predictive(name, settings.model_copy(update={"start": one}), interface)
            for one in ([first, *others] if others else [])
        ]
        self._along = None if settings.along is None else interface.load(settings.along)
        self._path: tuple[int, Floats] | None = None
        self._controls = _controls(interface)
        self._layout = Layout(settings.points, tuple(self._controls.names))
        task = interface.task
        change = (self._controls.rate or 1.0) / task.step  # the greatest of a control in a model step
        self._horizon = Horizon(task, settings, self._layout, change)
        self._limits = limits(task)
        self._program: tuple[Floats, NonlinearProgram] | None = None
        self._seed = 0
        self._to_come: list[NDArray[np.float32]] = []
        self._generator = np.random.default_rng(0)
        self._core: BatchCore | None = None
        self._row = 0
        self._planned: Floats | None = None
        self._since = 0
        self.log = SolveLog()

    def reset(self, seed: int) -> None:
        """Forget the last episode; errors of the forecast come from `seed`."""
        self._seed = seed
        self._generator = np.random.default_rng(seed)
        self._start.reset(seed)
        self._planned = None
        self.log = SolveLog()

    def plan(self, core: BatchCore, row: int) -> None:
        """Watch the episode of a row; plans are made as it goes on, or with several starts now."""
        self._core, self._row = core, row
        self._planned = None
        if self._each:
            played, actions = best_episode(self._each, core, row, self._seed)
            self.log, self._to_come = self._each[played].log, actions[::-1]
        elif self._along is not None:
            path = controls_of(self._along, core, row, self._seed, self._controls.columns)
            self._path = _elapsed(core, row), path

    def __call__(self, observation: Any) -> NDArray[np.float32]:
        """Return the action that follows the plan."""
        core = self._core
        if core is None:
            raise SimulationError(
                f"policy {self.name}: it plans on the model itself; call plan(env.core, 0) after reset."
            )
        if self._each:
            return self._to_come.pop()
        greenhouse, now = core.simulator, _elapsed(core, self._row)
        assert isinstance(greenhouse, MeteredGreenhouse)
        if self._planned is None or now - self._since >= self._settings.commit_steps:
            self._planned = self._plan(core.parts, core.worlds[self._row], greenhouse.save(self._row), now)
            self._since = now
        target = self._planned[now - self._since + core.task.step]
        return self._action(target, greenhouse.controls[self._row, self._controls.columns])

    def _action(self, target: Floats, present: Floats) -> NDArray[np.float32]:
        """Return the action that brings controls from `present` to, or towards, `target`."""
        action: NDArray[np.float32] = self._controls.actions_of(target[None], present[None])[0]
        return action

    def _plan(self, parts: Parts, world: GreenhouseWorld, present: MeteredRow, now: int) -> Floats:
        """Return the controls to follow from step `now` on, step by step from the present ones."""
        ahead = int(self._horizon.nodes(now)[-1])
        world = forecast_of(world, now, ahead, self._settings.forecast, self._generator)

        def trials(candidates: list[Candidate]) -> list[tuple[float, Outcome]]:
            outcomes = try_out(parts, self._controls, world, present, candidates, ahead)
            return [(self._value(world, outcome, now + ahead), outcome) for outcome in outcomes]

        tried_out = [policy_candidate(self._start)]
        if self._planned is not None:
            tried_out.append(self._follow(self._planned[now - self._since :], parts.task.step))
        if self._path is not None:
            first, path = self._path
            tried_out.append(self._follow(path[now - first :], parts.task.step))
        tried = trials(tried_out)
        solved = self._solve(world, _best(tried), now)
        if solved is not None:
            tried += trials([self._follow(solved, parts.task.step)])
        best = _best(tried)
        self.log.plans += 1
        self.log.rules += best is tried[0][1]
        self.log.kept += self._planned is not None and best is tried[1][1]
        return best.controls

    def _solve(self, world: GreenhouseWorld, guess: Outcome, now: int) -> Floats | None:
        """Return the planned controls step by step, (steps + 1, controls); None where they are not finite."""
        program = self._program_of(world)
        controls, nodes = guess.controls[0], self._horizon.nodes(now)
        parameters = self._horizon.parameters(world, guess.states[0], controls, now)
        start = program.with_slack(self._horizon.guess(guess.states, guess.controls, now), parameters)
        result = program.solve(start, parameters, self._horizon.bounds(now))
        self.log.solved += result.solved
        self.log.iterations += result.iterations
        planned = np.vstack([controls, result.variables[:, : len(controls)]])
        if not np.isfinite(planned).all():
            return None
        steps = np.arange(nodes[-1] + 1)
        return np.column_stack([np.interp(steps, nodes, column) for column in np.clip(planned, 0.0, 1.0).T])

    def _follow(self, planned: Floats, every: int) -> Candidate:
        """Return the candidate that follows planned controls as long as they last, then the start policy."""

        def candidate(step: int, present: Floats, observation: NDArray[np.float32]) -> Any:
            if step + 1 < len(planned):
                return self._action(planned[min(step + every, len(planned) - 1)], present)
            return self._start(observation)

        return candidate

    def _value(self, world: GreenhouseWorld, outcome: Outcome, last: int) -> float:
        """Return the reward of a trial and what its end is worth beyond it [EUR m-2].

        The reward has paid fruit in full; what it will respire until the episode's end is taken off.
        """
        first, end = outcome.states[0], outcome.states[-1]
        worth = self._horizon.worth(world, first, last)
        paid = self._horizon.worth(world, first, self._horizon.end)
        return outcome.reward + float((worth - paid) @ (end - first))

    def _program_of(self, world: GreenhouseWorld) -> NonlinearProgram:
        """Return the program of a world's parameters, built again only if they differ from the last."""
        parameters = world.parameters.copy()
        parameters[PARAMETER_TABLE.column("cFruitMax")] = _NO_HARVEST
        if self._program is None or not np.array_equal(self._program[0], parameters):
            settings = self._settings
            structure = replace(world.structure, smoothing=settings.smoothing / TEMPERATURE_WIDTH)
            functions = interval(structure, parameters, self._layout, self._limits)
            count = len(settings.lengths)
            built = NonlinearProgram(functions, count, settings.iterations, settings.tolerance)
            self._program = parameters, built
        return self._program[1]


def _elapsed(core: BatchCore, row: int) -> int:
    """Return the model steps that a row has made."""
    assert isinstance(core.simulator, MeteredGreenhouse)
    return int(core.simulator.elapsed[row])


def _controls(interface: Interface[GreenhouseTask]) -> Controls:
    if not isinstance(interface.actions, Controls):
        raise ConfigError(
            f"an mpc policy plans controls, but {interface.task.task} takes set points (action.kind is "
            f"{interface.task.action.kind}); it needs increment or absolute."
        )
    return interface.actions


def _best(tried: list[tuple[float, Outcome]]) -> Outcome:
    """Return the outcome of the greatest value, the first of equals."""
    return max(tried, key=lambda result: result[0])[1]
