"""How the greenhouse is advanced: two accuracies of the compiled stepper, and CVODES as reference."""

import ctypes
import functools
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from agbench.errors import SimulationError, unknown
from agbench.simulators.casadi_jit.rosenbrock.driver import (
    Batch,
    Control,
    Method,
    Workspace,
    advance,
    make_workspace,
)
from agbench.simulators.casadi_jit.rosenbrock.method import TABLEAUS, kept_method
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.simulators.greenlight.presets import Structure
from agbench.simulators.greenlight.variables import CONTROLS, SCALES, STATES, WEATHER
from agbench.variables import Floats

LANES = 4
"""Rows that one vector instruction advances; a batch of one has its own code."""

INTEGRATED = ("mcFruitHar", "mvCanAir")
"""Fluxes that the stepper integrates beside the states, over each call of `advance`."""


@dataclass(frozen=True)
class Accuracy:
    """An integrator and its accuracy."""

    integrator: str
    """`rodas4`, `rodas3` or `cvodes`."""
    tolerance: float
    """Of a step, relative to the greater of a state and its usual size."""
    first_step: float
    """First step of each interval [s], at which inputs jump; CVODES chooses its own."""


ACCURACIES = {
    "accurate": Accuracy("rodas4", 2e-5, 1.0),
    "fast": Accuracy("rodas3", 1.5e-4, 2.0),
    "reference": Accuracy("cvodes", 1e-10, 0.0),
}
"""Greatest errors over five reference scenarios (3 to 10 days): accurate 2e-4 K and 1e-5 of a state's
size, fast 4e-3 K and 2e-4. Tasks use `accurate`; `fast` is for exploring."""

COARSE = Accuracy("rodas3", 2e-3, 20.0)
"""For comparing many policies: 1.6 times as fast as `fast`, and over ten days the objective of rules is
within 0.02 EUR m-2 of that at `accurate`."""


def choose_accuracy(
    name: str = "accurate", integrator: str | None = None, tol: float | None = None
) -> Accuracy:
    """Return a named accuracy or that of an `integrator`, with the tolerance `tol` if it is set."""
    if name not in ACCURACIES:
        raise unknown("greenlight accuracy", name, ACCURACIES)
    chosen = ACCURACIES[name]
    if integrator is not None:
        usual = {s.integrator: s for s in ACCURACIES.values()}
        if not isinstance(integrator, str) or integrator not in usual:
            raise unknown("integrator", integrator, usual)
        chosen = usual[integrator]
    if tol is None:
        return chosen
    if not isinstance(tol, (int, float, np.number)) or not 0 < tol < 1:
        raise SimulationError(f"greenlight: tol is {tol!r}; it must lie between 0 and 1.")
    return Accuracy(chosen.integrator, float(tol), chosen.first_step)


class Stepper(Protocol):
    """Advances the rows of a batch over intervals with held inputs."""

    def advance(self, batch: Batch) -> bool:
        """Advance the chosen rows of a batch, see `Batch`; return whether all succeeded."""


def stepper(structure: Structure, chosen: Accuracy, interval: float, n: int) -> Stepper:
    """Return the stepper of an accuracy for intervals of `interval` [s] and a batch of n rows."""
    if chosen.integrator in TABLEAUS:
        method = compiled(structure, chosen.integrator, 1 if n == 1 else LANES)
        control = Control(float(interval), chosen.first_step, chosen.tolerance)
        inputs = len(CONTROLS) + len(WEATHER) + len(PARAMETER_TABLE)
        return RosenbrockStepper(method, control, make_workspace(method, len(STATES), inputs))
    return CvodesStepper(reference_integrator(structure, float(interval), chosen.tolerance))


@functools.cache
def compiled(structure: Structure, integrator: str, lanes: int) -> Method:
    """Return the machine code of a method for a structure, loaded once a process."""

    def equations() -> tuple[Any, Any]:
        from agbench.simulators.greenlight.model import flux_function, rate_function

        return rate_function(structure), flux_function(structure, INTEGRATED)

    start = f"{__name__}:{compiled.__name__}"
    return kept_method(integrator, equations, SCALES, lanes, model=repr(structure), start=start)


@dataclass(frozen=True)
class RosenbrockStepper:
    """The compiled stepper; a row's result does not depend on the batch."""

    method: Method
    control: Control
    memory: Workspace

    def advance(self, batch: Batch) -> bool:
        """Advance the chosen rows of a batch."""
        return advance(self.method, self.control, self.memory, batch)


@functools.cache
def reference_integrator(structure: Structure, interval: float, tolerance: float) -> Any:
    """Return a `casadi.Function` (x, u, d, p) -> x and integrals after an interval, by CVODES.

    It integrates states over their scales; the integrals have no part in its choice of steps.
    """
    import casadi

    from agbench.simulators.greenlight.model import flux_function, rate_function

    rates, fluxes = rate_function(structure), flux_function(structure, INTEGRATED)
    x, u, d, p = rates.sx_in()
    scaled = casadi.SX.sym("z", len(STATES))
    inputs = casadi.vertcat(u, d, p)
    ode = rates(scaled * SCALES, u, d, p) / SCALES
    integrands = fluxes(scaled * SCALES, u, d, p)
    options = {"abstol": tolerance, "reltol": tolerance, "max_num_steps": 1_000_000}
    system = {"x": scaled, "p": inputs, "ode": ode, "quad": integrands}
    solver = casadi.integrator("cvodes", "cvodes", system, 0.0, interval, options)
    arguments = [casadi.MX.sym(str(i), part.numel()) for i, part in enumerate((x, u, d, p))]
    after = solver(x0=arguments[0] / SCALES, p=casadi.vertcat(*arguments[1:]))
    return casadi.Function("reference", arguments, [after["xf"] * SCALES, after["qf"]])


@dataclass(frozen=True)
class CvodesStepper:
    """SUNDIALS' CVODES, restarted at each interval; slow, for checking the others."""

    function: Any

    def advance(self, batch: Batch) -> bool:
        """Advance the chosen rows of a batch."""
        batch.integrals[batch.rows] = 0.0
        for row in batch.rows:
            last = min(batch.elapsed[row] + batch.steps, batch.horizon[row])
            while batch.elapsed[row] < last and not batch.failed[row]:
                self._step(batch, row)
        return not batch.failed[batch.rows].any()

    def _step(self, batch: Batch, row: int) -> None:
        """Advance one row by one interval, or mark it as failed."""
        place = int(batch.weather[row] + 8 * batch.width * batch.elapsed[row])
        weather = _at(place, batch.width)
        try:
            after, gained = self.function(
                batch.state[row], batch.controls[row], weather, batch.parameters[row]
            )
        except RuntimeError:  # CasADi's report of SUNDIALS' failures
            batch.failed[row] = True
            return
        batch.state[row] = np.array(after).ravel()
        batch.integrals[row] += np.array(gained).ravel()
        batch.elapsed[row] += 1


def _at(address: int, width: int) -> Floats:
    """Return the float64 array of `width` values that lies at an address."""
    return np.ctypeslib.as_array((ctypes.c_double * width).from_address(address))
