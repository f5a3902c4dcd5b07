"""Actions: what menus and amounts give, what brings it about again, and what is refused."""

import numpy as np
import pytest
from gymnasium import spaces

import agbench
from agbench.envs.actions import Amounts, Menu, Ranges, check_amount, menu_sizes, written
from agbench.errors import ActionError, ConfigError, UnknownNameError
from agbench.simulators.lintul3 import INPUTS
from agbench.variables import Variable, VariableTable


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


def test_a_menu_says_what_was_wrong(menu):
    with pytest.raises(ActionError, match=r"action 1 is of type float64; a menu takes .* from 0 to 3"):
        menu.inputs([1.0])
    with pytest.raises(
        ActionError, match=r"action \[1, 2\] has the shape \(2,\); a menu takes one .* 0 to 3"
    ):
        menu.inputs([[1, 2]])
    with pytest.raises(
        ActionError, match=r"action \[4, 9\] lies outside .* 0 to 3 are: nothing, 20 kg ha-1 N"
    ):
        menu.inputs([4, 3, 9])
    with pytest.raises(ActionError, match=r"action \[\[1\], \[1, 2\]\] is no array"):
        menu.inputs([[1], [1, 2]])
    assert menu.inputs(np.zeros(0, np.int64)).shape == (0, 2)


def test_a_menu_knows_its_doses_by_input(menu):
    assert menu.doses("N") == [0.0, 20.0, 40.0]
    assert menu.doses("IRRIG") == [0.0, 2.0]
    assert [menu.amounts(number) for number in range(4)] == [{}, {"N": 20.0}, {"N": 40.0}, {"IRRIG": 2.0}]
    targets = np.array([[40.0, 2.0], [39.0, 2.0], [0.0, 2.0], [19.0, 1.9]])
    assert menu.actions_of(targets).tolist() == [2, 1, 3, 0]


def test_work_is_named_and_amounts_have_units():
    table = VariableTable([Variable("PLANT", "-", "sowing"), Variable("N", "kg ha-1", "nitrogen")])
    menu = Menu(table, {"PLANT": [0.0, 1.0, 2.0], "N": [0.0, 1.0]}, {("PLANT", 2.0): "PLANT maize-2"})
    assert menu.describe() == ["nothing", "PLANT", "PLANT maize-2", "1 kg ha-1 N"]


@pytest.mark.parametrize(
    ("target", "near"),
    [
        (0.0, [0.0]),
        (1e-9, [0.0]),
        (1.05e-9, [0.0, 20.0]),
        (30.0, [20.0, 40.0]),
        (50.0, [40.0]),
        (-5.0, [0.0]),
    ],
)
def test_the_doses_next_to_an_amount(menu, target, near):
    assert menu.nearest("N", target) == near


def test_an_amount_that_no_action_gives_is_named_with_the_nearest(menu, amounts):
    assert check_amount(menu, "N", 20.0) is None
    assert check_amount(amounts, "N", 119.5) is None
    with pytest.raises(ConfigError, match=r"30 of N cannot be given; nearest are 20 and 40\."):
        check_amount(menu, "N", 30.0)
    with pytest.raises(ConfigError, match=r"130 of N cannot be given; nearest is 120\."):
        check_amount(amounts, "N", 130.0)
    with pytest.raises(UnknownNameError, match="unknown input 'M'"):
        check_amount(menu, "M", 0.0)


def test_ranges_begin_where_they_say_and_other_inputs_stay_as_usual():
    ranges = Ranges(INPUTS, {"IRRIG": (1.0, 3.0)}, np.array([7.0, 9.0]))
    assert ranges.inputs(np.array([[-1.0], [0.0], [1.0]])).tolist() == [[7.0, 1.0], [7.0, 2.0], [7.0, 3.0]]
    assert ranges.actions_of(np.array([[1.0], [2.5], [9.0], [0.0]])).ravel().tolist() == [
        -1.0,
        0.5,
        1.0,
        -1.0,
    ]
    assert ranges.nearest("IRRIG", 0.0) == [1.0]
    assert ranges.nearest("IRRIG", 5.0) == [3.0]
    assert ranges.encode("IRRIG", 2.0)[1] == 2.0
    assert ranges.describe() == ["1 to 3 cm IRRIG"]


@pytest.mark.parametrize(("beyond", "good"), [(1.00000095, True), (1.00000107, False)])
def test_amounts_may_miss_the_edge_by_a_millionth(amounts, beyond, good):
    if good:
        assert amounts.inputs(np.array([[beyond, -beyond]])).tolist() == [[0.0, 3.0]]
        return
    for action in ([beyond, 0.0], [0.0, -beyond]):
        with pytest.raises(ActionError, match=r"component -?1 lies outside \[-1, 1\]"):
            amounts.inputs(np.array([action]))


def test_amounts_say_how_many_numbers_they_take(amounts):
    with pytest.raises(ActionError, match="is not 2 numbers from -1 to 1"):
        amounts.inputs([["a", "b"]])
    with pytest.raises(ActionError, match=r"actions have the shape \(1,\); the space expects \(2,\)"):
        amounts.inputs([[0.0]])


@pytest.mark.parametrize(
    ("action", "text"),
    [
        ([np.nan], "nan"),
        ([1.0, 0.5], "[1, 0.5]"),
        (3, "3"),
        ([[1, 2]], "[1, 2]"),
        ([[1], [2, 3]], "[[1], [2, 3]]"),
    ],
)
def test_an_action_is_written_as_its_user_does(action, text):
    assert written(action) == text


def test_menus_of_a_space():
    assert menu_sizes(spaces.Discrete(4)) == [4]
    assert menu_sizes(spaces.MultiDiscrete([3, 2])) == [3, 2]
    assert menu_sizes(spaces.Box(-1.0, 1.0, (2,))) == []
