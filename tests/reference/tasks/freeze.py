"""Freezes the tasks: writes down by hashes what each version of a task is.

    python tests/reference/tasks/freeze.py              adds tasks that are new
    python tests/reference/tasks/freeze.py TASK...      writes these, new or anew
    python tests/reference/tasks/freeze.py --all        writes all of them anew

Writing a task anew is for versions that no release has had yet. Once one has, a change is a new version.
"""

import hashlib
import sys
from pathlib import Path

import yaml

from agbench.data import catalog
from agbench.evaluation import provenance, references
from agbench.files import write_text

FILE = Path(__file__).with_name("hashes.yaml")
HEADER = "# What each version of a task is; written by tests/reference/tasks/freeze.py, never by hand.\n"


def frozen(name):
    """Return the hashes that say what a task is.

    `task`: its protocol. `data`: weather, soils and crops of `test` and `shift`. `references`: settings
    of floor, expert and oracle. `anchors`: the values by which scores are normalised.
    """
    task = catalog.task(name)
    stored = catalog.find_anchors(name)
    return {
        "task": provenance.task_hash(task),
        "data": references.data_hash(task),
        "references": references.references_hash(task),
        "anchors": "none" if stored is None else hashlib.sha256(stored.read_bytes()).hexdigest(),
    }


def read():
    """Return what is frozen, by task."""
    return (yaml.safe_load(FILE.read_text("utf-8")) or {}) if FILE.is_file() else {}


def main(arguments):
    """Freeze the tasks that are named, all, or those that are new."""
    reference = read()
    names = catalog.names("task")
    wrong = set(arguments) - {*names, "--all"}
    if wrong:
        sys.exit(f"{min(wrong)}: no such task.")
    chosen = [n for n in names if n in arguments] if arguments else [n for n in names if n not in reference]
    anew = names if "--all" in arguments else chosen
    kept = {} if "--all" in arguments else reference
    result = {**kept, **{name: frozen(name) for name in anew}}
    write_text(FILE, HEADER + yaml.safe_dump(dict(sorted(result.items())), sort_keys=False))
    print(f"{len(anew)} of {len(names)} tasks written to {FILE}")


if __name__ == "__main__":
    main(sys.argv[1:])
