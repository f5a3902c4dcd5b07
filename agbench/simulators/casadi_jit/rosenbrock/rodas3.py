"""RODAS3: four stages, order 3, stiffly accurate, three evaluations of the equations a step.

Sandu, Verwer, Blom, Spee, Carmichael and Potra (1997), Benchmarking stiff ODE solvers for
atmospheric chemistry problems II: Rosenbrock solvers. Atmospheric Environment 31, 3459-3472.
"""

from agbench.simulators.casadi_jit.rosenbrock.tableau import Tableau

RODAS3 = Tableau(
    name="rodas3",
    gamma=0.5,
    a=((), (0.0,), (2.0, 0.0), (2.0, 0.0, 1.0)),
    c=((), (4.0,), (1.0, -1.0), (1.0, -1.0, -8 / 3)),
    m=(2.0, 0.0, 1.0, 1.0),
    e=(0.0, 0.0, 0.0, 1.0),
    order=3,
)
