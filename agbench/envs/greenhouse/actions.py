"""Actions in a greenhouse: controls by increment or outright, and set points."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.data.greenhouse_task import Period
from agbench.errors import ActionError, ConfigError
from agbench.simulators.greenlight.climate_computer import MEASURED
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.simulators.greenlight.setpoints import SETPOINTS, SetpointGreenhouse
from agbench.simulators.greenlight.variables import CONTROLS
from agbench.variables import Booleans, Floats

if TYPE_CHECKING:
    from agbench.envs.core import BatchCore

_IS_DAY: Final = MEASURED.column("isDay")
_ROUNDING: Final = 1e-6  # a float32 may miss the edge of the space by its last bits


class Controls:
    """Controls of the equipment: [-1, 1] is 0 .. 1 of each, or a change by up to `rate`."""

    def __init__(self, names: Sequence[str], rate: float | None) -> None:
        self.names = list(names)
        self.rate = rate
        """Greatest change of a step; None where controls are set outright."""
        self._columns = CONTROLS.columns(self.names)
        self.space: spaces.Space[Any] = spaces.Box(-1.0, 1.0, (len(names),), np.float32)

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the controls (n, 8) that actions (n, controls) lead to."""
        said = _within(actions, len(self.names))
        found = np.zeros((len(said), len(CONTROLS)))
        if self.rate is None:
            found[:, self._columns] = (said + 1.0) * 0.5
            return found
        if core is not None:
            found[:] = _greenhouse(core).controls
        found[:, self._columns] = np.clip(found[:, self._columns] + self.rate * said, 0.0, 1.0)
        return found

    def encode(self, name: str, wanted: float) -> tuple[NDArray[np.float32], float]:
        """Return the action that brings one control to `wanted` at most, from 0, others at 0."""
        given = min(wanted, 1.0 if self.rate is None else self.rate)
        action = np.full(len(self.names), -1.0, dtype=np.float32)
        action[self.names.index(name)] = 2.0 * given - 1.0 if self.rate is None else given / self.rate
        return action, given

    def describe(self) -> list[str]:
        """Return what each component does."""
        how = "0 to 1 of" if self.rate is None else f"-{self.rate:g} to +{self.rate:g} of"
        return [f"{how} {name} ({CONTROLS[name].meaning})" for name in self.names]


class TemperatureMenu:
    """One temperature of a menu, for the heating set point of the day or night that it is.

    It is day `inside` as the climate computer sees it, in which the lamps' hours of a dull day count,
    or `outside`, from sunrise to sunset, as in GreenLightPlus. There a choice before dawn goes to the
    night's set point while the day's is in force, and does nothing.
    """

    def __init__(self, temperatures: Sequence[float], rules: Mapping[str, float], period: Period) -> None:
        self.names = ["tSpDay", "tSpNight"]
        self._menu: Floats = np.array(temperatures)
        self._usual: Floats = np.array([rules[name] for name in SETPOINTS.names])
        self._columns = SETPOINTS.columns(self.names)
        self._period = period
        self.space: spaces.Space[Any] = spaces.Discrete(len(temperatures))

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the set points (n, 7) of n menu numbers; the other temperature stays as it was."""
        chosen = np.asarray(actions)
        if chosen.dtype.kind not in "iu" or chosen.ndim != 1:
            raise ActionError(f"action {actions!r} is no whole number from 0 to {len(self._menu) - 1}.")
        if chosen.size and (chosen.min() < 0 or chosen.max() >= len(self._menu)):
            raise ActionError(
                f"action {actions!r} lies outside the menu of {len(self._menu)} temperatures: "
                f"{', '.join(f'{t:g} degC' for t in self._menu)}."
            )
        found = np.tile(self._usual, (len(chosen), 1))
        day, night = self._columns
        light = np.ones(len(chosen), dtype=np.bool_)
        if core is not None:
            greenhouse = _greenhouse(core)
            started = greenhouse.told[:, day] > 0.0
            for column in (day, night):
                found[started, column] = greenhouse.told[started, column]
            light = self._is_day(greenhouse)
        found[light, day] = self._menu[chosen[light]]
        found[~light, night] = self._menu[chosen[~light]]
        return found

    def _is_day(self, greenhouse: MeteredGreenhouse) -> Booleans:
        if self._period == "outside":
            return greenhouse.measured()[:, _IS_DAY] > 0.0
        assert isinstance(greenhouse, SetpointGreenhouse)
        return greenhouse.day_inside() >= 0.5

    def encode(self, name: str, wanted: float) -> tuple[int, float]:
        """Return the number of the highest temperature that is not above `wanted`."""
        fitting = np.flatnonzero(self._menu <= wanted)
        best = int(fitting[np.argmax(self._menu[fitting])]) if len(fitting) else int(np.argmin(self._menu))
        return best, float(self._menu[best])

    def describe(self) -> list[str]:
        """Return the temperature of each menu number."""
        return [f"{t:g} degC" for t in self._menu]


class SetPoints:
    """Set points of the climate computer: each component in [-1, 1] is the range of one."""

    def __init__(self, ranges: Mapping[str, Sequence[float]], rules: Mapping[str, float]) -> None:
        self.names = list(ranges)
        self._columns = SETPOINTS.columns(self.names)
        self._usual: Floats = np.array([rules[name] for name in SETPOINTS.names])
        self._low: Floats = np.array([ends[0] for ends in ranges.values()])
        self._width: Floats = np.array([ends[1] - ends[0] for ends in ranges.values()])
        for name, ends in ranges.items():
            if ends[0] < SETPOINTS[name].low or ends[1] > SETPOINTS[name].high:
                raise ConfigError(
                    f"action.ranges: {name} must lie within {SETPOINTS[name].low:g} to "
                    f"{SETPOINTS[name].high:g} {SETPOINTS[name].unit}."
                )
        self.space: spaces.Space[Any] = spaces.Box(-1.0, 1.0, (len(ranges),), np.float32)

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the set points (n, 7) of n actions."""
        said = _within(actions, len(self.names))
        found = np.tile(self._usual, (len(said), 1))
        found[:, self._columns] = self._low + (said + 1.0) * 0.5 * self._width
        return found

    def encode(self, name: str, wanted: float) -> tuple[NDArray[np.float32], float]:
        """Return the action with one set point at `wanted`, or the end of its range before it."""
        i = self.names.index(name)
        share = min(max((wanted - self._low[i]) / self._width[i], 0.0), 1.0)
        action = np.full(len(self.names), -1.0, dtype=np.float32)
        action[i] = 2.0 * share - 1.0
        return action, float(self._low[i] + share * self._width[i])

    def describe(self) -> list[str]:
        """Return the range of each component."""
        ends = zip(self.names, self._low, self._low + self._width, strict=True)
        return [f"{low:g} to {high:g} {SETPOINTS[name].unit} {name}" for name, low, high in ends]


def _greenhouse(core: "BatchCore") -> MeteredGreenhouse:
    simulator = core.simulator
    assert isinstance(simulator, MeteredGreenhouse)
    return simulator


def _within(actions: Any, width: int) -> Floats:
    """Return actions as float64 (n, width); refuse what lies outside [-1, 1]."""
    try:
        said: Floats = np.asarray(actions, dtype=np.float32).astype(np.float64)
    except (TypeError, ValueError):
        raise ActionError(f"action {actions!r} is not {width} numbers from -1 to 1.") from None
    if said.ndim != 2 or said.shape[1] != width:
        raise ActionError(f"actions have the shape {said.shape[1:]}; the space wants ({width},).")
    inside = np.abs(said) <= 1.0 + _ROUNDING
    if not inside.all():
        raise ActionError(f"action component {said[~inside][0]:g} lies outside [-1, 1].")
    clipped: Floats = np.clip(said, -1.0, 1.0)
    return clipped
