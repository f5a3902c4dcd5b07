"""Speed of the bare greenhouse stepper compared with CVODES, called as in GreenLight-Gym 2.

Run with `python -m agbench.benchmarks.greenlight`. One core, three days of 300 s, synthetic spring
weather; "smooth" controls follow the sun, "on/off" ones jump between 0 and 1 every 30 minutes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi
import numpy as np

from agbench.simulators.greenlight.model import rate_function
from agbench.simulators.greenlight.presets import preset
from agbench.simulators.greenlight.simulator import GreenLightSimulator
from agbench.simulators.greenlight.smooth import saturation_pressure
from agbench.simulators.greenlight.stepping import ACCURACIES, Accuracy
from agbench.simulators.greenlight.variables import CONTROLS, SCALES, STATES, WEATHER
from agbench.simulators.greenlight.world import greenlight_world
from agbench.variables import Floats

STEPS, INTERVAL = 864, 300.0
TEMPERATURES = [i for i, variable in enumerate(STATES) if variable.unit == "degC"]
Runner = Callable[[Floats, Floats], Floats]
"""Takes weather (N, 10) and controls (N, 8); returns states (N + 1, 28) of one row."""


@dataclass(frozen=True)
class Line:
    """One line of the table."""

    method: str
    rows: int
    speed: dict[str, float]
    """Steps per second by kind of controls."""
    scaled_error: float
    temperature_error: float
    """Greatest over both kinds; temperatures in K."""


def synthetic_weather() -> Floats:
    """Return three spring days, shape (864, 10): sun to 550 W m-2, 4 to 14 degC, some wind."""
    hour = np.arange(STEPS) * INTERVAL / 3600 % 24
    sun = np.maximum(np.sin((hour - 6.5) / 12 * np.pi), 0)
    out = np.zeros((STEPS, len(WEATHER)))
    out[:, 0] = 550 * sun
    out[:, 1] = 9 + 5 * np.sin((hour - 9) / 12 * np.pi)
    out[:, 2] = 0.75 * np.array(saturation_pressure(casadi.DM(out[:, 1]))).ravel()
    out[:, 3], out[:, 4] = 760, 4 + 2 * np.sin(hour / 3)
    out[:, 5], out[:, 6] = out[:, 1] - 14, 9
    out[:, 7], out[:, 8:] = 12, sun[:, None]
    return out


def controls(kind: str) -> Floats:
    """Return controls, shape (864, 8), that follow the sun or jump at random."""
    hour = np.arange(STEPS) * INTERVAL / 3600 % 24
    sun = np.maximum(np.sin((hour - 6.5) / 12 * np.pi), 0)
    u = np.zeros((STEPS, len(CONTROLS)))
    if kind == "on/off":
        u[:, :6] = np.random.default_rng(0).integers(0, 2, size=(STEPS // 6, 6)).repeat(6, axis=0)
    else:
        u[:, 0], u[:, 1], u[:, 2] = 0.6 * (1 - sun), 0.5 * sun, 0.98 * (sun == 0)
        u[:, 3], u[:, 4] = 0.3 * sun**2, 0.9 * (sun < 0.4)
    return u


def ours(rows: int, chosen: Accuracy) -> Runner:
    """Return the run of a batch whose rows are a step apart, so that lanes do not march in step."""

    def run(weather: Floats, u: Floats) -> Floats:
        worlds = [greenlight_world(np.roll(weather, -i, axis=0)) for i in range(rows)]
        simulator = GreenLightSimulator(rows, "gym", INTERVAL, chosen)
        simulator.reset(worlds)
        states = [simulator.state[0].copy()]
        shift = np.arange(rows)
        for k in range(len(u)):
            simulator.advance(u[(k + shift) % len(u)], 1)
            states.append(simulator.state[0].copy())
        return np.array(states)

    return run


def cvodes() -> tuple[str, Runner]:
    """Return CVODES at 1e-6, restarted each step, its equations compiled where a compiler is."""
    compiled = shutil.which("gcc") is not None
    options: dict[str, Any] = {"abstol": 1e-6, "reltol": 1e-6}
    if compiled:
        jit = {"flags": "-Ofast -march=native"}
        options |= {"jit": True, "compiler": "shell", "jit_options": jit}
    rates = rate_function(preset("gym").structure)
    x, u, d, p = rates.sx_in()
    problem = {"x": x, "p": casadi.vertcat(u, d, p), "ode": rates(x, u, d, p)}
    solver = casadi.integrator("gym", "cvodes", problem, 0.0, INTERVAL, options)
    arguments = [casadi.MX.sym(str(i), part.numel()) for i, part in enumerate((x, u, d, p))]
    after = solver(x0=arguments[0], p=casadi.vertcat(*arguments[1:]))["xf"]
    function = casadi.Function("step", arguments, [after])

    def run(weather: Floats, u: Floats) -> Floats:
        world = greenlight_world(weather)
        states = [world.start]
        for k in range(len(u)):
            after = function(states[-1], u[k], weather[k], world.parameters)
            states.append(np.array(after).ravel())
        return np.array(states)

    return f"CVODES 1e-6, restarted each step{', compiled by gcc' if compiled else ''}", run


def line(method: str, rows: int, run: Runner, truth: dict[str, Floats], repeats: int = 3) -> Line:
    """Return the best speed of some repeats and the errors against the truth."""
    weather, speed, scaled, kelvin = synthetic_weather(), {}, 0.0, 0.0
    run(weather[:2], controls("smooth")[:2])
    for kind, reference in truth.items():
        u, best = controls(kind), np.inf
        for _ in range(repeats):
            start = time.perf_counter()
            states = run(weather, u)
            best = min(best, time.perf_counter() - start)
        error = np.abs(states - reference)
        scaled = max(scaled, float((error / np.maximum(np.abs(reference), SCALES)).max()))
        kelvin = max(kelvin, float(error[:, TEMPERATURES].max()))
        speed[kind] = rows * len(u) / best
    return Line(method, rows, speed, scaled, kelvin)


def compile_times() -> tuple[float, float]:
    """Return the seconds from a first call to its result, in new processes: first and cached."""
    script = (
        "import time, numpy as np\n"
        "from agbench.benchmarks.greenlight import *\n"
        "start = time.perf_counter()\n"
        "ours(1, ACCURACIES['accurate'])(synthetic_weather()[:1], controls('smooth')[:1])\n"
        "print(time.perf_counter() - start)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "AGBENCH_CACHE_DIR": folder, "NUMBA_CACHE_DIR": folder}
        command = [sys.executable, "-c", script]
        times = [
            float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
            for _ in range(2)
        ]
    return times[0], times[1]


def measure() -> list[Line]:
    """Return the table: CVODES first, then both settings for one, four and 64 rows."""
    exact = ours(1, Accuracy("rodas4", 1e-9, 0.1))
    truth = {kind: exact(synthetic_weather(), controls(kind)) for kind in ("smooth", "on/off")}
    name, run = cvodes()
    lines = [line(name, 1, run, truth)]
    for label in ("accurate", "fast"):
        chosen = ACCURACIES[label]
        for rows in (1, 4, 64):
            method = f"{label}: {chosen.integrator}, tolerance {chosen.tolerance:g}"
            lines.append(line(method, rows, ours(rows, chosen), truth, 3 if rows < 64 else 1))
    return lines


def show(lines: list[Line]) -> None:
    """Print steps per second, how many times that is CVODES, and the greatest errors."""
    print(f"{'steps a second':<52}{'rows':>5}{'smooth':>10}{'on/off':>10}{'times':>12}", end="")
    print(f"{'scaled error':>14}{'K':>9}")
    for entry in lines:
        ratios = [entry.speed[kind] / lines[0].speed[kind] for kind in entry.speed]
        speeds = "".join(f"{speed:>10,.0f}" for speed in entry.speed.values())
        times = "".join(f"{ratio:>6.1f}" for ratio in ratios)
        print(f"{entry.method:<52}{entry.rows:>5}{speeds}{times}", end="")
        print(f"{entry.scaled_error:>14.1e}{entry.temperature_error:>9.1e}")


if __name__ == "__main__":
    show(measure())
    print("first call {:.1f} s, with cached code {:.2f} s".format(*compile_times()))
