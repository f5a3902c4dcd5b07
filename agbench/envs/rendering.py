"""Pictures of a season as it is simulated: images for videos and papers, a window to watch."""

import os
import textwrap
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium import logger
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.registry import BackendFilter, backend_registry
from matplotlib.figure import Figure
from numpy.typing import NDArray

from agbench import plotting
from agbench.envs.core import BatchCore
from agbench.envs.field.season_figure import SKY, SeasonFigure, states_shown
from agbench.envs.field.season_panels import Season, Setting
from agbench.errors import SimulationError
from agbench.variables import Floats

_SIZE: Final = (10.0, 9.0)  # inches
_DPI: Final = 100  # hence images of 1000 x 900 pixels
_SAVED_DPI: Final = 200
_LINE: Final = 130  # characters of a summary's line

_NO_WINDOWS: Final = BackendFilter.NON_INTERACTIVE


@dataclass(frozen=True)
class _Step:
    """One step: the day its inputs act, its last day, what was applied, what it earned."""

    first: int
    last: int
    doses: Floats
    reward: float


class SeasonPlot:
    """The season of a core's first row: weather, water, crop, nitrogen, doses, reward.

    Call `begin` when an episode has been reset and `add` after each step; both only copy a few
    numbers. `draw` and `save` make the picture, which holds the season up to today and nothing of
    the future. An episode that was moved by `load` is followed: what lies after its day is
    forgotten.
    """

    def __init__(self, core: BatchCore) -> None:
        self._core = core
        self._names = states_shown(core.simulator.variables)
        self._columns = core.simulator.variables.columns(self._names)
        sky = core.simulator.weather_variables
        self._sky_names = [name for name in SKY if name in sky]
        self._sky = sky.columns(self._sky_names)
        self._doses = core.simulator.inputs.columns(core.parts.actions.names)
        self._scenario: str | None = None
        self._states: dict[int, Floats] = {}
        self._steps: list[_Step] = []
        self._panels: SeasonFigure | None = None
        self._figure: Figure | None = None
        self._window: int | str | None = None
        self._has_display = True
        if core.scenario[0] is not None:
            self.begin(core)

    @property
    def figure(self) -> Figure | None:
        """The Matplotlib figure of the last picture; None before the first."""
        return self._figure

    def begin(self, core: BatchCore) -> None:
        """Start a new season: that of the episode which has just been reset."""
        self._core = core
        self._scenario = str(core.scenario[0])
        self._steps = []
        self._states = {}
        self._note_state()
        self._panels = None

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

    def draw(self, show: bool) -> NDArray[np.uint8] | None:
        """Return the picture as an array (900, 1000, 3); with `show`, put it into a window instead.

        Where no window can be opened, this is said once and the simulation goes on unseen.
        """
        if show and not self._open_window():
            return None
        figure = self._drawn()
        if show:
            figure.canvas.draw_idle()
            figure.canvas.flush_events()
            return None
        canvas = figure.canvas
        assert isinstance(canvas, FigureCanvasAgg)
        canvas.draw()  # type: ignore[no-untyped-call]
        pixels: NDArray[np.uint8] = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
        return pixels[..., :3].copy()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file, in the format of its suffix (png, pdf, svg)."""
        return plotting.save(self._drawn(), path, _SAVED_DPI)

    def told(self) -> tuple[Setting, Season]:
        """Return the season so far as numbers: what never changes, and what happened."""
        return self._setting(), self._season()

    def close(self) -> None:
        """Close the window and forget the figure; the season stays known."""
        if self._window is not None:
            from matplotlib import pyplot

            pyplot.close(self._window)
        self._figure = None
        self._panels = None
        self._window = None

    @property
    def _today(self) -> int:
        return int(self._core.simulator.elapsed[0])

    def _note_state(self) -> None:
        self._states[self._today] = self._core.simulator.state[0, self._columns]

    def _follow(self, last: int) -> None:
        """Forget what lies after day `last`: an episode that was loaded has not seen it yet."""
        scenario = self._core.scenario[0]
        if scenario is None:
            raise SimulationError("call reset() before the season is drawn.")
        if str(scenario) != self._scenario:
            self.begin(self._core)
        self._steps = [step for step in self._steps if step.last <= last]
        self._states = {day: state for day, state in self._states.items() if day <= last}

    def _drawn(self) -> Figure:
        """Return the figure with the season so far on it."""
        self._follow(self._today)
        self._note_state()
        if self._figure is None:
            self._figure = Figure(figsize=_SIZE, dpi=_DPI)
            FigureCanvasAgg(self._figure)
        if self._panels is None:
            self._figure.clear()
            self._panels = SeasonFigure(self._figure, self._setting())
        self._panels.draw(self._season())
        return self._figure

    def _setting(self) -> Setting:
        core = self._core
        simulator = core.simulator
        return Setting(
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
        states = np.array([self._states[day] for day in days])
        weather = self._core.simulator.weather(today + 1, self._sky)[0]
        return Season(
            today=today,
            days=np.array(days, dtype=np.float64),
            states=dict(zip(self._names, states.T, strict=True)),
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
        said = f"{day.day} {day:%B %Y}"
        if simulator.finished[0]:
            return f"{said} · season over"
        if self._core.over[0]:
            return f"{said} · time ran out"
        return said

    def _summary(self) -> str:
        """Return the task's metrics and the return so far, with units."""
        info = self._core.info()
        parts = [
            f"{name} {info[name][0]:.{metric.digits}f} {plotting.printed(metric.unit)}"
            for name, metric in self._core.task.metrics.items()
        ]
        total = sum(step.reward for step in self._steps)
        parts.append(f"return {total:.1f} {plotting.printed(self._core.task.protocol.objective_unit)}")
        return textwrap.fill(plotting.signed("  ·  ".join(parts)), _LINE)

    def _open_window(self) -> bool:
        """Return whether there is a window to draw in; opens it when first asked.

        A window that the user has closed stays closed.
        """
        from matplotlib import pyplot

        if self._window is not None:
            return pyplot.fignum_exists(self._window)
        if not self._has_display:
            return False
        try:
            figure = pyplot.figure(figsize=_SIZE, dpi=_DPI)
        except Exception as error:  # each toolkit has its own for "no display"
            return self._go_unseen(str(error))
        no_windows = backend_registry.list_builtin(_NO_WINDOWS)  # type: ignore[no-untyped-call]
        if pyplot.get_backend().lower() in no_windows:
            pyplot.close(figure)
            return self._go_unseen(f"Matplotlib draws with {pyplot.get_backend()!r}")
        self._figure, self._panels, self._window = figure, None, figure.number
        pyplot.show(block=False)
        return True

    def _go_unseen(self, reason: str) -> bool:
        """Say that no window can be opened, once there is something to miss; return False."""
        if self._steps:
            self._has_display = False
            logger.warn(
                f"render_mode 'human' has no display to open a window on ({reason}); the season "
                "goes on unseen. render_mode='rgb_array' returns pictures without a display."
            )
        return False
