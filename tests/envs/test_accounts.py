"""What a step is worth, by hand: the accounts of greenhouses, and the profit of rotations."""

from types import SimpleNamespace

import numpy as np
import pytest

from agbench.data.greenhouse_reward import GreenhouseReward
from agbench.envs.field.rotation_profit import RotationProfit
from agbench.envs.greenhouse.accounts import ENTRIES, book
from agbench.variables import Variable, VariableTable


def test_a_greenhouse_step_is_booked_in_its_units():
    """65 g of dry fruit are a kilogram of fresh, 3.6 MJ a kWh; prices: fruit, CO2, heat, electricity."""
    grown, harvest = 13_000.0, 52_000.0  # mg m-2, together 65 g
    used = np.array([[7.2e6, 1.8e6, 250_000.0, harvest, 3.0, 4e6]])
    limits = SimpleNamespace(violations=lambda climate: np.array([[0.5, 0.0, 0.25]]))
    spec = GreenhouseReward(dry_matter=0.065, penalty=2.0)
    prices = np.array([[1.6, 0.2, 0.09, 0.3]])
    (row,) = book(np.array([grown]), used, np.zeros((1, 4)), limits, prices, spec, 0.5)
    booked = dict(zip(ENTRIES, row.tolist(), strict=True))
    spent = 2.0 * 0.09 + 0.5 * 0.3 + 0.25 * 0.2
    expected = {
        "profit": 1.6 - spent, "income": 1.6, "spent": spent, "fruit": 1.0, "harvest": 0.8, "heat": 2.0,
        "electricity": 0.5, "co2": 0.25, "water": 3.0, "light": 4.0, "penalty": 2.0 * 0.375,
        "hours_temperature": 0.5, "hours_co2": 0.0, "hours_humidity": 0.5, "cost": 0.375,
    }  # fmt: skip
    assert booked == pytest.approx(expected)


MODEL = VariableTable([Variable(name, "-", "m") for name in ("CROPS", "WSO", "CROP_NUMBER")])
INPUTS = VariableTable([Variable("N", "kg ha-1", "nitrogen"), Variable("P", "kg ha-1", "phosphorus")])


def test_a_rotation_earns_its_crops_less_their_costs_and_inputs():
    reward = RotationProfit(
        MODEL, INPUTS, "WSO", {"wheat": 0.2, "maize": 0.1}, {"maize": 50.0, "wheat": 30.0}, {"N": 1.5}, 2
    )
    simulator = SimpleNamespace(state=np.zeros((2, 3)))
    both, first = np.ones(2, bool), np.array([True, False])
    inputs = np.array([[10.0, 99.0], [10.0, 99.0]])
    reward.before(simulator)
    simulator.state = np.array([[1.0, 0.0, 2.0], [1.0, 0.0, 1.0]])  # maize is sown, and wheat
    assert reward.after(simulator, inputs, both).tolist() == [-65.0, -45.0]
    reward.before(simulator)
    simulator.state = np.array([[1.0, 1000.0, 2.0], [1.0, 500.0, 1.0]])
    assert reward.after(simulator, np.zeros((2, 2)), first).tolist() == [100.0, 0.0]
    assert {name: values.tolist() for name, values in reward.totals.items()} == {
        "yield wheat": [0.0, 0.0],
        "yield maize": [1000.0, 0.0],
        "sowings wheat": [0.0, 1.0],
        "sowings maize": [1.0, 0.0],
    }
    kept = reward.save(0)
    reward.reset(0, None)
    assert reward.totals["yield maize"][0] == 0.0
    reward.load(1, kept, None)
    assert reward.totals["yield maize"][1] == 1000.0
