"""What sensors in and around the greenhouse read, row by row, from states, weather and the clock."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry, kernel
from agbench.compiled.elementary import cos, exp, sin
from agbench.simulators.casadi_jit.calling import load
from agbench.variables import Floats, Variable, VariableTable

CLIMATE: Final = VariableTable(
    (
        Variable("co2_ppm", "ppm", "CO2 of the air below the screens", 0.0, 1e6),
        Variable("tAir", "degC", "temperature of the air below the screens", -100.0, 300.0),
        Variable("rh", "%", "relative humidity of the air below the screens", 0.0, 1e4),
        Variable("tPipe", "degC", "temperature of the pipe rails", -100.0, 500.0),
    )
)
CLOCK: Final = VariableTable(
    (
        Variable("day", "d", "day of the year, 0 on 1 January", 0.0, 366.0),
        Variable("hour", "h", "hour of the day", 0.0, 24.0),
        Variable("sin_day", "-", "sine of the day of the year", -1.0, 1.0),
        Variable("cos_day", "-", "cosine of the day of the year", -1.0, 1.0),
        Variable("sin_hour", "-", "sine of the hour of the day", -1.0, 1.0),
        Variable("cos_hour", "-", "cosine of the hour of the day", -1.0, 1.0),
    )
)
GAS_CONSTANT = 8.3144598  # J mol-1 K-1, CODATA 2014
CO2_MOLAR_MASS = 44.01e-3  # kg mol-1
PRESSURE = 101325.0  # Pa
YEAR = 365.0  # d
DAY = 86400  # s

_CO2, _T_AIR, _T_PIPE, _VAPOUR = 0, 2, 9, 15  # columns of states
_T_OUT, _I_GLOB, _DLI, _IS_DAY, _IS_DAY_SMOOTH = 1, 0, 7, 8, 9  # columns of weather
_WIDTH = 10  # columns of weather


@kernel
def saturation_pressure(temperature: float) -> float:
    """Vapour pressure of saturated air [Pa] at `temperature` [degC] (as in `smooth`)."""
    return 610.78 * exp(17.2694 * temperature / (temperature + 238.3))


@kernel
def relative_humidity(vapour: float, temperature: float) -> float:
    """Relative humidity [%] from vapour pressure [Pa] and temperature [degC]."""
    return 100.0 * vapour / saturation_pressure(temperature)


@kernel
def co2_ppm(density: float, temperature: float) -> float:
    """CO2 as a share of the air's volume [ppm] from its density [mg m-3] (ideal gas)."""
    return GAS_CONSTANT * (temperature + 273.15) * density / (PRESSURE * CO2_MOLAR_MASS)


@entry
def read_climate(state: Floats, out: Floats) -> None:
    """Write the indoor climate (n, 4), in the order of `CLIMATE`, of states (n, 28)."""
    for i in range(len(state)):
        out[i, 0] = co2_ppm(state[i, _CO2], state[i, _T_AIR])
        out[i, 1] = state[i, _T_AIR]
        out[i, 2] = relative_humidity(state[i, _VAPOUR], state[i, _T_AIR])
        out[i, 3] = state[i, _T_PIPE]


@entry
def read_clock(seconds: NDArray[np.int64], out: Floats) -> None:
    """Write the clock (n, 6), in the order of `CLOCK`, of seconds since 1 January, (n,)."""
    for i in range(len(seconds)):
        day = (seconds[i] // DAY) % 366
        hour = (seconds[i] % DAY) / 3600.0
        out[i, 0], out[i, 1] = float(day), hour
        year, turn = 2.0 * math.pi * (day + hour / 24.0) / YEAR, 2.0 * math.pi * hour / 24.0
        out[i, 2], out[i, 3] = sin(year), cos(year)
        out[i, 4], out[i, 5] = sin(turn), cos(turn)


@entry
def read_measured(
    state: Floats,
    series: NDArray[np.int64],
    lengths: NDArray[np.int64],
    now: NDArray[np.int64],
    seconds: NDArray[np.int64],
    out: Floats,
) -> None:
    """Write what the climate computer measures (n, 10), in the order of its table."""
    for i in range(len(state)):
        if lengths[i] == 0:
            out[i] = 0.0
            continue
        place = min(now[i], lengths[i] - 1) * _WIDTH
        out[i, 0] = state[i, _T_AIR]
        out[i, 1] = relative_humidity(state[i, _VAPOUR], state[i, _T_AIR])
        out[i, 2] = co2_ppm(state[i, _CO2], state[i, _T_AIR])
        out[i, 3] = load(series[i], place + _T_OUT)
        out[i, 4] = load(series[i], place + _I_GLOB)
        out[i, 5] = load(series[i], place + _DLI)
        out[i, 6] = load(series[i], place + _IS_DAY)
        out[i, 7] = load(series[i], place + _IS_DAY_SMOOTH)
        out[i, 8] = (seconds[i] % DAY) / 3600.0
        out[i, 9] = float((seconds[i] // DAY) % 366)
