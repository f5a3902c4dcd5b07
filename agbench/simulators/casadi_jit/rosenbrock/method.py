"""Compiling the stepper of one model: from its equations to addresses that the driver calls."""

from typing import Any

import numpy as np

from agbench.errors import unknown
from agbench.simulators.casadi_jit.machine_code import compile_programs
from agbench.simulators.casadi_jit.rosenbrock.driver import Method
from agbench.simulators.casadi_jit.rosenbrock.programs import step_programs
from agbench.simulators.casadi_jit.rosenbrock.rodas3 import RODAS3
from agbench.simulators.casadi_jit.rosenbrock.rodas4 import RODAS4
from agbench.variables import Floats

TABLEAUS = {tableau.name: tableau for tableau in (RODAS3, RODAS4)}


def compile_method(name: str, rates: Any, scales: Floats, lanes: int) -> Method:
    """Compile the named method for `rates`, an SX function (x, u, d, p) -> dx/dt.

    `scales` (n) are usual sizes of the states, to which the tolerance is relative; `lanes` rows are
    advanced at once.
    """
    if name not in TABLEAUS:
        raise unknown("integrator", name, TABLEAUS)
    tableau = TABLEAUS[name]
    programs, sizes = step_programs(rates, tableau, scales)
    result = compile_programs(programs, lanes, fused=True)
    fixed = ["prepare", "jacobian", "rates", "factor", "solve", "finish"]
    order = [*fixed, *(f"combine_{stage}" for stage in range(1, tableau.stages))]
    return Method(
        addresses=np.array([result[program] for program in order]),
        fresh=np.array([tableau.new_rates(stage) for stage in range(tableau.stages)]),
        gamma=tableau.gamma,
        lanes=lanes,
        held=sizes.held,
        jacobian=sizes.jacobian,
        factors=sizes.factors,
    )
