"""A third family of tasks from another package: all that tasks get, without a line of it in this one."""

import os
import re
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from good_submission import CARD
from in_process import command
from test_closure import missed

import agbench
from agbench import leaderboard
from agbench.benchmarks.environments import environments
from agbench.compiled.closure import Sources
from agbench.data import catalog, families, packages
from agbench.envs.family import entry_points
from agbench.errors import ConfigError
from agbench.evaluation import anchors, provenance
from agbench.evaluation.episode import run_episode
from agbench.leaderboard.verify import hidden
from agbench.policies.tuning.fitting import fit_file
from agbench.running.processes import Processes
from agbench.testing import CHECKS, NotApplicableError, check_policy

HOME = Path(__file__).parent
TASK = "bathtub-v1"


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """Put the package where Python and its processes find it, and its data on `AGBENCH_PATH`."""
    monkeypatch.syspath_prepend(HOME)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HOME), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("AGBENCH_PATH", str(HOME))
    packages._installed.cache_clear()
    yield
    packages._installed.cache_clear()
    gymnasium.registry.pop(f"agbench/{TASK}", None)


@pytest.mark.parametrize("check", [check for check in CHECKS if check != "response"])
def test_it_keeps_the_contract(check):
    CHECKS[check](TASK)


def test_it_is_made_like_any_other():
    assert TASK in [task.id for task in agbench.tasks()]
    agbench.make(TASK).close()
    env = gymnasium.make(f"agbench/{TASK}")
    observation, info = env.reset(seed=1)
    assert observation == 0.0
    assert info["scenario"] in catalog.task(TASK).scenarios("train")
    rows = agbench.make_vec(TASK, 3, minutes=4)
    rows.reset(seed=1)
    tap = np.array([[-1.0], [0.0], [1.0]], dtype=np.float32)
    *_, terminated, truncated, _ = [rows.step(tap) for _ in range(2)][-1]
    assert (terminated | truncated).all()


def test_its_anchors_and_its_hashes_are_its_own(tmp_path):
    task = catalog.task(TASK)
    assert anchors.outdated(task) is None
    wheat = catalog.task("wheat-nitrogen-v1")
    before = provenance.simulator_hash(task), provenance.simulator_hash(wheat)
    sources = Sources(others=[HOME / "bathtub"])
    places = sources.closure(entry_points(task))
    assert missed(task, sources) == set()
    assert {
        ("bathtub.simulator", "fill"),
        ("bathtub.family", "Comfort"),
        ("bathtub.task", "BathtubTask"),
    } <= places
    assert ("agbench.envs.core", "BatchCore") in places
    assert not [
        module for module, _ in places if module.startswith(("agbench.simulators.lintul3", "bathtub.pol"))
    ]
    assert len({*before}) == 2


def test_its_policy_becomes_a_row_that_is_checked_replayed_and_shown(tmp_path):
    check_policy("plumber", TASK)
    result = agbench.evaluate(TASK, "plumber", out=tmp_path / "result", on=Processes(1))
    assert not result.failed
    card = {
        **CARD,
        "agent": "plumber-again",
        "method": "rule",
        "training": {},
        "policy": {"format": "rule", "name": "plumber"},
    }
    leaderboard.submit([tmp_path / "result"], card, tmp_path / "leaderboard")
    command("leaderboard", "check", cwd=tmp_path)
    message, _ = command("leaderboard", "reproduce", cwd=tmp_path)
    assert "3 episodes reproduced, equal to the last bit" in message
    command("leaderboard", "build", cwd=tmp_path)
    page = (tmp_path / "leaderboard/README.md").read_text("utf-8")
    assert re.search(r"plumber-again .* \| 100\.0 \(", page)


def test_an_episode_is_described_and_drawn(tmp_path):
    season = run_episode(catalog.task(TASK), "plumber", picture=tmp_path / "tub.png")
    assert season.picture.stat().st_size > 1000
    assert season.steps[0].action == "2.5 cm min-1 TAP"
    assert len(season.by_day()) == 1


def test_what_it_lacks_is_an_error():
    with pytest.raises(ConfigError, match=r"bathtub-v1 has no hidden scenarios"):
        hidden.with_hidden(catalog.task(TASK), 3)
    with pytest.raises(NotApplicableError, match="'bathtub' does not describe the effect of its actions"):
        CHECKS["response"](TASK)
    with pytest.raises(ConfigError, match=r"a plumber.* has no settings to fit"):
        fit_file(catalog.task(TASK), "plumber")


def test_its_speed_is_measured():
    assert all(figure.value > 0.0 for figure in environments(TASK, 0.01, 4))


def test_a_family_is_registered_once(monkeypatch):
    from bathtub.family import BATHTUB

    with pytest.raises(ConfigError, match="there is a family 'bathtub' already"):
        families.register(BATHTUB)
    monkeypatch.setattr(families, "_registered", {})
    basin = replace(BATHTUB, name="basin")
    families.register(basin)
    assert families.find("basin") is basin
    assert families.schema("basin") is BATHTUB.schema
    with pytest.raises(ConfigError, match=r"mine\.yaml: unknown family 'bath'\. Did you mean"):
        families.read_task({"family": "bath"}, "mine.yaml")
