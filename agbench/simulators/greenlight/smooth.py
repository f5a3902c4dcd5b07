"""Roots, powers and logistic functions that stay finite, with their derivatives, for every argument.

Beyond a tiny neighbourhood of the singular point each is exactly the function that the model's
authors wrote; inside it a polynomial takes over, with two continuous derivatives.
"""

from typing import Any

import casadi

from agbench.compiled.elementary import pow

TEMPERATURE_WIDTH = 1e-4  # K, below which differences of temperature are smoothed


def magnitude_power(x: Any, exponent: float, width: float) -> Any:
    """Return |x|^exponent, smoothed for |x| < width."""
    square = (x / width) ** 2
    a = exponent / 2
    # exp(a log x) and not x^a: its derivative needs no second power.
    outside = casadi.exp(a * casadi.log(casadi.fmax(square, 1.0)))
    inside = casadi.fmin(square, 1.0) - 1.0
    return pow(width, exponent) * (outside + inside * (a + a * (a - 1) / 2 * inside))


def logistic(x: Any) -> Any:
    """Return 1 / (1 + exp(-x)), which rises from 0 to 1."""
    return 1 / (1 + casadi.exp(casadi.fmin(-x, 300.0)))


def saturation_pressure(temperature: Any) -> Any:
    """Saturation vapour pressure over water [Pa] at a temperature [degC] (Magnus)."""
    return 610.78 * casadi.exp(17.2694 * temperature / (temperature + 238.3))
