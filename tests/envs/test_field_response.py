"""The check of responses of fields sees the input and nothing else, and a dead input does not pass."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.field.response import FieldResponse, _giving, _respond
from agbench.testing import ContractError, check_response

DRAWN, FIXED = "potato-runoff-v1", "wofostgym-wheat-v1"  # of fields
LEVELS = (0, 1, 2, 4, 8)


def made(name, **overrides):
    """Return a task and its parts."""
    task = override(catalog.task(name), overrides)
    return task, build(task, "train")


@pytest.mark.parametrize("name", [DRAWN, "wheat-planting-v1", FIXED, "wheat-nitrogen-v1"])
def test_fertiliser_of_which_a_millionth_arrives_is_refused(name):
    with pytest.raises(ContractError, match="no amount of N"):
        check_response(name, action__recovery=1e-6)


@pytest.mark.parametrize("name", [DRAWN, FIXED])
def test_water_of_which_a_millionth_arrives_is_refused(name):
    with pytest.raises(ContractError, match="no amount of IRRIG"):
        check_response(name, action__efficiency=1e-6)


@pytest.mark.parametrize(
    "name", [DRAWN, FIXED, "wheat-planting-v1", "wheat-maize-rotation-v1", "rice-inputs-v1"]
)
def test_a_real_task_passes(name):
    check_response(name)


def test_two_trials_are_equal_and_their_scenarios_are_not():
    first, again = (_respond(*made(DRAWN), "N", ["P", "K"]) for _ in range(2))
    np.testing.assert_array_equal(first.grown, again.grown)
    np.testing.assert_array_equal(first.returns, again.returns)
    assert len(set(first.grown[0])) == len(first.scenarios)


@pytest.mark.parametrize("name", [DRAWN, FIXED, "wheat-planting-v1"])
@pytest.mark.parametrize("others", [[], ["P", "K", "IRRIG"]], ids=["alone", "beside"])
def test_the_levels_of_a_dead_input_are_one_run(name, others):
    one = _respond(*made(name, action__recovery=1e-300), "N", others)
    np.testing.assert_array_equal(one.grown, np.tile(one.grown[0], (len(one.levels), 1)))


@pytest.mark.parametrize("others", [[], ["P"], ["P", "K", "IRRIG"]], ids=len)
def test_the_rows_of_a_trial_differ_in_the_input_alone(others):
    task, parts = made(FIXED)
    core = BatchCore(parts, len(LEVELS))
    core.reset(range(core.n), [parts.scenarios.keys[0]] * core.n)
    act = _giving(task, core, "N", others, LEVELS)
    dose, nothing = (parts.actions.encode("N", amount)[0] for amount in (np.inf, 0.0))
    season = np.array([act(None, step) for step in range(int(core.simulator.horizon[0]) // task.step)])
    kept = season[:, -1] == dose
    assert [*(season == dose).sum(axis=0)] == [*LEVELS]
    assert np.isin(season[kept], [dose, nothing]).all()
    assert (season[~kept] == season[~kept][:, :1]).all()
    turns = [parts.actions.encode(other, np.inf)[0] for other in others] or [nothing]
    assert [*season[~kept][:, 0]] == [turns[i % len(turns)] for i in range((~kept).sum())]
    assert not (kept[1:] & kept[:-1]).any()


def test_all_rows_sow_on_the_first_decision_that_none_doses_on():
    task, parts = made("wheat-planting-v1")
    core = BatchCore(parts, len(LEVELS))
    core.reset(range(core.n), [parts.scenarios.keys[0]] * core.n)
    act = _giving(task, core, "N", [], LEVELS)
    nothing, dose, sow = (
        parts.actions.encode(*one)[0] for one in (("N", 0.0), ("N", np.inf), ("PLANT", 1.0))
    )
    assert [*act(None, 0)] == [nothing, dose, dose, dose, dose]
    assert [*act(None, 1)] == [sow] * core.n


def response(*rises, none=100.0):
    """Return what twelve scenarios grow without an input, and with an amount that adds `rises`."""
    grown = np.full((2, 12), none)
    grown[1, : len(rises)] += rises
    return FieldResponse("N", (), (0, 8), ("any",) * 12, grown, grown, {"yield": grown, "other": grown * 0.0})


@pytest.mark.parametrize(
    ("one", "raises"),
    [
        (response(1.0, 1.0, 1.0), True),
        (response(1.0, 1.0), False),
        (response(0.11, 0.11, 0.11), True),
        (response(0.09, *[0.05] * 11), False),
        (response(1.0, 1.0, 1.0, -4.0), False),
        (response(none=0.0), False),
        (response(-1.0, -1.0, -1.0, none=-100.0), False),
    ],
    ids=["quarter", "few", "just", "too little", "harm on the whole", "no yield", "falls"],
)
def test_what_counts_as_a_rise(one, raises):
    assert one.raises is raises


def test_what_counts_as_a_change():
    assert response(-0.2).changes(["other", "yield"])
    assert not response(-0.2).changes(["other"])
    assert not response(0.09).changes(["yield"])
    assert response().changes([])
