"""Imitation and offline learning on wheat-nitrogen-v1: the table of docs/imitation.md.

    python docs/studies/imitators.py [--out runs/imitation] [NAME ...]

Trains what is not in the folder yet, one after another, and prints the table. NAME chooses rows, such as
`bc-ceres`.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from agbench.data import catalog
from agbench.policies.registry import load_policy
from agbench.training import demonstrations
from agbench.training.demonstrations import Demonstrations
from agbench.training.run import RECORD, run

TASK = "wheat-nitrogen-v1"
EPISODES = {"advisor": 100, "ceres": 60}
MIXED = {"random": 100, "advisor": 60, "ceres": 40}
ROWS: dict[str, tuple[str, str, int | None]] = {
    **{f"{algo}-{name}": (algo, name, None) for algo in ("bc", "gail", "airl") for name in EPISODES},
    **{f"sqil-{name}": ("sqil", name, 50_000) for name in EPISODES},
    "dagger-advisor": ("dagger", "advisor", None),
    "offline-bc-mixed": ("offline-bc", "mixed", None),
    "iql-mixed": ("iql", "mixed", 20_000),
    "cql-mixed": ("cql", "mixed", 20_000),
}
"""Of each row the algorithm, the teacher, and steps where they are not those of the algorithm's file."""


def dataset(folder: Path, name: str) -> Path:
    """Return the folder of a teacher's episodes; what is missing is played."""
    if (folder / name / demonstrations.TRANSITIONS).is_file():
        return folder / name
    task = catalog.task(TASK)
    if name == "mixed":
        made = joined([played(folder, one).first(count) for one, count in MIXED.items()])
    else:
        count = EPISODES.get(name, MIXED.get(name, 0))
        made = demonstrations.collect(task, load_policy(name, task), count, seed=0)
    made.save(folder / name)
    return folder / name


def played(folder: Path, name: str) -> Demonstrations:
    """Return a teacher's episodes."""
    return demonstrations.read(dataset(folder, name), catalog.task(TASK))


def joined(parts: list[Demonstrations]) -> Demonstrations:
    """Return the episodes of several teachers, one after another."""
    arrays: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in vars(parts[0])
        if name != "about"
    }
    policies = ", ".join(f"{name} {count}" for name, count in MIXED.items())
    return replace(parts[0], **arrays, about={"task": TASK, "split": "train", "policy": policies})


def row(folder: Path, name: str) -> str:
    """Return a row of the table; trains it if its folder is not there."""
    algo, teacher, steps = ROWS[name]
    if not (folder / name / RECORD).is_file():
        given: dict[str, Any] = {"demos": teacher}
        if algo != "dagger":
            given = {"dataset": dataset(folder, teacher)}
        run(TASK, algo, steps, 0, folder / name, **given)
    record = yaml.safe_load((folder / name / RECORD).read_text("utf-8"))
    reached, test = record["best"], record["test"]["return"]
    shown = record.get("demonstrations", {})
    return (
        f"| `{algo}` | {teacher} | {shown.get('episodes', 'asked')} | {record['steps_made']:,} | "
        f"{record['cpu_seconds']:.0f} | {reached['objective']:.1f} | "
        f"{test['value']:.1f} [{test['low']:.1f}, {test['high']:.1f}] |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*ROWS, []])
    parser.add_argument("--out", type=Path, default=Path("runs/imitation"))
    given = parser.parse_args()
    print("| algorithm | teacher | episodes | steps | CPU s | validation | test [95 %] |")
    print("|---|---|---|---|---|---|---|")
    for name in given.names or ROWS:
        print(row(given.out, name), flush=True)


if __name__ == "__main__":
    main()
