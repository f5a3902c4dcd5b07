"""One interval of the plan, symbolically: collocation, limits, money, and their derivatives.

Direct collocation at Radau points (Biegler 2010, Nonlinear Programming, Chapter 10): over an interval each
state is a polynomial through the interval's start and its collocation points, the last of which is the
interval's end. Controls run linearly from the interval's start to its end, as increments can follow.
"""

from dataclasses import dataclass
from typing import Any, Final

import casadi
import numpy as np

from agbench.simulators.greenlight.crop.photosynthesis import co2_in_ppm
from agbench.simulators.greenlight.model import rate_function
from agbench.simulators.greenlight.presets import Structure
from agbench.simulators.greenlight.smooth import saturation_pressure
from agbench.simulators.greenlight.variables import CONTROLS, SCALES, STATES, WEATHER, initial_state
from agbench.variables import Floats

HELD: Final = ("tIntLamp", "tGroPipe", "tSo3", "tSo4", "tSo5", "cStem", "tCanSum", "time")
"""States that hardly move within a horizon or touch nothing that is paid: held as they are."""
MOVING: Final = tuple(name for name in STATES.names if name not in HELD)
SCALE: Final = SCALES[STATES.columns(MOVING)]
_USUAL_WEATHER: Final = np.array([200.0, 5.0, 700.0, 740.0, 4.0, -5.0, 10.0, 8.0, 1.0, 1.0])
LIMITED: Final = ("tAir", "co2_ppm", "rh")
PRICES: Final = ("heat", "electricity", "co2", "penalty", "wear")
"""What an interval is paid by: EUR m-2 for an hour of heat, lamps and CO2 at capacity and of full
violation, and EUR m-2 for the square of a full change of a control."""


@dataclass(frozen=True)
class Layout:
    """The sizes of an interval's parts."""

    points: int
    """Collocation points of an interval."""
    controls: tuple[str, ...]

    @property
    def states(self) -> int:
        """Number of states that move."""
        return len(MOVING)

    @property
    def before(self) -> int:
        """Length of what comes before: controls and states at the start."""
        return len(self.controls) + self.states

    @property
    def own(self) -> int:
        """Length of the interval's own variables: controls at its end, states, violations."""
        return len(self.controls) + self.points * (self.states + len(LIMITED))

    @property
    def defects(self) -> int:
        """Number of collocation equations, which come first among the constraints."""
        return self.points * self.states

    @property
    def rows(self) -> int:
        """Number of constraints: collocation, both sides of the limits, change of controls."""
        return self.defects + 2 * self.points * len(LIMITED) + len(self.controls)

    @property
    def data(self) -> int:
        """Length of the data of an interval.

        Its length [h], weather, held states, prices, value of the states at its end.
        """
        return 1 + len(WEATHER) + len(HELD) + len(PRICES) + self.states


@dataclass(frozen=True)
class ControlInterval:
    """An interval's functions of (before, own, data[, multipliers]).

    `value`: cost and constraints; `slope`: gradient of the cost and Jacobian by (before, own);
    `curvature`: upper triangle of the Hessian of cost times sigma plus multipliers times constraints.
    """

    layout: Layout
    value: Any
    gradient: Any
    slope: Any
    curvature: Any


def interval(
    structure: Structure, parameters: Floats, layout: Layout, limits: tuple[tuple[float, float, float], ...]
) -> ControlInterval:
    """Return the functions of an interval; `limits` are low, high and full scale of `LIMITED`."""
    before = casadi.SX.sym("before", layout.before)
    own = casadi.SX.sym("own", layout.own)
    data = casadi.SX.sym("data", layout.data)
    rates = _rates(structure, parameters, layout.controls)
    cost, rows = _equations(rates, _speeds(rates), layout, limits, before, own, data)
    every = casadi.vertcat(before, own)
    sigma, multipliers = casadi.SX.sym("sigma"), casadi.SX.sym("multipliers", layout.rows)
    lagrangian = sigma * cost + casadi.dot(multipliers, rows)
    hessian = casadi.triu(casadi.jacobian(casadi.gradient(lagrangian, every), every))
    arguments = [before, own, data]
    return ControlInterval(
        layout,
        casadi.Function("value", arguments, [cost, casadi.cse(rows)]),
        casadi.Function("gradient", arguments, [casadi.gradient(cost, every)]),
        casadi.Function("slope", arguments, [casadi.cse(casadi.jacobian(rows, every))]),
        casadi.Function("curvature", [*arguments, sigma, multipliers], [casadi.cse(hessian)]),
    )


def _rates(structure: Structure, parameters: Floats, controls: tuple[str, ...]) -> Any:
    """Return the rates of moving states [scale h-1], a function of (moving, held, controls, weather)."""
    full = rate_function(structure)
    moving = casadi.SX.sym("moving", len(MOVING))
    held = casadi.SX.sym("held", len(HELD))
    some = casadi.SX.sym("controls", len(controls))
    weather = casadi.SX.sym("weather", len(WEATHER))
    x, u = casadi.SX.zeros(len(STATES)), casadi.SX.zeros(len(CONTROLS))
    x[STATES.columns(MOVING).tolist()] = moving * SCALE
    x[STATES.columns(HELD).tolist()] = held
    u[CONTROLS.columns(controls).tolist()] = some
    rates = full(x, u, weather, parameters)[STATES.columns(MOVING).tolist()]
    return casadi.Function("rates", [moving, held, some, weather], [rates / SCALE * 3600.0])


def _speeds(rates: Any) -> Floats:
    """Return how fast each moving state comes to rest on a usual day [h-1], to weigh its equation with."""
    moving, held, controls, weather = rates.sx_in()
    own = casadi.diag(casadi.jacobian(rates(moving, held, controls, weather), moving))
    at = casadi.Function("speeds", [moving, held, controls, weather], [own])
    state = initial_state(_USUAL_WEATHER)
    half = np.full(controls.numel(), 0.5)
    result = at(state[STATES.columns(MOVING)] / SCALE, state[STATES.columns(HELD)], half, _USUAL_WEATHER)
    speeds: Floats = np.abs(np.array(result).ravel())
    return speeds


def _equations(
    rates: Any,
    speeds: Floats,
    layout: Layout,
    limits: tuple[tuple[float, float, float], ...],
    before: Any,
    own: Any,
    data: Any,
) -> tuple[Any, Any]:
    """Return cost and constraints of an interval."""
    n_u, n_x, points = len(layout.controls), layout.states, layout.points
    start_u, start_x = _split(before, n_u, n_x)
    end_u, flat, slack = _split(own, n_u, points * n_x, points * len(LIMITED))
    states, slacks = casadi.reshape(flat, n_x, points), casadi.reshape(slack, len(LIMITED), points)
    hours, weather, held, prices, worth = _split(data, 1, len(WEATHER), len(HELD), len(PRICES), n_x)
    taus = casadi.collocation_points(points, "radau")
    slopes, _, weights = casadi.collocation_coeff(taus)
    derivatives = casadi.horzcat(start_x, states) @ slopes
    defects, above, below = [], [], []
    violation: Any = 0.0
    for j, tau in enumerate(taus):
        u = start_u + tau * (end_u - start_u)
        defect = derivatives[:, j] - hours * rates(states[:, j], held, u, weather)
        defects.append(defect / (1.0 + hours * speeds))
        measured = _measured(states[:, j])
        for i, (low, high, scale) in enumerate(limits):
            above.append((measured[i] - low) / scale + slacks[i, j])
            below.append((high - measured[i]) / scale + slacks[i, j])
        violation += weights[j] * casadi.sum1(slacks[:, j])
    change = end_u - start_u
    mean = start_u + 0.5 * change
    money = [prices[PRICES.index("penalty")] * violation * hours]
    for name, control in (("heat", "uBoil"), ("electricity", "uLamp"), ("co2", "uCo2")):
        if control in layout.controls:
            money.append(prices[PRICES.index(name)] * mean[layout.controls.index(control)] * hours)
    wear = prices[PRICES.index("wear")] * casadi.sumsqr(change)
    cost = sum(money) + wear - casadi.dot(worth, states[:, -1])
    return cost, casadi.vertcat(*defects, *above, *below, change)


def _split(column: Any, *sizes: int) -> list[Any]:
    """Return a column's consecutive parts of the given sizes."""
    parts: Any = casadi.vertsplit(column, np.cumsum([0, *sizes]).tolist())
    return list(parts)


def _measured(moving: Any) -> Any:
    """Return temperature [degC], CO2 [ppm] and relative humidity [%] of the air."""
    x = {name: moving[i] * SCALE[i] for i, name in enumerate(MOVING)}
    humidity = 100.0 * x["vpAir"] / saturation_pressure(x["tAir"])
    return casadi.vertcat(x["tAir"], co2_in_ppm(x["co2Air"], x["tAir"]), humidity)
