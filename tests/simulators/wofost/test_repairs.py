"""The repairs of the N-P-K model one by one: each has a switch, and what it does to yield."""

import datetime as dt

import pytest
from repairs import CASES, TABLES, final_weight
from seasons import parameters, weather

from agbench.simulators.wofost.parameters import REPAIRS
from agbench.simulators.wofost.world import build_world

A, _, _, D = CASES
YEARS = (1976,)


@pytest.mark.parametrize(("setting", "switch"), [("sound", 1.0), ("published", 0.0)])
def test_a_setting_sets_all_switches(setting, switch):
    start = dt.date(1982, 3, 1)
    values = parameters("wheat-1", "oregon-1")
    world = build_world("wofost-npk", values, weather(0.0), None, start, start, setting=setting)
    assert {float(world.parameters[f"REPAIR_{name}"]) for name in REPAIRS} == {switch}


def test_one_repair_alone_makes_potential_water_potential():
    before = final_weight(D, (), tuple(TABLES), years=YEARS)
    assert final_weight(D, ("W2",), tuple(TABLES), years=YEARS) > before + 3000.0
    assert final_weight(D, ("N12",), tuple(TABLES), years=YEARS) == before


def test_a_repaired_table_acts_alone():
    before = final_weight(A, years=YEARS)
    assert final_weight(A, (), ("C8b",), years=YEARS) > before
    assert final_weight(A, (), ("P4",), years=YEARS) == pytest.approx(before, abs=0.5)
