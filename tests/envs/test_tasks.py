"""Every registered task keeps the whole contract; one test a task and check."""

import pytest

import agbench
from agbench.data import catalog
from agbench.testing import CHECKS, NotApplicableError, check_task

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
SHORTER = {"greenhouse": {"episode__length": "1 d", "episode__step": "15 min"}}

VARIANTS = {
    "continuous": {"action__kind": "continuous"},
    "two inputs": {"doses": {"N": [0, 30], "IRRIG": [0, 1.5]}, "prices": {"N": 0.1, "IRRIG": 1.0}},
    "daily weather, ten days a step": {"weather_form": "daily", "step": "10 d", "window": "5 d"},
    "autumn to autumn": {"season__start": "10-15", "reward__kind": "growth"},
}


@pytest.mark.slow_except(*(f"{task}-*" for task in REPRESENTATIVES))
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("task", TASKS)
def test_a_task_keeps_the_contract(task, check):
    try:
        short = SHORTER if task in REPRESENTATIVES else SHORT
        CHECKS[check](task, **short.get(catalog.task(task).family, {}))
    except NotApplicableError as reason:
        pytest.skip(str(reason))


OTHERS = [task for task in TASKS if task not in REPRESENTATIVES]


@pytest.mark.slow_except(*OTHERS[::2])
@pytest.mark.parametrize("task", OTHERS)
def test_every_other_task_keeps_a_part_of_it(task):
    report = check_task(task, checks=QUICK, **SHORTER.get(catalog.task(task).family, {}))
    assert {*report.passed, *report.skipped} == set(QUICK)


@pytest.mark.parametrize("check", [c for c in CHECKS if c not in ("rendering", "another-process")])
@pytest.mark.parametrize("overrides", VARIANTS.values(), ids=VARIANTS)
def test_a_changed_task_keeps_it_too(overrides, check):
    years = [1985, 1987] if "season__start" in overrides else None
    CHECKS[check]("wheat-nitrogen-v1", years=years, **overrides)


FEW = ("gymnasium", "observations-inside", "rows-equal-single", "autoreset-modes", "replay", "save-and-load")


@pytest.mark.slow_except("random fields", "harvest")
@pytest.mark.parametrize("overrides", WOFOST_VARIANTS.values(), ids=WOFOST_VARIANTS)
def test_a_changed_wofost_task_keeps_it_too(overrides):
    assert set(check_task("wofostgym-wheat-v1", checks=FEW, **overrides).passed) == set(FEW)


@pytest.mark.parametrize("split", ["train", "test"])
def test_every_scenario_of_a_split_runs_to_maturity(split):
    env = agbench.make("wheat-nitrogen-v1", split)
    for scenario in env.unwrapped.scenarios:
        _, info = env.reset(options={"scenario": scenario})
        terminated = truncated = False
        while not (terminated or truncated):
            _, _, terminated, truncated, info = env.step(0)
        assert terminated
        assert info["scenario"] == scenario
        assert info["yield"] > 1.0


def test_the_report_names_what_passed_and_what_it_skipped():
    report = check_task("wheat-nitrogen-v1", checks=["replay", "response"])
    assert report.passed == ("replay", "response")
    assert str(report) == "wheat-nitrogen-v1 keeps the contract: 2 checks passed."
