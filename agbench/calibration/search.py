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
_RANDOM: Final = 1_000  # points on which the expected improvement is looked up
_CLIMBERS, _GENERATIONS = 20, 12  # of the differential evolution that climbs it, from the best of them
_NEAR: Final = 0.03  # standard deviation of climbers that start around the best point so far, in widths
_EVERY, _GROWTH = 50, 1.1  # hyperparameters are fitted at each of the first points, then at 10 % more
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
    scale for each dimension is fitted at each of the first evaluations, and later whenever there are a tenth
    more. One thread, because its sums, and so its choices, depend on how many there are.
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
        from sklearn.gaussian_process.kernels import RBF
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise MissingExtraError(
            "the method 'bayesian' needs bayesian-optimization: pip install 'agbench[calibrate]'. The method"
            " 'cma' does without."
        ) from None
    optimizer = BayesianOptimization(
        None,
        {f"x{i}": (0.0, 1.0) for i in range(dimensions)},
        acquisition_function=_improvement(),
        random_state=seed,
        verbose=0,
        allow_duplicate_points=True,
    )
    kernel = RBF(length_scale=np.full(dimensions, 0.3), length_scale_bounds=(0.01, 10.0))
    optimizer.set_gp_params(kernel=kernel, n_restarts_optimizer=0)
    return optimizer, threadpool_limits


def _improvement() -> Any:
    """Return the library's expected improvement, whose process keeps its hyperparameters for a while.

    As the library has it, all but a tenth of the time goes into fitting them at each point, and into climbing
    by differences, a prediction for each coordinate.
    """
    from bayes_opt.acquisition import ExpectedImprovement
    from scipy.optimize import differential_evolution

    class Improvement(ExpectedImprovement):
        _next_fit = 0

        def suggest(
            self,
            gp: Any,
            target_space: Any,
            n_random: int = _RANDOM,
            n_smart: int = _CLIMBERS,
            fit_gp: bool = True,
            random_state: Any = None,
        ) -> Any:
            return super().suggest(gp, target_space, n_random, n_smart, fit_gp, random_state)

        def _fit_gp(self, gp: Any, target_space: Any) -> None:
            points = len(target_space)
            fits = points >= self._next_fit
            gp.set_params(optimizer="fmin_l_bfgs_b" if fits else None)
            super()._fit_gp(gp, target_space)
            gp.set_params(kernel=gp.kernel_)  # from where it is, the next fit takes few steps
            if fits:
                self._next_fit = points + 1 if points < _EVERY else int(_GROWTH * points)

        def _smart_minimize(
            self, acq: Any, space: Any, x_seeds: Any, random_state: Any
        ) -> tuple[Floats | None, float]:
            """Climb with a population: a step of it is one prediction for all."""
            best = space.params[int(np.argmax(space.target))]
            half = len(x_seeds) // 2
            near = best + random_state.normal(0.0, _NEAR, (len(x_seeds) - half, len(best)))
            climbed = differential_evolution(
                lambda points: acq(points.T),
                space.bounds,
                init=np.clip(np.concatenate([x_seeds[:half], near]), *space.bounds.T),
                maxiter=_GENERATIONS,
                updating="deferred",
                vectorized=True,
                polish=False,
                seed=random_state,
            )
            return climbed.x, float(np.squeeze(climbed.fun))

    return Improvement(xi=0.0)


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
