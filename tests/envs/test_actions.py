import numpy as np
import pytest

import agbench
from agbench.envs.actions import Amounts, Menu
from agbench.errors import ActionError, UnknownNameError
from agbench.simulators.lintul3 import INPUTS


@pytest.fixture
def menu():
    return Menu(INPUTS, {"N": [0.0, 20.0, 40.0], "IRRIG": [0.0, 2.0]})


@pytest.fixture
def amounts():
    return Amounts(INPUTS, {"IRRIG": 3.0, "N": 120.0})


def test_a_menu_gives_one_dose_of_one_input(menu):
    doses = menu.inputs(np.arange(4))
    assert doses.tolist() == [[0.0, 0.0], [20.0, 0.0], [40.0, 0.0], [0.0, 2.0]]
    assert menu.space.n == 4
    assert menu.describe() == ["nothing", "20 kg ha-1 N", "40 kg ha-1 N", "2 cm IRRIG"]


def test_a_menu_takes_any_whole_numbers(menu):
    for kind in (np.int8, np.uint32, np.int64):
        assert menu.inputs(np.array([1, 2], dtype=kind))[:, 0].tolist() == [20.0, 40.0]


@pytest.mark.parametrize("actions", [[4], [-1], [1.0], [True], ["1"], [[1]], [None]])
def test_a_menu_refuses_what_is_not_on_it(menu, actions):
    with pytest.raises(ActionError):
        menu.inputs(actions)


@pytest.mark.parametrize(("expected", "number", "values"), [(0, 0, 0), (19, 0, 0), (39, 1, 20), (99, 2, 40)])
def test_a_menu_encodes_the_largest_dose_within_the_target(menu, expected, number, values):
    assert menu.encode("N", expected) == (number, values)


@pytest.mark.parametrize(
    ("action", "doses"), [([-1, -1], [0.0, 0.0]), ([1, 1], [120.0, 3.0]), ([0, -0.5], [30.0, 1.5])]
)
def test_amounts_span_from_nothing_to_the_limit(amounts, action, doses):
    assert amounts.inputs(np.array([action])).tolist() == [doses]


def test_amounts_forgive_the_last_bit_of_a_float(amounts):
    beyond = np.nextafter(np.float32(1), np.float32(2))
    assert amounts.inputs(np.array([[beyond, 1.0]]))[0].tolist() == [120.0, 3.0]


@pytest.mark.parametrize(
    "actions", [[[1.01, 0]], [[0, -1.1]], [[np.nan, 0]], [[np.inf, 0]], [[0.0]], [0.0, 0.0], [["a", "b"]]]
)
def test_amounts_refuse_what_lies_outside(amounts, actions):
    with pytest.raises(ActionError):
        amounts.inputs(actions)


def test_amounts_encode_one_input_and_none_of_the_others(amounts):
    action, values = amounts.encode("N", 60.0)
    assert values == 60.0
    assert amounts.inputs(action[None])[0].tolist() == pytest.approx([60.0, 0.0])
    assert amounts.encode("N", 500.0)[1] == 120.0


def test_an_unknown_input_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"unknown variable 'IRRI'.*'IRRIG'"):
        Menu(INPUTS, {"IRRI": [0.0, 1.0]})


def test_a_limit_widens_the_range_of_an_amount():
    env = agbench.make("wheat-nitrogen-v1", action__kind="continuous", limit={"N": 300.0})
    env.reset(seed=0)
    *_, info = env.step(np.array([1.0], dtype=np.float32))
    assert info["nitrogen"] == 300.0
