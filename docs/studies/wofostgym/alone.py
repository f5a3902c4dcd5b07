"""Figure 5 with one agent a field: a sunflower field by itself is a farm of one field.

    python docs/studies/wofostgym/alone.py train
    python docs/studies/wofostgym/alone.py table

The five fields share nothing but the weather: no budget, and the farm's return is the sum of theirs. So five
agents that learn independently, each paid for its field, are five trainings on farms of one field. Their
tasks are those of the farm with its other fields left out; they are written beside the runs.
"""

import argparse
import os
from pathlib import Path
from typing import Final

RUNS: Final = Path("runs/wofostgym")
TASKS: Final = RUNS / "alone"
os.environ["AGBENCH_PATH"] = os.pathsep.join([str(TASKS), *filter(None, [os.environ.get("AGBENCH_PATH")])])
(TASKS / "tasks").mkdir(parents=True, exist_ok=True)

import yaml  # noqa: E402

from agbench.data import catalog  # noqa: E402
from agbench.evaluation import Result  # noqa: E402
from agbench.training.run import RECORD, RESULT, run  # noqa: E402

FARM: Final = "wofostgym-sunflower-farm-fields-v1"
FIELDS: Final = ("early", "medium-early", "standard", "deep-rooted", "medium-late")
STEPS: Final = 200_000
"""Steps of one agent; 1,000,000 of all five."""


def task_of(field: str) -> str:
    """Write the task of one field and its scaling, and return its id."""
    name = f"wofostgym-sunflower-{field}-v1"
    file = Path(catalog.find("task", FARM))
    task = yaml.safe_load(file.read_text("utf-8"))
    task |= {"task": name, "fields": [row for row in task["fields"] if row["name"] == field]}
    task["references"] = {"floor": "zero", "expert": "zero"}
    (TASKS / "tasks" / f"{name}.yaml").write_text(yaml.safe_dump(task, sort_keys=False), "utf-8")
    scaling = yaml.safe_load((file.parents[1] / "baselines" / FARM / "scaling.yaml").read_text("utf-8"))
    others = tuple(f".{other}" for other in FIELDS if other != field)
    seen = {key: value for key, value in scaling["observations"].items() if not key.endswith(others)}
    beside = TASKS / "baselines" / name
    beside.mkdir(parents=True, exist_ok=True)
    scaling |= {"task": name, "reward": scaling["reward"] / len(FIELDS), "observations": seen}
    (beside / "scaling.yaml").write_text(yaml.safe_dump(scaling, sort_keys=False), "utf-8")
    return name


def main() -> None:
    """Train the five agents, or print what each reaches and their sum."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("train", "table"))
    chosen = parser.parse_args()
    total, seconds = 0.0, 0.0
    for field in FIELDS:
        out = RUNS / f"{task_of(field)}-ppo"
        if chosen.what == "train":
            if not (out / RECORD).is_file():
                run(task_of(field), "ppo", STEPS, 0, out)
            continue
        values = Result.load(out / RESULT).objective
        total, seconds = total + values, seconds + yaml.safe_load((out / RECORD).read_text())["cpu_seconds"]
        print(f"{field}: {values.mean():,.0f} +- {values.std():,.0f} kg")
    if chosen.what == "table":
        print(f"five agents: {total.mean():,.0f} +- {total.std():,.0f} kg, {seconds:,.0f} CPU s")


if __name__ == "__main__":
    main()
