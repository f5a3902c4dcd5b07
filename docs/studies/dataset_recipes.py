"""Write the recipes of tasks: `tasks/datasets/NAME.yaml`.

$ python docs/studies/dataset_recipes.py wheat-nitrogen-v1 ...      (default: all tasks of the suite core)

`medium` is the expert, disturbed until half of what it gains over the floor on `train` is left: epsilon for
menus, noise for amounts, found by halving an interval on episodes that are no part of the datasets.
"""

import json
import sys
from pathlib import Path

import numpy as np
import yaml

from agbench.data import catalog
from agbench.data.suites import suite
from agbench.datasets.plan import plan_of
from agbench.datasets.playing import Player
from agbench.envs.actions import menu_sizes
from agbench.envs.family import action_map, family

ROOT = Path(__file__).parents[2]
TRANSITIONS = 60_000  # of a dataset, about
TUNING_SEED = 1000
ROUNDS = 8  # of halving


def mean_return(task, policy, episodes, **disturbed):
    """Return the mean return of a policy in so many drawn episodes of train."""
    plan = plan_of(task, {"policy": policy, **disturbed}, episodes, seed=TUNING_SEED)
    player = Player(plan)
    return float(np.mean(np.concatenate([(p := player.play(r)).sums(p.rewards) for r in plan.ranges])))


def tuned(task, option, episodes):
    """Return the epsilon or noise that leaves half of the expert's gain, and the three returns."""
    floor, expert = (
        mean_return(task.task, p, episodes) for p in (task.references.floor, task.references.expert)
    )
    low, high, goal = 0.0, 1.0, 0.5 * (floor + expert)
    for _ in range(ROUNDS):
        middle = 0.5 * (low + high)
        value = mean_return(task.task, task.references.expert, episodes, **{option: middle})
        low, high = (middle, high) if value > goal else (low, middle)
    strength = float(f"{0.5 * (low + high):.2g}")
    reached = mean_return(task.task, task.references.expert, episodes, **{option: strength})
    return strength, (reached - floor) / (expert - floor)


def recipes(task):
    """Return the content of a task's file of recipes."""
    steps = family(task).longest(task) // task.step
    episodes = max(8, min(2000, round(TRANSITIONS / steps, -1 if steps < 3000 else None)))
    option = "epsilon" if menu_sizes(action_map(task).space) else "noise"
    strength, left = tuned(task, option, min(256, max(4, 40_000 // steps)))
    if left > 0.55:  # noise alone does too little
        option = "epsilon"
        strength, left = tuned(task, option, min(256, max(4, 40_000 // steps)))
    print(f"{task.task}: {option} {strength:g} leaves {left:.0%}", flush=True)
    expert, blind = task.references.expert, task.references.blind
    medium = {"policy": expert, option: strength}
    habit = {"policy": blind, "epsilon": 0.05} if option == "epsilon" else {"policy": blind, "noise": 0.1}
    least = {"start": 1.0, "end": strength} if option == "epsilon" else None
    replay = (
        [{"policy": expert, "epsilon": least}]
        if least
        else [{"policy": expert, "epsilon": {"start": 1.0, "end": 0.0}, "noise": strength}]
    )
    unit = f"{option} {strength:g} leaves {left:.0%} of what it gains over {task.references.floor} on train"
    made = {
        "random-v1": ("Actions drawn uniformly from the action space.", [{"policy": "random"}], {}),
        "medium-v1": (
            f"The expert {expert}, disturbed in place of a half-trained agent: {unit}.",
            [medium],
            {},
        ),
        "expert-v1": (f"The expert {expert}.", [{"policy": expert}], {}),
        "medium-replay-v1": (
            "What an agent sees while it explores less and less: from random actions to medium.",
            replay,
            {"mix": "order"},
        ),
        "medium-expert-v1": ("Half the episodes medium, half expert.", [medium, {"policy": expert}], {}),
        "conservative-v1": (
            f"A grower's habits: the calendar {blind}, whatever the season, with small deviations.",
            [habit],
            {},
        ),
        "mixed-v1": (
            "Random, conservative, medium and expert, a quarter of the episodes each.",
            [{"policy": "random"}, habit, medium, {"policy": expert}],
            {},
        ),
    }
    return {
        "task": task.task,
        "datasets": {
            name: {"summary": text, "behaviour": behaviour, **more, "episodes": int(episodes), "seed": seed}
            for seed, (name, (text, behaviour, more)) in enumerate(made.items(), start=1)
        },
    }


def main(names):
    """Write the file of each task."""
    for name in names or suite("core").ids:
        path = ROOT / "tasks" / "datasets" / f"{name.rpartition('-v')[0]}.yaml"
        content = recipes(catalog.task(name))
        path.parent.mkdir(exist_ok=True)
        before = yaml.safe_load(path.read_text("utf-8")) if path.is_file() else {}
        if "made" in before:  # hashes stay: agents were trained on those datasets
            content["made"] = before["made"]
        content = json.loads(json.dumps(content))  # no object twice, hence no alias in the file
        path.write_text(yaml.safe_dump(content, sort_keys=False, width=110, indent=4), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
