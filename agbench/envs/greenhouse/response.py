"""Response: more of a control or a set point moves energy, climate and growth as a grower expects."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data.greenhouse_task import GreenhouseTask
from agbench.envs.core import BatchCore, Parts
from agbench.envs.rollout import play
from agbench.errors import ContractError
from agbench.simulators.greenlight.metered import METERS, MeteredGreenhouse
from agbench.simulators.greenlight.variables import STATES, WEATHER
from agbench.variables import Floats

_DAYS: Final = 3
_SCENARIOS: Final = 4  # spread over the split, which may have thousands
_LEVELS: Final = 3  # lowest, middle, highest
_LEAST: Final = 1e-6  # of the largest value: what is less is rounding
_OF_MONEY: Final = ("profit", "scaled-profit")
_CARBOHYDRATES: Final = ("cBuf", "cFruit", "cLeaf", "cStem")

EXPECTED: Final[dict[str, tuple[str, ...]]] = {
    "uBoil": ("+heat", "+tAir", "+spent"),
    "uBoilGro": ("+heat", "+tAir", "+spent"),
    "uCo2": ("+co2", "+co2Air", "+growth", "+spent"),
    "uThScr": ("+tAir at night", "-light"),
    "uBlScr": ("+tAir at night", "-light"),
    "uVent": ("-tAir", "-vpAir"),
    "uLamp": ("+electricity", "+light", "+growth", "+tAir", "+spent"),
    "uIntLamp": ("+electricity", "+light", "+growth", "+tAir", "+spent"),
    "tSpDay": ("+heat", "+tAir", "+spent"),
    "tSpNight": ("+heat", "+tAir at night", "+spent"),
    "co2SpDay": ("+co2", "+co2Air", "+growth", "+spent"),
    "rhMax": ("+vpAir", "-heat"),
    "thScrSpDay": ("-heat", "-light"),
    "thScrSpNight": ("-heat",),
    "lampsOffSun": ("+electricity", "+light", "+growth", "+spent"),
}
"""What rises (+) and falls (-) with each control and set point.

`heat`, `electricity`, `co2` and `light` are what `METERS` count; `growth` is that of all carbohydrates of
the crop, harvested ones too; `spent` [EUR m-2] is what energy and CO2 cost; the rest are means over the days.
Sources: the equations of GreenLight (Katzin 2021, chapter 7): a screen keeps warmth in and light out, vents
let heat and vapour go, drier air asks for more venting and so for more heat.
"""


_USUAL: Final = {
    "uBoil": 0.4,
    "uBoilGro": 0.2,
    "uCo2": 0.1,
    "uThScr": 0.0,
    "uVent": 0.05,
    "uLamp": 0.0,
    "uBlScr": 0.0,
    "uIntLamp": 0.0,
}
"""Shares of capacity at which controls are held: some heat, closed vents, no lamps, no screens."""


@dataclass(frozen=True)
class GreenhouseResponse:
    """What a quantity was at the lowest and the highest level of a control, in each scenario.

    `values` are (levels, scenarios), `sign` the direction that is expected.
    """

    name: str
    quantity: str
    sign: int
    scenarios: tuple[str, ...]
    levels: tuple[float, ...]
    values: Floats

    @property
    def strongest(self) -> int:
        """The scenario with the largest change in the expected direction."""
        return int(np.argmax(self.sign * (self.values[-1] - self.values[0])))

    @property
    def shown(self) -> bool:
        """Whether the quantity moves as expected in some scenario, by more than rounding."""
        change = self.sign * (self.values[-1] - self.values[0])
        return bool((change > _LEAST * np.abs(self.values).max()).any())

    @property
    def turns(self) -> tuple[int, int] | None:
        """The level and scenario from which it moves the other way; None where it never does."""
        steps = self.sign * np.diff(self.values, axis=0)
        wrong = np.argwhere(steps < -_LEAST * np.abs(self.values).max())
        return None if not len(wrong) else (int(wrong[0][0]), int(wrong[0][1]))


def check(task: GreenhouseTask, parts: Parts) -> None:
    """Every control or set point moves what it is there for, in the direction that a grower expects.

    Seen in four scenarios of the split over three days, with the others held in the middle. Each quantity of
    `EXPECTED` must move as it says in at least one scenario: a screen against frost saves no heat in July.
    Tasks that are not about money have no costs.
    What a control itself uses (heat of the boiler, electricity of lamps, CO2) may never fall as it rises.
    Raises `ContractError` for a control that does not do so.
    """
    for one in responses(task, parts):
        if not one.shown:
            _refuse(task, one)
        if one.quantity in METERS and one.sign > 0 and one.turns is not None:
            _refuse_turn(task, one, *one.turns)


def _refuse(task: GreenhouseTask, one: GreenhouseResponse) -> None:
    """Say which quantity a control does not move as expected."""
    raises = "raises" if one.sign > 0 else "lowers"
    raise ContractError(
        f"{task.task}: {one.name} from {one.levels[0]:g} to {one.levels[-1]:g} {raises} {one.quantity} in no "
        f"scenario: {_written(one.values[0])} becomes {_written(one.values[-1])} in "
        f"{', '.join(one.scenarios)}."
    )


def _refuse_turn(task: GreenhouseTask, one: GreenhouseResponse, level: int, scenario: int) -> None:
    """Say from which level on a control uses less of what it uses."""
    before, after = one.values[level : level + 2, scenario]
    unit, (low, high) = METERS[one.quantity].unit, one.levels[level : level + 2]
    raise ContractError(
        f"{task.task}: {one.quantity} falls from {before:g} to {after:g} {unit} as {one.name} rises from "
        f"{low:g} to {high:g} in {one.scenarios[scenario]}."
    )


def responses(task: GreenhouseTask, parts: Parts) -> list[GreenhouseResponse]:
    """Return how each expected quantity answers to each control or set point of a task's actions."""
    keys, names = _spread(parts.scenarios.keys), parts.actions.names
    levels = {name: _levels(parts, name) for name in names}
    core, seen = _played(parts, keys, levels)
    shape = (len(names), _LEVELS, len(keys))
    measured = {name: values.reshape(shape) for name, values in _quantities(core, seen).items()}
    result = []
    for i, name in enumerate(names):
        for expected in EXPECTED[name]:
            quantity, sign = expected[1:], 1 if expected[0] == "+" else -1
            if quantity == "spent" and task.reward.kind not in _OF_MONEY:
                continue
            values = measured[quantity][i]
            result.append(GreenhouseResponse(name, quantity, sign, keys, levels[name], values))
    return result


def _spread(keys: Sequence[str]) -> tuple[str, ...]:
    """Return some scenarios, evenly spread over all."""
    places = np.unique(np.linspace(0, len(keys) - 1, _SCENARIOS).astype(int))
    return tuple(keys[place] for place in places)


def _levels(parts: Parts, name: str) -> tuple[float, ...]:
    """Return the lowest, the middle and the highest value that actions give."""
    low, high = (parts.actions.nearest(name, end)[0] for end in (-1e9, 1e9))
    middle = parts.actions.nearest(name, 0.5 * (low + high))[0]
    return low, middle, high


class _Seen:
    """Sums of the indoor climate over the intervals so far, by day and by night."""

    def __init__(self, simulator: MeteredGreenhouse) -> None:
        self.total: Floats = np.zeros((2, *simulator.state.shape))
        self.count: Floats = np.zeros((2, simulator.n))
        self.start: Floats = simulator.state.copy()

    def look(self, simulator: MeteredGreenhouse) -> None:
        """Add what is now; it is day where the sun shines."""
        sun = simulator.forecast(np.array([0]), np.array([WEATHER.column("iGlob")]))[:, 0, 0]
        day = (sun > 0.0).astype(int)
        rows = np.arange(simulator.n)
        self.total[day, rows] += simulator.state
        self.count[day, rows] += 1.0


def _played(
    parts: Parts, keys: Sequence[str], levels: dict[str, tuple[float, ...]]
) -> tuple[BatchCore, _Seen]:
    """Run every level of every control in every scenario side by side, (controls, levels, scenarios)."""
    names, actions = list(levels), parts.actions
    core = BatchCore(parts, len(names) * _LEVELS * len(keys))
    for row in range(core.n):
        core.seed(row, parts.task.protocol.seed)
    core.reset(range(core.n), list(keys) * (len(names) * _LEVELS))
    target = np.array([[_held(name, levels[name]) for name in names]] * core.n)
    for row in range(core.n):
        control, level = divmod(row // len(keys), _LEVELS)
        target[row, control] = levels[names[control]][level]
    simulator = core.simulator
    assert isinstance(simulator, MeteredGreenhouse)
    seen = _Seen(simulator)

    def act(_: Any, __: int) -> NDArray[Any]:
        seen.look(simulator)
        return actions.actions_of(target, actions.present(core))

    intervals = _DAYS * 86_400 // int(simulator.interval)
    play(core, act, intervals // parts.task.step)
    return core, seen


def _held(name: str, levels: tuple[float, ...]) -> float:
    """Return where a control stays while another is tried."""
    low, middle, high = levels
    return low + _USUAL[name] * (high - low) if name in _USUAL else middle


def _quantities(core: BatchCore, seen: _Seen) -> dict[str, Floats]:
    """Return what `EXPECTED` speaks of, (rows,) each."""
    simulator = core.simulator
    assert isinstance(simulator, MeteredGreenhouse)
    meters = dict(zip(METERS.names, simulator.meters.T, strict=True))
    mean = seen.total.sum(axis=0) / seen.count.sum(axis=0)[:, None]
    night = seen.total[0] / np.maximum(seen.count[0], 1.0)[:, None]
    means = {name: mean[:, STATES.column(name)] for name in ("tAir", "vpAir", "co2Air")}
    carbohydrates = STATES.columns(_CARBOHYDRATES)
    grown = (simulator.state - seen.start)[:, carbohydrates].sum(axis=1) + meters["harvest"]
    more = {
        "tAir at night": night[:, STATES.column("tAir")],
        "growth": grown,
        "spent": core.reward.totals["spent"],
    }
    return meters | means | more


def _written(values: Floats) -> str:
    return ", ".join(f"{value:.4g}" for value in values)
