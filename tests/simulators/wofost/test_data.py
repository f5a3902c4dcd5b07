"""The crop and soil files of the N-P-K model."""

import datetime as dt

import pytest
from reference_runs import COMPACT, load
from seasons import CROPS, SOILS, WARMTH, parameters, weather

from agbench.data import catalog
from agbench.simulation.parameters import check_crop, check_soil
from agbench.simulators.field.afgen import afgen, build
from agbench.simulators.field.parameters import read_table
from agbench.simulators.wofost.parameters import parameters as declared
from agbench.simulators.wofost.simulate import simulate_wofost

TABLE = declared("wofost-npk")


def test_all_crops_and_soils_are_there():
    read = {name: catalog.crop(name) for name in catalog.names("crop")}
    assert [n for n, c in read.items() if "wofost-npk" in c.models and c.crop_type == "annual"] == CROPS
    assert len(CROPS) == 63
    assert len({name.rpartition("-")[0] for name in CROPS}) == 23
    assert [soil for soil in SOILS if soil.startswith("oregon")] == ["oregon-1", "oregon-2", "oregon-3"]
    assert len(SOILS) == 14


@pytest.mark.parametrize("name", [*CROPS, *SOILS])
def test_files_pass_the_checks_of_the_model(name):
    if name in CROPS:
        check_crop(catalog.crop(name), name)
    else:
        check_soil(catalog.soil(name), name)


@pytest.mark.parametrize("crop", CROPS)
def test_matures_somewhere(crop):
    """Tobacco is planted, not sown: its TEFFMX of 0 degC lets no seed emerge."""
    start = dt.date(1982, 3, 1)
    calendar = {
        "crop_start_date": start,
        "crop_start_type": "emergence" if crop == "tobacco-1" else "sowing",
        "crop_end_type": "maturity",
        "max_duration": 600,
    }
    for warmth in WARMTH:
        run = simulate_wofost(
            "wofost-npk", parameters(crop, "oregon-1"), weather(warmth), calendar=calendar, limitation="pp"
        )
        if run["STAGE"].iloc[-1] == "mature" and run["TAGP"].iloc[-1] > 1000.0:
            return
    pytest.fail(f"{crop} reaches DVS {run['DVS'].max():.2f}, TAGP {run['TAGP'].max():.0f}")


@pytest.mark.parametrize("run", ["wheat_sched", "maize_zero", "potato_sched", "cowpea_sched"])
def test_published_figures_are_the_originals(run):
    case, _ = load(COMPACT, run)
    crop = case["agromanagement"]["CropCalendar"]["crop_variety"].replace("_", "-")
    soil = case["agromanagement"]["SoilCalendar"]["soil_variation"].replace("_", "-")
    for name, value in parameters(crop, soil, "published").items():
        original = case["parameters"][name]
        if not TABLE[name].of:
            assert value == original, name
            continue
        ours, theirs = build(name, value), read_table(TABLE[name], original, run)
        for x in (*ours[0], *theirs[0]):
            assert afgen(ours, x) == afgen(theirs, x), name


def test_repairs_differ_from_what_is_published():
    read = catalog.crop("wheat-1")
    assert set(read.published) == {"RDRROS", "RDRSOB", "RDRSOF", "SPA"}
    for name, original in read.published.items():
        assert read.tables[name].points != original.points
