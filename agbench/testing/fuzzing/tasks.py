"""Tasks under fuzz: every output is a number inside its space, and what is wrong is refused."""

import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from agbench.data import catalog
from agbench.data.task import Task
from agbench.envs import AgBenchVectorEnv
from agbench.envs.registry import make_vec
from agbench.errors import ActionError, AgBenchError, ContractError, unknown
from agbench.testing.contract import fail
from agbench.testing.fuzzing.actions import DRAWS, with_wrong, wrong_actions
from agbench.testing.fuzzing.cases import FuzzCase, draw_case

HELD: Final = (1, 2, 30, 400)
"""Steps for which actions of a case are held, drawn once a case."""
_WRONG_EVERY: Final = 40  # steps
_MOST_CASES: Final = 100_000  # where a task refuses everything


@dataclass(frozen=True)
class Failure:
    """What was found, and the command that finds it again."""

    command: str
    found: str


@dataclass
class TaskReport:
    """What the fuzzing of a task did."""

    task: str
    cases: int = 0
    refused: int = 0
    """Cases whose change the task refused with a sentence, before the first step."""
    steps: int = 0
    """Steps of all rows."""
    wrong: int = 0
    """Wrong actions, each of them refused with the environment unchanged."""
    seconds: float = 0.0
    failures: list[Failure] = field(default_factory=list)


def fuzz_task(task: str, steps: int, seed: int = 0) -> TaskReport:
    """Play cases of a task until `steps` steps of rows are done; one failure ends its case, not the run."""
    checked = catalog.task(task)
    cases = (draw_case(checked, seed, number) for number in range(_MOST_CASES))
    return play_cases(checked, cases, steps)


def play_cases(task: Task, cases: Iterable[FuzzCase], steps: int, strict: bool = False) -> TaskReport:
    """Play cases of a task until `steps` steps of rows are done.

    What a case is refused with is counted; where `strict`, for cases that a person stated, it is raised.
    """
    report = TaskReport(task.task)
    begun = time.perf_counter()
    for case in cases:
        report.cases += 1
        try:
            envs, first = _begun(case)
        except AgBenchError:
            if strict:
                raise
            report.refused += 1
            continue
        except Exception as error:
            report.failures.append(Failure(case.command(), f"making it: {_named(error)}"))
            continue
        try:
            _play(case, envs, first, report)
        except ContractError as error:
            report.failures.append(Failure(case.command(), str(error)))
        except Exception as error:
            report.failures.append(Failure(case.command(), _named(error)))
        if report.steps >= steps:
            break
    report.seconds = time.perf_counter() - begun
    return report


def _begun(case: FuzzCase) -> tuple[AgBenchVectorEnv, tuple[NDArray[Any], Any]]:
    """Return the environments of a case, and what they show first."""
    if case.actions not in DRAWS:
        raise unknown("kind of actions", case.actions, DRAWS)
    envs = make_vec(case.task, case.rows, case.split, case.mode, scaled=case.scaled, **case.overrides)
    return envs, envs.reset(seed=case.seed)


def _named(error: BaseException) -> str:
    """Return an exception with the place that raised it, on one line."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}: {error}"


def _play(
    case: FuzzCase, envs: AgBenchVectorEnv, first: tuple[NDArray[Any], Any], report: TaskReport
) -> None:
    """Play a case, adding to the report; raises `ContractError` for what is wrong."""
    generator = np.random.default_rng(case.seed)
    draw, space = DRAWS[case.actions], envs.single_action_space
    held = int(generator.choice(HELD))
    _check(envs, first[0], np.zeros(case.rows), first[1], 0)
    actions = draw(space, case.rows, generator)
    for step in range(1, case.steps + 1):
        if step % held == 0:
            actions = draw(space, case.rows, generator)
        if step % _WRONG_EVERY == 1:
            _require_refusals(envs, actions, generator, report, step)
        observed, rewards, terminated, truncated, info = envs.step(actions)
        _check(envs, observed, rewards, info, step)
        for name, ends in (("terminated", terminated), ("truncated", truncated)):
            if ends.dtype != np.bool_ or ends.shape != (case.rows,):
                fail(f"step {step}: {name} is {ends.dtype} {ends.shape}, not {case.rows} booleans.")
        report.steps += case.rows
        if envs.autoreset_mode is AutoresetMode.DISABLED and (ended := terminated | truncated).any():
            observed, info = envs.reset(options={"reset_mask": ended})
            _check(envs, observed, np.zeros(case.rows), info, step)


def _check(envs: AgBenchVectorEnv, observed: NDArray[Any], rewards: Any, info: Any, step: int) -> None:
    """Raise for an output that is no number, or outside its space."""
    space = envs.single_observation_space
    assert isinstance(space, spaces.Box)
    if observed.dtype != np.float32 or observed.shape != (envs.num_envs, *space.shape):
        fail(f"step {step}: observations are {observed.dtype} {observed.shape}.")
    wrong = ~((observed >= space.low) & (observed <= space.high) & np.isfinite(observed))
    if wrong.any():
        row, entry = np.argwhere(wrong)[0]
        name = envs.observation_entries[entry].name
        limits = f"{space.low[entry]:g} to {space.high[entry]:g}"
        fail(f"step {step}, row {row}: the observation {name} is {observed[row, entry]:g}, outside {limits}.")
    if not np.isfinite(rewards).all():
        row = int(np.flatnonzero(~np.isfinite(rewards))[0])
        fail(f"step {step}, row {row}: the reward is {rewards[row]}.")
    for key, values in info.items():
        mask = info.get(f"_{key}")
        if not isinstance(values, np.ndarray) or values.dtype.kind != "f" or mask is None:
            continue
        if not np.isfinite(values[mask]).all():
            fail(f"step {step}: info {key!r} is {values[mask][~np.isfinite(values[mask])][0]}.")


def _require_refusals(
    envs: AgBenchVectorEnv, good: NDArray[Any], generator: np.random.Generator, report: TaskReport, step: int
) -> None:
    """Try wrong actions in a row that is to move: each is refused, and nothing has changed."""
    moving = np.flatnonzero(~envs.core.over)
    if not len(moving):
        return
    before = envs.core.observations.copy()
    batches: list[Any] = [None, good[:-1], [*good, good[0]], 5, "nothing"]
    row = int(generator.choice(moving))
    batches += [with_wrong(good, wrong, row) for wrong in wrong_actions(envs.single_action_space)]
    for batch in batches:
        try:
            envs.step(batch)
        except ActionError:
            report.wrong += 1
        except Exception as error:
            fail(f"step {step}: the actions {_short(batch)} raised {_named(error)}")
        else:
            fail(f"step {step}: the actions {_short(batch)} were accepted.")
        if not np.array_equal(before, envs.core.observations):
            fail(f"step {step}: the refused actions {_short(batch)} changed the environment.")


def _short(batch: Any) -> str:
    text = repr(batch)
    return text if len(text) < 200 else f"{text[:100]} ... {text[-95:]}"
