"""Pictures of a field's season: weather, water, crop, nitrogen, doses, reward."""

import textwrap
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure

from agbench import plotting
from agbench.envs.core import BatchCore
from agbench.envs.curves import CurveData, PanelData, curve, stems
from agbench.envs.field.season_figure import SKY, STATE_PANELS, SeasonFigure, states_shown, stress_shown
from agbench.envs.field.season_panels import MOISTURE, PlotContext, Season, running_mean, shown_in
from agbench.envs.rendering import EpisodePlot
from agbench.variables import Floats, Variable

_LINE: Final = 130  # characters of a summary's line
_RESTING: Final = frozenset((0.0, 1.0, 5.0, 6.0, 7.0, 8.0, 9.0))
"""Values of STAGE at which a crop does not grow: none, emerging, dead, dormant, sowing, endodorm, ecodorm."""


@dataclass(frozen=True)
class _Step:
    """One step: the day its inputs act, its last day, what was applied, what it earned."""

    first: int
    last: int
    doses: Floats
    reward: float


class FieldPlot(EpisodePlot):
    """The season of a core's first row: weather, water, crop, nitrogen, doses, reward.

    After `load` the picture shows the loaded episode: later days are dropped.
    """

    def __init__(self, core: BatchCore) -> None:
        table = core.simulator.variables
        self._names = states_shown(table)
        self._columns = table.columns(self._names)
        self._stress = stress_shown(table)
        self._stage = table.column("STAGE") if "STAGE" in table else None
        self._growing: dict[int, bool] = {}
        sky = core.simulator.weather_variables
        self._sky_names = [name for name in SKY if name in sky]
        self._sky = sky.columns(self._sky_names)
        self._doses = core.simulator.inputs.columns(core.parts.actions.names)
        self._states: dict[int, Floats] = {}
        self._steps: list[_Step] = []
        self._layout: tuple[Figure, SeasonFigure] | None = None
        super().__init__(core)

    def __getstate__(self) -> dict[str, Any]:
        """Return the season without its figure."""
        return {**super().__getstate__(), "_layout": None}

    def begin(self, core: BatchCore) -> None:
        """Start a new season: that of the episode which has just been reset."""
        self._core = core
        self._scenario = str(core.scenario[0])
        self._steps = []
        self._states = {}
        self._growing = {}
        self._note_state()
        self._layout = None

    def add(self, core: BatchCore, action: Any, reward: float) -> None:
        """Take note of the step just made: the action, its reward, the state it led to."""
        self._core = core
        today = self._today
        self._follow(today - 1)
        before = max(self._states, default=0)
        first = max(before, today - core.task.step) + 1
        space = core.parts.actions.space
        batch = np.asarray(action).reshape(1, *(space.shape or ()))
        doses = core.parts.actions.inputs(batch)[0, self._doses]
        self._steps.append(_Step(first, today, doses, reward))
        self._note_state()

    def panels(self) -> list[PanelData]:
        """Return the season so far as curves over days: what its model has of weather, water and states."""
        return _panels(self._context(), self._season())

    @property
    def _today(self) -> int:
        return int(self._core.simulator.elapsed[0])

    def _note_state(self) -> None:
        simulator, today = self._core.simulator, self._today
        self._states[today] = simulator.state[0, self._columns]
        resting = self._stage is not None and simulator.state[0, self._stage] in _RESTING
        cleared = bool(simulator.finished[0]) and not any(
            self._states[today][self._names.index(name)] for name in self._stress
        )
        self._growing[today] = not (resting or cleared)

    def _follow(self, last: int) -> None:
        """Drop all days after `last`, which a loaded episode has not reached."""
        if str(self._core.scenario[0]) != self._scenario:
            self.begin(self._core)
        self._steps = [step for step in self._steps if step.last <= last]
        self._states = {day: state for day, state in self._states.items() if day <= last}

    def _draw(self, figure: Figure) -> None:
        """Draw the season so far; the panels are laid out once an episode."""
        self._follow(self._today)
        self._note_state()
        if self._layout is None or self._layout[0] is not figure:
            figure.clear()
            self._layout = figure, SeasonFigure(figure, self._context())
        self._layout[1].draw(self._season())

    def _context(self) -> PlotContext:
        core = self._core
        simulator = core.simulator
        return PlotContext(
            variables=simulator.variables,
            weather=simulator.weather_variables,
            inputs=[simulator.inputs[name] for name in core.parts.actions.names],
            reward_unit=core.task.protocol.objective_unit,
            start=self._start,
            horizon=int(simulator.horizon[0]),
        )

    @property
    def _start(self) -> date:
        start: date = self._core.parts.scenarios.world(str(self._scenario)).start
        return start

    def _season(self) -> Season:
        today = self._today
        days = sorted(self._states)
        states = dict(zip(self._names, np.array([self._states[day] for day in days]).T, strict=True))
        growing = np.array([self._growing[day] for day in days])
        for name in self._stress:
            states[name] = np.where(growing, states[name], np.nan)
        weather = self._core.simulator.weather(today + 1, self._sky)[0]
        return Season(
            today=today,
            days=np.array(days, dtype=np.float64),
            states=states,
            weather=dict(zip(self._sky_names, weather.T, strict=True)),
            steps=np.array([(s.first, s.last) for s in self._steps], float).reshape(-1, 2),
            doses=np.array([s.doses for s in self._steps]).reshape(-1, len(self._doses)),
            rewards=np.array([s.reward for s in self._steps]),
            title=f"{self._core.task.task} · {self._scenario}",
            status=self._status(),
            summary=self._summary(),
        )

    def _status(self) -> str:
        """Return today's date, and whether the episode is over and why."""
        simulator = self._core.simulator
        day = self._start + timedelta(days=self._today)
        text = f"{day.day} {day:%B %Y}"
        if simulator.finished[0]:
            return f"{text} · season over"
        if self._core.over[0]:
            return f"{text} · time ran out"
        return text

    def _summary(self) -> str:
        """Return the task's metrics and the return so far, with units."""
        info = self._core.info()
        parts = [
            plotting.valued(name, info[name][0], metric.digits, metric.unit)
            for name, metric in self._core.task.metrics.items()
        ]
        total = sum(step.reward for step in self._steps)
        parts.append(f"return {total:.1f} {plotting.printed(self._core.task.protocol.objective_unit)}")
        return textwrap.fill(plotting.signed("  ·  ".join(parts)), _LINE)


def _panels(context: PlotContext, season: Season) -> list[PanelData]:
    """Return the panels of a season for which its model has variables."""
    days = np.arange(season.today + 1.0)
    sky = season.weather
    panels = []
    if "TMIN" in sky and "TMAX" in sky:
        unit = context.weather["TMIN"].unit
        curves = [curve("TMIN to TMAX", unit, days, sky["TMIN"], "band", top=sky["TMAX"])]
        if "IRRAD" in sky:
            factor, variable = shown_in(context.weather["IRRAD"])
            mean = running_mean(sky["IRRAD"] * factor)
            curves.append(curve("IRRAD, 7-day mean", variable.unit, days, mean, right=True))
        panels.append(PanelData(title="Weather", curves=curves))
    if "RAIN" in sky:
        factor, variable = shown_in(context.weather["RAIN"])
        curves = [curve("RAIN", variable.unit, days, sky["RAIN"] * factor, "bars")]
        moisture = MOISTURE.variable_in(context.variables)
        if moisture is not None:
            states = season.states[moisture.name]
            curves.append(curve(moisture.name, moisture.unit, season.days, states, right=True))
        panels.append(PanelData(title="Water", curves=curves))
    for title, left, right in STATE_PANELS:
        curves = [
            _state_curve(v, season, right=side is right)
            for side in (left, right)
            for v in (c.variable_in(context.variables) for c in side)
            if v is not None
        ]
        if curves:
            panels.append(PanelData(title=title, curves=curves))
    return [*panels, *_applied(context, season)]


def _state_curve(variable: Variable, season: Season, right: bool) -> CurveData:
    """Return a state's curve over the days on which it has a value."""
    values = season.states[variable.name]
    there = np.isfinite(values)
    return curve(variable.name, variable.unit, season.days[there], values[there], right=right)


def _applied(context: PlotContext, season: Season) -> list[PanelData]:
    """Return a panel for the inputs of each unit."""
    units = list(dict.fromkeys(variable.unit for variable in context.inputs))
    return [
        PanelData(
            title="Applied" if len(units) == 1 else f"Applied: {', '.join(names)}",
            curves=[
                stems(v.name, unit, season.steps[:, 0], season.doses[:, i])
                for i, v in enumerate(context.inputs)
                if v.unit == unit
            ],
        )
        for unit in units
        for names in [[v.name for v in context.inputs if v.unit == unit]]
    ]
