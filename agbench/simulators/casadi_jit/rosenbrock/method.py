"""Compiling the stepper of one model: from its equations to addresses that the driver calls."""

from collections.abc import Callable
from typing import Any

import numpy as np

from agbench.compiled.object_code import Facts, load_assembly, load_built
from agbench.errors import unknown
from agbench.simulators.casadi_jit.rosenbrock.driver import Method
from agbench.simulators.casadi_jit.rosenbrock.rodas3 import RODAS3
from agbench.simulators.casadi_jit.rosenbrock.rodas4 import RODAS4
from agbench.simulators.casadi_jit.rosenbrock.tableau import Tableau
from agbench.variables import Floats

TABLEAUS = {tableau.name: tableau for tableau in (RODAS3, RODAS4)}


def compile_method(name: str, rates: Any, scales: Floats, lanes: int, integrands: Any = None) -> Method:
    """Compile the named method for `rates`, an SX function (x, u, d, p) -> dx/dt.

    `scales` (n) are usual sizes of the states, to which the tolerance is relative; `lanes` rows are
    advanced at once. `integrands`, an SX function of the same arguments, are integrated over each call.
    """
    tableau = _tableau(name)
    text, facts = _assembly(tableau, rates, integrands, scales, lanes)
    return _method(tableau, load_assembly(text), facts)


def kept_method(
    name: str, equations: Callable[[], tuple[Any, Any]], scales: Floats, lanes: int, *, model: str, start: str
) -> Method:
    """As `compile_method`, without asking for `equations()`, rates and integrands, if their code is on disk.

    `start` is where the source of equations and scales begins, as `module:name`, and `model` names the values
    that they are made with; see `agbench.compiled.object_code.load_built`.
    """
    tableau = _tableau(name)
    address, facts = load_built(
        f"{name} of {lanes} lanes for {model}",
        start,
        ("casadi", "numpy"),
        lambda: _assembly(tableau, *equations(), scales, lanes),
    )
    return _method(tableau, address, facts)


def _tableau(name: str) -> Tableau:
    if name not in TABLEAUS:
        raise unknown("integrator", name, TABLEAUS)
    return TABLEAUS[name]


def _assembly(tableau: Tableau, rates: Any, integrands: Any, scales: Floats, lanes: int) -> tuple[str, Facts]:
    """Return the assembly of a method's programs, and the lengths of the arrays that they work on."""
    # Here, so that kept code is loaded without CasADi.
    from agbench.simulators.casadi_jit.machine_code import whole_assembly
    from agbench.simulators.casadi_jit.rosenbrock.programs import step_programs

    programs, sizes = step_programs(rates, integrands, tableau, scales)
    facts = {
        "lanes": lanes,
        "held": sizes.held,
        "jacobian": sizes.jacobian,
        "factors": sizes.factors,
        "integrals": sizes.integrals,
    }
    return whole_assembly(programs, lanes, fused=True), facts


def _method(tableau: Tableau, address: Callable[[str], int], facts: Facts) -> Method:
    fixed = ["prepare", "jacobian", "rates", "factor", "solve", "finish"]
    places = [int(address(program)) for program in fixed]
    places.append(int(address("integrate")) if facts["integrals"] else 0)
    places += [int(address(f"combine_{stage}")) for stage in range(1, tableau.stages)]
    return Method(
        addresses=np.array(places),
        fresh=np.array([tableau.new_rates(stage) for stage in range(tableau.stages)]),
        gamma=tableau.gamma,
        **facts,
    )
