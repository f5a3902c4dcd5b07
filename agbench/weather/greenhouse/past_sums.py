"""The sum of radiation over the 24 hours before a row: all that a grower can know of `dli`."""

from typing import Final

import numpy as np

from agbench.variables import Floats

SUN: Final = 0
DLI: Final = 7
"""Columns of greenhouse weather."""


def running(sun: Floats, start: float) -> Floats:
    """Return `start` and the sums after each of some rows of radiation, (rows + 1,)."""
    return np.concatenate([[start], sun]).cumsum()


def past_energy(now: Floats, day_before: Floats, interval: float) -> Floats:
    """Return the energy [MJ m-2] between two running sums of radiation, each with a row every `interval`."""
    energy: Floats = np.maximum(now - day_before, 0.0) * interval * 1e-6
    return energy


def with_past_sums(before: Floats, rows: Floats, interval: int) -> Floats:
    """Return rows whose `dli` is the sum of the 24 hours before each; `before` are the rows of a day."""
    sums = running(np.concatenate([before[:, SUN], rows[:, SUN]]), 0.0)
    result = rows.copy()
    result[:, DLI] = past_energy(sums[len(before) : -1], sums[: len(rows)], interval)
    return result
