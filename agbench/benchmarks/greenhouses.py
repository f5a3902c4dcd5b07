"""How fast a greenhouse task is: environments, the bare stepper and CVODES in the same run."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, Final

from agbench.benchmarks.environments import Figure, first_calls, rate, single_steps, vector_steps
from agbench.benchmarks.gl_gym import gl_gym
from agbench.benchmarks.greenlight import compile_times, controls, cvodes, ours, synthetic_weather
from agbench.simulators.greenlight.stepping import ACCURACIES

_STEPS: Final = 288
_ROUNDS: Final = 5
_GL_GYM_INTERVALS: Final = (300, 900)  # the length of our steps, and its own [s]
_AIMS: Final = {"accurate": "6", "fast": "10"}

Rate = Callable[[float], float]
"""Measures for so many seconds; returns steps a second."""


def measure(
    task: str, seconds: float = 2.0, num_envs: int | None = None, against: Path | None = None
) -> list[Figure]:
    """Return all figures of a greenhouse task, each measured for about `seconds`.

    What is compared takes turns, and of its rounds the median counts. `against` is the Python of an
    environment with gl-gym, which is then measured too.
    """
    rows = num_envs or 64
    with ExitStack() as stack:
        others: dict[str, Rate] = {}
        for interval in _GL_GYM_INTERVALS if against else ():
            assert against is not None
            other = stack.enter_context(gl_gym(against, interval))
            others[f"{other.name}, steps of {interval} s"] = other.rate
        figures = [*_steppers(seconds, rows), *_environments(task, seconds, rows, others)]
    compiling, loading = compile_times()
    cold, warm = first_calls(task)
    return [
        *figures,
        Figure("stepper's first call, compiling", compiling, "s", "under 5"),
        Figure("stepper's first call, cached", loading, "s", "under 1"),
        Figure("environment's first call, compiling", cold, "s"),
        Figure("environment's first call, cached", warm, "s"),
    ]


def _steppers(seconds: float, rows: int) -> list[Figure]:
    """Return the speed of the bare stepper in both settings, and of CVODES."""
    weather, jumps = synthetic_weather()[:_STEPS], controls("on/off")[:_STEPS]

    def steps_of(run: Any, many: int) -> Rate:
        return lambda time: rate(lambda: many * (len(run(weather, jumps)) - 1), time)

    name, reference = cvodes()
    batches = {f"bare stepper, {s}, {_rows(n)}": (s, n) for s in _AIMS for n in (1, rows)}
    works = {name: steps_of(reference, 1)}
    works |= {what: steps_of(ours(n, ACCURACIES[s]), n) for what, (s, n) in batches.items()}
    result = in_turn(works, seconds)
    figures = [Figure(what, median(rates), "steps/s") for what, rates in result.items()]
    for what, (chosen, many) in batches.items():
        ratio = _ratio(result[what], result[name])
        title = f"stepper over CVODES, {chosen}, {_rows(many)}"
        figures.append(Figure(title, ratio, "x", _AIMS[chosen] if many == 1 else ""))
    return figures


def _environments(task: str, seconds: float, num_envs: int, others: Mapping[str, Rate]) -> list[Figure]:
    """Return the speed of the environments, and of others that they are compared with."""
    single, vector = "single environment", f"make_vec, {num_envs} environments"
    works: dict[str, Rate] = {
        single: lambda time: single_steps(task, time, wrapped=False),
        "  as gymnasium.make wraps it": lambda time: single_steps(task, time, wrapped=True),
        vector: lambda time: vector_steps(task, time, num_envs),
    }
    aims = {single: "6,000", vector: "20,000"}
    result = in_turn({**works, **others}, seconds)
    figures = [Figure(what, median(result[what]), "steps/s", aims.get(what, "")) for what in result]
    for what in list(others)[:1]:
        figures += [Figure(f"{mine} over {what}", _ratio(result[mine], result[what]), "x") for mine in aims]
    return figures


def in_turn(works: Mapping[str, Rate], seconds: float) -> dict[str, list[float]]:
    """Return the rates of each work, which take turns so that a busy machine slows them alike."""
    result: dict[str, list[float]] = {what: [] for what in works}
    for _ in range(_ROUNDS):
        for what, work in works.items():
            result[what].append(work(seconds / _ROUNDS))
    return result


def _ratio(rates: list[float], others: list[float]) -> float:
    """Return the median over the rounds of how many times faster."""
    return median(a / b for a, b in zip(rates, others, strict=True))


def _rows(n: int) -> str:
    return "one row" if n == 1 else f"{n} rows"
