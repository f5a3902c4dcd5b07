"""Pictures of a greenhouse episode: its last day hour by hour, and the whole episode day by day."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agbench import plotting
from agbench.data.greenhouse_reward import PRICED
from agbench.data.greenhouse_task import INTERVAL, GreenhouseTask
from agbench.envs.core import BatchCore
from agbench.envs.curves import PanelData, curve
from agbench.envs.greenhouse.ahead import prices_ahead
from agbench.envs.greenhouse.constraints import NAMES as CONSTRAINED
from agbench.envs.rendering import EpisodePlot
from agbench.plotting import BLACK, BLUE, GREEN, MUTED, ORANGE, PURPLE, SKY_BLUE, VERMILLION
from agbench.simulators.greenlight.metered import MeteredGreenhouse
from agbench.simulators.greenlight.setpoints import SETPOINTS, SetpointGreenhouse
from agbench.simulators.greenlight.variables import STATES, WEATHER
from agbench.variables import Floats

_COLUMNS: Final = (
    *("days", "tOut", "iGlob", "tAir", "setPoint", "rh", "co2_ppm", "cFruit"),
    *("uBoil", "uCo2", "uThScr", "uVent", "uLamp", "uBlScr", "electricityPrice"),
    *("income", "spent", "profit", "penalty"),
)
_ACTUATORS: Final = ("uBoil", "uCo2", "uThScr", "uVent", "uLamp", "uBlScr")
_COLOURS: Final = dict(
    zip(_COLUMNS[1:], (BLUE, ORANGE, VERMILLION, BLACK, SKY_BLUE, PURPLE, GREEN), strict=False)
)
_ELECTRICITY: Final = np.array([PRICED.index("electricity")])
_LIMIT_DASHES: Final = (0.0, (5.0, 3.0))
Limits = Mapping[str, tuple[float, float]]
_ACTUATOR_COLOURS: Final = (VERMILLION, PURPLE, GREEN, BLUE, ORANGE, BLACK)


_CLIMATE: Final = (
    ("Outdoors", (("tOut", "degC", False), ("iGlob", "W m-2", True))),
    ("Indoors", (("tAir", "degC", False), ("rh", "%", True))),
    ("CO2 and fruit", (("co2_ppm", "ppm", False), ("cFruit", "g m-2", True))),
    ("Heating, CO2, ventilation", (("uBoil", "-", False), ("uCo2", "-", False), ("uVent", "-", False))),
    ("Screens and lamps", (("uThScr", "-", False), ("uBlScr", "-", False), ("uLamp", "-", False))),
    ("Money", (("income", "EUR m-2", False), ("spent", "EUR m-2", False), ("profit", "EUR m-2", False))),
)


class GreenhousePlot(EpisodePlot):
    """Outdoor and indoor climate, equipment, crop and money of a core's first row.

    Left the last 24 hours, right the episode in means of a day.
    """

    def __init__(self, core: BatchCore) -> None:
        self._opened: Floats = np.zeros(len(_ACTUATORS))
        super().__init__(core)

    def begin(self, core: BatchCore) -> None:
        """Start anew with the episode that has just been reset."""
        self._opened = np.zeros(len(_ACTUATORS))
        super().begin(core)

    def daily(self) -> dict[str, Floats]:
        """Return the episode so far in means of a day, by name; money as it stood at the day's end.

        Equipment is the mean over all its steps, the rest that of the moments at the decisions' ends.
        `setPoint` is the heating's [degC], nan if there is none; `electricityPrice` is in EUR kWh-1.
        Before the first step there is no day.
        """
        return dict(zip(_COLUMNS, _daily(np.array(self._notes)).T, strict=True))

    def panels(self) -> list[PanelData]:
        """Return the episode so far as curves over days, those of `daily`."""
        table = self.daily()
        return [
            PanelData(
                title=title,
                curves=[
                    curve(name, unit, table["days"], table[name], right=right) for name, unit, right in names
                ],
            )
            for title, names in _CLIMATE
        ]

    def _note(self) -> None:
        """Keep one row of `_COLUMNS`."""
        greenhouse = self._core.simulator
        assert isinstance(greenhouse, MeteredGreenhouse)
        sky = greenhouse.forecast(np.zeros(1, np.int64), WEATHER.columns(["tOut", "iGlob"]))[0, 0]
        co2, air, humidity, _ = greenhouse.climate()[0]
        fruit = 1e-3 * greenhouse.state[0, STATES.column("cFruit")]
        totals = self._core.reward.totals
        money = [float(totals[name][0]) for name in ("income", "spent", "profit", "penalty")]
        days = float(greenhouse.elapsed[0]) * INTERVAL / 86_400
        equipment = self._equipment(greenhouse, days)
        price = prices_ahead(greenhouse, np.zeros(1, np.int64), _ELECTRICITY)[0, 0, 0]
        row = [days, *sky, air, _set_point(greenhouse), humidity, co2, fruit, *equipment, price, *money]
        self._notes.append(np.array(row))

    def _equipment(self, greenhouse: MeteredGreenhouse, days: float) -> Floats:
        """Return the mean position of each actuator since the last note; as it is at the first."""
        opened = greenhouse.opened[0, : len(_ACTUATORS)].copy()
        passed = (days - self._notes[-1][0]) * 86_400 if self._notes else 0.0
        mean = (opened - self._opened) / passed if passed > 0.0 else greenhouse.controls[0, : len(_ACTUATORS)]
        self._opened = opened
        return np.asarray(mean)

    def _draw(self, figure: Figure) -> None:
        """Draw the last day and the episode so far."""
        table = np.array(self._notes)
        table = table[table[:, 0] <= table[-1, 0]]
        figure.clear()
        grid = figure.subplots(5, 2, sharex="col")
        figure.subplots_adjust(left=0.07, right=0.93, top=0.88, bottom=0.05, hspace=0.28, wspace=0.3)
        last = table[table[:, 0] > table[-1, 0] - 1.0]
        limits = self._limits()
        _panels(grid[:, 0], last, (last[:, 0] - table[-1, 0]) * 24.0, limits)
        days = _daily(table)
        _panels(grid[:, 1], days, days[:, 0], limits)
        grid[-1, 0].set_xlabel("hours ago", fontsize=8, color=MUTED)
        grid[-1, 1].set_xlabel("days, means of a day", fontsize=8, color=MUTED)
        figure.text(0.07, 0.965, self._heading(), fontsize=12, fontweight="bold")
        figure.text(0.07, 0.955, self._summary(), fontsize=9, color=MUTED, va="top")

    def _limits(self) -> Limits:
        """Return the limits of the task's constraints by the variable that they hold for."""
        task = self._core.task
        assert isinstance(task, GreenhouseTask)
        spec = task.constraints
        chosen = zip(CONSTRAINED, (spec.temperature, spec.co2, spec.humidity), strict=True)
        return {name: (limit.low, limit.high) for name, limit in chosen}

    def _heading(self) -> str:
        world = self._core.worlds[0]
        moment = datetime.combine(world.first_day, time())
        moment += timedelta(seconds=int(self._core.simulator.elapsed[0]) * INTERVAL)
        return f"{self._core.task.task} · {self._scenario} · {moment.day} {moment:%B %Y %H:%M}"

    def _label(self, metric: str) -> str:
        """Return what a metric is called in the summary."""
        outside = (self._core.task.metrics[metric].total or "").startswith("hours_")
        return f"{metric} outside limits" if outside else metric


def _set_point(greenhouse: MeteredGreenhouse) -> float:
    """Return the heating's set point in force [degC]; nan where the task has none, or before the first."""
    if not isinstance(greenhouse, SetpointGreenhouse) or not greenhouse.elapsed[0]:
        return np.nan
    by_day, at_night = greenhouse.commands[0, SETPOINTS.columns(["tSpDay", "tSpNight"])]
    inside = greenhouse.day_inside()[0]
    return float(inside * by_day + (1.0 - inside) * at_night)


def _daily(table: Floats) -> Floats:
    """Return the means of each day begun; money as it stood at the day's end."""
    table = table[table[:, 0] > 0.0]
    day = np.ceil(table[:, 0] - 1e-9)
    rows = [table[day == d] for d in np.unique(day)]
    means = np.array([part.mean(axis=0) for part in rows]).reshape(-1, len(_COLUMNS))
    money = _COLUMNS.index("income")
    means[:, money:] = np.array([part[-1, money:] for part in rows]).reshape(-1, len(_COLUMNS) - money)
    means[:, 0] = np.unique(day)
    return means


def _panels(axes: Sequence[Axes], table: Floats, x: Floats, limits: Limits) -> None:
    """Draw the five panels of one column."""
    _pair(axes[0], table, x, "tOut", "iGlob", ("outdoor (°C)", "radiation (W m⁻²)"), limits)
    _pair(axes[1], table, x, "tAir", "rh", ("indoor (°C)", "humidity (%)"), limits)
    set_point = table[:, _COLUMNS.index("setPoint")]
    if np.isfinite(set_point).any():
        axes[1].plot(x, set_point, color=BLACK, linewidth=0.8, linestyle=":", label="heating set point")
    _pair(axes[2], table, x, "co2_ppm", "cFruit", ("CO₂ (ppm)", "dry fruit (g m⁻²)"), limits)
    for name, colour in zip(_ACTUATORS, _ACTUATOR_COLOURS, strict=True):
        axes[3].plot(x, table[:, _COLUMNS.index(name)], color=colour, linewidth=1.0, label=name)
    axes[3].set_ylim(-0.03, 1.03)
    axes[3].set_ylabel("equipment (–)", fontsize=8, color=MUTED)
    for name, colour in (("income", GREEN), ("spent", VERMILLION), ("profit", BLUE), ("penalty", BLACK)):
        axes[4].plot(x, table[:, _COLUMNS.index(name)], color=colour, linewidth=1.0, label=name)
    axes[4].set_ylabel("money (EUR m⁻²)", fontsize=8, color=MUTED)
    price = table[:, _COLUMNS.index("electricityPrice")]
    if len(price) and np.ptp(price) > 0.0:
        other = axes[4].twinx()
        plotting.tidy(other, grid=None)
        other.plot(x, price, color=ORANGE, linewidth=0.8)
        other.set_ylabel("electricity (EUR kWh⁻¹)", fontsize=8, color=ORANGE)
    for ax in axes:
        plotting.tidy(ax)
    for ax in axes[1:3]:
        ax.plot([], [], color=MUTED, linewidth=0.8, linestyle=_LIMIT_DASHES, label="limits of the task")
    for ax in axes[1:]:
        ax.legend(fontsize=6, ncols=6, frameon=False, loc="lower left", bbox_to_anchor=(0, 0.96), borderpad=0)


def _pair(
    ax: Axes, table: Floats, x: Floats, left: str, right: str, labels: tuple[str, str], limits: Limits
) -> None:
    """Draw two variables on the two scales of one panel, and the limits of constraints as dashed lines."""
    other = ax.twinx()
    plotting.tidy(other, grid=None)
    for place, name, label in ((ax, left, labels[0]), (other, right, labels[1])):
        colour = _COLOURS[name]
        place.plot(x, table[:, _COLUMNS.index(name)], color=colour, linewidth=1.0)
        for limit in limits.get(name, ()):
            place.axhline(limit, color=colour, linewidth=0.8, linestyle=_LIMIT_DASHES, alpha=0.7)
        if place is other and name in limits:  # apart from those of the left scale
            low, high = limits[name]
            values = table[:, _COLUMNS.index(name)]
            room = 0.4 * (high - low)
            place.set_ylim(min([low - room, *values]), max([high + room, *values]))
        place.set_ylabel(label, fontsize=8, color=colour)
        place.tick_params(labelsize=8)
