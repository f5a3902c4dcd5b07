"""Set points by the phase of the day and by how bright the days are, as a grower's strategy has them.

Growers let a crop be warmer the more light it gets, by the radiation sum of the day and by the present sun
(Nederhoff 2021, The temperature-light balance, NZGrower, May; Koerner and Challa 2003, Design for an improved
temperature integration concept in greenhouse cultivation, doi 10.1016/S0168-1699(03)00006-1), and supply less
CO2 while vents are open (Nederhoff 1994, Effects of CO2 concentration on photosynthesis, transpiration and
production of greenhouse fruit vegetable crops, PhD thesis, Wageningen).
"""

from itertools import pairwise
from typing import Any, Final

import numpy as np
from pydantic import Field, model_validator

from agbench.data.field import Number
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import Strict
from agbench.envs.actions import check_amount, place
from agbench.errors import ConfigError
from agbench.policies.base import Information, Interface, policy
from agbench.policies.greenhouse.phases import PHASES, DayPhases, Integers, Phase
from agbench.variables import Floats

SEEN: Final[dict[str, tuple[float, float]]] = {"iGlob": (0.0, 100.0), "tOut": (10.0, 5.0), "rh": (80.0, 5.0)}
"""What gains refer to: from which value on, and to how much of it [W m-2, degC, %]."""


class PhaseSettings(Strict):
    """Set points by phase, at some brightnesses, and by how much they change with what is seen now.

    The brightness of days [MJ m-2 d-1] is the radiation sum of the past day and, as far as `ahead` says (0 to
    1), the sum that is forecast for the next. Set points are linear between brightnesses, and constant beyond
    them. A set point that a phase does not name is that of the first phase that names it. Gains are by phase,
    set point and variable: what 100 W m-2 of iGlob, 5 K of tOut above 10 degC or 5 % of rh above 80 % add.
    """

    brightness: list[Number] = Field(min_length=1)
    ahead: Number = Field(default=0.5, ge=0, le=1)
    phases: dict[Phase, dict[str, list[Number]]]
    gains: dict[Phase, dict[str, dict[str, Number]]] = Field(default={})

    @model_validator(mode="after")
    def _fits_together(self) -> "PhaseSettings":
        if any(a >= b for a, b in pairwise(self.brightness)):
            raise ValueError("brightness must ascend.")
        for phase, values in self.phases.items():
            for name, row in values.items():
                if len(row) != len(self.brightness):
                    raise ValueError(
                        f"phases.{phase}.{name} has {len(row)} values, and there are {len(self.brightness)} "
                        "brightnesses."
                    )
        for phase, by_name in self.gains.items():
            for name, gains in by_name.items():
                if name not in self.phases.get(phase, {}):
                    raise ValueError(f"gains.{phase}: {name} has no value to start from in phases.{phase}.")
                for seen in gains:
                    if seen not in SEEN:
                        raise ValueError(f"gains.{phase}.{name}: {seen} is none of {', '.join(SEEN)}.")
        return self


@policy(
    "phase-setpoints",
    settings=PhaseSettings,
    families=["greenhouse"],
    fit="agbench.policies.greenhouse.phase_tuning:tune_phases",
)
class PhaseSetpoints:
    """Holds the set points of the phase and the brightness, some of them changing with sun and frost."""

    information: Information = "observation"

    def __init__(self, name: str, settings: PhaseSettings, interface: Interface[GreenhouseTask]) -> None:
        self.name = name
        task, actions = interface.task, interface.actions
        if task.action.kind != "setpoints":
            raise ConfigError(f"{name} decides on set points, and the actions of {task.task} are none.")
        self._actions = actions
        self._settings = settings
        self.sight = DayPhases(interface, settings.ahead)
        """How it tells phase and brightness."""
        self._seen = interface.columns(list(SEEN))
        self.table, self.gains = self._tables(settings)
        """Set points (phases, brightnesses, set points) and gains (phases, set points, variables)."""

    def reset(self, seed: int) -> None:
        """Do nothing: it remembers nothing."""

    def __call__(self, observation: Any) -> Any:
        """Return the action for the present phase, brightness, sun and temperature."""
        return self.actions(np.asarray(observation)[None], self.table[None], self.gains[None])[0]

    def actions(self, observations: Any, tables: Floats, gains: Floats, ahead: Floats | None = None) -> Any:
        """Return the actions of rows.

        Args:
            observations: (n, size).
            tables: set points, (n, phases, brightnesses, set points).
            gains: (n, phases, set points, variables).
            ahead: how much the forecast counts, (n,); that of the settings, if None.
        """
        seen = np.asarray(observations, np.float64)
        rows, phase = np.arange(len(seen)), self.sight.phase(seen)
        before, after, part = self._between(self.sight.brightness(seen, ahead))
        ends = tables[rows, phase]
        target = (1.0 - part) * ends[rows, before] + part * ends[rows, after]
        starts, units = np.array(list(SEEN.values())).T
        apart = (seen[:, self._seen] - starts) / units
        return self._actions.actions_of(target + (gains[rows, phase] * apart[:, None, :]).sum(axis=2))

    def _between(self, bright: Floats) -> tuple[Integers, Integers, Floats]:
        """Return the brightnesses below and above, and the share of the way from one to the other, (n, 1)."""
        knots = np.array(self._settings.brightness)
        before = np.clip(np.searchsorted(knots, bright, side="right") - 1, 0, len(knots) - 1)
        after = np.minimum(before + 1, len(knots) - 1)
        gap = np.where(after > before, knots[after] - knots[before], 1.0)
        return before, after, np.clip((bright - knots[before]) / gap, 0.0, 1.0)[:, None]

    def _tables(self, settings: PhaseSettings) -> tuple[Floats, Floats]:
        """Return the values (phases, brightnesses, set points) and gains (phases, set points, variables)."""
        names = self._actions.names
        table = np.full((len(PHASES), len(settings.brightness), len(names)), np.nan)
        gains = np.zeros((len(PHASES), len(names), len(SEEN)))
        for phase, values in settings.phases.items():
            for name, row in values.items():
                for value in row:
                    check_amount(self._actions, name, value)
                table[PHASES.index(phase), :, place(self._actions, name)] = row
        for i, name in enumerate(names):
            named = [k for k in range(len(PHASES)) if not np.isnan(table[k, 0, i])]
            if not named:
                raise ConfigError(f"'phases' lacks {name}.")
            table[:, :, i] = np.where(np.isnan(table[:, :, i]), table[named[0], :, i], table[:, :, i])
        for phase, by_name in settings.gains.items():
            for name, by_variable in by_name.items():
                for variable, gain in by_variable.items():
                    gains[PHASES.index(phase), place(self._actions, name), list(SEEN).index(variable)] = gain
        return table, gains
