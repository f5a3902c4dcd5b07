"""The distribution of rain amounts: a power of an exponential variate (Weibull)."""

from math import gamma, sqrt


def shape_of_variation(variation: float) -> float:
    """Return the exponent of a Weibull distribution with this coefficient of variation [-]."""
    low, high = 0.3, 3.0
    for _ in range(50):
        middle = (low + high) / 2.0
        found = sqrt(gamma(1.0 + 2.0 * middle) / gamma(1.0 + middle) ** 2 - 1.0)
        low, high = (middle, high) if found < variation else (low, middle)
    return low
