"""Trees in the sound setting: what lasts, what returns, what age and the gardener do."""

import datetime as dt
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from orchards import START, orchard, random_inputs
from reference_runs import COMPACT, load

import agbench
from agbench.data import catalog
from agbench.errors import AgBenchError
from agbench.simulation.parameters import check_crop
from agbench.simulators.field.parameters import read_family, read_table
from agbench.simulators.wofost.leaves import AREA, WEIGHT, _merge_oldest
from agbench.simulators.wofost.parameters import parameters
from agbench.simulators.wofost.perennial_phenology import _pass_autumn
from agbench.simulators.wofost.simulate import daily_management, run
from agbench.simulators.wofost.simulator import WofostSimulator

TABLE = parameters("wofost-npk", crop_type="perennial")
REST = ("dormant", "sowing", "emerging")


def grow(crop="jujube-1", years=3, events=(), **changes):
    """Return a table of an orchard's years without limits, unless changed."""
    world, _ = orchard(crop, years=years, **{"limitation": "pp", "AGEI": 8.0, **changes})
    days = (dt.date(2000 + years, 12, 31) - START).days + 1
    parsed = [agbench.simulators.field.events.Event(*event) for event in events]
    return run(world, daily_management(parsed, START, days, True, "perennial"))


def falls(table):
    """Return the days on which the leaves have fallen."""
    return table.index[(table["STAGE"] == "dormant") & (table["STAGE"].shift() != "dormant")]


@pytest.fixture(scope="module", params=["jujube-1", "pear-1"])
def years(request):
    return grow(request.param, 4)


def test_wood_and_roots_outlast_dormancy(years):
    for day in falls(years):
        before, after = years.loc[day - pd.Timedelta(days=1)], years.loc[day]
        assert after["WWD"] > before["WWD"]
        assert after["WRT"] > 0.99 * before["WRT"]
        assert after["WLV"] == after["LAI"] == after["WSO"] == 0.0
    assert years["WRT"].min() > 100.0


def test_nothing_grows_at_rest(years):
    rest = years[years["STAGE"].isin(REST)]
    assert (rest[["GASS", "ASRC", "DMI", "TRA", "LAI", "GRLV", "RNUPTAKE"]] == 0.0).all(axis=None)
    assert (rest["MRES"] > 0.0).any()


def test_leaf_fall_returns_nutrients_and_leaves_the_rest_as_litter(years):
    day = falls(years)[0]
    before, after = years.loc[day - pd.Timedelta(days=1)], years.loc[day]
    for x in "NPK":
        gained = after[f"{x}AMOUNTWD"] - before[f"{x}AMOUNTWD"]
        lost = after[f"{x}lossesTotal"] - before[f"{x}lossesTotal"]
        assert gained > 0.0
        assert lost > 0.0
    assert after["DWLV"] == pytest.approx(before["WLV"] + before["DWLV"] + before["GRLV"])
    assert after["DWSO"] > before["DWSO"]


def test_buds_break_from_reserves(years):
    breaks = years.index[(years["STAGE"] == "vegetative") & (years["STAGE"].shift() == "emerging")]
    assert len(breaks) >= 3
    for day in breaks:
        before, after = years.loc[day - pd.Timedelta(days=1)], years.loc[day]
        assert after["WRES"] < before["WRES"]
        assert after["LAI"] > 0.0
        assert after["NAMOUNTWD"] < before["NAMOUNTWD"]


def test_warmth_ends_rest():
    def first_leaf(place):
        table = grow(years=1, place=place)
        return int((table["STAGE"] == "vegetative").argmax())

    assert first_leaf("lodi") < first_leaf("wageningen")


def test_fruit_that_is_picked_does_not_grow_again():
    day = dt.date(2001, 9, 20)
    picked, left = grow(years=1, events=[(day, "harvest", (1.0,))]), grow(years=1)
    assert picked["HARVESTED"].iloc[-1] == pytest.approx(left["WSO"].loc[str(day)], rel=1e-6)
    assert picked["WSO"].loc[str(day) :].max() == 0.0


def test_pruning_takes_wood_and_its_nutrients_at_rest_only():
    winter, summer = dt.date(2001, 12, 1), dt.date(2001, 7, 1)
    cut = grow(years=1, events=[(winter, "prune", (0.2,))])
    day, before = cut.loc[str(winter)], cut.loc[str(winter - dt.timedelta(days=1))]
    assert day["WWD"] == pytest.approx(0.8 * before["WWD"], rel=1e-3)
    assert day["NAMOUNTWD"] == pytest.approx(0.8 * before["NAMOUNTWD"], rel=1e-3)
    assert day["NPRUNED"] > 0.0
    assert grow(years=1, events=[(summer, "prune", (0.2,))])["PRUNED"].max() == 0.0


def test_young_trees_bear_less_than_old_ones_and_none_at_first():
    yields = [grow(years=1, AGEI=float(age))["WSO"].max() for age in (0, 2, 8)]
    assert yields[0] == 0.0
    assert yields[0] < yields[1] < yields[2]


def test_replanting_starts_again_with_young_trees():
    table = grow(years=2, events=[(dt.date(2001, 6, 1), "replant", (1.0,))])
    assert table["AGE"].loc["2001-06-01"] == 0.0
    assert table["WWD"].loc["2001-06-01"] == 500.0
    assert table["PRUNED"].iloc[-1] > 5000.0


def test_a_batch_equals_its_rows_whatever_the_length_of_a_call():
    rng = np.random.default_rng(3)
    worlds = [
        orchard(c, AGEI=a, years=2)[0] for c, a in (("jujube-1", 0.0), ("pear-1", 7.0), ("pear-1", 3.0))
    ]
    given = [random_inputs(rng, 3) for _ in range(20)]
    batch = WofostSimulator("wofost-npk", 3, crop_type="perennial")
    batch.reset(worlds)
    for inputs in given:
        batch.advance(inputs, 36)
    for i, world in enumerate(worlds):
        single = WofostSimulator("wofost-npk", 1, crop_type="perennial")
        single.reset([world])
        for number, inputs in enumerate(given):
            single.advance(inputs[i : i + 1], 1)
            if number == 10:
                saved = single.save(0)
                single = WofostSimulator("wofost-npk", 1, crop_type="perennial")
                single.load(0, saved)
            for _ in range(35):
                single.advance(np.zeros((1, 7)), 1)
        assert single.state[0].tolist() == batch.state[i].tolist()


def test_trees_grow_on_layered_soil():
    table = grow("pear-1", 2, soil="moregon-1", soil_water="layered", limitation="lw", RDMCR=80.0)
    assert table["WSO"].max() > 100.0
    assert abs(table["WBALTT"]).max() < 1e-9


def test_two_oldest_classes_become_one_of_their_mean():
    leaves = np.array([[1.0, 3.0, 5.0], [0.002, 0.001, 0.001], [40.0, 20.0, 1.0]])
    weight, area = leaves[WEIGHT].sum(), (leaves[WEIGHT] * leaves[AREA]).sum()
    _merge_oldest(leaves)
    assert leaves[WEIGHT, 1:].sum() == weight
    assert (leaves[WEIGHT, 1:] * leaves[AREA, 1:]).sum() == pytest.approx(area)
    assert leaves[:, 1].tolist() == pytest.approx([4.0, 0.00125, 25.0])  # kg ha-1, ha kg-1, d


@pytest.mark.parametrize("name", ["jujube-1", "pear-1"])
def test_files_pass_the_checks_of_the_model(name):
    check_crop(catalog.crop(name), name)


@pytest.mark.parametrize("stored", ["jujube_excess", "pear_sched"])
def test_published_figures_are_the_originals(stored):
    content, _ = load(COMPACT, stored)
    name = content["agromanagement"]["CropCalendar"]["crop_variety"].replace("_", "-")
    for key, value in catalog.crop(name).published_values.items():
        if key not in content["parameters"]:
            continue  # what the sound setting alone reads
        original = content["parameters"][key]
        if TABLE[key].by:
            assert (
                read_family(TABLE[key], value, "").tolist() == read_family(TABLE[key], original, "").tolist()
            )
        elif TABLE[key].of and len(original) == 2 * len(set(original[::2])):
            assert read_table(TABLE[key], value, "").tolist() == read_table(TABLE[key], original, "").tolist()
        elif not TABLE[key].of:
            assert value == original, key


def test_the_front_knows_trees():
    chosen = {"soil": "oregon-1", "site": "wageningen", "start": "1977-01-01", "end": "1978-12-31"}
    table = agbench.simulate("wofost-npk", crop="jujube-1", **chosen)
    assert table["AGE"].iloc[-1] == 1.0
    mapping = catalog.crop("jujube-1").values
    again = agbench.simulate("wofost-npk", crop=mapping, crop_type="perennial", **chosen)
    pd.testing.assert_frame_equal(table, again)
    with pytest.raises(AgBenchError, match="the crop 'jujube-1' is perennial"):
        agbench.simulate("wofost-npk", crop="jujube-1", crop_type="annual", **chosen)
    with pytest.raises(AgBenchError, match="wofost81-wlp knows no perennial crops"):
        agbench.simulate("wofost81-wlp", crop=mapping, crop_type="perennial", **chosen)
    with pytest.raises(AgBenchError, match=r"no use for 'prune'.* wofost-npk \(with a perennial"):
        agbench.simulate("wofost-npk", crop="wheat-1", events=[("1977-01-05", "prune", 0.1)], **chosen)
    with pytest.raises(AgBenchError, match=r"a replant clears all trees and has no amount; leave out 0\.3"):
        agbench.simulate("wofost-npk", crop="jujube-1", events=[("1977-01-05", "replant", 0.3)], **chosen)


@pytest.mark.parametrize(
    ("hours", "shortening", "autumn", "cold"),
    [(11.9, 0.05, 1.0, 1.0), (12.0, 0.05, 0.0, 0.0), (9.0, 0.0, 0.0, 0.0)],
)
def test_autumn_begins_with_days_shorter_than_nights(hours, shortening, autumn, cold):
    s = SimpleNamespace(DAY_LENGTH=hours, SHORTENING=shortening, AUTUMN=0.0, DSNG=0.0, DVR=0.0)
    assert not _pass_autumn(s)
    assert (autumn, cold) == (s.AUTUMN, s.DSNG)
    s.DVR, s.SHORTENING = 0.02, 0.0
    assert _pass_autumn(s) == (autumn == 1.0)
    assert cold == s.DSNG
