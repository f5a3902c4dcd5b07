"""A search that begins from learned rows of the board: `python docs/studies/oracle_from_rows.py TASK`.

An agent that learned knows no weather to come, and yet its plan of a season may lie on a summit that no
search from experts and calendars comes to. In each season of test the plans of all rows but the oracle's
are edited for so many rounds, and then with the oracle's own beside them. What lies above the oracle
`--keep` writes into `baselines/TASK/found.yaml`, from which the oracle goes on where its file names it.
For oracles that search whole episodes of fields with a menu.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agbench.data import catalog
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.evaluation import anchors
from agbench.evaluation.another_search import Another, keep, searching
from agbench.policies.field.solver import JoiningSolver
from agbench.policies.playing import padded, seeds_of
from agbench.policies.tuning.search import number_of_decisions
from agbench.policies.tuning.sequences import Edits, improve

BOARD = Path(__file__).parents[2] / "leaderboard/submissions"
CLONES = 64


def plans_of_rows(task: str, steps: int) -> dict[str, dict[str, list[NDArray[Any]]]]:
    """Return the plans of the board by season, those of the oracle apart: under `oracle` and `rows`."""
    found: dict[str, dict[str, list[NDArray[Any]]]] = {}
    for table in sorted((BOARD / task).glob("*/*/test/seed-*/episodes.parquet")):
        kind = "oracle" if table.parts[-5] == "oracle" else "rows"
        actions = np.load(table.with_name("actions.npz"))
        for key, name in zip(pd.read_parquet(table)["scenario"], actions, strict=True):
            of = found.setdefault(key, {"oracle": [], "rows": []})
            of[kind].append(padded(actions[name][:steps], steps, 0))
    return found


def searched(task: str, rounds: int, seed: int) -> Another:
    """Return what the search finds in every season of test."""
    spec = catalog.task(task)
    solver, parts = searching(spec, seed, alone=True), build(spec, "test")
    if not isinstance(solver, JoiningSolver):
        raise SystemExit(f"{task}: its oracle does not search from plans.")
    steps, keys = number_of_decisions(parts), list(parts.scenarios.keys)
    known, edits, plans, values = plans_of_rows(task, steps), Edits(parts), [], []
    if not all(known.get(key, {}).get("rows") for key in keys):
        raise SystemExit(
            f"{task}: no row of the board but its oracle has been played in every season of test."
        )
    for place, key in enumerate(keys):
        core = BatchCore(parts, 1)
        core.start([key], seeds_of(parts, [key]))
        worth = solver.worth(parts, core.save(0))
        budget = (0, steps), CLONES, rounds, np.random.default_rng(seed + place)
        grown, _ = improve(worth, edits, np.stack(known[key]["rows"]), *budget)
        joined, reached = improve(worth, edits, np.concatenate([grown, known[key]["oracle"]]), *budget)
        plans.append(joined[0])
        values.append(float(reached[0]))
        print(f"{key}: {values[-1]:.6g}", flush=True)
    return Another(spec, "test", seed, keys, plans, np.array(values), anchors.of_split(spec, "test"))


def main() -> None:
    """Search, print what lies above the oracle, and keep it where that is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    chosen = parser.parse_args()
    result = searched(chosen.task, chosen.rounds, chosen.seed)
    excess = 100.0 * result.excess
    above, most = int((excess > 0.0).sum()), int(np.argmax(excess))
    print(f"{above} of {len(excess)} seasons lie above the oracle, {len(result.beaten)} by more than 1 %")
    print(f"most {excess[most]:.2f} % in {result.scenarios[most]}, mean {excess.mean():.2f} %")
    if chosen.keep:
        print(keep(result))


if __name__ == "__main__":
    main()
