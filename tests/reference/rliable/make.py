"""Write numbers.json: what rliable 1.2.0 says about two matrices of scores, whole and stratum by stratum."""

import json
from pathlib import Path

import numpy as np
from rliable import library, metrics

REPLICATIONS = 500
SEED = 1
STATISTICS = {
    "iqm": metrics.aggregate_iqm,
    "median": metrics.aggregate_median,
    "mean": metrics.aggregate_mean,
}


def matrices():
    """Return two matrices (runs, strata) with ties between and within them."""
    generator = np.random.default_rng(20210830)
    ours = np.round(generator.normal(60.0, 40.0, (7, 6)), 0)
    theirs = np.round(generator.normal(50.0, 30.0, (4, 6)), 0)
    return ours, theirs


def interval(statistic, *scores):
    """Return the 95 % percentile interval of a statistic of one matrix, or of two."""
    np.random.seed(SEED)  # noqa: NPY002  rliable draws from NumPy's global generator
    kind = library.StratifiedBootstrap if len(scores) == 1 else library.StratifiedIndependentBootstrap
    limits = kind(*scores).conf_int(statistic, reps=REPLICATIONS, size=0.95, method="percentile")
    return [float(limits[0, 0]), float(limits[1, 0])]


def stratum(ours, theirs):
    """Return what there is to say of a stratum alone: our runs (n, 1), and one of theirs (1, 1)."""
    return {
        "iqm": float(metrics.aggregate_iqm(ours)),
        "mean": float(metrics.aggregate_mean(ours)),
        "iqm_interval": interval(metrics.aggregate_iqm, ours),
        "mean_interval": interval(metrics.aggregate_mean, ours),
        "improvement": float(metrics.probability_of_improvement(ours, theirs)),
        "improvement_interval": interval(metrics.probability_of_improvement, ours, theirs),
    }


def main():
    ours, theirs = matrices()
    result = {"ours": ours.tolist(), "theirs": theirs.tolist(), "replications": REPLICATIONS, "seed": SEED}
    result["values"] = {name: float(f(ours)) for name, f in STATISTICS.items()}
    result["probability_of_improvement"] = float(metrics.probability_of_improvement(ours, theirs))
    taus = np.array([-20.0, 0.0, 33.0, 60.0, 100.0, 150.0])
    result["thresholds"] = taus.tolist()
    result["profile"] = [float(library.run_score_deviation(ours, tau)) for tau in taus]
    result["intervals"] = {name: interval(STATISTICS[name], ours) for name in ("median", "mean")}
    result["strata"] = [stratum(ours[:, [i]], theirs[1:2, [i]]) for i in range(ours.shape[1])]
    target = Path(__file__).with_name("numbers.json")
    target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
