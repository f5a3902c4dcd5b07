"""The repairs of the N-P-K model one by one: each has a switch, and what it does to yield."""

import datetime as dt
from types import SimpleNamespace

import pytest
from repairs import CASES, TABLES, final_weight
from seasons import parameters, weather

from agbench.simulators.wofost.parameters import REPAIRS
from agbench.simulators.wofost.phenology import emerges
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


class Record(dict):
    """Parameters by key and by name, as compiled code reads them."""

    __getattr__ = dict.__getitem__


@pytest.mark.parametrize("short", [0.0, 1e-9])
def test_a_crop_emerges_when_its_stage_is_just_reached_and_repaired_when_its_warmth_is(short):
    published, sound = (Record(REPAIR_P1=switch, TSUMEM=100.0) for switch in (0.0, 1.0))
    assert emerges(published, SimpleNamespace(DVS=-short, TSUME=99.0)) == (short == 0.0)
    assert emerges(sound, SimpleNamespace(DVS=-0.1, TSUME=100.0 - short)) == (short == 0.0)
