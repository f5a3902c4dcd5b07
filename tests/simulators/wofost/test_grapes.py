"""Grape vines in the sound setting: stages, rest, frost, balances over years."""

import datetime as dt

import numpy as np
import pytest
from vineyards import CULTIVARS, TEN_YEARS, Rows, planted, southern, unmanaged, vineyard, years

import agbench
from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.errors import ConfigError
from agbench.simulation.parameters import check_crop
from agbench.simulators.wofost.grape_columns import BUD_BREAK, ECODORMANT, ENDODORMANT
from agbench.simulators.wofost.world import LIMITATIONS
from agbench.weather.daily import DAILY
from agbench.weather.generator.generate import FIRST_DAY

EPOCH = dt.date(1970, 1, 1)
ORGANS = ("LV", "ST", "RT", "SO", "WD")
POOLS = [
    *(f"{x}AMOUNT{o}" for x in "NPK" for o in ORGANS),
    *(name.replace("x", x) for x in "NPK" for name in ("SURFACE_x", "xSOIL", "xAVAIL", "RxUPTAKE")),
    *("WLV", "WST", "WSO", "WRT", "WWD", "WRES", "DWLV", "DWST", "DWSO", "DWRT", "DWWD", "HWSO", "LAI"),
    *("SM", "WC", "WLOW", "SS", "EVS", "TRA", "RIN", "DTSR", "PERC", "BUDS_ALIVE", "SHOOTS_ALIVE"),
]


@pytest.fixture(scope="module")
def ripening():
    """Return whether each cultivar became ripe in two years at Lodi, or where it is 4 degC warmer."""
    worlds = [vineyard(crop, years("lodi", 0, 2, warmth))[0] for warmth in (0.0, 4.0) for crop in CULTIVARS]
    simulator = planted(worlds)
    simulator.advance(unmanaged(simulator), 2 * 365 - 1)
    ripe = Rows(simulator)["DOR"].reshape(2, -1) > 0.0
    return dict(zip(CULTIVARS, ripe.any(axis=0), strict=True))


def test_all_cultivars_are_there():
    assert len(CULTIVARS) == 31
    assert {"grape-chardonnay", "grape-cabernet-sauvignon", "grape-riesling"} < set(CULTIVARS)


@pytest.mark.parametrize("crop", CULTIVARS)
def test_files_pass_the_checks_of_the_model(crop):
    check_crop(catalog.crop(crop), crop)


@pytest.mark.parametrize("crop", CULTIVARS)
def test_ripens_somewhere(crop, ripening):
    assert ripening[crop]


@pytest.mark.parametrize("crop", CULTIVARS)
def test_shares_of_growth_add_up_to_one(crop):
    tables = catalog.crop(crop).tables
    curves = [tables[name].curves[0].points for name in ("FLTB", "FSTB", "FOTB")]
    for stage in np.linspace(0.0, 3.0, 31):
        shares = [np.interp(stage, *zip(*points, strict=True)) for points in curves]
        assert sum(shares) == pytest.approx(1.0, abs=0.011)


def test_chardonnay_has_its_stages_in_the_months_of_eastern_washington():
    worlds = [vineyard("grape-chardonnay", years("washington-state", i, 2))[0] for i in range(8)]
    simulator = planted(worlds)
    simulator.advance(unmanaged(simulator), 2 * 365 - 1)
    first = (dt.date(FIRST_DAY.year + 1, 1, 1) - EPOCH).days
    rows = Rows(simulator)
    for name, early, late in (
        ("DOB", (4, 2), (5, 5)),
        ("DOL", (5, 20), (6, 25)),
        ("DOV", (7, 20), (8, 31)),
        ("DOC", (9, 5), (9, 20)),
        ("DOLF", (10, 1), (10, 25)),
    ):
        low, high = (dt.date(2002, *day).timetuple().tm_yday for day in (early, late))
        assert low <= (rows[name] - first + 1.0).mean() <= high, name


def test_seasons_of_the_southern_hemisphere_are_half_a_year_apart():
    north = years("lodi", 1, 3)
    simulator = planted([vineyard("grape-chardonnay", series)[0] for series in (north, southern(north))])
    simulator.advance(unmanaged(simulator), 3 * 365 - 1)
    rows = Rows(simulator)
    for name in ("DOB", "DOL", "DOV", "DOLF"):
        apart = (rows[name][0] - rows[name][1]) % 365.0
        assert 165.0 <= apart <= 200.0, name


def test_nothing_grows_at_rest_and_reserves_pay_for_it():
    simulator = planted([vineyard("grape-merlot", years("washington-state", 3, 3), AGEI=6.0)[0]])
    rested = 0
    while not simulator.finished.all():
        simulator.advance(unmanaged(simulator), 1)
        rows = Rows(simulator)
        if rows["STAGE"][0] in (ENDODORMANT, ECODORMANT):
            rested += 1
            for name in (
                "GASS",
                "DMI",
                "GRLV",
                "GRST",
                "GRSO",
                "GRRT",
                "LAI",
                "WLV",
                "WSO",
                "TRA",
                "RNUPTAKE",
            ):
                assert rows[name][0] == 0.0, name
            assert rows["MRES"][0] == rows["RRESOUT"][0]
    assert rested > 300


def test_a_cold_night_of_winter_kills_buds_and_costs_fruit():
    mild = years("lodi", 2, 2)
    cold = years("lodi", 2, 2)
    values = cold.values.copy()
    values[395, DAILY.column("TMIN")] -= 22.0
    cold = type(cold)(cold.name, cold.start, values, cold.latitude, cold.longitude, cold.elevation)
    simulator = planted([vineyard("grape-chardonnay", s, AGEI=6.0)[0] for s in (mild, cold)])
    simulator.advance(unmanaged(simulator), 600)
    rows = Rows(simulator)
    assert rows["SHOOTS_ALIVE"][0] > 0.9
    assert rows["SHOOTS_ALIVE"][1] < 0.6
    assert rows["FROST_DAMAGE"][1] > 0.4
    assert rows["WSO"][1] < 0.7 * rows["WSO"][0]


def test_a_night_of_frost_in_may_kills_shoots_and_leaves():
    mild = years("lodi", 2, 2)
    values = mild.values.copy()
    day = 140
    values[day, DAILY.column("TMIN")] = -3.0
    cold = type(mild)(mild.name, mild.start, values, mild.latitude, mild.longitude, mild.elevation)
    simulator = planted([vineyard("grape-chardonnay", s, AGEI=6.0)[0] for s in (mild, cold)])
    simulator.advance(unmanaged(simulator), day)
    assert Rows(simulator)["STAGE"][1] == BUD_BREAK
    simulator.advance(unmanaged(simulator), 1)
    rows = Rows(simulator)
    assert 0.1 < rows["SHOOTS_ALIVE"][1] < 0.5 < rows["SHOOTS_ALIVE"][0]
    assert rows["WLV"][1] < 0.5 * rows["WLV"][0]


def biomass_gap(rows):
    """Return what the dry weight formed and planted since the start leaves unexplained [kg ha-1]."""
    stores = ("TWLV", "TWST", "TWSO", "TWRT", "WWD", "DWWD", "HARVESTED", "PRUNED")
    return rows.sum(*stores) - rows["GROWNT"]


def carbon_gap(rows):
    """Return what assimilation and planted reserves leave unexplained [kg CH2O ha-1]."""
    return rows.sum("GASST", "RESPLANTED") - rows.sum("MREST", "COSTT", "WRES", "RESLOST")


def nutrient_gap(rows, x):
    """Return what a nutrient taken up and planted leaves unexplained [kg ha-1]."""
    stores = [f"{x}AMOUNT{o}" for o in ORGANS] + [f"{x}lossesTotal", f"{x}HARVESTED", f"{x}PRUNED"]
    sources = [f"{x}UPTAKETOTAL", f"{x}PLANTED"] + (["NFIXTOTAL"] if x == "N" else [])
    return rows.sum(*stores) - rows.sum(*sources)


def random_management(rng, simulator):
    """Return a day's inputs: now and then up to 40 kg ha-1, 4 cm, a harvest, pruning, seldom new vines."""
    most = dict.fromkeys(simulator.inputs.names, 0.0)
    often = dict(most)
    most |= {"N": 40.0, "P": 40.0, "K": 40.0, "IRRIG": 4.0, "HARVEST": 1.0, "PRUNE": 0.5, "PLANT": 1.0}
    often |= {"N": 0.02, "P": 0.02, "K": 0.02, "IRRIG": 0.05, "HARVEST": 0.01, "PRUNE": 0.005, "PLANT": 2e-4}
    chance, high = np.array(list(often.values())), np.array(list(most.values()))
    draw = rng.random((simulator.n, len(chance)))
    return np.where(rng.random(draw.shape) < chance, draw * high, 0.0)


def check_ten_years(n, seed, step):
    """Hold random vineyards under random management against their balances for ten years."""
    rng = np.random.default_rng(seed)
    worlds = []
    for _ in range(n):
        site = str(rng.choice(["washington-state", "lodi", "rhone"]))
        series = years(site, int(rng.integers(3)), TEN_YEARS, float(rng.choice([0.0, 4.0])))
        start = str(rng.choice(["endodorm", "ecodorm"]))
        worlds.append(
            vineyard(
                str(rng.choice(CULTIVARS)),
                series,
                str(rng.choice(LIMITATIONS)),
                start,
                AGEI=float(rng.integers(0, 12)),
            )[0]
        )
    simulator = planted(worlds)
    pools = simulator.variables.columns(POOLS)
    worst = 0.0
    while not simulator.finished.all():
        simulator.advance(random_management(rng, simulator), step)
        rows = Rows(simulator)
        assert np.isfinite(rows.state).all()
        least = rows.state[:, pools].min(axis=0)
        assert least.min() >= -1e-9, POOLS[least.argmin()]
        gaps = [biomass_gap(rows), carbon_gap(rows), *(nutrient_gap(rows, x) for x in "NPK")]
        worst = max(worst, *(float(abs(gap).max()) for gap in gaps))
        assert abs(rows.sum("WBALRT")).max() < 1e-6
        assert abs(rows.sum("WBALTT")).max() < 1e-6
    assert worst < 1e-6
    return worst


def test_balances_close_over_ten_years():
    check_ten_years(12, 7, 1)


@pytest.mark.slow
def test_a_thousand_random_vineyards_stay_finite_and_in_balance():
    for seed in range(10):
        check_ten_years(100, seed, 7)


@pytest.mark.parametrize(
    ("calendar", "words"),
    [
        ({"crop_start_date": "2001-01-01", "crop_start_type": "sowing"}, "'endodorm'"),
        ({"crop_start_date": "2001-01-01", "crop_end_type": "maturity"}, "'max_duration'"),
    ],
)
def test_says_how_vines_start_and_end(calendar, words):
    weather = years("lodi", 0, 2).to_frame()
    with pytest.raises(ConfigError, match=words):
        agbench.simulate(
            "wofost-npk",
            crop="grape-chardonnay",
            soil="washington-1",
            weather=weather,
            start="2001-01-01",
            calendar=calendar,
        )


def test_a_vineyard_of_three_years_is_a_task():
    content = catalog.task("wofostgym-wheat-v1").content()
    content["reward"]["variable"] = content["metrics"]["yield"]["state"] = "HARVESTED"
    content["simulator"] |= {"crop": "grape-chardonnay", "site": "lodi", "limitation": "pp"}
    content["season"] = {"start": "01-01", "start_type": "endodorm", "end": "12-31", "step": "14 d"}
    content["season"] |= {"warmup": "1 d", "management": "orchard", "years": 3, "age": 6}
    content["action"]["doses"] = {"HARVEST": [0, 1], "PRUNE": [0, 0.2], "IRRIG": [0, 2]}
    content["observation"]["state"] = ["STAGE", "DVS", "WSO", "HC", "SHOOTS_ALIVE", "FROST_DAMAGE", "SM"]
    content["metrics"] = {"yield": content["metrics"]["yield"]}
    content["splits"] = {"train": {"generated": (0, 3)}, "test": {"generated": (4, 5)}}
    core = BatchCore(build(FieldTask.model_validate(content), "test"), 1)
    core.reset([0], ["lodi/generated/4"])
    total, over = 0.0, np.zeros(1, bool)
    while not over.all():
        autumn = core.simulator.state[:, core.simulator.variables.column("AUTUMN")]
        actions = np.where(autumn > 0.0, core.parts.actions.encode("HARVEST", 1.0)[0], 0)
        reward, terminated, truncated = core.step(actions, ~over)
        total += float(reward[0])
        over = over | terminated | truncated
    assert core.simulator.state[0, core.simulator.variables.column("HARVESTED")] > 3000.0
    assert np.isfinite(total)


def test_annual_crops_do_not_start_as_vines_do():
    with pytest.raises(ConfigError, match="endodorm"):
        agbench.simulate(
            "wofost-npk",
            crop="wheat-1",
            soil="washington-1",
            weather=years("lodi", 0, 2).to_frame(),
            start="2001-01-01",
            calendar={"crop_start_date": "2001-01-01", "crop_start_type": "endodorm"},
        )


def test_simulates_a_vineyard_by_name():
    table = agbench.simulate(
        "wofost-npk",
        crop="grape-chardonnay",
        soil="washington-1",
        weather=years("lodi", 0, 2).to_frame(),
        start="2001-01-01",
        end="2002-12-31",
        limitation="pp",
    )
    stages = table["STAGE"].dropna().unique().tolist()
    assert stages[:4] == ["ecodorm", "budbreak", "flowering", "veraison"]
    assert table["DOB"].dropna().iloc[-1].year == 2002


def test_mappings_of_parameters_say_that_they_are_grapes():
    table = agbench.simulate(
        "wofost-npk",
        crop=catalog.crop("grape-chardonnay").values,
        crop_type="grape",
        soil="washington-1",
        weather=years("lodi", 0, 2).to_frame(),
        start="2001-01-01",
        end="2001-06-30",
    )
    assert table["STAGE"].iloc[-1] in ("budbreak", "flowering")
