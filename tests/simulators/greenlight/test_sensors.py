"""What sensors of a greenhouse say, by hand: the clock, and the climate inside."""

import math

import numpy as np
import pytest

from agbench.simulators.greenlight.sensors import CLIMATE, CLOCK, read_climate, read_clock
from agbench.simulators.greenlight.variables import STATES

DAY = 86_400


@pytest.mark.parametrize(
    ("seconds", "day", "hour"), [(0, 0, 0.0), (45 * DAY + 21_600, 45, 6.0), (366 * DAY + 64_800, 0, 18.0)]
)
def test_the_clock_says_day_and_hour_and_where_year_and_day_stand(seconds, day, hour):
    out = np.full((2, len(CLOCK)), np.nan)
    read_clock(np.array([0, seconds]), out)
    year, turn = 2.0 * math.pi * (day + hour / 24.0) / 365.0, 2.0 * math.pi * hour / 24.0
    expected = [day, hour, math.sin(year), math.cos(year), math.sin(turn), math.cos(turn)]
    assert out[1] == pytest.approx(expected, abs=1e-12)


def test_the_climate_is_that_of_air_and_pipe_in_units_of_growers():
    """At 20 degC 1,100 mg m-3 of CO2 are 601 ppm, and 1,163 Pa of vapour half of what air holds (Magnus)."""
    state = np.zeros((1, len(STATES)))
    state[0, STATES.columns(["co2Air", "tAir", "vpAir", "tPipe"])] = 1100.0, 20.0, 1163.0, 45.0
    out = np.zeros((1, len(CLIMATE)))
    read_climate(state, out)
    assert out[0] == pytest.approx([601.2, 20.0, 50.0, 45.0], rel=1e-3)
