"""What `agbench.simulate("greenlight")` takes, and what it says about what it cannot take."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.errors import ActionError, ConfigError, SimulationError, UnknownNameError, WeatherError
from agbench.simulation.greenhouse_weather import season_weather
from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER
from agbench.weather.daylight import with_daylight
from agbench.weather.greenhouse.series import COLUMNS
from agbench.weather.greenhouse.site import Measured, measured_series

TABLE = measured_series("bleiswijk").to_frame().loc["2010-01-10":"2010-01-11"]
BARE = TABLE.drop(columns=["dli", "isDay", "isDaySmooth"])
HOUR = np.random.default_rng(1).uniform(size=(12, 6))
NAMES = list(CONTROLS.names)


def simulate(**changes):
    return agbench.simulate("greenlight", **{"weather": TABLE, "controls": HOUR, **changes})


def shifted(**changes):
    """The table with some columns changed."""
    return TABLE.assign(**{name: change(TABLE[name]) for name, change in changes.items()})


def with_index(index):
    return TABLE.iloc[: len(index)].set_axis(index)


# What the weather may be


def test_a_site_and_its_table_give_the_same():
    site = simulate(weather="bleiswijk", start="2010-01-10")
    pd.testing.assert_frame_equal(site, simulate(), check_exact=True)


@pytest.mark.parametrize("weather", ["bleiswijk", TABLE, TABLE.iloc[:12]])
def test_dates_of_the_weather_are_the_index_to_the_last_moment(weather):
    start = "2010-01-10" if isinstance(weather, str) else None
    index = simulate(weather=weather, start=start).index
    assert index.name == "time"
    assert (index[0], index[-1]) == (pd.Timestamp("2010-01-10"), pd.Timestamp("2010-01-10 01:00"))


def test_dates_keep_their_time_zone_over_the_end_of_summer_time():
    index = pd.date_range("2010-10-31 00:30", periods=12, freq="5min", tz="UTC", name="t")
    table = with_index(index.tz_convert("Europe/Amsterdam"))
    result = simulate(weather=table).index
    assert (result.name, str(result.tz)) == ("t", "Europe/Amsterdam")
    assert [f"{moment:%H:%M %z}" for moment in result[[0, -1]]] == ["02:30 +0200", "02:30 +0100"]
    assert simulate(weather=table, start="2010-10-31 02:30+02:00").index.equals(result)
    with pytest.raises(ConfigError, match="is not one moment in Europe/Amsterdam"):
        simulate(weather=table, start="2010-10-31 02:30")


def test_an_array_has_no_dates():
    index = simulate(weather=TABLE.to_numpy()).index
    assert (index.name, index[-1]) == ("seconds", 3600.0)


def test_a_site_is_averaged_over_long_intervals_and_held_over_short_ones():
    long = simulate(weather="bleiswijk", start="2010-01-10", interval=900)
    mean = TABLE.iloc[:36].resample("900s").mean()
    pd.testing.assert_frame_equal(long, simulate(weather=mean, interval=900), check_exact=True)
    short = simulate(weather="bleiswijk", start="2010-01-10", interval=60)
    held = TABLE.iloc[:12].resample("60s").ffill()
    pd.testing.assert_frame_equal(short, simulate(weather=held, interval=60), check_exact=True)
    assert short.index[-1] == pd.Timestamp("2010-01-10 00:12")


def test_shorter_steps_of_the_same_inputs_end_in_the_same_state():
    usual = simulate(weather="bleiswijk", start="2010-01-10", controls=HOUR[:2])
    fine = simulate(weather="bleiswijk", start="2010-01-10", controls=HOUR[:2].repeat(5, 0), interval=60)
    np.testing.assert_allclose(fine.iloc[-1], usual.iloc[-1], rtol=2e-5, atol=2e-3)


def test_the_table_has_a_row_for_each_interval():
    table = simulate(weather="bleiswijk", start="2010-02-07", controls="rule-based", interval=100)
    assert table.index[-1] == pd.Timestamp("2010-02-08")
    assert len(table) == 864 + 1


def test_daily_weather_is_held_over_short_intervals():
    table = simulate(weather="wageningen", start="1984-03-01 06:00", interval=60)
    assert table.index[0] == pd.Timestamp("1984-03-01 06:00")
    assert len(table) == 13


@pytest.mark.parametrize("start", ["2010-01-10 06:00", date(2010, 1, 11), pd.Timestamp("2010-01-11")])
def test_start_cuts_a_table(start):
    table = simulate(start=start)
    assert table.index[0] == pd.Timestamp(start)
    same = simulate(weather=TABLE.loc[pd.Timestamp(start) :])
    pd.testing.assert_frame_equal(table, same, check_exact=True)


WRONG_WEATHER = {
    "kelvin": (shifted(tOut=lambda t: t + 273.15), r"tOut is 27\d\.\d+ at row 0 \(2010-01-10.*kelvin need"),
    "negative sun": (shifted(iGlob=lambda s: s - 5.0), "iGlob is -5 at row 0.*between 0 and 1500"),
    "negative wind": (shifted(wind=lambda w: -1.0 - w), "wind is -.* m s-1 .*between 0 and 60"),
    "kPa": (shifted(vpOut=lambda v: v / 1000.0), "vpOut is 0.* Pa .*kPa need a factor 1000"),
    "hPa": (shifted(vpOut=lambda v: v / 100.0), "vpOut .*hPa 100"),
    "humidity in %": (shifted(vpOut=lambda v: 60.0 + v / 50.0), "vpOut .*relative humidity in %"),
    "twice saturation": (shifted(vpOut=lambda v: 2.0 * v), r"vpOut is .* of saturation at tOut, -?\d.*"),
    "kg m-3": (shifted(co2Out=lambda c: 1e-6 * c), r"co2Out is 0.0007\d+ .*kg m-3 need a factor 1e6"),
    "ppm": (shifted(co2Out=lambda c: 0.0 * c + 400.0), "co2Out is 400 .*ppm need a factor"),
    "day beyond 1": (shifted(isDay=lambda d: d + 0.1), "isDay is .*between 0 and 1"),
    "gap": (shifted(wind=lambda w: w.where(w.index != w.index[7])), "not finite at row 7, column wind"),
    "text": (shifted(wind=lambda w: ["x"] * len(w)), "weather column wind is not numeric"),
    "twice": (pd.concat([TABLE, TABLE[["wind"]]], axis=1), "has the column 'wind' twice"),
    "shuffled": (TABLE.sample(frac=1, random_state=0), r"row 1 \(2010.*must ascend .*sort_index"),
    "doubled": (TABLE.iloc[[0, 0, *range(1, 20)]], "row 1 .* comes 0 s after .*must ascend"),
    "hole": (TABLE.drop(TABLE.index[5]), r"row 5 \(2010-01-10 00:30:00\) comes 600 s after .*Fill the gaps"),
    "other spacing": (TABLE.iloc[::3], "rows are 900 s apart but interval is 300 s. Pass interval=900, or"),
    "no time": (with_index(pd.DatetimeIndex(["2010-01-10", pd.NaT])), "lacks the time of some rows"),
    "empty": (TABLE.iloc[:0], r"shape \(0, 10\)"),
    "narrow": (TABLE.to_numpy()[:, :7], r"shape \(288, 7\)|shape \(576, 7\)"),
    "none": (None, r"shape \(\)"),
    "short": (TABLE.iloc[:5], "12 rows of controls need as many rows of weather, not 5"),
}


@pytest.mark.parametrize(("weather", "message"), WRONG_WEATHER.values(), ids=WRONG_WEATHER)
def test_wrong_weather_is_named_with_its_row_unit_and_bounds(weather, message):
    with pytest.raises(WeatherError, match=message):
        simulate(weather=weather)


def test_bounds_are_those_of_the_simulator_and_hold_for_arrays():
    for i, variable in enumerate(WEATHER):
        for value in (variable.low, variable.high):
            array = TABLE.to_numpy(copy=True)
            array[5, i] = value + np.copysign(1.0, value - variable.low - 1e-9)
            with pytest.raises(WeatherError, match=rf"{variable.name} is .* at row 5; expected"):
                simulate(weather=array)


def test_a_single_dry_row_is_no_wrong_unit():
    dry = TABLE.copy()
    dry.iloc[3, 2] = 0.03
    assert np.isfinite(simulate(weather=dry)).all().all()


# What a policy needs


def test_rules_refuse_weather_without_daylight():
    with pytest.raises(WeatherError, match=r"lacks dli, isDay, isDaySmooth\..*with_daylight"):
        simulate(weather=BARE, controls="rule-based")
    with pytest.raises(WeatherError, match=r"lacks isDay\."):
        simulate(weather=TABLE.drop(columns="isDay"), controls="greenhouse-tomato-v1/rule-based-tuned")
    dark = TABLE.to_numpy(copy=True)
    dark[:, 7:] = 0.0
    with pytest.raises(WeatherError, match="dli 0 in all rows although the sun shines"):
        simulate(weather=dark, controls="rule-based")


@pytest.mark.parametrize("controls", [HOUR, "zero", "random"])
def test_who_does_not_look_at_the_day_needs_no_such_columns(controls):
    bare, full = (simulate(weather=weather, controls=controls) for weather in (BARE, TABLE))
    pd.testing.assert_frame_equal(bare, full, check_exact=True)


def test_rules_on_added_daylight_keep_nearly_the_same_climate():
    added = with_daylight(BARE, 52.03, 4.53, zone=1.0)
    result, measured = (simulate(weather=w, controls="rule-based")["tAir"] for w in (added, TABLE))
    assert abs(result - measured).mean() < 0.5


# What controls may be


def test_a_table_of_controls_is_taken_by_name():
    table = pd.DataFrame(HOUR, columns=NAMES[:6])
    pd.testing.assert_frame_equal(simulate(controls=table[NAMES[5::-1]]), simulate(), check_exact=True)


def test_left_out_interlights_and_grow_pipes_are_off():
    some = pd.DataFrame({**dict(zip(NAMES, HOUR.T, strict=False)), "uBoilGro": 0.5})
    eight = np.hstack([HOUR, np.zeros((12, 1)), np.full((12, 1), 0.5)])
    same = simulate(preset="katzin_2020", controls=eight)
    pd.testing.assert_frame_equal(simulate(preset="katzin_2020", controls=some), same, check_exact=True)


@pytest.mark.parametrize(
    ("controls", "kind", "message"),
    [
        (0.5, ActionError, r"controls have shape \(\), not \(N, 6\)"),
        (None, ActionError, r"shape \(\)"),
        (np.zeros((0, 6)), ActionError, r"shape \(0, 6\).*at least one"),
        (np.zeros((3, 7)), ActionError, r"shape \(3, 7\)"),
        (np.full((3, 6), np.nan), ActionError, "control uBoil of step 0 is nan"),
        ([["a"] * 6], ActionError, "controls are not numeric"),
        (pd.DataFrame(HOUR), UnknownNameError, "unknown column 0"),
        (pd.DataFrame(HOUR, columns=["uBoiler", *NAMES[1:6]]), UnknownNameError, "Did you mean 'uBoil'"),
        (pd.DataFrame(HOUR[:, 1:], columns=NAMES[1:6]), ActionError, "lack the column 'uBoil'"),
        (pd.DataFrame(HOUR, columns=[*NAMES[:5], "uBoil"]), ActionError, "a column twice"),
    ],
)
def test_wrong_controls_are_named(controls, kind, message):
    with pytest.raises(kind, match=message):
        simulate(controls=controls)


# Where it starts


def test_a_row_of_a_former_table_is_a_start():
    former = simulate()
    again = simulate(x0=former.iloc[-1], start="2010-01-10 01:00")
    np.testing.assert_array_equal(again.iloc[0], former.iloc[-1])
    scrambled = simulate(x0=former.iloc[-1][::-1], start="2010-01-10 01:00")
    pd.testing.assert_frame_equal(again, scrambled, check_exact=True)


@pytest.mark.parametrize(
    ("x0", "kind", "message"),
    [
        ({"cLeaf": "a"}, SimulationError, "x0: cLeaf is 'a', not a finite number in mg m-2"),
        ({"cLeaf": np.nan}, SimulationError, "x0: cLeaf is nan"),
        ({"cLeaf": 0.0}, SimulationError, "cLeaf .* is 0 mg m-2; it must lie from 1 to 500000"),
        ({"co2Air": -1.0}, SimulationError, "co2Air .* is -1 mg m-3; it must lie from 1 to 20000"),
        ({"tAir": 293.15}, SimulationError, "tAir .* is 293.15 degC; it must lie from -50 to 70"),
        ({"tair": 20.0}, UnknownNameError, "Did you mean 'tAir'"),
        ([1.0, 2.0], SimulationError, r"shape \(2,\); give 28 finite numbers"),
        (["a"] * 28, SimulationError, "x0 is not numeric"),
        (np.full(len(STATES), np.nan), SimulationError, "nan among them"),
    ],
)
def test_a_wrong_start_is_named(x0, kind, message):
    with pytest.raises(kind, match=message):
        simulate(x0=x0)


# Everything else


@pytest.mark.parametrize("interval", [0, -300, None, "x", np.nan, True, 172_800])
def test_a_wrong_interval_is_named(interval):
    with pytest.raises(ConfigError, match=r"interval is .*; give the seconds of a step, from 0\.01 to 86400"):
        simulate(interval=interval)


OTHER = {
    "tol": ({"tol": "x"}, SimulationError, "tol is 'x'; it must lie between 0 and 1"),
    "parameter": ({"parameters": {"sla": -1e-5}}, ConfigError, "sla .* is -1e-05 m2 mg-1"),
    "start": ({"start": "foo"}, ConfigError, "start: 'foo' is not a moment like '2010-01-31'"),
    "number": ({"start": 5}, ConfigError, "start: 5 is not a moment"),
    "not there": ({"start": "2011-01-01"}, WeatherError, "is not a row of the weather, which has 576 from"),
    "between": ({"start": "2010-01-10 00:07"}, WeatherError, "is not a row of the weather"),
    "no dates": ({"weather": TABLE.to_numpy(), "start": "2010-01-10"}, ConfigError, "has no dates"),
    "zone": ({"start": "2010-01-10 00:00Z"}, ConfigError, "has a time zone and the weather's index has none"),
    "site": ({"weather": "bleiswyk"}, UnknownNameError, "Did you mean 'bleiswijk'"),
    "site's zone": (
        {"weather": "bleiswijk", "start": "2010-01-10 00:00Z"},
        ConfigError,
        "local standard time",
    ),
    "site's end": ({"weather": "bleiswijk", "start": "2012-01-10"}, WeatherError, "covers 2009-10-20"),
    "after its end": (
        {"weather": "bleiswijk", "start": "2012-01-10", "controls": "zero"},
        WeatherError,
        "covers 2009-10-20",
    ),
    "between days' rows": (
        {"weather": "wageningen", "start": "1984-03-01 00:07"},
        WeatherError,
        "lies between two rows",
    ),
    "no start": ({"weather": "wageningen"}, ConfigError, "start is missing"),
    "odd interval": (
        {"weather": "bleiswijk", "interval": 450},
        WeatherError,
        "interval is 450 s.*300 or 600",
    ),
    "odd part": (
        {"weather": "wageningen", "start": "1984-03-01", "interval": 120},
        WeatherError,
        "100 or 150",
    ),
    "unknown": ({"intervall": 60}, ConfigError, r'simulate\("greenlight"\).*Did you mean \'interval\''),
    "another model's": ({"engine": "pcse"}, ConfigError, r"unknown argument 'engine'\. It takes preset, "),
}


@pytest.mark.parametrize(("changes", "kind", "message"), OTHER.values(), ids=OTHER)
def test_a_wrong_argument_is_named(changes, kind, message):
    with pytest.raises(kind, match=message):
        simulate(**changes)


@pytest.mark.parametrize(
    ("model", "values", "message"),
    [
        (
            "greenlight",
            {"weather": "bleiswijk"},
            r'"greenlight"\): controls must be given\. It takes preset,',
        ),
        ("greenlight", {}, "weather and controls must be given"),
        ("lintul3", {"crop": "winter-wheat-nl"}, r'"lintul3"\): start must be given\. It takes crop,'),
    ],
)
def test_a_missing_argument_is_named(model, values, message):
    with pytest.raises(ConfigError, match=message):
        agbench.simulate(model, **values)


# Tasks take the same weather and start


def make(task="greenhouse-winter-v1", **changes):
    return agbench.make(task, **{"length": "1 d", **changes})


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"weather": TABLE.to_numpy()}, WeatherError, "give a DataFrame indexed by time .* not ndarray"),
        ({"weather": shifted(tOut=lambda t: t + 273.15)}, WeatherError, "kelvin need 273.15 subtracted"),
        ({"weather": TABLE.resample("1h").first()}, WeatherError, "rows are 3600 s apart.*one every 300 s"),
        (
            {"crop": {"cLeaf": -100.0}},
            ConfigError,
            "episode.crop: cLeaf .* is -100 mg m-2; it must lie from 1",
        ),
        (
            {"crop": {"tTop": -20.0}},
            ConfigError,
            r"tTop of -20 degC, and vpTop of 1682 Pa, as usual, .* 1340 %; .* at most 300 %. .* 125.5 Pa",
        ),
        ({"crop": {"cLef": 100.0}}, UnknownNameError, "episode.crop: unknown state 'cLef'.*'cLeaf'"),
        ({"simulator__parameters": {"sla": -1e-5}}, ConfigError, "sla .* must be 2.66e-07 to 0.00266"),
    ],
)
def test_a_task_refuses_the_same(changes, kind, message):
    with pytest.raises(kind, match=message):
        make(**changes)


def test_every_site_s_columns_are_the_table_s():
    assert tuple(COLUMNS) == WEATHER.names


def test_a_control_of_equipment_that_is_not_there_is_refused():
    eight = np.hstack([HOUR, np.zeros((12, 2))])
    eight[3, 6] = 0.5
    with pytest.raises(ActionError, match=r"uIntLamp .*does nothing.*thetaIntLampMax.*is 0 W m-2"):
        simulate(controls=eight)
    result = simulate(
        controls=eight, parameters={"thetaIntLampMax": 50.0, "aIntLamp": 0.02, "cHecIntLampAir": 2.3}
    )
    assert result["tIntLamp"].notna().all()
    eight[3, 6], eight[5, 7] = 0.0, 1.0
    with pytest.raises(ActionError, match=r"uBoilGro .*does nothing"):
        simulate(controls=pd.DataFrame(eight, columns=NAMES))
    simulate(controls=eight, preset="katzin_2020")


@pytest.mark.parametrize("weather", ["bleiswijk", TABLE])
def test_end_is_the_last_moment_of_the_table(weather):
    table = simulate(weather=weather, start="2010-01-10", end="2010-01-10 03:00", controls="zero")
    assert (table.index[0], table.index[-1]) == (pd.Timestamp("2010-01-10"), pd.Timestamp("2010-01-10 03:00"))
    whole = simulate(weather=TABLE, controls="zero")
    pd.testing.assert_frame_equal(table, whole.iloc[: len(table)], check_exact=True, check_freq=False)


def test_end_ends_daily_weather_and_longer_intervals():
    season = {"weather": "wageningen", "start": "1984-03-01", "controls": "rule-based"}
    table = simulate(**season, end="1984-03-03 12:00", interval=600)
    assert len(table) == 2.5 * 144 + 1
    assert table.index[-1] == pd.Timestamp("1984-03-03 12:00")


def test_end_of_a_measured_series_needs_no_start():
    first = measured_series("bleiswijk").begin
    table = simulate(weather="bleiswijk", end=pd.Timestamp(first) + pd.Timedelta("1h"))
    assert len(table) == 13


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"end": "soon"}, ConfigError, "end: 'soon' is not a moment"),
        ({"end": "2010-01-10 02:00"}, ConfigError, "are 24 intervals of 300 s, and controls have 12 rows"),
        ({"end": "2010-01-10"}, ConfigError, "end: 2010-01-10 00:00:00 must lie a whole number"),
        ({"end": "2010-01-10 00:07"}, ConfigError, r"a whole number of intervals of .* would be right\."),
        ({"end": "2010-01-10 01:00+01:00"}, ConfigError, "end: .* has a time zone"),
        (
            {"weather": TABLE.to_numpy(), "end": "2010-01-11"},
            ConfigError,
            "end: the weather has no dates to end",
        ),
        (
            {"controls": "zero", "end": "2010-03-01"},
            WeatherError,
            r"is 14400 intervals after .* has 576 rows",
        ),
        ({"weather": "wageningen", "end": "1984-03-02"}, ConfigError, "start is missing"),
    ],
)
def test_an_end_that_does_not_fit_is_refused(changes, kind, message):
    with pytest.raises(kind, match=message):
        simulate(**changes)


def test_the_clock_of_a_table_that_begins_by_day_is_that_of_its_first_row():
    table = TABLE.loc["2010-01-10 10:35":].iloc[:12]
    assert simulate(weather=table)["time"].iloc[0] == pytest.approx(9.0 + 10.0 / 24.0 + 35.0 / 1440.0)


@pytest.mark.parametrize("start", [None, "2009-10-25", "2009-10-20 10:00"])
def test_the_sum_of_radiation_may_be_what_a_grower_knows(start):
    """Of a series as tasks have it; before it begins the sum is that of its first day."""
    days = season_weather("bleiswijk", start, 300.0, 3 * 288)
    past = season_weather("bleiswijk", start, 300.0, 3 * 288, dli="past")
    assert days.drop(columns="dli").equals(past.drop(columns="dli"))
    midnight = past.index[0].normalize()
    task = Measured(measured_series("bleiswijk")).rows(midnight.date(), 4, 0, None)
    first = (past.index[0] - midnight) // pd.Timedelta(minutes=5)
    assert np.allclose(past.to_numpy(), task[first : first + 3 * 288], rtol=1e-12, atol=1e-9)
    assert not past["dli"].equals(days["dli"])


def test_rules_act_on_the_past_of_days_where_asked():
    run = {"weather": "wageningen", "start": "1984-04-10", "end": "1984-04-13", "controls": "rule-based"}
    usual, past = simulate(**run), simulate(**run, dli="past")
    assert usual.equals(simulate(**run, dli="day"))
    assert (usual["uLamp"] != past["uLamp"]).any()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"dli": "now"}, "dli is 'now'; write 'past'"),
        ({"dli": True}, "dli is True; write 'past'"),
        ({"dli": "past", "weather": TABLE}, "dli='past' is for a site or a file.*Leave dli out"),
    ],
)
def test_another_sum_or_one_beside_a_table_is_refused(more, words):
    with pytest.raises(ConfigError, match=words):
        simulate(**({"weather": "bleiswijk", "controls": "rule-based"} | more))
