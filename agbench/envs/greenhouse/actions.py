"""Actions in a greenhouse: controls by increment or by absolute value, and set points."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.data.greenhouse_task import Period
from agbench.envs.actions import Ranges, as_array, neighbours, place, written
from agbench.errors import ActionError, ConfigError
from agbench.simulators.greenlight.climate_computer import MEASURED
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.simulators.greenlight.setpoints import SETPOINTS, SetpointGreenhouse
from agbench.simulators.greenlight.variables import CONTROLS
from agbench.variables import Booleans, Floats

if TYPE_CHECKING:
    from agbench.envs.core import BatchCore

_IS_DAY: Final = MEASURED.column("isDay")


class Controls(Ranges):
    """Controls of the equipment: [-1, 1] is 0 .. 1 of each, or a change by up to `rate`."""

    def __init__(self, names: Sequence[str], rate: float | None) -> None:
        super().__init__(CONTROLS, dict.fromkeys(names, (0.0, 1.0 if rate is None else rate)))
        self.columns = self._columns
        """Where they stand among the model's controls."""
        self.rate = rate
        """Greatest change of a step; None where controls are set outright."""
        if rate is not None:
            self.reads = self.names
        how = "0 to 1 of" if rate is None else f"-{rate:g} to +{rate:g} of"
        self._labels = [f"{how} {name} ({CONTROLS[name].meaning})" for name in names]

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the controls (n, 8) that actions (n, controls) lead to, from 0 without a `core`."""
        chosen = self._inside(actions)
        if self.rate is None or core is None:
            controls = np.zeros((len(chosen), len(CONTROLS)))
        else:
            controls = _greenhouse(core).controls.copy()
        controls[:, self.columns] = self.moved(chosen, controls[:, self.columns])
        return controls

    def present(self, core: "BatchCore") -> Floats:
        """Return the controls that are in force, (n, controls), where actions change them; else (n, 0)."""
        if self.rate is None:
            return super().present(core)
        controls: Floats = _greenhouse(core).controls[:, self.columns]
        return controls

    def nearest(self, name: str, target: float) -> list[float]:
        """Return `target`, or the nearest end of a control's range, which takes increments some steps."""
        place(self, name)
        return [min(max(target, 0.0), 1.0)]

    def moved(self, chosen: Floats, present: Floats) -> Floats:
        """Return the controls that actions in [-1, 1] lead to from `present` ones, both (n, controls)."""
        if self.rate is None:
            return (chosen + 1.0) * 0.5
        controls: Floats = np.clip(present + self.rate * chosen, 0.0, 1.0)
        return controls

    def actions_of(self, target: Floats, present: Floats | None = None) -> NDArray[np.float32]:
        """Return the actions (n, controls) that bring controls to, or towards, `target`."""
        if self.rate is None:
            return super().actions_of(target)
        change = (target - (0.0 if present is None else present)) / self.rate
        actions: NDArray[np.float32] = np.clip(change, -1.0, 1.0).astype(np.float32)
        return actions


class TemperatureMenu:
    """One temperature of a menu, for the heating set point of the day or night that it is.

    It is day `inside` as the climate computer sees it, in which the lamps' hours of a dull day count,
    or `outside`, from sunrise to sunset, as in GreenLightPlus. There a choice before dawn goes to the
    night's set point while the day's is in force, and does nothing.
    """

    def __init__(self, temperatures: Sequence[float], rules: Mapping[str, float], period: Period) -> None:
        self.names = ["tSpDay", "tSpNight"]
        self.reads = ["iGlob"]
        self.lowest: Floats = np.full(2, min(temperatures))
        self._menu: Floats = np.array(temperatures)
        self._usual: Floats = np.array([rules[name] for name in SETPOINTS.names])
        self._columns = SETPOINTS.columns(self.names)
        self._period = period
        self.space: spaces.Space[Any] = spaces.Discrete(len(temperatures))

    def inputs(self, actions: Any, core: "BatchCore | None" = None) -> Floats:
        """Return the set points (n, 7) of n menu numbers; the other temperature stays as it was."""
        chosen = as_array(actions)
        if chosen.dtype.kind not in "iu" or chosen.ndim != 1:
            raise ActionError(
                f"action {written(actions)} is not a whole number from 0 to {len(self._menu) - 1}."
            )
        if chosen.size and (chosen.min() < 0 or chosen.max() >= len(self._menu)):
            wrong = written(chosen[(chosen < 0) | (chosen >= len(self._menu))])
            raise ActionError(
                f"action {wrong} lies outside the menu of {len(self._menu)} temperatures: "
                f"{', '.join(f'{t:g} degC' for t in self._menu)}."
            )
        result = np.tile(self._usual, (len(chosen), 1))
        day, night = self._columns
        light = np.ones(len(chosen), dtype=np.bool_)
        if core is not None:
            greenhouse = _greenhouse(core)
            started = greenhouse.commands[:, day] > 0.0
            for column in (day, night):
                result[started, column] = greenhouse.commands[started, column]
            light = self.present(core)[:, 0] > 0.0
        result[light, day] = self._menu[chosen[light]]
        result[~light, night] = self._menu[chosen[~light]]
        return result

    def present(self, core: "BatchCore") -> Floats:
        """Return 1 for the rows where the day's set point is chosen, else 0, (n, 1)."""
        greenhouse = _greenhouse(core)
        if self._period == "outside":
            day: Booleans = greenhouse.measured()[:, _IS_DAY] > 0.0
        else:
            assert isinstance(greenhouse, SetpointGreenhouse)
            day = greenhouse.day_inside() >= 0.5
        return day[:, None].astype(np.float64)

    def actions_of(self, target: Floats, present: Floats | None = None) -> NDArray[Any]:
        """Return the numbers of the temperatures nearest to `target`, (n, day and night).

        It is day where `present`, (n, 1), is above 0: what `present(core)` says, or the radiation that an
        agent sees. In the dark hours of the lamps, when the climate computer counts day, it sees none.
        """
        light = np.ones(len(target), np.bool_) if present is None else present[:, 0] > 0.0
        chosen = np.where(light, target[:, 0], target[:, 1])
        numbers: NDArray[Any] = np.argmin(np.abs(self._menu - chosen[:, None]), axis=1)
        return numbers

    def encode(self, name: str, target: float) -> tuple[int, float]:
        """Return the number of the temperature nearest to `target`, and the temperature."""
        place(self, name)
        number = int(self.actions_of(np.full((1, 2), target))[0])
        return number, float(self._menu[number])

    def nearest(self, name: str, target: float) -> list[float]:
        """Return the temperatures of the menu next to `target`."""
        place(self, name)
        return neighbours(self._menu.tolist(), target)

    def describe(self) -> list[str]:
        """Return the temperature of each menu number."""
        return [f"{t:g} degC" for t in self._menu]


class SetPoints(Ranges):
    """Set points of the climate computer: each component in [-1, 1] is the range of one."""

    def __init__(self, ranges: Mapping[str, Sequence[float]], rules: Mapping[str, float]) -> None:
        for name, ends in ranges.items():
            if ends[0] < SETPOINTS[name].low or ends[1] > SETPOINTS[name].high:
                raise ConfigError(
                    f"action.ranges: {name} must lie within {SETPOINTS[name].low:g} to "
                    f"{SETPOINTS[name].high:g} {SETPOINTS[name].unit}."
                )
        super().__init__(SETPOINTS, ranges, np.array([rules[name] for name in SETPOINTS.names]))


def _greenhouse(core: "BatchCore") -> MeteredGreenhouse:
    simulator = core.simulator
    assert isinstance(simulator, MeteredGreenhouse)
    return simulator
