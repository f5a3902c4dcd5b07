"""Pictures of greenhouse seasons: what is called the mean of a day is one."""

from functools import cache

import numpy as np
import pytest
from matplotlib.figure import Figure

import agbench
from agbench.data.greenhouse_reward import PRICED
from agbench.envs.greenhouse.ahead import prices_ahead
from agbench.envs.greenhouse.drawing import _COLUMNS, GreenhousePlot
from agbench.simulators.greenlight.metered import METERS
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE

NOW = np.zeros(1, np.int64), np.array([PRICED.index("electricity")])


@cache
def season(task, steps, **overrides):
    """Return the plot of some steps of a season, the heat used by each day's end, and the core."""
    env = agbench.make(task, "validation", episode__length="3 d", **overrides).unwrapped
    env.reset(seed=0)
    plot, heat = GreenhousePlot(env.core), [0.0]
    a_day = 288 // env.task.step
    for k in range(steps):
        action = 3 if env.task.action.kind == "temperature" else np.full(6, 0.05, np.float32)
        reward = env.step(action)[1]
        plot.add(env.core, action, float(reward))
        if (k + 1) % a_day == 0:
            heat.append(float(env.core.simulator.meters[0, METERS.column("heat")]))
    return plot, np.diff(heat), env.core


@pytest.mark.parametrize(("task", "steps"), [("greenhouse-setpoint-v1", 48), ("greenhouse-winter-v1", 576)])
def test_equipment_is_the_mean_of_all_steps_of_a_day(task, steps):
    """What the boiler gave is its capacity times its mean position, whatever a decision's length."""
    plot, heat, core = season(task, steps)
    capacity, floor = core.simulator.parameters[0, PARAMETER_TABLE.columns(["pBoil", "aFlr"])]
    daily = plot.daily()
    assert daily["days"].tolist() == [1.0, 2.0]
    np.testing.assert_allclose(daily["uBoil"] * capacity / floor * 86_400, heat, rtol=1e-9)


def test_the_heating_set_point_is_drawn_where_the_task_has_one():
    plot, _, _ = season("greenhouse-setpoint-v1", 48)
    assert plot.daily()["setPoint"][1] == pytest.approx(21.0)
    plot, _, _ = season("greenhouse-winter-v1", 20)
    assert np.isnan(plot.daily()["setPoint"]).all()


def test_before_the_first_step_there_is_no_day():
    plot, _, _ = season("greenhouse-winter-v1", 0)
    assert plot.daily()["tAir"].shape == (0,)
    plot.draw(show=False)


@pytest.fixture(scope="module")
def with_limits():
    """A picture of a season whose air may have 30 °C at most."""
    figure = Figure()
    season("greenhouse-winter-v1", 20, constraints__temperature__high=30.0)[0]._draw(figure)
    return figure


@pytest.mark.parametrize(
    ("label", "limits"),
    [("indoor (°C)", {15.0, 30.0}), ("humidity (%)", {50.0, 85.0}), ("CO₂ (ppm)", {300.0, 1600.0})],
)
def test_limits_of_constraints_are_drawn(label, limits, with_limits):
    figure = with_limits
    scales = [axes for axes in figure.axes if axes.get_ylabel() == label]
    assert len(scales) == 2
    for axes in scales:
        across = [line.get_ydata() for line in axes.lines if line.get_transform() != axes.transData]
        assert {float(y[0]) for y in across} == limits
        low, high = axes.get_ylim()
        assert low <= min(limits)
        assert high >= max(limits)


@pytest.mark.parametrize(
    ("task", "steps", "drawn"), [("greenhouse-winter-v1", 576, 2), ("greenhouse-setpoint-v1", 48, 0)]
)
def test_the_price_of_electricity_is_drawn_where_it_changes(task, steps, drawn):
    plot, _, core = season(task, steps)
    figure = Figure()
    plot._draw(figure)
    scales = [axes for axes in figure.axes if "electricity" in axes.get_ylabel()]
    assert len(scales) == drawn
    assert plot._notes[-1][_COLUMNS.index("electricityPrice")] == prices_ahead(core.simulator, *NOW)[0, 0, 0]
