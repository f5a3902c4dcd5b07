"""How the scores move from day to day: a fast vector process plus a slow one.

The slow process takes its share from the fast one, so that the covariance of the sum on one day
and on neighbouring days stays that of the observations.
"""

from dataclasses import dataclass

import numpy as np

from agbench.variables import Floats
from agbench.weather.generator.parameters import MONTH_OF_DAY, SEASON_OF_DAY

_LEAST_VARIANCE = 0.02  # of any combination of the fast process
_MOST_MEMORY = 0.98  # correlation of any combination with yesterday's


@dataclass(frozen=True, eq=False)
class Moments:
    """Covariances of the residual scores that the process must reproduce.

    `same_day` and `next_day` are (4, 5, 5) by season; `slow` (6, 6) is the correlation of the
    monthly anomalies of the five elements and of rain.
    """

    same_day: Floats
    next_day: Floats
    slow: Floats

    @classmethod
    def of(cls, residuals: Floats, rain: Floats) -> "Moments":
        """Return the moments of residuals (n, 365, 5) and rain (n, 365)."""
        same, following = np.empty((4, 5, 5)), np.empty((4, 5, 5))
        for s in range(4):
            days = np.flatnonzero(SEASON_OF_DAY[1:] == s) + 1
            now, before = residuals[:, days].reshape(-1, 5), residuals[:, days - 1].reshape(-1, 5)
            same[s] = now.T @ now / len(now)
            following[s] = now.T @ before / len(now)
        return cls(same, following, _slow_correlation(residuals, rain))


def _slow_correlation(residuals: Floats, rain: Floats) -> Floats:
    """Return the correlation between monthly anomalies of elements and of the root of rain."""
    series = np.concatenate([residuals, rain[:, :, None]], axis=2)
    months = np.stack([series[:, m == MONTH_OF_DAY].mean(axis=1) for m in range(12)], axis=1)
    months[:, :, 5] = np.sqrt(months[:, :, 5])
    centred = months - months.mean(axis=0)
    spread = np.maximum(centred.std(axis=0), 1e-9)
    scaled = (centred / spread).reshape(-1, 6)
    result: Floats = scaled.T @ scaled / len(scaled)
    return result


def dynamics(moments: Moments, shares: Floats, slow_days: float) -> tuple[Floats, Floats, Floats]:
    """Return transition (4, 5, 5), innovation (4, 5, 5) and mixing (6, 6) of the process.

    `shares` (5): standard deviation of the slow process in each element's residual score [-].
    """
    mixing = np.diag([*shares, 1.0]) @ np.linalg.cholesky(_positive(moments.slow, 1e-3))
    slow = (mixing @ mixing.T)[:5, :5]
    memory = 1.0 - 1.0 / slow_days
    transition, innovation = np.empty((4, 5, 5)), np.empty((4, 5, 5))
    for s in range(4):
        now = _positive(moments.same_day[s] - slow, _LEAST_VARIANCE)
        transition[s], innovation[s] = _autoregression(now, moments.next_day[s] - memory * slow)
    return transition, innovation, mixing


def _positive(matrix: Floats, least: float) -> Floats:
    """Return the nearest symmetric matrix whose eigenvalues are at least `least`."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2.0)
    result: Floats = (vectors * np.maximum(values, least)) @ vectors.T
    return result


def _autoregression(same_day: Floats, next_day: Floats) -> tuple[Floats, Floats]:
    """Return transition and innovation of the process with these covariances.

    Where they contradict each other the process forgets faster, so that it is stable always.
    """
    root: Floats = np.asarray(np.linalg.cholesky(same_day), dtype=np.float64)
    inverse = np.linalg.inv(root)
    left, strengths, right = np.linalg.svd(inverse @ next_day @ inverse.T)
    whitened = (left * np.minimum(strengths, _MOST_MEMORY)) @ right
    noise = np.eye(len(root)) - whitened @ whitened.T
    innovation: Floats = root @ np.linalg.cholesky(noise)
    return root @ whitened @ inverse, innovation
