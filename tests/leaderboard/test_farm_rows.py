"""A farm on the leaderboard: rows of a rule and of a network, from the evaluation to the page."""

import csv

import numpy as np
import pytest

import agbench
from agbench import leaderboard
from agbench.cli.app import app
from agbench.data import catalog
from agbench.evaluation.comparison import compare
from agbench.evaluation.result import Result
from agbench.leaderboard import first_rows
from agbench.policies.networks import mlp
from agbench.policies.networks.made_for import made_for
from agbench.policies.registry import interface_of

TASK = "farm-nitrogen-v1"
CARD = {
    "agent": "small",
    "version": "1",
    "authors": ["A. Grower"],
    "contact": "grower@example.org",
    "method": "rl",
    "training": {"splits": ["train"], "steps": 100},
    "policy": {"format": "mlp"},
}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Return a folder: a board with a row of the expert and one of a network, and what they are made of."""
    root = tmp_path_factory.mktemp("farm")
    first_rows.make(TASK, "expert", root / "board", root / "kept", reproducing=False)
    inputs, generator = len(interface_of(catalog.task(TASK)).observer.entries), np.random.default_rng(5)
    weight, bias = generator.normal(size=(inputs, 40)) / 1000.0, generator.normal(size=40)
    network = mlp.Network(("identity",), (weight,), (bias,), "argmax", made_for=made_for(TASK))
    path = mlp.save(network, root / "policy.npz")
    for split in ("test", "shift"):
        agbench.evaluate(TASK, mlp.load(path, TASK), split, out=root / split)
    leaderboard.submit([root / "test", root / "shift"], CARD, root / "board", [path])
    return root


def run(root, capsys, *words):
    """Run a command on the board; return what it printed."""
    assert app(["leaderboard", *words, "--board", str(root / "board")], standalone_mode=False) in (None, 0)
    return capsys.readouterr().out


def test_rows_of_a_farm_are_checked_replayed_reproduced_and_shown(root, capsys):
    network = root / "board/submissions" / TASK / "small/1"
    assert run(root, capsys, "check").count("good") == 2
    assert "80 episodes replayed, equal to the last bit" in run(root, capsys, "replay", str(network))
    assert "80 episodes reproduced" in run(root, capsys, "reproduce", str(network))
    secret = root / "secret"
    secret.write_text("a secret of the test, thirty-two letters or more")
    run(root, capsys, "round", "open", TASK, "--secret", str(secret), "--scenarios", "3")
    assert "3 policies in 3 hidden scenarios" in run(root, capsys, "round", "run", "--secret", str(secret))
    run(root, capsys, "build")
    with (root / f"board/site/data/{TASK}.csv").open() as file:
        rows = {row["agent"]: row for row in csv.DictReader(file)}
    assert rows.keys() == {"expert", "small"}
    assert rows["small"]["trust"] == "reproduced"  # one seed of a learned agent: no round runs it
    assert rows["small"]["not_ranked_because"] == "1 of 5 seeds"
    # In three seasons the blind calendar may be as good, or better.
    assert rows["expert"]["rank_in_last_round"] in ("1", "2")
    assert float(rows["small"]["iqm"]) < float(rows["expert"]["iqm"]) < 100.0


def test_results_of_farms_are_compared(root):
    (expert,) = (root / "kept" / TASK).glob("expert-test-*")
    results = [Result.load(folder) for folder in (expert, root / "test")]
    assert [row.policy for row in compare(results)] == ["policy", "by-supply"]
