"""Write numbers.json: what rliable 1.2.0 says about two matrices of scores."""

import json
from pathlib import Path

import numpy as np
from rliable import library, metrics

REPLICATIONS = 500
STATISTICS = {
    "iqm": metrics.aggregate_iqm,
    "median": metrics.aggregate_median,
    "mean": metrics.aggregate_mean,
    "optimality_gap": lambda scores: metrics.aggregate_optimality_gap(scores, 100.0),
}


def matrices():
    """Return two matrices (runs, strata) with ties between and within them."""
    generator = np.random.default_rng(20210830)
    ours = np.round(generator.normal(60.0, 40.0, (7, 6)), 0)
    theirs = np.round(generator.normal(50.0, 30.0, (4, 6)), 0)
    return ours, theirs


def main():
    ours, theirs = matrices()
    found = {"ours": ours.tolist(), "theirs": theirs.tolist(), "replications": REPLICATIONS, "seed": 1}
    found["values"] = {name: float(f(ours)) for name, f in STATISTICS.items()}
    found["probability_of_improvement"] = float(metrics.probability_of_improvement(ours, theirs))
    taus = np.array([-20.0, 0.0, 33.0, 60.0, 100.0, 150.0])
    found["thresholds"] = taus.tolist()
    found["profile"] = [float(library.run_score_deviation(ours, tau)) for tau in taus]
    found["intervals"] = {}
    for name, statistic in STATISTICS.items():
        np.random.seed(1)  # noqa: NPY002  rliable draws from NumPy's global generator
        bootstrap = library.StratifiedBootstrap(ours)
        limits = bootstrap.conf_int(statistic, reps=REPLICATIONS, size=0.95, method="percentile")
        found["intervals"][name] = [float(limits[0, 0]), float(limits[1, 0])]
    np.random.seed(1)  # noqa: NPY002
    both = library.StratifiedIndependentBootstrap(ours, theirs)
    limits = both.conf_int(
        metrics.probability_of_improvement, reps=REPLICATIONS, size=0.95, method="percentile"
    )
    found["improvement_interval"] = [float(limits[0, 0]), float(limits[1, 0])]
    target = Path(__file__).with_name("numbers.json")
    target.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
