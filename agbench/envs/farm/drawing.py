"""Pictures of a farm's season: rain, and a curve a field of what grows, was applied and is seen of soil."""

from typing import TYPE_CHECKING, Final

import numpy as np

from agbench.data.farm_task import FarmTask
from agbench.envs.core import BatchCore
from agbench.envs.curves import PanelData, curve, stems
from agbench.envs.rendering import EpisodePlot
from agbench.variables import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_IN_A_ROW: Final = 10  # fields whose names fit side by side


class FarmPlot(EpisodePlot):
    """The season of a core's first farm: what is rewarded, rain, inputs so far, and the observed states.

    Each has a panel, each field a curve in it. What one action gives to all fields is one curve.
    Observed sums of an input are left out: its panel shows them.
    """

    most_panels = 12
    in_a_row = 2

    def __init__(self, core: BatchCore) -> None:
        self._applied: list[Floats] = []
        super().__init__(core)

    def begin(self, core: BatchCore) -> None:
        """Start a new season: that of the episode which has just been reset."""
        self._applied = []
        super().begin(core)

    def panels(self) -> list[PanelData]:
        """Return the season so far as curves over days."""
        rewarded, *others = self._states()
        return [rewarded, *self._rain(), *self._inputs(), *others]

    def _draw(self, figure: "Figure") -> None:
        """Draw the panels with one legend for all: the colour of each field."""
        super()._draw(figure)
        for axes in figure.axes:
            legend = axes.get_legend()
            if legend is not None:
                legend.remove()
        lines, names = figure.axes[0].get_legend_handles_labels()
        figure.legend(
            lines,
            names,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.925),
            ncols=_MOST_IN_A_ROW,
            fontsize=6,
            frameon=False,
        )

    def _note(self) -> None:
        super()._note()
        self._applied.append(self._core.applied[0].copy())

    def _rain(self) -> list[PanelData]:
        """Return a panel with each day's rain, empty for a model whose weather has none."""
        simulator = self._core.simulator
        sky = simulator.weather_variables
        if "RAIN" not in sky:
            return []
        today = int(self._notes[-1][0])
        rain = simulator.weather(today + 1, sky.columns(["RAIN"]))[0][:, 0]
        unit = sky["RAIN"].unit
        return [PanelData(title=f"Rain [{unit}]", curves=[stems("rain", unit, np.arange(today + 1.0), rain)])]

    def _states(self) -> list[PanelData]:
        """Return a panel for each variable that is observed of the fields, the rewarded one first."""
        task, observer = self._core.task, self._core.parts.observer
        assert isinstance(task, FarmTask)
        sums = {f"TOT{name}" for name in task.action.doses}
        seen = [name for name in task.observation.state if name not in sums]
        first = [task.reward.variable] if task.reward.variable in seen else []
        table = np.array(self._notes)
        panels = []
        for name in [*first, *(other for other in seen if other not in first)]:
            columns = [observer.index(f"{name}.{field}") for field in task.field_names]
            unit = observer.entries[columns[0]].unit
            curves = [
                curve(field, unit, table[:, 0], table[:, 1 + column])
                for field, column in zip(task.field_names, columns, strict=True)
            ]
            panels.append(PanelData(title=f"{name} [{unit}]", curves=curves))
        return panels

    def _inputs(self) -> list[PanelData]:
        """Return a panel for each input: what was applied so far."""
        task, inputs = self._core.task, self._core.simulator.inputs
        assert isinstance(task, FarmTask)
        days, applied = np.array(self._notes)[:, 0], np.array(self._applied)
        panels = []
        for name in task.action.doses:
            columns = inputs.columns([f"{name}.{field}" for field in task.field_names])
            unit = inputs.entries[columns[0]].unit
            curves = [
                curve(field, unit, days, applied[:, column])
                for field, column in zip(task.field_names, columns, strict=True)
            ]
            if task.farm.control == "joint":
                curves = [curves[-1].model_copy(update={"name": "all fields"})]
            panels.append(PanelData(title=f"{name} applied [{unit}]", curves=curves))
        return panels
