"""A closed round's scores, intervals and ranks, computed again without AgBench.

    python docs/studies/recompute_round.py TASK [ROUND] [--board DIR] [--resamples 20000] [--seed 1]

Reads what anyone can read: the round's values (`BOARD/rounds/TASK/N.csv`), the task's anchors and the round's
table, and imports NumPy and PyYAML alone. Prints each agent's score, interval and difference to the expert
beside those of the table. Means must agree to 1e-9; ends of intervals, which are drawn with other random
numbers, within a tenth of the interval's width. Exit code 1 if one does not.
"""

import argparse
import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

ROOT: Final = Path(__file__).parents[2]
_POINTS: Final = 1e-9
_ENDS: Final = 0.1  # of the width of an interval


def read_values(path: Path) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return objectives and costs of a round by AGENT/VERSION, each (seeds, scenarios)."""
    found: dict[str, dict[str, list[tuple[float, float]]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            seeds = found.setdefault(f"{line['agent']}/{line['version']}", {})
            seeds.setdefault(line["seed"], []).append((float(line["objective"]), float(line["cost"])))
    arrays = {name: np.array(list(seeds.values())) for name, seeds in found.items()}
    return {n: a[..., 0] for n, a in arrays.items()}, {n: a[..., 1] for n, a in arrays.items()}


def points_of_gain(task: str) -> float:
    """Return oracle less floor, or expert less floor without an oracle, in the mean over the test split."""
    text = (ROOT / "baselines" / task / "anchors.yaml").read_text("utf-8")
    seasons = list(yaml.safe_load(text)["splits"]["test"].values())
    best = "oracle" if all("oracle" in season for season in seasons) else "expert"
    return float(np.mean([season[best] - season["floor"] for season in seasons]))


def middle_mean(scores: np.ndarray) -> np.ndarray:
    """Return the mean along the first axis without a quarter, rounded down, at each end."""
    cut = len(scores) // 4
    kept: np.ndarray = np.sort(scores, axis=0)[cut : len(scores) - cut].mean(axis=0)
    return kept


def drawn(points: np.ndarray, scenarios: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return the score of every resample: scenarios as given, (resamples, scenarios), and seeds anew."""
    counts = np.stack([np.bincount(row, minlength=points.shape[1]) for row in scenarios])
    means = points @ counts.T / points.shape[1]  # (seeds, resamples)
    seeds = generator.integers(0, len(points), size=(len(scenarios), len(points)))
    return middle_mean(np.take_along_axis(means, seeds.T, axis=0))


def interval(values: np.ndarray) -> tuple[float, float]:
    """Return the 95 % percentile interval."""
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def ranks(values: dict[str, np.ndarray]) -> dict[str, int]:
    """Return 1 and the number of agents that are better by more than chance, by name."""
    return {
        name: 1 + sum(interval(other - own)[0] > 0.0 for other in values.values())
        for name, own in values.items()
    }


def check(row: dict[str, Any], again: np.ndarray, points: np.ndarray, less: np.ndarray) -> bool:
    """Print a row of the table beside what was computed, and return whether they agree."""
    limited: Callable[[float], float] = (
        (lambda x: x) if row.get("feasible", True) else (lambda x: min(x, 0.0))
    )
    value = limited(float(middle_mean(points.mean(axis=1))))
    pairs = [(row["score"], (value, *interval(again)))]
    pairs.append((row["details"]["less_expert"], (None, *interval(less))))
    good = abs(row["score"][0] - value) <= _POINTS * max(1.0, abs(value))
    texts = []
    for told, found in pairs:
        width = told[2] - told[1]
        good &= all(abs(a - b) <= _ENDS * width + 1e-6 for a, b in zip(told[1:], found[1:], strict=True))
        texts.append(f"[{told[1]:8.2f} {told[2]:8.2f}] [{found[1]:8.2f} {found[2]:8.2f}]")
    print(
        f"{row['agent']:24} {row['score'][0]:8.2f} {value:8.2f}  {'  '.join(texts)}  {'' if good else 'NO'}"
    )
    return bool(good)


def main(arguments: list[str]) -> int:
    """Compute a round again; return 1 where it differs from its table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("task")
    parser.add_argument("round", nargs="?", type=int, default=1)
    parser.add_argument("--board", type=Path, default=ROOT / "leaderboard")
    parser.add_argument("--resamples", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    folder = args.board / "rounds" / args.task
    table = yaml.safe_load((folder / f"{args.round}.yaml").read_text("utf-8"))
    objective, _ = read_values(folder / f"{args.round}.csv")
    rows = {f"{row['agent']}/{row['version']}": row for row in table["rows"] if not row.get("refused")}
    roles = {row["reference"]: name for name, row in rows.items() if row.get("reference")}
    gain = points_of_gain(args.task)
    floor = objective[roles["floor"]][0]
    points = {name: 100.0 * (objective[name] - floor) / gain for name in rows}
    generator = np.random.default_rng(args.seed)
    scenarios = generator.integers(0, len(floor), size=(args.resamples, len(floor)))
    again = {}
    for name, row in rows.items():
        values = drawn(points[name], scenarios, generator)
        again[name] = values if row.get("feasible", True) else np.minimum(values, 0.0)
    print(f"{args.task}, round {args.round}: {len(floor)} scenarios, D = {gain:.6g}")
    print(f"{'agent':24} {'table':>8} {'again':>8}  score: table, again{'':22}less expert: table, again")
    expert = again[roles["expert"]]
    good = [check(row, again[name], points[name], again[name] - expert) for name, row in rows.items()]
    ranked = {name: row["rank"] for name, row in rows.items() if row.get("rank")}
    found = ranks({name: again[name] for name in ranked})
    differ = [name for name in ranked if ranked[name] != found[name]]
    print(f"ranks: {len(ranked) - len(differ)} of {len(ranked)} equal", *differ)
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
