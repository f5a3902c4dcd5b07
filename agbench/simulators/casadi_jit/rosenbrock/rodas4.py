"""RODAS4: six stages, order 4, stiffly accurate, with an embedded method of order 3.

Hairer and Wanner (1996), Solving Ordinary Differential Equations II: Stiff and
Differential-Algebraic Problems, 2nd edition, Section VI.4 (method RODAS).
"""

from agbench.simulators.casadi_jit.rosenbrock.tableau import Tableau

_FIFTH = (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950)

RODAS4 = Tableau(
    name="rodas4",
    gamma=0.25,
    a=(
        (),
        (1.544,),
        (0.9466785280815826, 0.2557011698983284),
        (3.314825187068521, 2.896124015972201, 0.9986419139977817),
        _FIFTH,
        (*_FIFTH, 1.0),
    ),
    c=(
        (),
        (-5.6688,),
        (-2.430093356833875, -0.2063599157091915),
        (-0.1073529058151375, -9.594562251023355, -20.47028614809616),
        (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160),
        (8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054),
    ),
    m=(*_FIFTH, 1.0, 1.0),
    e=(0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    order=4,
)
