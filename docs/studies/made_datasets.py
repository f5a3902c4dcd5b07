"""Make named datasets and write the SHA-256 of their arrays beside their recipes, under `made`.

$ python docs/studies/made_datasets.py wheat-nitrogen/medium-v1 ...      (default: all that were never made)

The leaderboard takes a card that names one of these datasets with one of these hashes. A new hash is put
before those that were there, which stay: agents were trained on them. Each dataset is simulated again in part
before its hash is written, and deleted after.
"""

import sys
import tempfile
from pathlib import Path

import yaml

from agbench.data.dataset import made, names
from agbench.datasets import check, load, make_recipe

RECIPES = Path(__file__).parents[2] / "tasks" / "datasets"


def content_of(name, folder):
    """Return the SHA-256 of the arrays that a recipe gives, after a check that simulates a part of them."""
    out = make_recipe(name, folder / "dataset", "npz", progress=False)
    if wrong := [finding for finding in check(out) if finding.problem]:
        sys.exit(f"{name}: {wrong[0].problem}")
    return load(out).metadata["content"]


def write(name, content, folder=RECIPES):
    """Put a SHA-256 first among those of a recipe's arrays."""
    stem, _, own = name.partition("/")
    path = folder / f"{stem}.yaml"
    file = yaml.safe_load(path.read_text("utf-8"))
    known = file.setdefault("made", {})
    known[own] = [content, *(one for one in known.get(own, []) if one != content)]
    file["made"] = {one: known[one] for one in file["datasets"] if one in known}
    path.write_text(yaml.safe_dump(file, sort_keys=False, width=110, indent=4), "utf-8")


def main(chosen):
    """Make each dataset and write its hash."""
    for name in chosen or [name for name in names() if not made(name)]:
        with tempfile.TemporaryDirectory() as folder:
            content = content_of(name, Path(folder))
        write(name, content)
        print(f"{name}  {content}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
