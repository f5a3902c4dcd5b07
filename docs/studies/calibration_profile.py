"""Which parameters the observations of a recovery determine: the loss along each, over draws of the noise.

Run: `python docs/studies/calibration_profile.py`. It prints a table of docs/calibration.md: growth of maize.
Each parameter moves through its bounds while the others have their true values.
"""

from dataclasses import replace

import calibration_tables
import numpy as np

from agbench.calibration.calibrating import prepare, stage_loss
from agbench.data.calibration import CalibrationSpec
from agbench.data.reading import read_data

DRAWS = 200  # of the noise
POINTS = 7  # values of a parameter, its bounds among them
SAME = 1e-9  # losses that differ by less are equal but for rounding
MAIZE = calibration_tables.RECOVERIES[3]


def profile(truth):
    """Return, by parameter, values, the change that they make [%] and the rise of the loss (draws, values).

    The change is that of the observed variables, the root of its mean square.
    """
    table = truth.observations(state_noise=0.0)
    problem = prepare(read_data(CalibrationSpec, truth.spec, truth.title), table[table["value"] > 0.0])
    true = np.array([truth.true[d.name] for d in problem.dimensions])
    exact = problem.simulate(true[np.newaxis])[0]
    noise = np.random.default_rng(0).normal(0.0, calibration_tables.STATE_NOISE, (DRAWS, exact.shape[1]))
    losses = [replace(stage_loss(problem, 0), observed=exact[0] * (1.0 + draw)) for draw in noise]
    result = {}
    for j, dimension in enumerate(problem.dimensions):
        values = np.linspace(dimension.low, dimension.high, POINTS)
        moved = np.repeat(true[np.newaxis], POINTS, axis=0)
        moved[:, j] = values
        simulated = problem.simulate(moved)[0]
        change = 100.0 * np.sqrt(np.mean((simulated / exact - 1.0) ** 2, axis=1))
        rise = np.array([loss(simulated) - loss(exact) for loss in losses])
        result[dimension.name] = values, change, rise
    return result


def main():
    """Print a line a value: how far it moves what is observed, and what it adds to the loss."""
    print("| parameter (true) | value | observed change | loss rises | falls in |")
    print("|---|---|---|---|---|")
    for name, (values, change, rise) in profile(MAIZE).items():
        for k, value in enumerate(values):
            label = f"{name} ({MAIZE.true[name]:g})" if k == 0 else ""
            better = f"{100.0 * np.mean(rise[:, k] < -SAME):.0f} %"
            spread = f"{rise[:, k].mean():+.3f} ± {rise[:, k].std():.3f}"
            print(f"| {label} | {value:.4g} | {change[k]:.2f} % | {spread} | {better} |", flush=True)


if __name__ == "__main__":
    main()
