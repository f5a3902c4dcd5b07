"""The two searches: Bayesian optimisation, a candidate at a time, and CMA-ES, a generation at a time.

Both work on the unit cube, from the base crop's values on, and follow from their seed.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from agbench.errors import MissingExtraError
from agbench.variables import Floats

Objective = Callable[[Floats], Floats]
"""Returns the losses (n,) of points (n, d) of the unit cube; infinite for what cannot be simulated."""

_FIRST: Final = 10  # random points before the Gaussian process chooses: a Latin hypercube and the start
_RANDOM, _CLIMBS = 2_000, 3  # points on which the expected improvement is looked up, and climbed from
_WORST: Final = 1e3  # loss of a candidate that cannot be simulated: finite, for the Gaussian process
_SPREAD: Final = 0.2  # of the first generation of CMA-ES, in widths of the bounds


@dataclass(frozen=True)
class Trials:
    """All points (n, d) of the unit cube that a search tried, and their losses (n,), in order."""

    points: Floats
    losses: Floats

    @property
    def best(self) -> int:
        """The number of the best point, the first of equals."""
        return int(np.argmin(self.losses))


def bayesian(objective: Objective, start: Floats, budget: int, seed: int) -> Trials:
    """Search by a Gaussian process with an RBF kernel and expected improvement.

    As Solow, Saisubramanian and Fern 2025 fit phenology; the library is `bayesian-optimization`. A length
    scale for each dimension is fitted at every evaluation. One thread, because its sums, and so its
    choices, depend on how many there are.
    """
    optimizer, threads = _gaussian_process(len(start), seed)
    names = [f"x{i}" for i in range(len(start))]
    points = _first_points(start, min(_FIRST, budget), seed)
    losses = np.minimum(objective(points), _WORST)
    with warnings.catch_warnings(), threads(limits=1):
        warnings.simplefilter("ignore")  # of a likelihood that has not converged
        for point, loss in zip(points, losses, strict=True):
            optimizer.register(dict(zip(names, point.tolist(), strict=True)), -float(loss))
        while len(points) < budget:
            suggested = optimizer.suggest()
            point = np.array([[float(suggested[name]) for name in names]])
            loss = np.minimum(objective(point), _WORST)
            optimizer.register(suggested, -float(loss[0]))
            points, losses = np.concatenate([points, point]), np.concatenate([losses, loss])
    return Trials(points, losses)


def _gaussian_process(dimensions: int, seed: int) -> tuple[Any, Any]:
    """Return the optimiser, and what limits threads; raises `MissingExtraError` with the command."""
    try:
        from bayes_opt import BayesianOptimization
        from bayes_opt.acquisition import ExpectedImprovement
        from sklearn.gaussian_process.kernels import RBF
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise MissingExtraError(
            "the method 'bayesian' needs bayesian-optimization: pip install 'agbench[calibrate]'. The method"
            " 'cma' does without."
        ) from None

    class Improvement(ExpectedImprovement):
        """Expected improvement, looked up on fewer points: most of its time is spent there."""

        def suggest(self, *arguments: Any, **keywords: Any) -> Any:
            return super().suggest(*arguments, **{**keywords, "n_random": _RANDOM, "n_smart": _CLIMBS})

    optimizer = BayesianOptimization(
        None,
        {f"x{i}": (0.0, 1.0) for i in range(dimensions)},
        acquisition_function=Improvement(xi=0.0),
        random_state=seed,
        verbose=0,
        allow_duplicate_points=True,
    )
    kernel = RBF(length_scale=np.full(dimensions, 0.3), length_scale_bounds=(0.01, 10.0))
    optimizer.set_gp_params(kernel=kernel, n_restarts_optimizer=0)
    return optimizer, threadpool_limits


def _first_points(start: Floats, count: int, seed: int) -> Floats:
    """Return the start and a Latin hypercube, (count, d)."""
    generator = np.random.default_rng(seed)
    strata = np.stack([generator.permutation(count - 1) for _ in start], axis=1)
    spread = (strata + generator.random(strata.shape)) / (count - 1)
    return np.concatenate([start[np.newaxis], spread])


def cma(objective: Objective, start: Floats, budget: int, population: int, seed: int) -> Trials:
    """Search by CMA-ES (Hansen and Ostermeier 2001; package `cma`), each generation one batch.

    It ends when the budget is used or the package's own criteria hold.
    """
    from cma import CMAEvolutionStrategy

    generator = np.random.default_rng(seed)
    options = {
        "popsize": population,
        "bounds": [0.0, 1.0],
        "randn": lambda *shape: generator.standard_normal(shape),
        "seed": np.nan,  # the generator is ours: no global state is touched
        "verbose": -9,
    }
    padded = _padded(start)
    search = CMAEvolutionStrategy(padded, _SPREAD, options)
    points, losses = start[np.newaxis], objective(start[np.newaxis])
    for _ in range(budget // population):
        asked = search.ask()
        some = np.array(asked)[:, : len(start)]
        values = objective(some)
        worst = values[np.isfinite(values)].max(initial=1.0)
        search.tell(asked, np.where(np.isfinite(values), values, 2.0 * worst).tolist())
        points, losses = np.concatenate([points, some]), np.concatenate([losses, values])
        if search.stop():
            break
    return Trials(points, losses)


def _padded(start: Floats) -> Floats:
    """Return a start of two dimensions at least, which `cma` needs; the second one acts on nothing."""
    return start if len(start) > 1 else np.append(start, 0.5)
