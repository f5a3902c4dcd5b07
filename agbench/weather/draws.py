"""Random numbers with the same bits on every machine."""

import numpy as np

from agbench.variables import Floats

_ZIGGURAT = 3.6541528853610088  # NumPy draws what lies beyond by the C library's logarithm
_DIGITS = 9


def standard_normal(generator: np.random.Generator, shape: int | tuple[int, ...]) -> Floats:
    """Return normal numbers of mean 0 and variance 1.

    Within the ziggurat's last strip NumPy multiplies an integer by a constant. Beyond it, once in some
    4000 numbers, it takes logarithms of the C library, whose last bits differ between machines: those
    numbers are rounded to nine digits after the point, which hides the difference.
    """
    drawn = generator.standard_normal(shape)
    beyond = np.abs(drawn) > _ZIGGURAT
    drawn[beyond] = np.round(drawn[beyond], _DIGITS)
    return drawn


def uniform(generator: np.random.Generator, low: float, high: float, shape: int | tuple[int, ...]) -> Floats:
    """Return numbers evenly spread from `low` to `high`.

    NumPy's own `uniform` rounds its product and sum together on some processors.
    """
    return low + (high - low) * generator.random(shape)
