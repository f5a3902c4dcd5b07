"""Bare physics: what `agbench.simulate` takes, and what it says about what it cannot take."""

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.data import catalog
from agbench.errors import ConfigError, UnknownNameError, WeatherError
from agbench.simulation.parameters import parameters_of
from agbench.simulators import models
from agbench.weather.site import site_series

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pcse")

IDS = {"crop": "winter-wheat-nl", "soil": "cropgym-nl", "site": "wageningen"}
START = "1984-01-01"


def simulate(model="lintul3-wheat", **changes):
    return agbench.simulate(model, **{**IDS, "start": START, **changes})


@pytest.fixture(scope="module")
def parameters():
    model = models.find("lintul3-wheat")
    return parameters_of(model, "soil", "cropgym-nl") | parameters_of(model, "crop", "winter-wheat-nl")


@pytest.fixture(scope="module")
def frame():
    """The weather of 1984 as a table of observed columns, with its place in `attrs`."""
    whole = site_series("wageningen").to_frame()
    return whole.loc["1984", ["IRRAD", "TMIN", "TMAX", "VAP", "WIND", "RAIN"]]


def test_a_row_is_a_day_from_start_to_maturity():
    season = simulate()
    assert season.index[0] == pd.Timestamp(START)
    assert (np.diff(season.index) == np.timedelta64(1, "D")).all()
    assert season["DVS"].iloc[-1] == 2.0
    assert (season["DVS"].iloc[:-1] < 2.0).all()


def test_one_mapping_may_serve_as_crop_soil_and_site(parameters):
    same = simulate(crop=parameters, soil=parameters, site=parameters, weather="wageningen")
    pd.testing.assert_frame_equal(same, simulate(), check_exact=True)


def test_a_parameter_replaces_that_of_a_file(parameters):
    poor = simulate(soil=parameters | {"TNSOILI": 1.0})
    assert poor["TNSOIL"].iloc[0] == 1.0
    assert poor["WSO"].iloc[-1] < simulate()["WSO"].iloc[-1]


def test_weather_may_be_a_table(frame):
    season = simulate(weather=frame)
    np.testing.assert_allclose(season["WSO"], simulate()["WSO"], rtol=1e-9)


def test_a_warmer_table_ripens_the_crop_earlier(frame):
    warmer = frame.assign(TMIN=frame["TMIN"] + 3.0, TMAX=frame["TMAX"] + 3.0)
    assert len(simulate(weather=warmer)) < len(simulate()) - 10


def test_nitrogen_events_feed_the_crop():
    fed = simulate(events=[("1984-02-24", "apply_n", 60.0), ("1984-03-26", "apply_n", 60.0)])
    assert fed["WSO"].iloc[-1] > simulate()["WSO"].iloc[-1] + 50.0


def test_fertiliser_is_in_the_soil_the_day_after_its_application():
    fed = simulate(events=[("1984-02-24", "apply_n", 60.0, 0.5)])
    gain = (fed["TNSOIL"] - simulate()["TNSOIL"]).loc["1984-02-24":"1984-02-25"]
    assert gain.tolist() == pytest.approx([0.0, 3.0])


def test_events_may_stand_in_any_order():
    events = [("1984-03-26", "apply_n", 60.0), ("1984-02-24", "apply_n", 30.0)]
    pd.testing.assert_frame_equal(simulate(events=events), simulate(events=events[::-1]))


def test_a_sown_crop_has_no_values_before_emergence(parameters):
    season = simulate(calendar={"crop_start_date": "1984-02-01"})
    assert season["LAI"].loc[:"1984-01-31"].isna().all()
    assert season["LAI"].loc["1984-02-01":].notna().all()
    assert season["WA"].notna().all()


def test_forced_states_are_taken_day_by_day():
    days = pd.date_range("1984-05-01", "1984-05-31")
    season = simulate(external=pd.DataFrame({"LAI": 3.0}, index=days))
    assert (season["LAI"].loc[days] == 3.0).all()
    assert season["LAI"].loc["1984-04-30"] != 3.0


def test_days_of_numpy_and_whole_floats_are_days():
    season = simulate(calendar={"crop_start_date": START, "max_duration": 90})
    for days in (90.0, np.float32(90.0), np.int64(90)):
        values = {"crop_start_date": np.datetime64(START), "max_duration": days}
        same = simulate(start=np.datetime64(START), calendar=values)
        pd.testing.assert_frame_equal(season, same, check_exact=True)


def test_an_end_cuts_the_season():
    season = simulate(end="1984-03-31")
    pd.testing.assert_frame_equal(season, simulate().loc[:"1984-03-31"], check_exact=True)


def test_the_compiled_engine_and_pcse_agree():
    events = [("1984-02-24", "apply_n", 60.0)]
    ours, theirs = simulate(events=events), simulate(events=events, engine="pcse")
    np.testing.assert_allclose(ours["WSO"], theirs["WSO"], rtol=1e-9)


def test_the_variant_matters():
    assert simulate("lintul3")["WSO"].iloc[-1] < 0.7 * simulate("lintul3-wheat")["WSO"].iloc[-1]


def test_the_model_s_table_names_every_column():
    assert set(simulate().columns) == {v.name for v in models.find("lintul3-wheat").variables}


def test_weather_that_ends_before_the_crop_does_is_an_error(frame):
    with pytest.raises(WeatherError, match=r"ends or breaks after 1984-06-30.*end='1984-06-30'"):
        simulate(weather=frame.loc[:"1984-06-30"])
    assert f"{simulate(weather=frame.loc[:'1984-06-30'], end='1984-06-30').index[-1]:%m-%d}" == "06-30"


def test_weather_with_a_gap_before_maturity_is_an_error(frame):
    with pytest.raises(WeatherError, match="ends or breaks after 1984-05-09"):
        simulate(weather=frame.drop(pd.Timestamp("1984-05-10")))


def test_weather_that_ends_on_the_day_of_maturity_is_enough(frame):
    whole = simulate()
    short = simulate(weather=frame.loc[: whole.index[-1]])
    assert short.index[-1] == whole.index[-1]


WRONG = {
    "model": ({"model": "lintul4"}, UnknownNameError, "unknown model 'lintul4'.*'lintul3'"),
    "engine": ({"engine": "pcs"}, UnknownNameError, "unknown engine 'pcs'.*'pcse'"),
    "setting": ({"setting": "loud"}, ConfigError, "'sound' or 'published'"),
    "crop": ({"crop": "winter-wheat"}, UnknownNameError, "unknown crop.*'winter-wheat-nl'"),
    "soil": ({"soil": "clay"}, UnknownNameError, "unknown soil 'clay'.*'?cropgym-nl"),
    "crop type": ({"crop": 3}, ConfigError, "crop: must be an id or a mapping"),
    "no weather": ({"site": None}, ConfigError, "weather: give a site's id or a DataFrame"),
    "start": ({"start": "1984-13-01"}, ConfigError, "start: '1984-13-01' is not a date like"),
    "end": ({"end": "yesterday"}, ConfigError, "end: 'yesterday' is not a date like"),
    "end before start": ({"end": "1983-12-31"}, ConfigError, "end 1983-12-31 lies before start"),
    "outside": ({"start": "2005-01-01"}, WeatherError, "wageningen has no data on .*2005-01-01.*1999-12-31"),
    "end outside": ({"end": "2000-02-01"}, WeatherError, "covers 1976-01-01 to 1999-12-31"),
    "gap": ({"start": "1991-10-01"}, WeatherError, "wageningen has no data on .*1991-10-01"),
    "gap named": ({"start": "1991-01-01", "end": "1991-12-31"}, WeatherError, "1991 has 243 of 365 days"),
    "event": ({"events": [(START, "apply_m", 1.0)]}, ConfigError, r"events\[0\].*'apply_m'.*'apply_n'"),
    "event form": ({"events": [START]}, ConfigError, r"events\[0\]: .*is not \(date, name, amount\)"),
    "event date": (
        {"events": [("1985-02-30", "apply_n", 1.0)]},
        ConfigError,
        r"events\[0\]: '1985-02-30' is not a date",
    ),
    "event outside": (
        {"events": [("1986-01-01", "apply_n", 1.0)]},
        ConfigError,
        "apply_n on 1986-01-01 lies outside",
    ),
    "event amount": (
        {"events": [(START, "apply_n", -1.0)]},
        ConfigError,
        "apply_n: amount must be a number, 0 to 1000 kg ha-1; got -1.0",
    ),
    "event recovery": (
        {"events": [(START, "apply_n", 1.0, 1.2)]},
        ConfigError,
        "recovery must be a number, 0 to 1",
    ),
    "calendar key": ({"calendar": {"start": START}}, ConfigError, "calendar: unknown key 'start'"),
    "calendar type": (
        {"calendar": {"crop_start_date": START, "crop_start_type": "sow"}},
        ConfigError,
        "crop_start_type 'sow' is unknown.*'sowing'",
    ),
    "crop before start": (
        {"calendar": {"crop_start_date": "1983-10-01"}},
        ConfigError,
        "crop_start_date 1983-10-01 lies before start 1984-01-01",
    ),
    "duration": (
        {"calendar": {"crop_start_date": START, "max_duration": 0}},
        ConfigError,
        "max_duration must be at least 1 d, at most 36525; got 0",
    ),
    "duration type": (
        {"calendar": {"crop_start_date": START, "max_duration": "long"}},
        ConfigError,
        "max_duration must be a whole number of days; got 'long'",
    ),
    "half a day": (
        {"calendar": {"crop_start_date": START, "max_duration": 30.5}},
        ConfigError,
        "max_duration must be a whole number of days; got 30.5",
    ),
    "endless": (
        {"calendar": {"crop_start_date": START, "max_duration": float("inf")}},
        ConfigError,
        "max_duration must be a whole number of days; got inf",
    ),
    "harvest without date": (
        {"calendar": {"crop_start_date": START, "crop_end_type": "harvest"}},
        ConfigError,
        "'harvest' needs a crop_end_date",
    ),
    "sown without a sum": (
        {"calendar": {"crop_start_date": START, "crop_start_type": "sowing"}},
        ConfigError,
        "starts by sowing needs TSUMEM",
    ),
    "sown without a range of temperatures": (
        {
            "calendar": {"crop_start_date": START, "crop_start_type": "sowing"},
            "crop": catalog.crop("winter-wheat-nl").values | {"TSUMEM": 100.0, "TBASEM": 2.0, "TEFFMX": 2.0},
        },
        ConfigError,
        "starts by sowing needs TEFFMX > TBASEM to emerge; got 2 and 2 degC",
    ),
    "forced": (
        {"external": pd.DataFrame({"LEAF": [1.0]}, index=[START])},
        UnknownNameError,
        "unknown variable 'LEAF'",
    ),
    "limitation in pcse": ({"engine": "pcse", "limitation": "lw"}, ConfigError, "'lw' is for wofost-npk"),
    "forced in pcse": (
        {"external": pd.DataFrame({"LAI": [1.0]}, index=[START]), "engine": "pcse"},
        ConfigError,
        'need engine="compiled"',
    ),
}


@pytest.mark.parametrize(("changes", "kind", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_input_is_named_with_its_remedy(changes, kind, message):
    with pytest.raises(kind, match=message):
        simulate(**changes)


def without(parameters, name):
    return {k: v for k, v in parameters.items() if k != name}


PARAMETERS_WRONG = {
    "missing": (lambda p: without(p, "LUE"), r"LUE \[g MJ-1\] .*is missing"),
    "misspelt": (
        lambda p: without(p, "LUE") | {"LUEE": 3.0},
        r"crop: LUEE: no model reads it. Did you mean 'LUE'",
    ),
    "a table": (lambda p: without(p, "FLVTB"), r"FLVTB \[-\] .* is missing"),
    "a text": (lambda p: p | {"LUE": "3"}, "LUE is '3', not a finite number in g MJ-1"),
    "too large": (lambda p: p | {"LUE": 300.0}, r"LUE \(light use .*\) is 300 g MJ-1; it must be 0 to 20"),
    "no number": (lambda p: p | {"LUE": float("nan")}, "LUE is nan, not a finite number"),
    "water contents": (lambda p: p | {"WCWP": 0.45}, "water contents must ascend"),
    "an odd table": (lambda p: p | {"FLVTB": [0.0, 1.0, 2.0]}, "FLVTB must be a flat list"),
    "a falling table": (lambda p: p | {"FLVTB": [1.0, 1.0, 0.5, 1.0]}, "FLVTB: the abscissae must ascend"),
    "cold unknown": (lambda p: p | {"IDSL": 2, "DLO": 16.0, "DLC": 8.0}, "VERNRTB .* is missing"),
    "no cold needed": (
        lambda p: p | {"IDSL": 2, "DLO": 16.0, "DLC": 8.0, "VERNRTB": [0.0, 0.0, 9.0, 1.0]},
        "VERNSAT > VERNBASE",
    ),
    "day length": (lambda p: p | {"IDSL": 1}, "IDSL 1 needs DLO > DLC"),
}


@pytest.mark.parametrize(("change", "message"), PARAMETERS_WRONG.values(), ids=PARAMETERS_WRONG)
def test_a_wrong_parameter_is_named_with_its_unit(parameters, change, message):
    with pytest.raises(ConfigError, match=message):
        agbench.simulate("lintul3-wheat", crop=change(parameters), weather="wageningen", start=START)


def test_pcse_reports_a_missing_parameter_too(parameters):
    with pytest.raises(ConfigError, match=r"crop: LUE .*is missing"):
        agbench.simulate(
            "lintul3", crop=without(parameters, "LUE"), weather="wageningen", start=START, engine="pcse"
        )


def test_the_example_in_the_docstring_holds():
    season = agbench.simulate("lintul3", **IDS, start=START, events=[("1984-02-24", "apply_n", 60.0)])
    lines = [line.strip() for line in agbench.simulate.__doc__.splitlines()]
    after = lines.index('>>> round(season["WSO"].iloc[-1])') + 1
    assert lines[after] == str(round(season["WSO"].iloc[-1]))


def test_the_shipped_crop_and_soil_are_complete_for_their_models():
    crop = catalog.crop("winter-wheat-nl")
    for model in crop.models:
        assert len(simulate(model)) > 200


def test_water_acts_on_lintul3_in_simulate_and_make_alike():
    wet = agbench.simulate("lintul3", **IDS, start=START, events=[("1984-06-24", "irrigate", 3.0)])
    assert wet["TIRRIG"].iloc[-1] == pytest.approx(0.7 * 30.0)
    env = agbench.make("wheat-nitrogen-v1", model="lintul3", doses={"N": [0, 20], "IRRIG": [0, 3.0]})
    env.reset(seed=0)
    for action in (0, 0, 2):
        env.step(action)
    simulator = env.unwrapped.core.simulator
    assert simulator.state[0, simulator.variables.column("TIRRIG")] == pytest.approx(0.7 * 30.0)


def test_pcse_s_own_lintul3_refuses_water_in_simulate_and_make_alike():
    with pytest.raises(ConfigError, match=r"lintul3 .pcse. has no use for 'irrigate'; .* acts in lintul3, "):
        agbench.simulate(
            "lintul3", **IDS, start=START, engine="pcse", events=[("1984-06-24", "irrigate", 3.0)]
        )
    doses = {"N": [0, 20], "IRRIG": [0, 3.0]}
    with pytest.raises(ConfigError, match=r"action.doses: IRRIG has no effect in lintul3 on this engine"):
        agbench.make("wheat-nitrogen-v1", model="lintul3", engine="pcse", doses=doses)


@pytest.mark.parametrize("model", ["lintul3-wheat", "lintul3"])
def test_a_dose_on_the_first_day_is_given(model):
    """On the first day it is in the soil as one of the second day is a day later: none is forgotten."""
    given = [
        simulate(model, end="1984-02-15", events=[(day, "apply_n", 100.0, 0.7)])
        for day in (START, "1984-01-02")
    ]
    without = simulate(model, end="1984-02-15")
    for season, day in zip(given, (1, 2), strict=True):
        more = (season["TNSOIL"] + season["NUPTT"] - without["TNSOIL"] - without["NUPTT"]).to_numpy()
        assert more[day - 1] == pytest.approx(0.0, abs=1e-9)
        assert more[day] == pytest.approx(7.0)


def test_a_dose_and_water_on_the_first_day_are_given_to_wofost():
    events = [(START, "apply_npk", (40.0, 20.0, 10.0), 0.7), (START, "irrigate", 2.0, 0.5)]
    chosen = {
        "crop": "wheat-1",
        "soil": "oregon-1",
        "site": "wageningen",
        "start": START,
        "end": "1984-01-20",
    }
    season = agbench.simulate("wofost-npk", **chosen, events=events)
    assert season[["TOTN", "TOTP", "TOTK"]].iloc[-1].tolist() == pytest.approx([40.0, 20.0, 10.0])
    assert season["TOTIRRIG"].iloc[-1] == pytest.approx(2.0)
    assert season["TOTIRR"].iloc[-1] == pytest.approx(1.0)
