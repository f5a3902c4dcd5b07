"""Who controls a bare greenhouse: a policy by name or settings file, acting directly at every interval."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.field import Number
from agbench.data.greenhouse_task import GreenhouseTask
from agbench.data.reading import Strict, read_data, read_file
from agbench.errors import ConfigError, unknown
from agbench.simulators.greenlight.climate_computer import SETTINGS, control, settings_vector
from agbench.simulators.greenlight.tables import DAYLIGHT
from agbench.simulators.greenlight.variables import CONTROLS
from agbench.variables import Floats

_ACTUATORS: Final = CONTROLS.names[:6]  # those a task moves; interlights and grow pipes stay off
_BUILT_IN: Final = ("rule-based", "zero", "random")


class _HeldSettings(Strict):
    """The settings of a constant policy: controls [0 to 1] or set points by name, in their units."""

    values: dict[str, Number]


class Controller(Protocol):
    """Chooses the controls of an interval."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns of weather that it reads and the equations do not."""

    def __call__(self, measured: Floats, controls: Floats) -> None:
        """Write the controls (1, 8), from 0 to 1, for what is measured (1, 10)."""


class RuleController:
    """The climate computer under fixed settings (30,)."""

    reads: tuple[str, ...] = DAYLIGHT

    def __init__(self, settings: Floats) -> None:
        self._settings = settings[None]

    def __call__(self, measured: Floats, controls: Floats) -> None:
        """Write what the rules want."""
        control(measured, self._settings, controls)


class Held:
    """The same controls all the time; those not named are off."""

    reads: tuple[str, ...] = ()

    def __init__(self, values: Mapping[str, float], where: str) -> None:
        self._values = np.zeros(len(CONTROLS))
        for name, value in values.items():
            if not 0.0 <= value <= 1.0:
                raise ConfigError(f"{where}: {name} is {value:g}; a control lies between 0 and 1.")
            self._values[CONTROLS.column(name)] = value

    def __call__(self, measured: Floats, controls: Floats) -> None:
        """Write the held controls."""
        controls[0] = self._values


class Drawn:
    """Six controls drawn uniformly at every interval."""

    reads: tuple[str, ...] = ()

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def __call__(self, measured: Floats, controls: Floats) -> None:
        """Write a draw."""
        controls[0, : len(_ACTUATORS)] = self._generator.uniform(size=len(_ACTUATORS))


def controller(policy: str | Path, seed: int = 0) -> Controller:
    """Return the controller that a policy is.

    Args:
        policy: `rule-based` (the usual settings), `zero`, `random`; a policy of a greenhouse task, as
            `NAME` or, where several tasks have one of that name, `TASK/NAME`; or the path of such a
            policy's settings file.
        seed: of `random`.

    Raises:
        UnknownNameError: for a policy that does not exist, with the nearest names.
        ConfigError: for an ambiguous name, wrong settings, or a policy that needs its task.
    """
    text = str(policy)
    if text == "rule-based":
        return RuleController(settings_vector({}))
    if text == "zero":
        return Held({}, text)
    if text == "random":
        return Drawn(seed)
    if text.endswith((".yaml", ".yml")):
        return _from_file(Path(text), {})
    task, name = _find_policy(text)
    path = catalog.find_baseline(task.task, name)
    assert path is not None
    return _from_file(path, task.action.rules)


def _find_policy(text: str) -> tuple[GreenhouseTask, str]:
    """Return the task and the name of a policy that is given as `NAME` or `TASK/NAME`."""
    tasks = catalog.tasks_of(GreenhouseTask)
    places = {f"{task.task}/{name}": (task, name) for task in tasks for name in catalog.baselines(task.task)}
    fitting = [key for key, (_, name) in places.items() if text in (key, name)]
    if not fitting:
        names = {name for _, name in places.values()}
        raise unknown("policy", text, [*_BUILT_IN, *sorted(names), *places], "controls")
    if len(fitting) > 1:
        raise ConfigError(f"controls: several tasks have a policy {text!r}. Say {' or '.join(fitting)}.")
    return places[fitting[0]]


def _from_file(path: Path, rules: Mapping[str, float]) -> Controller:
    """Return the controller of a settings file; `rules` are settings that it leaves as they are."""
    baseline = read_file(Baseline, path)
    where = f"{path}: settings"
    if baseline.policy == "rule-based":
        return RuleController(settings_vector({**rules, **baseline.settings}, where))
    if baseline.policy != "constant":
        raise ConfigError(
            f"{path}: a {baseline.policy} policy needs a task around it: use agbench.evaluate, or give "
            "controls as an array."
        )
    values = read_data(_HeldSettings, baseline.settings, where).values
    for name in values:
        if name not in (*_ACTUATORS, *SETTINGS.names):
            raise unknown("control or set point", name, [*_ACTUATORS, *SETTINGS.names], where)
    if set(values) <= set(_ACTUATORS):
        return Held(values, where)
    if not set(values) & set(_ACTUATORS):
        return RuleController(settings_vector({**rules, **values}, where))
    raise ConfigError(f"{where}: give controls or set points, not both: {', '.join(values)}.")
