"""Crops that follow one another on a field: hand-over, balances, bare soil, second crops."""

from datetime import date, timedelta
from types import SimpleNamespace

import numpy as np
import pytest

from agbench.data import catalog
from agbench.errors import ConfigError, SimulationError
from agbench.simulators import models
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.field.rotation import RotationCrop, sowable
from agbench.simulators.field.simulator import SavedRow
from agbench.simulators.wofost.variables import NO_CROP, STANDING
from agbench.simulators.wofost.wofost_npk_rotation import choose
from agbench.weather.site import site_series

ROTATION = models.find("wofost-npk-rotation")
SINGLE = models.find("wofost-npk")
INPUT = {name: SINGLE.inputs.column(name) for name in SINGLE.inputs.names}
START, END = date(1976, 3, 1), date(1979, 12, 31)
CROPS = ("wheat-1", "maize-2", "potato-1", "rapeseed-1")
WHEAT, MAIZE, POTATO, RAPE = 1, 2, 3, 4
SOIL = {
    **catalog.soil("oregon-1").values,
    **{"NSOILBASE": 5000.0, "NSOILBASE_FR": 5.5e-5, "NMAX": 400.0},
    **{"PSOILBASE": 1000.0, "PSOILBASE_FR": 8e-5, "PMAX": 200.0},
    **{"KSOILBASE": 2000.0, "KSOILBASE_FR": 1.4e-4, "KMAX": 400.0},
}
BALANCED = 1e-9  # kg ha-1 or cm over four years
STEPS = (END - START).days

SEASONS = (  # crop, sown, harvested
    (MAIZE, date(1976, 4, 25), date(1976, 10, 1)),
    (WHEAT, date(1976, 10, 10), date(1977, 8, 10)),
    (RAPE, date(1977, 8, 13), date(1978, 4, 10)),
    (POTATO, date(1978, 4, 15), date(1978, 9, 20)),
    (WHEAT, date(1978, 10, 15), date(1979, 8, 15)),
)


def crops(**soil):
    return tuple(
        RotationCrop({**SOIL, **catalog.crop(name).values, **soil}, None, name.startswith("rapeseed"))
        for name in CROPS
    )


def setup(rotation=(), start=START, end=END, **more):
    calendar = CropCalendar(start, "sowing")
    given = {"parameters": {}, "series": site_series("wageningen"), "calendar": calendar, **more}
    return models.FieldSetup(start=start, end=end, rotation=rotation, **given)


def inputs_of(day):
    """Return what is done on a day: the rotation's sowings and harvests, food in spring, water in June."""
    done = np.zeros((1, len(INPUT)))
    for crop, sown, harvested in SEASONS:
        done[0, INPUT["PLANT"]] += crop * (day == sown)
        done[0, INPUT["HARVEST"]] += day == harvested
    if (day.month, day.day) in ((3, 20), (5, 10)):
        done[0, [INPUT["N"], INPUT["P"], INPUT["K"]]] = 80.0, 20.0, 60.0
    if (day.month, day.day) == (6, 15):
        done[0, INPUT["IRRIG"]] = 2.0
    return done


def run(simulator, first, days, change=lambda inputs: inputs):
    """Return the states of `days` days from `first` on, (days, columns)."""
    rows = []
    for i in range(days):
        simulator.advance(change(inputs_of(first + timedelta(days=i))), 1)
        rows.append(simulator.state[0].copy())
    return np.array(rows)


@pytest.fixture(scope="module")
def four_years():
    simulator = ROTATION.simulator(1)
    simulator.reset([ROTATION.world(setup(crops()))])
    first = simulator.state[0].copy()
    return np.vstack([first, run(simulator, START + timedelta(days=1), STEPS)])


def column(table, name, model=ROTATION):
    return table[..., model.variables.column(name)]


def day_of(day):
    return (day - START).days


def test_every_crop_of_a_rotation_stands_and_yields(four_years):
    number, stands = column(four_years, "CROP_NUMBER"), column(four_years, "CROP")
    harvested = column(four_years, "HARVESTED")
    for crop, sown, ended in SEASONS:
        days = slice(day_of(sown), day_of(ended) + 1)
        assert (number[days] == crop).all()
        assert (stands[days] == 1.0).all()
        assert stands[day_of(ended) + 1] == 0.0
        gain = harvested[day_of(ended)] - harvested[day_of(ended) - 1]
        assert gain == 0.0 if crop == RAPE else gain > 500.0
    assert column(four_years, "CROPS")[-1] == len(SEASONS)


def test_a_crop_that_has_gone_leaves_nothing_in_its_columns(four_years):
    bare = four_years[day_of(date(1979, 8, 16)) :]
    for name in ("TAGP", "TWSO", "LAI", "DVS", "STAGE", "LEAF_COUNT", "NAMOUNTLV", "NlossesTotal", "RD"):
        assert (column(bare, name) == 0.0).all(), name
    assert (column(bare, "RDOLD") == 10.0).all()
    assert np.ptp(column(bare, "WWLOW")) > 1.0  # the soil goes on


@pytest.mark.parametrize("x", ["N", "P", "K"])
def test_nutrients_close_over_the_rotation(four_years, x):
    def total(*names):
        return sum(column(four_years, name.replace("x", x)) for name in names)

    held = total("SURFACE_x", "xSOIL", "xAVAIL", "RESIDUE_x", "xlossesTotal")
    held = held + total(*(f"xAMOUNT{organ}" for organ in ("LV", "ST", "RT", "SO")))
    left = total("xSPILLED", "TOTx_RUNOFF", "xLEACHED", "xHARVESTED")
    came = total("TOTx", "xSOWN", "xSUPPLIED")
    if x == "N":
        left, came = left + total("NDRAINED"), came + total("NFIXTOTAL")
    today = total("FERT_x_SUPPLY")  # counted as applied today, on the surface from tomorrow
    days = np.arange(len(four_years))
    balance = held + left + today - came - SOIL[f"BG_{x}_SUPPLY"] * days
    assert np.abs(balance - balance[0]).max() < BALANCED
    assert total("xHARVESTED")[-1] > 10.0
    assert total("xRELEASED")[-1] > 5.0


def test_what_residues_release_is_what_they_received_less_what_they_hold(four_years):
    """Residues fall when crops end, and at no other time."""
    gained = np.diff(column(four_years, "RESIDUE_N") + column(four_years, "NRELEASED"))
    ends = {day_of(ended) for *_, ended in SEASONS}
    assert {int(day) for day in np.flatnonzero(gained > 1e-6)} == ends
    assert np.delete(np.abs(gained), sorted(ends)).max() < BALANCED


def test_water_closes_over_the_rotation(four_years):
    assert np.abs(column(four_years, "WBALTT")).max() < BALANCED
    assert np.abs(column(four_years, "WBALRT")).max() < BALANCED
    assert column(four_years, "LOSST")[-1] > 10.0


@pytest.mark.parametrize("season", range(len(SEASONS)))
def test_a_crop_grows_as_the_single_season_model_grows_it_from_the_same_soil(season):
    """Without residues and leaching, which the single season does not have: every column, every bit."""
    crop, sown, harvested = SEASONS[season]
    rotation = ROTATION.simulator(1)
    alone_in_it = {"NRESIDUE_FR": 0.0, "PRESIDUE_FR": 0.0, "KRESIDUE_FR": 0.0, "NDRAIN_SHARE": 0.0}
    rotation.reset([ROTATION.world(setup(crops(**alone_in_it)))])
    before = sown - timedelta(days=1)
    run(rotation, START + timedelta(days=1), day_of(before))
    handed = rotation.state[0].copy()
    days = (harvested - before).days
    grown = run(rotation, sown, days)

    world = SINGLE.world(
        setup(
            start=before,
            end=harvested,
            parameters=crops()[crop - 1].parameters,
            management="plant",
            sowing_window=(sown, sown),
        )
    )
    single = SINGLE.simulator(1)
    single.reset([world])
    saved = single.save(0)
    state = handed[ROTATION.variables.columns(SINGLE.variables.names)]
    single.load(0, SavedRow(world, 0, False, state, saved.memory))

    def sow_the_only_crop(inputs):
        inputs[0, INPUT["PLANT"]] = min(inputs[0, INPUT["PLANT"]], 1.0)
        return inputs

    alone = run(single, sown, days, sow_the_only_crop)
    for name in SINGLE.variables.names:
        if crop == RAPE and name in ("HARVESTED", "HWSO", "LHW", "WSO", "TWSO", "NHARVESTED"):
            continue  # incorporated in the rotation
        np.testing.assert_array_equal(
            column(grown[:-1], name), column(alone[:-1], name, SINGLE), err_msg=name
        )
    assert column(alone, "TAGP", SINGLE)[-1] > 500.0
    if crop != RAPE:
        assert column(grown, "HARVESTED")[-1] == column(alone, "HARVESTED", SINGLE)[-1]


def test_the_rest_of_a_rotation_depends_on_the_state_at_hand_over_alone():
    """A rotation that starts on the hand-over day, from its state, goes on bit by bit."""
    _, sown, harvested = SEASONS[2]
    before = sown - timedelta(days=1)
    whole = ROTATION.simulator(1)
    whole.reset([ROTATION.world(setup(crops()))])
    run(whole, START + timedelta(days=1), day_of(before))
    rest = ROTATION.simulator(1)
    world = ROTATION.world(setup(crops(), start=before, end=END))
    rest.reset([world])
    saved = whole.save(0)
    rest.load(0, SavedRow(world, 0, False, saved.state, saved.memory))
    days = (harvested - before).days + 200
    np.testing.assert_array_equal(run(rest, sown, days), run(whole, sown, days))


def test_a_fallow_year_keeps_its_water_and_loses_its_nitrogen():
    """Without a crop nothing transpires, and winter drains what mineralised."""
    simulator = ROTATION.simulator(2)
    world = ROTATION.world(setup(crops()))
    simulator.reset([world, world])
    for i in range(365 + 60):
        inputs = np.vstack([np.zeros((1, len(INPUT))), inputs_of(START + timedelta(days=1 + i))])
        inputs[1, [INPUT["N"], INPUT["P"], INPUT["K"]]] = 0.0
        simulator.advance(inputs, 1)
    fallow, cropped = simulator.state
    assert column(fallow, "CROPS") == 0.0
    assert column(fallow, "WTRAT") == 0.0
    assert column(fallow, "NDRAINED") > column(cropped, "NDRAINED") > 0.0


def test_a_catch_crop_holds_nitrogen_over_winter_and_returns_it():
    simulator = ROTATION.simulator(2)
    world = ROTATION.world(setup(crops(), start=date(1977, 7, 1), end=date(1979, 1, 1)))
    simulator.reset([world, world])
    drained, released = [], []
    for i in range(1, 520):
        day = date(1977, 7, 1) + timedelta(days=i)
        inputs = np.zeros((2, len(INPUT)))
        inputs[1, INPUT["PLANT"]] = RAPE * (day == date(1977, 8, 11))
        inputs[1, INPUT["HARVEST"]] = day == date(1978, 3, 10)
        simulator.advance(inputs, 1)
        drained.append(column(simulator.state, "NDRAINED").copy())
        released.append(column(simulator.state, "NRELEASED").copy())
    saved = np.array(drained)[240] @ [1.0, -1.0]
    assert saved > 5.0
    assert released[-1][1] > 10.0
    assert column(simulator.state[1], "HARVESTED") == 0.0


def test_sowing_counts_in_a_crop_s_season_and_on_an_empty_field_only():
    windows = {WHEAT: ("10-01", "11-30"), MAIZE: ("04-15", "05-31"), RAPE: ("08-01", "02-15")}
    chosen = tuple(
        RotationCrop(crop.parameters, windows.get(number)) for number, crop in enumerate(crops(), start=1)
    )
    table = sowable(chosen, START, END)
    assert table.shape == (4, STEPS + 1)
    assert table[WHEAT - 1].sum() == 4 * 61
    assert table[MAIZE - 1, day_of(date(1978, 4, 15))]
    assert not table[MAIZE - 1, day_of(date(1978, 6, 1))]
    assert table[RAPE - 1, day_of(date(1978, 2, 15))]
    assert not table[RAPE - 1, day_of(date(1978, 2, 16))]
    assert table[POTATO - 1].all()

    simulator = ROTATION.simulator(1)
    simulator.reset([ROTATION.world(setup(chosen))])
    sown = np.zeros((1, len(INPUT)))
    sown[0, INPUT["PLANT"]] = MAIZE
    simulator.advance(sown, 10)
    assert column(simulator.state[0], "CROP") == 0.0  # March
    simulator.advance(np.zeros_like(sown), 40)
    simulator.advance(sown, 1)
    assert column(simulator.state[0], "CROP_NUMBER") == MAIZE
    sown[0, INPUT["PLANT"]] = POTATO
    simulator.advance(sown, 1)
    assert column(simulator.state[0], "CROP_NUMBER") == MAIZE  # the field is taken
    sown[0, INPUT["HARVEST"]] = 1.0
    simulator.advance(sown, 1)
    simulator.advance(sown, 1)
    assert column(simulator.state[0], "CROP_NUMBER") == POTATO  # the day after the harvest


def test_a_number_beyond_the_crops_of_a_world_sows_nothing():
    simulator = ROTATION.simulator(2)
    one = ROTATION.world(setup(crops()[:1]))
    simulator.reset([one, ROTATION.world(setup(crops()))])
    sown = np.zeros((2, len(INPUT)))
    sown[:, INPUT["PLANT"]] = MAIZE
    simulator.advance(sown, 1)
    assert column(simulator.state, "CROP").tolist() == [0.0, 1.0]


def test_rows_of_a_batch_are_what_they_are_alone(four_years):
    world = ROTATION.world(setup(crops()))
    batch = ROTATION.simulator(3)
    batch.reset([world] * 3)
    for i in range(600):
        inputs = np.repeat(inputs_of(START + timedelta(days=1 + i)), 3, axis=0)
        inputs[0] = 0.0
        batch.advance(inputs, 1)
    np.testing.assert_array_equal(batch.state[1], four_years[600])
    np.testing.assert_array_equal(batch.state[2], four_years[600])


def test_a_rotation_is_sound_or_refused():
    with pytest.raises(ConfigError, match="setting 'sound'"):
        ROTATION.world(setup(crops(), setting="published"))
    with pytest.raises(ConfigError, match="at least one crop"):
        ROTATION.world(setup())
    with pytest.raises(SimulationError, match="does not fit"):
        SINGLE.simulator(1).reset([ROTATION.world(setup(crops()))])


def test_a_field_has_the_parameters_of_the_crop_that_was_sown_last():
    field = SimpleNamespace(CROP=NO_CROP, FIN=0.0, CROP_NUMBER=0.0)
    nothing, rape, maize = (SimpleNamespace(PLANT=float(crop)) for crop in (0, RAPE, MAIZE))
    assert choose(field, nothing, True) == 0
    assert choose(field, rape, True) == RAPE - 1
    field.CROP = STANDING
    assert choose(field, maize, True) == choose(field, nothing, False) == RAPE - 1
    field.FIN = 1.0  # harvested yesterday
    assert choose(field, maize, False) == RAPE - 1
    assert choose(field, maize, True) == MAIZE - 1
