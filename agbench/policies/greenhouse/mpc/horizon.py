"""The data of a plan: weather of its intervals, prices, limits, and the value of its final state."""

from itertools import pairwise
from typing import Any, Final

import casadi
import numpy as np

from agbench.data.greenhouse_reward import PRICED
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.envs.greenhouse.accounts import MG
from agbench.envs.greenhouse.worlds import GreenhouseWorld
from agbench.errors import ConfigError
from agbench.policies.greenhouse.mpc.interval import HELD, LIMITED, MOVING, SCALE, Layout
from agbench.policies.greenhouse.mpc.nonlinear_program import Bounds
from agbench.policies.greenhouse.mpc.settings import INTERVAL, PredictiveSettings
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE
from agbench.simulators.greenlight.variables import STATES
from agbench.variables import Floats

HOUR: Final = 3600
_MOVING: Final = STATES.columns(MOVING)
_HELD: Final = STATES.columns(HELD)
_SPENDING: Final = 6 * HOUR  # s, about the time in which the crop's buffer is turned into growth
_FRUIT, _CO2, _HEAT, _LIGHT = range(len(PRICED))


def _at(world: GreenhouseWorld, steps: Any) -> Floats:
    """Return the prices (n, 4) in force at some steps of the episode, in the order of `PRICED`."""
    result: Floats = world.prices[np.minimum(steps * INTERVAL // HOUR, len(world.prices) - 1)]
    return result


def limits(task: GreenhouseTask) -> tuple[tuple[float, float, float], ...]:
    """Return low, high and full scale of what is limited."""
    spec = task.constraints
    chosen = dict(zip(LIMITED, (spec.temperature, spec.co2, spec.humidity), strict=True))
    return tuple((limit.low, limit.high, limit.full_scale) for limit in chosen.values())


class Horizon:
    """A task's plans: the lengths of their intervals and what they are paid by."""

    def __init__(
        self, task: GreenhouseTask, settings: PredictiveSettings, layout: Layout, change: float
    ) -> None:
        if task.reward.kind != "profit":
            raise ConfigError(
                f"an mpc policy plans for profit; the reward of {task.task} is {task.reward.kind}. Set "
                "reward.kind to profit."
            )
        odd = [n for n in (*settings.lengths, settings.commit_steps) if n % task.step]
        if odd:
            raise ConfigError(
                f"{odd[0] * INTERVAL // 60} min in 'grid' or 'commit' is not a multiple of the "
                f"task's step, {task.episode.step}."
            )
        self._reward = task.reward
        self._lengths = settings.lengths
        self._wear = settings.wear
        self._change = change
        self._layout = layout
        self.end = task.episode.intervals
        """Model steps of the episode."""

    def nodes(self, now: int) -> Any:
        """Return the steps from `now` at which intervals begin and end, (intervals + 1,).

        What would lie beyond the episode's end is put there: such intervals have no length.
        """
        return np.minimum(np.cumsum([0, *self._lengths]), self.end - now)

    def worth(self, world: GreenhouseWorld, state: Floats, last: int) -> Floats:
        """Return what a unit of each state, (28,), is worth at step `last` of the episode [EUR m-2].

        Fruit at its mean price until the episode's end, less what it will respire until then; buffer by
        the part of it that becomes fruit (Vanthoor 2011, Eq. 9.24 and 9.43-9.45, at potential rates).
        """
        p = dict(zip(PARAMETER_TABLE.names, world.parameters.tolist(), strict=True))
        left = (self.end - last) * INTERVAL
        warmth = p["q10m"] ** (0.1 * (state[STATES.column("tCan24")] - 25.0))
        rate = p["cFruitM"] * (1.0 - np.exp(-p["cRgr"] * p["rgr"])) * warmth
        organs = ("Fruit", "Leaf", "Stem")
        spent = sum(p[f"rg{organ}"] * (1.0 + p[f"c{organ}G"]) for organ in organs)
        result = np.zeros(len(STATES))
        price = _at(world, np.arange(last, max(self.end, last + 1)))[:, _FRUIT].mean()
        fruit = price / (MG * self._reward.dry_matter) * np.exp(-rate * left)
        result[STATES.column("cFruit")] = fruit
        result[STATES.column("cBuf")] = fruit * p["rgFruit"] / spent * (1.0 - np.exp(-left / _SPENDING))
        return result

    def parameters(self, world: GreenhouseWorld, state: Floats, controls: Floats, now: int) -> Floats:
        """Return the program's parameters for a plan from step `now` on."""
        nodes = self.nodes(now)
        count = len(nodes) - 1
        rows = np.zeros((count, self._layout.data))
        rows[:, 0] = np.diff(nodes) * INTERVAL / HOUR
        for i in range(count):
            first = min(now + nodes[i], len(world.weather) - 1)
            rows[i, 1 : 1 + world.weather.shape[1]] = world.weather[
                first : max(now + nodes[i + 1], first + 1)
            ].mean(axis=0)
        at = 1 + world.weather.shape[1]
        rows[:, at : at + len(HELD)] = state[_HELD]
        at += len(HELD)
        prices = self._prices(world, now + nodes)
        rows[:, at : at + prices.shape[1]] = prices
        rows[-1, at + prices.shape[1] :] = self.worth(world, state, now + nodes[-1])[_MOVING] * SCALE
        return np.concatenate([controls, state[_MOVING] / SCALE, rows.ravel()])

    def _prices(self, world: GreenhouseWorld, nodes: Any) -> Floats:
        """Return `interval.PRICES` of each interval."""
        p = dict(zip(PARAMETER_TABLE.names, world.parameters.tolist(), strict=True))
        heat = p["pBoil"] / p["aFlr"] / 1e3
        light = p["thetaLampMax"] / 1e3
        co2 = p["phiExtCo2"] / p["aFlr"] * HOUR / MG
        result = []
        for first, last in pairwise(nodes):
            paid = _at(world, np.arange(first, max(last, first + 1))).mean(axis=0)
            result.append(
                [heat * paid[_HEAT], light * paid[_LIGHT], co2 * paid[_CO2], self._reward.penalty, self._wear]
            )
        return np.array(result)

    def bounds(self, now: int) -> Bounds:
        """Return the bounds of variables and constraints of a plan from step `now` on."""
        layout, steps = self._layout, np.diff(self.nodes(now))
        n_u, count = len(layout.controls), len(steps)
        slack = n_u + layout.points * layout.states
        low, high = np.full((count, layout.own), -np.inf), np.full((count, layout.own), np.inf)
        low[:, :n_u], high[:, :n_u], low[:, slack:] = 0.0, 1.0, 0.0
        low_rows, high_rows = np.zeros((count, layout.rows)), np.zeros((count, layout.rows))
        high_rows[:, layout.defects :] = np.inf
        largest = np.minimum(steps * self._change, 1.0)[:, None]
        low_rows[:, -n_u:], high_rows[:, -n_u:] = -largest, largest
        return Bounds(low.ravel(), high.ravel(), low_rows.ravel(), high_rows.ravel())

    def guess(self, states: Floats, controls: Floats, now: int) -> Floats:
        """Return the variables (intervals, own) of a trajectory of states and controls, step by step."""
        layout, nodes = self._layout, self.nodes(now)
        n_u, n_x = len(layout.controls), layout.states
        result = np.zeros((len(nodes) - 1, layout.own))
        result[:, :n_u] = controls[nodes[1:]]
        taus = casadi.collocation_points(layout.points, "radau")
        for j, tau in enumerate(taus):
            at = nodes[:-1] + tau * np.diff(nodes)
            low = np.floor(at).astype(int)
            high, part = np.minimum(low + 1, len(states) - 1), (at - low)[:, None]
            between = (1.0 - part) * states[low] + part * states[high]
            result[:, n_u + j * n_x : n_u + (j + 1) * n_x] = between[:, _MOVING] / SCALE
        return result
