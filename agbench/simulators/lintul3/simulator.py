"""The batch simulator of LINTUL-3."""

import numpy as np

from agbench.simulators.field.simulator import DailySimulator
from agbench.simulators.lintul3 import day
from agbench.simulators.lintul3.variables import INPUTS, VARIABLES
from agbench.variables import Floats
from agbench.weather.daily import DAILY


class Lintul3Simulator(DailySimulator):
    """n independent LINTUL-3 seasons; see `agbench.simulators.base.Simulator`."""

    inputs = INPUTS
    weather_variables = DAILY
    _MANAGEMENT = np.dtype([("N_EFF", np.float64), ("IRRIG_EFF", np.float64)])

    def __init__(self, n: int) -> None:
        super().__init__(n, VARIABLES, day)

    def _manage(self, inputs: Floats, arrives: Floats, amounts: Floats) -> None:
        np.multiply(inputs, arrives, out=amounts)
