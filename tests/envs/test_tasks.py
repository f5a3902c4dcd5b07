"""Every registered task keeps the whole contract; one test a task and check."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.testing import CHECKS, NotApplicableError, check_task, determinism

TASKS = [task.id for task in agbench.tasks()]
REPRESENTATIVES = (
    "wheat-nitrogen-v1",  # LINTUL-3
    "wofostgym-wheat-v1",  # WOFOST, a crop of one season
    "pear-orchard-v1",  # years, and layers of soil
    "wheat-maize-rotation-v1",  # crops one after another
    "sunflower-farm-fields-v1",  # a farm
    "greenhouse-tomato-uncertain-v1",
)
"""A task of each kind of simulator: they keep all checks in `make test`, all tasks in `make test-slow`."""
QUICK = ("observations-inside", "replay", "response")
"""What a file of data alone can break."""
WOFOST_VARIANTS = {
    "amounts, a week a step": {"action__kind": "continuous", "step": "7 d"},
    "forecast with errors": {
        "observation__forecast": {"days": 5, "variables": ["RAIN", "TEMP"], "error": {"TEMP": 1.0}}
    },
    "random fields": {
        "randomisation__crops": ["wheat-1", "wheat-4"],
        "randomisation__soils": ["oregon-1", "washington-1"],
        "randomisation__parameters": {
            "TSUM1": {"share": 0.1},
            "SMFCF": {"kind": "normal", "share": 0.2},
            "AMAXTB": {"share": 0.1},
        },
    },
    "profit": {
        "reward__kind": "profit",
        "product_price": 0.2,
        "prices": {"N": 1.0, "P": 2.0, "K": 0.5, "IRRIG": 10.0},
    },
    "weight": {"reward__kind": "storage-organ-weight"},
    "potential": {"limitation": "pp"},
    "harvest": {"doses": {"N": [0, 8], "HARVEST": [0, 1]}},
}
SHORT = {"greenhouse": {"episode__length": "1 d"}}
"""What makes an episode of a family short enough to be checked many times."""
SHORTER = {"greenhouse": {"episode__length": "1 d", "episode__step": "1 h"}}
LONG = ("pear-orchard-v1", "wheat-maize-rotation-v1")
"""Seasons of years: decisions of two weeks make them short, but for what a farmer's weeks must show."""

VARIANTS = {
    "continuous": {"action__kind": "continuous"},
    "two inputs": {"doses": {"N": [0, 30], "IRRIG": [0, 1.5]}, "prices": {"N": 0.1, "IRRIG": 1.0}},
    "daily weather, ten days a step": {"weather_form": "daily", "step": "10 d", "window": "5 d"},
    "autumn to autumn": {"season__start": "10-15", "reward__kind": "growth"},
}


SERVE = """
import pickle, sys
from agbench.envs.registry import single_environment
from agbench.testing.traces import record
while True:
    task, split, overrides, actions, seed = pickle.load(sys.stdin.buffer)
    trace = record(single_environment(task, split, **overrides), actions, seed)
    sys.stdout.buffer.write(pickle.dumps(trace))
    sys.stdout.buffer.flush()
"""


@pytest.fixture(scope="module")
def another_process():
    """Return a function that sends a job to another process, one for all tasks, and gives its trace."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", SERVE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:

        def ask(job):
            process.stdin.write(pickle.dumps(job))
            process.stdin.flush()
            return pickle.load(process.stdout)

        yield ask
        process.kill()


@pytest.fixture
def shared_process(request, monkeypatch):
    """Let one process answer for all tasks but the first, whose check starts its own."""
    case = request.node.callspec.params
    if case["check"] == "another-process" and case["task"] != REPRESENTATIVES[0]:
        monkeypatch.setattr(determinism, "_elsewhere", request.getfixturevalue("another_process"))


SLIM = tuple(task for task in REPRESENTATIVES if task != "wofostgym-wheat-v1")
"""Without the one of which a changed task keeps the same checks below."""
ONCE = {
    **dict.fromkeys(("rows-equal-single", "replay", "save-and-load", "gymnasium"), SLIM),
    "autoreset-modes": ("wheat-nitrogen-v1", "greenhouse-tomato-uncertain-v1"),
    "another-process": ("wheat-nitrogen-v1", "sunflower-farm-fields-v1", "greenhouse-tomato-uncertain-v1"),
    "stable-baselines3": ("wheat-nitrogen-v1", "sunflower-farm-fields-v1", "greenhouse-tomato-uncertain-v1"),
    "rendering": ("wheat-nitrogen-v1",),
}
"""Where one code does it for all simulators, or fields, and where others test it too, as of pictures."""


def split_of(task):
    """Return the split to check: of greenhouses the generated seasons that are a dozen, not thousands."""
    few = task.family == "greenhouse" and "validation" in task.splits
    return "validation" if few else "train"


@pytest.mark.usefixtures("shared_process")
@pytest.mark.slow_except(*(f"{t}-{c}" for c in CHECKS for t in ONCE.get(c, REPRESENTATIVES)))
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("task", TASKS)
def test_a_task_keeps_the_contract(task, check):
    spec = catalog.task(task)
    short = dict((SHORTER if task in REPRESENTATIVES else SHORT).get(spec.family, {}))
    if task in LONG and check != "response":
        short |= {"step": "14 d"}
    try:
        CHECKS[check](task, split_of(spec), **short)
    except NotApplicableError as reason:
        pytest.skip(str(reason))


OTHERS = [task for task in TASKS if task not in REPRESENTATIVES]
KINDS = ("wheat-layered-v1", "wofostgym-pear-limits-v1", "greenhouse-setpoint-v1")
"""Layers, limits of an orchard, set points: what every twelfth of the others may lack."""


@pytest.mark.slow_except(*KINDS, *OTHERS[::12])
@pytest.mark.parametrize("task", OTHERS)
def test_every_other_task_keeps_a_part_of_it(task):
    """How greenhouses respond is in test_greenhouse_response.py."""
    spec = catalog.task(task)
    checks = QUICK[:2] if spec.family == "greenhouse" else QUICK
    report = check_task(task, split_of(spec), checks=checks, **SHORTER.get(spec.family, {}))
    assert {*report.passed, *report.skipped} == set(checks)


@pytest.mark.slow_except("continuous-*", "*-observations-inside", "*-rows-equal-single", "*-save-and-load")
@pytest.mark.parametrize("check", [c for c in CHECKS if c not in ("rendering", "another-process")])
@pytest.mark.parametrize("overrides", VARIANTS.values(), ids=VARIANTS)
def test_a_changed_task_keeps_it_too(overrides, check):
    years = [1985, 1987] if "season__start" in overrides else None
    CHECKS[check]("wheat-nitrogen-v1", years=years, **overrides)


FEW = ("gymnasium", "observations-inside", "rows-equal-single", "autoreset-modes", "replay", "save-and-load")


@pytest.mark.slow_except("random fields")
@pytest.mark.parametrize("overrides", WOFOST_VARIANTS.values(), ids=WOFOST_VARIANTS)
def test_a_changed_wofost_task_keeps_it_too(overrides):
    assert set(check_task("wofostgym-wheat-v1", checks=FEW, **overrides).passed) == set(FEW)


@pytest.mark.parametrize("split", ["train", "test"])
def test_every_scenario_of_a_split_runs_to_maturity(split):
    keys = list(agbench.make("wheat-nitrogen-v1", split).unwrapped.scenarios)
    envs = agbench.make_vec("wheat-nitrogen-v1", len(keys), split, "same_step")
    _, info = envs.reset(seed=0, options={"scenario": keys})
    assert info["scenario"].tolist() == keys
    growing = set(range(len(keys)))
    while growing:
        _, _, terminated, truncated, info = envs.step(np.zeros(len(keys), int))
        ended = growing & {*np.flatnonzero(terminated | truncated).tolist()}
        for row in ended:
            assert terminated[row]
            assert info["final_info"]["scenario"][row] == keys[row]
            assert info["final_info"]["yield"][row] > 1.0
        growing -= ended


def test_the_report_names_what_passed_and_what_it_skipped():
    report = check_task("wheat-nitrogen-v1", checks=["replay", "response"])
    assert report.passed == ("replay", "response")
    assert str(report) == "wheat-nitrogen-v1 keeps the contract: 2 checks passed."
