"""Staged calibrations of vines against regressions on thermal time: cultivars, noise, numbers of years.

Run: `python docs/studies/calibration_vines.py [--noise 2] [--years 5,10,15,30]`. It prints the tables of
docs/calibration.md on out-of-sample errors. All observations are synthetic: Washington State, generated
weather, the published parameters of cultivars, noise of 2 d on dates. The last 20 seasons are held out.
"""

import argparse
from dataclasses import replace

import calibration_tables
import numpy as np
import pandas as pd
from vine_dates import GRAPE_STAGES, Dates, regression

from agbench.calibration.calibrating import _Stage, prepare
from agbench.calibration.observations import Observations
from agbench.data.calibration import CalibrationSpec
from agbench.data.reading import read_data

CULTIVARS = ("riesling", "cabernet-sauvignon", "merlot", "pinot-noir", "concord", "zinfandel")
KEPT = 20
SD = calibration_tables.DATE_NOISE


FIVE = calibration_tables.grape_truth().spec["stages"]
TOGETHER = {
    "name": "all",
    "parameters": [name for stage in FIVE for name in stage["parameters"]],
    "observations": list(GRAPE_STAGES),
}
VARIANTS = {
    "seven parameters, five of them by bud break": (calibration_tables.SEVEN, False),
    "five parameters, each where it acts": (FIVE, False),
    "five parameters, with priors": (FIVE, True),
    "five parameters, and a last stage of all": ([*FIVE, TOGETHER], False),
}


class Experiment:
    """All seasons of one weather, in which cultivars grow, and from which years are drawn."""

    def __init__(self, most):
        self.truth = calibration_tables.grape_truth(most + KEPT, seven=True)
        self.years = list(self.truth.years)
        rows = [self.truth._row(y, name, 330) for y in self.years for name in GRAPE_STAGES]
        spec = read_data(CalibrationSpec, self.truth.spec, "vines")
        self.problem = prepare(spec, pd.DataFrame(rows), self.truth.weather)
        self.dates = Dates(self.problem)
        self.names = [d.name for d in self.problem.dimensions]

    def observed(self, true, generator):
        """Return the dates (m,) of a cultivar's stages in all seasons, as observed."""
        exact = self.dates.simulate(np.array([[true[name] for name in self.names]]))[0][0]
        return np.round(exact + generator.normal(0.0, SD, len(exact)))

    def differing(self, count=64):
        """Return how many dates of random candidates are not the whole model's, of how many."""
        low, high = (
            np.array([getattr(d, side) for d in self.problem.dimensions]) for side in ("low", "high")
        )
        values = low + np.random.default_rng(0).random((count, len(low))) * (high - low)
        differ = self.problem.simulate(values)[0] != self.dates.simulate(values)[0]
        return int(differ.sum()), differ.size

    def held_out(self, count):
        """Return the seasons that are not among the first `count`; only the last ones are judged."""
        return self.years[count:]

    def fit(self, observed, count, stages, given, seed):
        """Return the fitted parameters of a variant on the first `count` seasons."""
        rows = [
            replace(row, value=value, sd=SD)
            for row, value in zip(self.problem.observations.rows, observed, strict=True)
        ]
        plan = self.truth.spec | {"stages": stages, "method": "cma", "hold_out": self.held_out(count)}
        plan |= {"budget": 800, "population": 16, "seed": seed}
        used = {name for stage in stages for name in stage["parameters"]}
        plan["parameters"] = {name: plan["parameters"][name] for name in plan["parameters"] if name in used}
        spec = read_data(CalibrationSpec, plan, "vines")
        dimensions = [replace(d, prior=given.get(d.name)) for d in self.problem.dimensions]
        values = np.array([d.before for d in dimensions])
        for number, stage in enumerate(stages):
            fit = self._stage(spec, dimensions, Observations(rows, ""), number, values)
            for name, value in zip(stage["parameters"], fit.values, strict=True):
                values[self.names.index(name)] = value
        return values

    def _stage(self, spec, dimensions, observations, number, values):
        """Return one stage's fit by AgBench's own search; parameters that no stage has stay as they are."""
        problem = Dates(self.problem, spec, observations)
        chosen = [self.names.index(name) for name in spec.parameters]
        problem.dimensions = [dimensions[j] for j in chosen]
        problem.simulate = _inserted(problem.simulate, values, chosen)
        low, high = (np.array([getattr(d, side) for d in problem.dimensions]) for side in ("low", "high"))
        return _Stage(problem, number, values[chosen], low, high).fit()

    def errors(self, values, dates):
        """Return the RMSE [d] of parameters over the last seasons, by stage: the whole model's dates."""
        simulated = self.problem.simulate(values[np.newaxis])[0][0]
        stages = np.array([row.target.name for row in self.problem.observations.rows])
        last = np.array([row.season.year in self.years[-KEPT:] for row in self.problem.observations.rows])
        return [float(np.sqrt(np.mean((simulated - dates)[(stages == n) & last] ** 2))) for n in GRAPE_STAGES]


def _inserted(simulate, values, chosen):
    """Return a simulation of some parameters, the others at `values`."""

    def of_some(some, observations=None):
        whole = np.repeat(values[np.newaxis], len(some), axis=0)
        whole[:, chosen] = some
        return simulate(whole, observations)

    return of_some


def run(out, noise=2, counts=(5, 10, 15, 30), cultivars=CULTIVARS):
    """Write and return a table of fits: cultivar, noise, years, method, held-out RMSE [d], parameters."""
    experiment = Experiment(max(counts))
    print("dates unlike the whole model's: {} of {}".format(*experiment.differing()), flush=True)
    rows = []
    for seed in range(noise):
        for name in cultivars:
            rows += _replicate(experiment, name, seed, counts)
            print(name, seed, flush=True)
            pd.DataFrame(rows).to_csv(out, index=False)
    return pd.DataFrame(rows)


def _replicate(experiment, name, seed, counts):
    """Return the rows of one cultivar and one noise."""
    true = calibration_tables.cultivar(name)
    generator = np.random.default_rng([seed, CULTIVARS.index(name)])
    observed = experiment.observed(true, generator)
    rows = []

    def add(count, method, errors, values=()):
        totals = {"total": sum(errors), **dict(zip(GRAPE_STAGES, errors, strict=True))}
        rows.append({"cultivar": name, "seed": seed, "years": count, "method": method} | totals)
        rows[-1].update(zip(experiment.names, values, strict=False))

    for count in counts:
        truth = np.array([true[n] for n in experiment.names])
        add(count, "the true parameters", experiment.errors(truth, observed))
        some = _table(experiment, observed, count)
        for label, bases in (("base 10 degC", [10.0]), ("best of 31 bases", np.arange(0.0, 15.5, 0.5))):
            years = experiment.years[-KEPT:]
            add(count, f"regression, {label}", regression(some, experiment.truth.weather, years, bases)[1])
        for label, (stages, informed) in VARIANTS.items():
            values = experiment.fit(
                observed, count, stages, calibration_tables.priors(name) if informed else {}, seed
            )
            add(count, label, experiment.errors(values, observed), values)
    return rows


def _table(experiment, observed, count):
    """Return the observations of the first `count` and the last seasons as a table."""
    chosen = {*experiment.years[:count], *experiment.years[-KEPT:]}
    return pd.DataFrame(
        {"season": row.season.year, "variable": row.target.name, "date": str(np.datetime64(int(value), "D"))}
        for row, value in zip(experiment.problem.observations.rows, observed, strict=True)
        if row.season.year in chosen
    )


def report(table):
    """Print mean and spread of the held-out totals, and how often a method beats the searched regression."""
    counts = sorted(set(table["years"]))
    rival = table[table["method"] == "regression, best of 31 bases"]
    rival = rival.set_index(["cultivar", "seed", "years"])["total"]
    print("| held-out RMSE, total of three stages [d] | " + " | ".join(f"{n} years" for n in counts) + " |")
    print("|---" * (len(counts) + 1) + "|")
    for method in dict.fromkeys(table["method"]):
        own = table[table["method"] == method].set_index(["cultivar", "seed", "years"])["total"]
        cells = []
        for count in counts:
            these, those = (x.xs(count, level="years") for x in (own, rival))
            wins = f" ({int((these < those).sum())} of {len(these)})" if "regression" not in method else ""
            cells.append(f"{these.mean():.2f} ± {these.std():.2f}{wins}")
        print(f"| {method} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--noise", type=int, default=2)
    parser.add_argument("--years", default="5,10,15,30")
    parser.add_argument("--cultivars", default=",".join(CULTIVARS))
    parser.add_argument("--out", default="vines.csv", help="each fit; written anew after each cultivar")
    given = parser.parse_args()
    report(run(given.out, given.noise, [int(n) for n in given.years.split(",")], given.cultivars.split(",")))
