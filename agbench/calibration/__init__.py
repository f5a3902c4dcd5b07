"""Fitting crop parameters to observations: `calibrate`, and what comes out of it."""

from agbench.calibration.calibrating import calibrate
from agbench.calibration.result import Calibration

__all__ = ["Calibration", "calibrate"]
