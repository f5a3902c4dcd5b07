"""What the good submission of the tests is made of, and how a forger would mend a changed one."""

import hashlib

import numpy as np
import yaml

from agbench.policies.networks import mlp
from agbench.policies.networks.made_for import MENU, MadeFor, made_for

TASK = "board-wheat-v1"
CARD = {
    "agent": "ppo-small",
    "version": "1.0",
    "authors": ["A. Grower", "B. Modeller"],
    "contact": "grower@example.org",
    "method": "rl",
    "training": {"splits": ["train"], "steps": 1000},
    "paper": "https://example.org/paper",
    "policy": {"format": "mlp"},
}

MADE_FOR = MadeFor(TASK, made_for("wheat-nitrogen-v1").observations, MENU)


def network(seed):
    """Return a small network of random numbers: 12 observations, 3 actions."""
    generator = np.random.default_rng(seed)
    weights = (generator.normal(size=(12, 8)), generator.normal(size=(8, 3)))
    biases = (generator.normal(size=8), generator.normal(size=3))
    mean, scale = np.full(12, 5.0), np.full(12, 10.0)
    return mlp.Network(("tanh", "identity"), weights, biases, "argmax", mean, scale, 10.0, made_for=MADE_FOR)


def resign(folder):
    """Make all hashes in a submission right again, as a forger would."""
    for record in folder.glob("*/*/result.yaml"):
        content = yaml.safe_load(record.read_text())
        for name in {"episodes.parquet", "actions.npz", *content["files"]}:
            if (record.parent / name).is_file():
                content["files"][name] = hashlib.sha256((record.parent / name).read_bytes()).hexdigest()
        record.write_text(yaml.safe_dump(content, sort_keys=False))
    card = folder / "submission.yaml"
    content = yaml.safe_load(card.read_text())
    for name in content["files"]:
        if (folder / name).is_file():
            content["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    card.write_text(yaml.safe_dump(content, sort_keys=False))


def snapshot(folder):
    """Return every path under a folder with its content, links not followed."""
    return {
        str(p.relative_to(folder)): "link" if p.is_symlink() else p.read_bytes() if p.is_file() else None
        for p in sorted(folder.rglob("*"))
    }
