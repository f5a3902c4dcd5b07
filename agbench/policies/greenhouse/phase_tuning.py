"""Fitting set points by phase on training scenarios, in pieces of many seasons: `agbench fit TASK POLICY`."""

import numpy as np

from agbench.data.greenhouse_task import GreenhouseTask
from agbench.policies.greenhouse.candidates import DIGITS, Actor, judged, pieces_objective
from agbench.policies.greenhouse.phase_setpoints import PhaseSetpoints, PhaseSettings
from agbench.policies.greenhouse.phases import Phase
from agbench.policies.greenhouse.tuning import gain_range, setpoint_range
from agbench.policies.registry import interface_of
from agbench.policies.tuning.cross_entropy import Search, settle
from agbench.variables import Floats


def tune_phases(task: GreenhouseTask, settings: PhaseSettings, search: Search) -> tuple[PhaseSettings, float]:
    """Return the settings to which a search settles, or the given ones if they are better over whole seasons.

    The second value is the mean objective of those seasons. Tuned are all set points and gains that the
    settings name, and how much the forecast counts.
    """
    vector = _Vector(task, settings)
    settled = settle(pieces_objective(task, vector.actor), vector.start, *vector.ends, search)
    finalists = np.round([vector.start, settled], DIGITS)
    means = judged(task, vector.actor, finalists)
    best = int(np.argmax(means))
    return vector.settings_of(finalists[best]), float(means[best])


class _Vector:
    """The numbers of settings that are tuned, in a row: set points, gains, the forecast's share."""

    def __init__(self, task: GreenhouseTask, settings: PhaseSettings) -> None:
        self._settings, self._interface = settings, interface_of(task)
        self._values = [(phase, name) for phase, values in settings.phases.items() for name in values]
        self._gains = [
            (phase, name, seen)
            for phase, by_name in settings.gains.items()
            for name, by_variable in by_name.items()
            for seen in by_variable
        ]
        knots = len(settings.brightness)
        ranges = [setpoint_range(task, name) for _, name in self._values for _ in range(knots)]
        ranges += [gain_range(setpoint_range(task, name)) for _, name, _ in self._gains]
        low, high = np.array([*ranges, (0.0, 1.0)]).T
        self.ends: tuple[Floats, Floats] = (low, high)
        """Between which the numbers are tuned, (k,) each."""

    @property
    def start(self) -> Floats:
        """The numbers of the given settings, (k,)."""
        given = self._settings
        values = [value for phase, name in self._values for value in given.phases[phase][name]]
        gains = [given.gains[phase][name][seen] for phase, name, seen in self._gains]
        return np.array([*values, *gains, given.ahead])

    def settings_of(self, numbers: Floats) -> PhaseSettings:
        """Return the settings that numbers (k,) say."""
        knots = len(self._settings.brightness)
        rest = iter(numbers.tolist())
        phases: dict[Phase, dict[str, list[float]]] = {}
        for phase, name in self._values:
            phases.setdefault(phase, {})[name] = [next(rest) for _ in range(knots)]
        gains: dict[Phase, dict[str, dict[str, float]]] = {}
        for phase, name, seen in self._gains:
            gains.setdefault(phase, {}).setdefault(name, {})[seen] = next(rest)
        return PhaseSettings(
            brightness=self._settings.brightness, ahead=next(rest), phases=phases, gains=gains
        )

    def actor(self, chosen: Floats) -> Actor:
        """Return what makes candidates (n, k) act."""
        policies = [PhaseSetpoints("candidate", self.settings_of(row), self._interface) for row in chosen]
        tables = np.stack([policy.table for policy in policies])
        gains = np.stack([policy.gains for policy in policies])
        return lambda seen: policies[0].actions(seen, tables, gains, chosen[:, -1])
