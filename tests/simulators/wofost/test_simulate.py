"""Bare physics as a table: what may be asked of it, and how it refuses."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from pcse_runs import SOIL, crops, wageningen
from seasons import parameters, weather

from agbench.errors import ConfigError, UnknownNameError, WeatherError
from agbench.simulators.wofost.simulate import simulate_wofost

BARLEY = {**crops("72")["barley/Spring_barley_301"], **SOIL}
CALENDAR = {
    "crop_start_date": "1984-03-15",
    "crop_start_type": "sowing",
    "crop_end_type": "maturity",
    "max_duration": 200,
}
SPRING = dt.date(1984, 3, 1)


def barley(model="wofost72-wlp", **changes):
    return simulate_wofost(model, BARLEY, wageningen(), SPRING, calendar=CALENDAR, **changes)


def wheat(events=(), setting="sound", **changes):
    return simulate_wofost(
        "wofost-npk",
        parameters("wheat-1", "oregon-1", setting),
        weather(0.0),
        SPRING,
        calendar=CALENDAR,
        events=events,
        setting=setting,
        **changes,
    )


def test_the_run_stops_with_the_crop_by_default():
    short = barley()
    assert short["STAGE"].iloc[-1] == "mature"
    long = barley(end=dt.date(1984, 10, 1))
    assert long.index[-1] == pd.Timestamp("1984-10-01")
    pd.testing.assert_frame_equal(long.iloc[: len(short)], short)
    assert long["TWSO"].iloc[len(short) :].isna().all()
    assert long["SM"].notna().all()


def test_crop_columns_are_empty_before_sowing():
    run = barley()
    before = run.index < pd.Timestamp("1984-03-15")
    assert run.loc[before, ["DVS", "TAGP", "STAGE"]].isna().all().all()
    assert run.loc[~before, "DVS"].notna().all()


def test_bare_soil_needs_no_calendar():
    run = simulate_wofost("wofost72-wlp", BARLEY, wageningen(), SPRING, dt.date(1984, 4, 30))
    assert len(run) == 61
    assert run["DVS"].isna().all()
    assert (run["WTRA"] == 0.0).all()


def test_irrigation_and_fertiliser_raise_yield():
    none = wheat()["WSO"].iloc[-1]
    feed = [(dt.date(1984, 5, d), "apply_npk", (40.0, 20.0, 40.0)) for d in (1, 20)]
    fed = wheat(feed)["WSO"].iloc[-1]
    assert fed > 2.0 * none
    assert wheat(feed, limitation="pp")["WSO"].iloc[-1] >= fed


@pytest.mark.parametrize(("setting", "effective"), [("sound", 10.5), ("published", 3.5)])
def test_two_events_on_a_day(setting, effective):
    day = dt.date(1984, 5, 1)
    run = wheat([(day, "apply_n", 10.0), (day, "apply_n", 5.0)], setting)
    assert run.loc["1984-05-01", "TOTN"] == 15.0
    assert np.isclose(run.loc["1984-05-01", "FERT_N_SUPPLY"], effective)


def test_a_harvest_leaves_the_field_with_its_nutrients():
    day = dt.date(1984, 8, 1)
    run = wheat([(day, "harvest")], end=dt.date(1984, 8, 10))
    before, after = run.loc["1984-07-31"], run.loc["1984-08-01"]
    assert after["LHW"] > 0.9 * before["WSO"] > 0.0
    assert after["HARVESTED"] == after["LHW"]
    assert after["WSO"] + after["HARVESTED"] > before["WSO"]
    assert after["NHARVESTED"] > 0.0


@pytest.mark.parametrize(
    ("changes", "error", "match"),
    [
        ({"model": "wofost72-wpl"}, UnknownNameError, "wofost72-wlp"),
        ({"limitation": "npk"}, UnknownNameError, "lnpk"),
        ({"setting": "sond"}, UnknownNameError, "'sound'"),
        ({"end": dt.date(2001, 1, 1)}, WeatherError, "covers 1976-01-01 to 1989-12-31"),
        ({"events": [(dt.date(1990, 1, 1), "irrigate", 3.0)]}, WeatherError, "covers"),
        ({"events": [(dt.date(1984, 5, 1), "irigate", 3.0)]}, ConfigError, "irrigate"),
        ({"soil_water": "layered"}, ConfigError, "only wofost81 and wofost-npk"),
    ],
)
def test_errors_say_what_would_be_right(changes, error, match):
    with pytest.raises(error, match=match):
        barley(**changes)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        *[
            ({name: 0.0}, rf"{name} \(.*\) is 0.*; it must be above 0")
            for name in ("CVL", "CVS", "Q10", "SPAN", "RDMSOL")
        ],
        *[
            ({name: -1.0}, rf"{name} \(.*\) is -1 .*; it must be 0 to")
            for name in ("SOPE", "KSUB", "WAV", "TDWI")
        ],
        ({"NOTINF": 2.0}, r"NOTINF \(share of the rain .*\) is 2; it must be 0 to 1"),
        ({"KDIFTB": [0.0, 0.6, 2.0, 0.0]}, r"KDIFTB \(.*\) is 0; it must be above 0"),
        ({"CRAIRC": 0.0, "IOX": 1.0, "IAIRDU": 0.0}, "CRAIRC must be above 0"),
        ({"TSUMEM": 0.0}, "cannot be sown; start it with crop_start_type 'emergence'"),
        ({"TSUM1": None}, "TSUM1 is None, not a finite number"),
        ({"SMFCF": 0.05}, "soil moisture must rise from SMW over SMFCF to SM0"),
        ({"AMAXTB": [0.0, 35.0, 1.0]}, "AMAXTB must be a flat list"),
        ({"SLATB": "steep"}, "SLATB is 'steep', not a list"),
    ],
)
def test_wrong_parameters_are_named(wrong, match):
    with pytest.raises(ConfigError, match=match):
        simulate_wofost("wofost72-wlp", {**BARLEY, **wrong}, wageningen(), calendar=CALENDAR)


def test_missing_parameters_are_named():
    less = {name: value for name, value in BARLEY.items() if name not in ("SPAN", "RMO")}
    with pytest.raises(
        ConfigError, match=r"wofost72-pp also needs 2 parameters:\n    RMO \[.*\n    SPAN \[d\]"
    ):
        simulate_wofost("wofost72-pp", less, wageningen(), calendar=CALENDAR)


def test_a_crop_without_a_sum_to_emergence_can_be_planted():
    planted = {**CALENDAR, "crop_start_type": "emergence"}
    values = {**BARLEY, "TSUMEM": 0.0, "CRAIRC": 0.0, "IOX": 0.0}
    run = simulate_wofost("wofost72-wlp", values, wageningen(), SPRING, calendar=planted)
    assert run["TWSO"].max() > 1000.0


def test_half_a_harvest_takes_half():
    day = dt.date(1984, 8, 1)
    whole = wheat([(day, "harvest")]).loc["1984-08-01", "HARVESTED"]
    half = wheat([(day, "harvest", 0.5)]).loc["1984-08-01", "HARVESTED"]
    assert half == pytest.approx(whole / 2.0)
    twice = wheat([(day, "harvest", 0.5), (day, "harvest", 0.75)]).loc["1984-08-01", "HARVESTED"]
    assert twice == whole
