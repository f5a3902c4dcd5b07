"""Every control and set point of greenhouses moves what it is there for; one that does not is named."""

import pytest

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.family import build
from agbench.envs.greenhouse import response
from agbench.envs.greenhouse.response import EXPECTED, responses
from agbench.errors import ConfigError, ContractError
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE, parameter_vector
from agbench.simulators.greenlight.presets import PRESETS
from agbench.simulators.greenlight.setpoints import SETPOINTS
from agbench.simulators.greenlight.variables import CONTROLS
from agbench.testing import check_response

TOMATO = "greenhouse-tomato-v1"
SPLIT = "validation"
"""Generated seasons as in training, but a dozen, not thousands."""
TASKS = (
    "greenhouse-setpoint-continuous-v1",
    "greenhouse-setpoint-v1",
    TOMATO,
    "greenhouse-winter-v1",
    "greenhouse-tomato-uncertain-v1",
    "greenhouse-gym-v1",
)


@pytest.mark.slow_except(TASKS[1])
@pytest.mark.parametrize("task", TASKS)
def test_every_control_of_a_task_moves_what_it_is_there_for(task):
    """The contract of the uncertain task, in test_tasks.py, tries the controls of `TOMATO` too."""
    check_response(task, simulator__accuracy="fast")


def test_all_controls_and_set_points_have_expectations():
    assert set(EXPECTED) == {*CONTROLS.names, *SETPOINTS.names}
    assert all(EXPECTED.values())


@pytest.mark.slow_except("gym-uIntLamp", "katzin_2020-uBoilGro")
@pytest.mark.parametrize("control", CONTROLS.names)
@pytest.mark.parametrize("preset", PRESETS)
def test_each_of_the_eight_controls_of_a_preset_answers_or_is_refused(preset, control):
    with_control = {"simulator__preset": preset, "action__controls": [control]}
    if has(preset, control):
        check_response(TOMATO, SPLIT, **with_control)
    else:
        with pytest.raises(ConfigError, match=rf"{control} \(.*\) does nothing: the greenhouse has none"):
            check_response(TOMATO, SPLIT, **with_control)


def has(preset, control):
    """Return whether a greenhouse has what a control is of: none has interlights, some have grow pipes."""
    if control == "uBoilGro":
        return PRESETS[preset].changes.get("pBoilGro", 0.0) > 0.0
    return control != "uIntLamp"


def seen(task=TOMATO, **overrides):
    """Return the answers of a task with one control, by quantity."""
    spec = override(catalog.task(task), overrides)
    return {one.quantity: one for one in responses(spec, build(spec, SPLIT))}


def test_a_boiler_s_heat_is_its_capacity_and_its_cost_the_price():
    answers = seen(action__controls=["uBoil"])
    heat, spent = answers["heat"].values, answers["spent"].values
    parameters = dict(zip(PARAMETER_TABLE.names, parameter_vector({}), strict=True))
    full = 3 * 86_400.0 - 300.0 * sum(1.0 - 0.1 * k for k in range(1, 10))  # s; it rises by 0.1 a step
    assert heat[2] == pytest.approx(parameters["pBoil"] / parameters["aFlr"] * full, rel=1e-6)
    assert (heat[0] == 0.0).all()
    assert spent[2] == pytest.approx(heat[2] / 3.6e6 * catalog.task(TOMATO).reward.heat, rel=1e-9)


def test_lamps_pay_no_more_than_their_electricity():
    answers = seen(action__controls=["uLamp"])
    price = catalog.task(TOMATO).reward.electricity
    assert answers["spent"].values[2] == pytest.approx(
        answers["electricity"].values[2] / 3.6e6 * price, rel=1e-9
    )
    assert (answers["light"].values[2] > answers["light"].values[0]).all()


def test_a_vent_too_small_to_matter_is_caught():
    with pytest.raises(ContractError, match=r"uVent from 0 to 1 lowers tAir in no scenario: .* becomes"):
        check_response(TOMATO, SPLIT, action__controls=["uVent"], simulator__parameters={"aRoof": 1e-9})


def test_a_control_that_acts_the_wrong_way_is_caught(monkeypatch):
    monkeypatch.setitem(response.EXPECTED, "uThScr", ("-tAir at night",))
    with pytest.raises(ContractError, match="uThScr from 0 to 1 lowers tAir at night in no scenario"):
        check_response(TOMATO, SPLIT, action__controls=["uThScr"])


def test_a_meter_that_falls_with_its_control_is_caught():
    one = seen(action__controls=["uCo2"])["co2"]
    turned = response.GreenhouseResponse(
        one.name, one.quantity, 1, one.scenarios, one.levels, one.values[[0, 2, 1]]
    )
    assert one.turns is None
    assert turned.shown
    assert turned.turns == (1, 0)
    with pytest.raises(ContractError, match=r"co2 falls from .* mg m-2 as uCo2 rises from 0\.5 to 1 in"):
        response._refuse_turn(catalog.task(TOMATO), turned, *turned.turns)
