"""The experiment of Kallenberg et al. (2023), CropGym: tables and figures beside the paper's.

    python docs/studies/cropgym/study.py train ppo      15 seeds of 400,000 steps, some 20 minutes of one core
    python docs/studies/cropgym/study.py train dqn      5 seeds
    python docs/studies/cropgym/study.py tables         Tables 2, 3 and 4, and Figures 2 to 4

The task is `cropgym-v1` (tasks/ beside this file), the settings are in baselines/. Trained agents are kept
in runs/cropgym/; a training that was cut off goes on. docs/replications.md says what differs from the paper.
"""

import argparse
import os
from datetime import date
from pathlib import Path

HERE = Path(__file__).parent
os.environ["AGBENCH_PATH"] = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("AGBENCH_PATH")])])

import numpy as np  # noqa: E402

import agbench  # noqa: E402
from agbench.data import catalog  # noqa: E402
from agbench.data.overrides import override  # noqa: E402
from agbench.policies.field.schedule import Schedule, ScheduleSettings  # noqa: E402
from agbench.policies.registry import interface_of  # noqa: E402

TASK = "cropgym-v1"
SEEDS = {"ppo": (1, 3, 5, 7, 9, 15, 19, 42, 47, 70, 74, 75, 79, 88, 99), "dqn": (1, 3, 5, 7, 9)}
PAPER_DOSE = 170.7  # kg ha-1, all at the first decision
AT_ONCE = {"action.kind": "continuous", "action.limit": {"N": 1000.0}}
RESAMPLES = 10_000
METRICS = {"return": ("reward, g m-2", 2), "nitrogen": ("N, kg ha-1", 1), "yield": ("yield, t ha-1", 2)}
PAPER = {
    ("test", "ceres"): ("129.39 [73.34, 136.57]", "183.0 [157.2, 211.1]", "8.96 [8.41, 9.14]"),
    ("test", "standard practice"): ("117.74 [67.47, 132.82]", "170.7", "8.72 [8.13, 8.94]"),
    ("test", "ppo"): ("121.36 [67.96, 133.19]", "180 [170, 200]", "8.81 [8.24, 9.13]"),
    ("test", "dqn"): ("115.60 [59.73, 132.75]", "200 [170, 210]", "8.80 [8.18, 9.21]"),
    ("shift", "ceres"): ("95.15", "149.6", "8.60"),
    ("shift", "standard practice"): ("89.43", "170.7", "8.50"),
    ("shift", "ppo"): ("78.17", "160", "8.45"),
}


def folder(runs, algo, seed):
    """Return the folder of a trained agent."""
    return runs / f"{algo}-{seed}"


def train(runs, algo, seeds):
    """Train the seeds that are not there yet."""
    for seed in seeds:
        out = folder(runs, algo, seed)
        if (out / "training.yaml").is_file():
            continue
        agbench.train(TASK, algo, seed=seed, out=out)
        print(f"{algo} seed {seed}: done", flush=True)


def at_once(name, task):
    """Return a policy that may give any amount at once, as in the paper."""
    if name == "ceres":
        return "ceres"
    settings = ScheduleSettings(input="N", plan=[{"date": "01-08", "amount": PAPER_DOSE}])
    return Schedule("standard practice", settings, interface_of(task))


def evaluations(runs, split):
    """Return the results of each policy on a split: one of each reference, one a seed of each algorithm."""
    task = catalog.task(TASK)
    free = override(task, AT_ONCE)
    results = {
        name: [agbench.evaluate(free, at_once(name, free), split)] for name in ("ceres", "standard practice")
    }
    for algo, seeds in SEEDS.items():
        files = [folder(runs, algo, seed) / "policy.npz" for seed in seeds]
        results[algo] = [agbench.evaluate(task, str(file), split) for file in files if file.is_file()]
    return {name: found for name, found in results.items() if found}


def values(results, metric):
    """Return a metric, (seeds, years)."""
    return np.array([result.by_scenario(metric) for result in results])


def medians(table, generator):
    """Return the median of resamples of years and of seeds of (seeds, years), (resamples,)."""
    seeds, years = table.shape
    chosen = generator.integers(years, size=(RESAMPLES, years))
    by_seed = generator.integers(seeds, size=(RESAMPLES, seeds))
    drawn = [np.median(table[np.ix_(s, y)]) for s, y in zip(by_seed, chosen, strict=True)]
    return np.array(drawn)


def cell(table, digits):
    """Return a median with its 95 % interval as text."""
    low, high = np.quantile(medians(table, np.random.default_rng(0)), (0.025, 0.975))
    return f"{np.median(table):.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def table_of(results, split):
    """Return the rows of a table in Markdown: ours beside the paper's."""
    head = (
        "| policy, agents | "
        + " | ".join(f"{title}: ours | paper" for title, _ in METRICS.values())
        + " | p |"
    )
    rows = [head, "|---" * (2 + 2 * len(METRICS)) + "|"]
    practice = values(results["standard practice"], "return")
    for name, found in results.items():
        cells = []
        for (metric, (_, digits)), paper in zip(
            METRICS.items(), PAPER.get((split, name), ("",) * 3), strict=True
        ):
            cells += [cell(values(found, metric), digits), paper]
        worse = (medians(values(found, "return") - practice, np.random.default_rng(0)) < 0.0).mean()
        rows.append(f"| {name}, {len(found)} | " + " | ".join(cells) + f" | {worse:.3f} |")
    return rows


def years_of(result):
    """Return the years of a result's scenarios."""
    return [key.rsplit("/", 1)[1] for key in result.episodes["scenario"]]


def figure_of_years(results, file):
    """Figure 2: nitrogen, yield and reward of the agents beside standard practice, year by year."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(3, 1, figsize=(8, 8), sharex=True, layout="constrained")
    years = years_of(results["ppo"][0])
    for axis, (metric, (title, _)) in zip(axes, METRICS.items(), strict=True):
        agents = values(results["ppo"], metric)
        axis.fill_between(years, *np.quantile(agents, (0.0, 1.0), axis=0), alpha=0.3, label="PPO, all seeds")
        axis.plot(years, np.median(agents, axis=0), label="PPO, median seed")
        for name, style in (("standard practice", "--"), ("ceres", ":")):
            axis.plot(years, values(results[name], metric)[0], style, label=name)
        axis.set_ylabel(title)
    axes[0].axhline(0.0, color="black", linewidth=0.8)  # below, the nitrogen cost more than it brought
    axes[0].legend(ncols=2, fontsize="small")
    axes[-1].tick_params(axis="x", rotation=60)
    figure.savefig(file, dpi=110)


def figure_of_weeks(results, file):
    """Figure 3: how often each dose is given in each week, over seeds and years."""
    from matplotlib import pyplot as plt

    doses = np.zeros((34, 3))
    for result in results["ppo"]:
        for taken in result.actions:
            for week, action in enumerate(np.ravel(taken)):
                doses[week, int(action)] += 1
    share = doses / np.maximum(doses.sum(axis=1, keepdims=True), 1)
    figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
    axis.bar(range(34), share[:, 1], label="20 kg ha-1")
    axis.bar(range(34), share[:, 2], bottom=share[:, 1], label="40 kg ha-1")
    axis.set_xlabel("decision, one a week from 8 January")
    axis.set_ylabel("share of seeds and years")
    axis.legend()
    figure.savefig(file, dpi=110)


def rainfall(result):
    """Return the rain of each year's season, January to August [mm]."""
    from agbench.weather.columns import DAILY
    from agbench.weather.site import site_series

    series = site_series("netherlands")
    column = DAILY.column("RAIN")
    seasons = [series.window(date(int(y), 1, 1), date(int(y), 8, 31)) for y in years_of(result)]
    return np.array([10.0 * season[:, column].sum() for season in seasons])


def figure_of_rain(results, file):
    """Figure 4: nitrogen against rainfall; returns Pearson's correlation of PPO and of ceres."""
    from matplotlib import pyplot as plt

    rain, correlations = rainfall(results["ppo"][0]), {}
    figure, axis = plt.subplots(figsize=(5, 4), layout="constrained")
    for name in ("ppo", "ceres"):
        given = np.median(values(results[name], "nitrogen"), axis=0)
        correlations[name] = float(np.corrcoef(rain, given)[0, 1])
        axis.scatter(rain, given, label=f"{name}: r = {correlations[name]:.2f}")
    axis.set_xlabel("rain, January to August [mm]")
    axis.set_ylabel("nitrogen [kg ha-1]")
    axis.legend()
    figure.savefig(file, dpi=110)
    return correlations


def tables(runs, figures):
    """Print the tables; draw the figures."""
    for split in ("test", "shift"):
        results = evaluations(runs, split)
        print(f"\n{split}\n\n" + "\n".join(table_of(results, split)))
        if split == "test" and "ppo" in results:
            figures.mkdir(parents=True, exist_ok=True)
            figure_of_years(results, figures / "cropgym-years.png")
            figure_of_weeks(results, figures / "cropgym-weeks.png")
            print(
                "\nPearson's r of rain and nitrogen:", figure_of_rain(results, figures / "cropgym-rain.png")
            )
            taken = [np.count_nonzero(a) for result in results["ppo"] for a in result.actions]
            lengths = [7 * len(a) + 7 for a in results["ppo"][0].actions]
            print(f"dressings a season {np.mean(taken):.1f} (paper 7.0)")
            print(f"length {np.median(lengths):.0f} d (paper 208)")


def main():
    """Train, or print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("train", "tables"))
    parser.add_argument("algo", nargs="?", choices=tuple(SEEDS), default="ppo")
    parser.add_argument("--runs", type=Path, default=Path("runs/cropgym"))
    parser.add_argument("--figures", type=Path, default=HERE.parents[1] / "figures")
    chosen = parser.parse_args()
    if chosen.what == "train":
        train(chosen.runs, chosen.algo, SEEDS[chosen.algo])
    else:
        tables(chosen.runs, chosen.figures)


if __name__ == "__main__":
    main()
