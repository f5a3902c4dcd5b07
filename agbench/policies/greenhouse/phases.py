"""What a grower goes by: the phase of the day, and how bright the days are."""

from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.errors import ConfigError
from agbench.policies.base import Interface
from agbench.simulators.greenlight.climate_computer import SETTINGS, settings_vector
from agbench.variables import Floats

Phase = Literal["lamps", "day", "night"]
"""Lamps burn in the dark; the sun shines; it is dark without lamps."""

PHASES: Final[tuple[Phase, ...]] = get_args(Phase)

Integers = NDArray[np.intp]

_SUM: Final = 0.0864  # MJ m-2 d-1 of a mean of 1 W m-2
_DAY: Final = 1440  # minutes


class DayPhases:
    """Reads phase and brightness from observations; the forecast counts as far as `ahead` says, 0 to 1."""

    def __init__(self, interface: Interface[GreenhouseTask], ahead: float) -> None:
        task = interface.task
        self._columns = interface.columns(["iGlob", "dli", "hour"])
        self._share = ahead
        self._ahead = _day_ahead(interface) if ahead > 0.0 else []
        rules = dict(zip(SETTINGS.names, settings_vector(task.action.rules), strict=True))
        self._lamps = rules["lampOn"], rules["lampOff"], rules["lampRadSumLimit"]
        self._half_step = 0.5 * task.step * INTERVAL / 3600.0

    def phase(self, seen: Floats) -> Integers:
        """Return which of the phases it is in the coming step, (n,), by observations (n, size)."""
        sun, past, hour = seen[:, self._columns].T
        on, off, limit = self._lamps
        middle = (hour + self._half_step) % 24.0
        within = (on < middle) & (middle < off) if on <= off else (middle > on) | (middle < off)
        dark = np.where(within & (past < limit), PHASES.index("lamps"), PHASES.index("night"))
        return np.where(sun > 0.0, PHASES.index("day"), dark)

    def brightness(self, seen: Floats, ahead: Floats | None = None) -> Floats:
        """Return how bright the days are, (n,) [MJ m-2 d-1]; `ahead`, (n,), in place of the own share."""
        past: Floats = seen[:, self._columns[1]]
        share = self._share if ahead is None else ahead
        if not self._ahead:
            return past
        return (1.0 - share) * past + share * _SUM * seen[:, self._ahead].mean(axis=1)  # type: ignore[no-any-return]


def _day_ahead(interface: Interface[Any]) -> list[int]:
    """Return the columns of forecast sun, which have to be spread over a day; raises `ConfigError`."""
    spec = interface.task.observation
    minutes = [step * INTERVAL // 60 for step in spec.forecast_steps]
    if "iGlob" not in spec.forecast or minutes[-1] != _DAY:
        raise ConfigError(
            f"ahead: it needs a forecast of iGlob for the next 24 h, which {interface.task.task} does not "
            "show; set it to 0."
        )
    return interface.columns([f"iGlob[+{minute} min]" for minute in minutes])
