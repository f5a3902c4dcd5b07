"""Better seasons than those recorded for a greenhouse's oracle: recorded_seasons.py TASK [POLICY ...].

    python docs/studies/recorded_seasons.py greenhouse-winter-v1 --board
    python docs/studies/recorded_seasons.py greenhouse-winter-v1 docs/studies/searches/along-winter.yaml

Each policy plays every season of test, and what it earns is printed beside what is recorded. Better actions
are written into `baselines/TASK/recorded.npz`, season by season, which the task's oracle plays, of the kind
`recorded`. `--board` begins with the actions of the board's oracle. `--leave` only looks: so one search is
held against another, also in a task whose oracle is of another kind (with `--board`).
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.reading import read_file
from agbench.data.writing import yaml_text
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.evaluation import anchors
from agbench.evaluation.references import policy_name
from agbench.files import sha256, write_text
from agbench.policies.base import Planner
from agbench.policies.greenhouse import recorded as files
from agbench.policies.greenhouse.recorded import NAME, RecordedSeason, known_by
from agbench.policies.playing import gain, seeds_of
from agbench.policies.registry import load_policy

ROOT: Final = Path(__file__).parents[2]
Played = tuple[float, NDArray[Any]]
"""What a season earns, and the actions."""


def settings(task: str) -> Path:
    """Return the file of settings of a task's oracle."""
    return ROOT / "baselines" / task / f"{policy_name(catalog.task(task), 'oracle')}.yaml"


def recorded(task: str) -> dict[str, RecordedSeason]:
    """Return what is recorded for each season."""
    path = settings(task)
    oracle = read_file(Baseline, path)
    if oracle.policy != NAME:
        raise SystemExit(f"{path}: its oracle is {oracle.policy}, not {NAME}; begin with --board.")
    return dict(files.read(path.with_name(oracle.settings["file"]), oracle.settings["sha256"]))


def of_board(task: str) -> dict[str, RecordedSeason]:
    """Return what the board's oracle does in each season."""
    folder = ROOT / "leaderboard/submissions" / task / "oracle/1/test/seed-0"
    keys = pd.read_parquet(folder / "episodes.parquet")["scenario"]
    arrays: dict[str, NDArray[Any]] = {}
    for file in folder.glob("actions*.npz"):
        with np.load(file) as part:
            arrays |= {name: part[name] for name in part.files}
    return {
        key: RecordedSeason(arrays[name], known_by(season(task, key), 0))
        for key, name in zip(keys, sorted(arrays), strict=True)
    }


def season(task: str, key: str) -> BatchCore:
    """Return the beginning of a season, as an evaluation plays it."""
    parts = build(catalog.task(task), "test")
    core = BatchCore(parts, 1)
    core.start([key], seeds_of(parts, [key]))
    return core


def earned(task: str, key: str, actions: NDArray[Any]) -> float:
    """Return what actions earn in a season."""
    return float(gain(season(task, key), lambda _, number: actions[number][None])[0])


def played(task: str, policy: str, key: str) -> Played:
    """Return what a policy earns in a season, and its actions."""
    core, one = season(task, key), load_policy(policy, task)
    taken: list[Any] = []
    one.reset(0)
    if isinstance(one, Planner):
        one.plan(core, 0)

    def act(observations: NDArray[np.float32], _: int) -> NDArray[Any]:
        taken.append(one(observations[0].copy()))
        return np.array(taken[-1:])

    value = float(gain(core, act)[0])
    return value, np.array(taken)


def write(task: str, seasons: Mapping[str, RecordedSeason], otherwise: str) -> None:
    """Record seasons, and the settings that name them."""
    path = settings(task)
    file = path.with_name(f"{NAME}.npz")
    files.write(file, seasons)
    content = {
        "policy": NAME,
        "summary": "Plays the best actions that searches have found for a season with the weather known.",
        "source": f"python docs/studies/{Path(__file__).name} {task}",
        "settings": {"file": file.name, "sha256": sha256(file), "otherwise": otherwise},
    }
    write_text(path, yaml_text(content))


def report(task: str, policy: str, known: Mapping[str, float], found: Mapping[str, Played]) -> None:
    """Print what was found beside what was known, in % of oracle less floor in the mean."""
    references = anchors.of_split(catalog.task(task), "test")
    assert references.oracle is not None
    scale = float((references.oracle - references.floor).mean())
    excess = {key: 100.0 * (found[key][0] - known[key]) / scale for key in found}
    for key, value in excess.items():
        print(f"{key}: {known[key]:.4f}, {policy} {found[key][0]:.4f}, {value:+.2f} %")
    most = max(excess, key=lambda key: excess[key])
    gained = np.mean([max(0.0, value) for value in excess.values()])
    print(
        f"{task} {policy}: above in {sum(v > 0 for v in excess.values())} of {len(excess)}, most "
        f"{excess[most]:+.2f} % in {most}, mean {np.mean(list(excess.values())):+.2f} %, the better of both "
        f"{gained:+.2f} % in the mean",
        flush=True,
    )


def main() -> None:
    """Search, print, and record what is better."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task")
    parser.add_argument("policies", nargs="*")
    parser.add_argument("--board", action="store_true")
    parser.add_argument("--leave", action="store_true")
    parser.add_argument("--otherwise", default="predictive", help="what plays where nothing is recorded")
    parser.add_argument("--every", type=int, default=1, help="every nth season alone")
    parser.add_argument("--season", action="append", metavar="KEY", help="this season alone; may be repeated")
    chosen = parser.parse_args()
    seasons = of_board(chosen.task) if chosen.board else recorded(chosen.task)
    if chosen.board and not chosen.leave:
        write(chosen.task, seasons, chosen.otherwise)
    if unknown := set(chosen.season or ()) - set(seasons):
        raise SystemExit(
            f"{', '.join(sorted(unknown))}: no season of {chosen.task}; it has {', '.join(seasons)}."
        )
    keys = chosen.season or list(seasons)[:: chosen.every]
    known = {key: earned(chosen.task, key, seasons[key].actions) for key in keys}
    for policy in chosen.policies:
        found = {}
        for key in keys:
            found[key] = one = played(chosen.task, policy, key)
            if one[0] > known[key] and not chosen.leave:
                seasons[key] = seasons[key]._replace(actions=one[1])
                write(chosen.task, seasons, chosen.otherwise)
        report(chosen.task, policy, known, found)
        if not chosen.leave:
            known |= {key: max(known[key], found[key][0]) for key in keys}


if __name__ == "__main__":
    main()
