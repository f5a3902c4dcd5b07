"""How far a simulation lies from the observations: errors of a variable, and the loss of a stage."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from agbench.calibration.observations import Observations
from agbench.variables import Booleans, Floats


@dataclass(frozen=True)
class Loss:
    """The loss of a stage: the sum over its variables of the root mean square of weighted residuals.

    A residual is divided by the observation's standard deviation where the table gives one; else by 1 d
    for dates, and by the standard deviation of the fitted observations for other variables, so that
    variables of different units add up. A prior counts as one more observation of the stage's own variables,
    its square shared among them: with one variable and known standard deviations the loss is least where the
    posterior is greatest.
    """

    observed: Floats
    scale: Floats
    weight: Floats
    groups: Sequence[Booleans]
    """The observations of each variable."""
    own: Sequence[bool]
    """Which variables are the stage's own."""

    @property
    def chosen(self) -> Booleans:
        """The observations that count."""
        result: Booleans = np.any(self.groups, axis=0)
        return result

    def __call__(self, simulated: Floats, prior: Floats | float = 0.0) -> Floats:
        """Return the loss of candidates whose simulations are (n, m); infinite where one is missing.

        `prior` (n,) is the sum of the squared distances of their parameters from priors, in deviations.
        """
        squares = ((simulated - self.observed) / self.scale) ** 2 * self.weight
        losses = np.zeros(len(simulated))
        shared = prior / max(sum(self.own), 1)
        for group, own in zip(self.groups, self.own, strict=True):
            total = squares[:, group].sum(axis=1) + (shared if own else 0.0)
            losses += np.sqrt(total / self.weight[group].sum())
        return np.where(np.isnan(losses), np.inf, losses)


def loss_of(
    observations: Observations, variables: Sequence[str], held_out: Collection[int], own: Collection[str] = ()
) -> Loss:
    """Return the loss over the observations of variables in the seasons that are not held out.

    Priors count among those that are a stage's `own`.
    """
    names = np.array([row.target.name for row in observations.rows])
    fitted = fitted_rows(observations, held_out)
    observed, scale = observations.column("value"), observations.column("sd")
    for name in set(names.tolist()):
        rows = (names == name) & np.isnan(scale)
        scale[rows] = _scale(observations, names == name, fitted)
    groups = [(names == name) & fitted for name in variables]
    return Loss(observed, scale, observations.column("weight"), groups, [name in own for name in variables])


def fitted_rows(observations: Observations, held_out: Collection[int]) -> Booleans:
    """Return which observations are of seasons that are not held out."""
    return np.array([row.season.year not in held_out for row in observations.rows], dtype=np.bool_)


def _scale(observations: Observations, rows: Booleans, fitted: Booleans) -> float:
    """Return what residuals of a variable without standard deviations are divided by."""
    first = observations.rows[int(np.flatnonzero(rows)[0])]
    if first.target.is_date:
        return 1.0
    values = observations.column("value")[rows & fitted]
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return spread or float(np.abs(values).max(initial=0.0)) or 1.0


def rmse(simulated: Floats, observed: Floats) -> float | None:
    """Return the root mean square error; None without observations."""
    return float(np.sqrt(np.mean((simulated - observed) ** 2))) if len(observed) else None
