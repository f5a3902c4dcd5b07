"""Pictures of an episode as it is simulated: images for videos and papers, a window to watch."""

import math
import os
import textwrap
from itertools import groupby
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
from agbench.envs.curves import PanelData, curve
from agbench.errors import SimulationError
from agbench.variables import Floats

_SIZE: Final = (10.0, 9.0)  # inches
_DPI: Final = 100  # hence images of 1000 x 900 pixels
_SAVED_DPI: Final = 200
_LINE: Final = 130  # characters of a summary's line
_DAY: Final = 86_400  # s

_NO_WINDOWS: Final = BackendFilter.NON_INTERACTIVE


class EpisodePlot:
    """The episode of a core's first row: what its agent observes, by unit.

    A family with more to show has a class of its own, which overrides `begin`, `add`, `panels` and `_draw`.
    Call `begin` when an episode has been reset and `add` after each step; both only copy a few numbers.
    `draw` and `save` make the picture, which shows the episode up to now. `step_seconds` [s] is the family's
    unit of time.
    """

    most_panels = 6
    in_a_row = 1
    """How many panels a picture has at most, and how many of them lie side by side."""

    def __init__(self, core: BatchCore, step_seconds: int = _DAY) -> None:
        self._core = core
        self._step_days = step_seconds / _DAY
        self._scenario: str | None = None
        self._notes: list[Floats] = []
        self._figure: Figure | None = None
        self._window: int | str | None = None
        self._has_display = True
        if core.scenario[0] is not None:
            self.begin(core)

    def __getstate__(self) -> dict[str, Any]:
        """Return the episode without figure and window: a copy draws its own."""
        return {**vars(self), "_figure": None, "_window": None}

    @property
    def figure(self) -> Figure | None:
        """The Matplotlib figure of the last picture; None before the first."""
        return self._figure

    def begin(self, core: BatchCore) -> None:
        """Start a new episode: the one which has just been reset."""
        self._core = core
        self._scenario = str(core.scenario[0])
        self._notes = []
        self._note()

    def add(self, core: BatchCore, action: Any, reward: float) -> None:
        """Take note of where the step just made led to."""
        self._core = core
        self._note()

    def panels(self) -> list[PanelData]:
        """Return the episode so far as curves over days, rewards left out."""
        table = np.array(self._notes)
        entries = sorted(enumerate(self._core.parts.observer.entries, 1), key=lambda entry: entry[1].unit)
        return [
            PanelData(
                title=f"Observed [{unit}]",
                curves=[curve(v.name, unit, table[:, 0], table[:, column]) for column, v in group],
            )
            for unit, group in groupby(entries, key=lambda entry: entry[1].unit)
        ]

    def draw(self, show: bool) -> NDArray[np.uint8] | None:
        """Return the picture as an array (900, 1000, 3); with `show`, put it into a window instead.

        If no window can be opened, a warning is shown once and the simulation continues.
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

    def close(self) -> None:
        """Close the window and forget the figure; the episode stays."""
        if self._window is not None:
            from matplotlib import pyplot

            pyplot.close(self._window)
        self._figure = None
        self._window = None

    def _note(self) -> None:
        days = self._core.simulator.elapsed[0] * self._step_days
        self._notes.append(np.array([days, *self._core.observations[0]], dtype=np.float64))

    def _drawn(self) -> Figure:
        """Return the figure with the episode so far on it."""
        if self._core.scenario[0] is None:
            raise SimulationError("call reset() before drawing the episode.")
        if str(self._core.scenario[0]) != self._scenario:
            self.begin(self._core)
        if self._figure is None:
            self._figure = Figure(figsize=_SIZE, dpi=_DPI)
            FigureCanvasAgg(self._figure)
        self._draw(self._figure)
        return self._figure

    def _draw(self, figure: Figure) -> None:
        """Draw the episode so far: a panel each unit, as many as fit."""
        figure.clear()
        panels = self.panels()[: self.most_panels]
        rows = math.ceil(len(panels) / self.in_a_row)
        grid = figure.subplots(rows, self.in_a_row, sharex=True, squeeze=False)
        for axes, panel in zip(grid.ravel(), panels, strict=False):
            for line in panel.curves:
                if line.form == "bars":
                    axes.bar(line.x, line.y, label=line.name, color=plotting.BLUE)
                else:
                    axes.plot(line.x, line.y, label=line.name)
            if panel.curves[0].unit != "-":
                axes.set_ylabel(plotting.printed(panel.curves[0].unit))
            axes.set_title(panel.title, fontsize=7, loc="left")
            axes.legend(fontsize=6, loc="upper left")
            plotting.tidy(axes)
        for axes in grid.ravel()[len(panels) :]:
            axes.set_axis_off()
        for axes in grid[-1]:
            axes.set_xlabel("days")
        figure.suptitle(f"{self._core.task.task} · {self._scenario}")
        figure.text(0.07, 0.925, self._summary(), fontsize=9)

    def _summary(self) -> str:
        """Return the task's metrics so far, with units."""
        info = self._core.info()
        parts = [
            plotting.valued(self._label(name), info[name][0], metric.digits, metric.unit)
            for name, metric in self._core.task.metrics.items()
        ]
        parts = [part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts]
        return textwrap.fill(plotting.signed("  ·  ".join(parts)), _LINE)

    def _label(self, metric: str) -> str:
        """Return what a metric is called in the summary."""
        return metric

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
        self._figure, self._window = figure, figure.number
        pyplot.show(block=False)
        return True

    def _go_unseen(self, reason: str) -> bool:
        """Say that no window can be opened, once there is something to miss; return False."""
        if self._core.simulator.elapsed[0] > self._core.task.warmup:
            self._has_display = False
            logger.warn(
                f"render_mode 'human' has no display to open a window on ({reason}); the episode "
                "goes on unseen. render_mode='rgb_array' returns pictures without a display."
            )
        return False
