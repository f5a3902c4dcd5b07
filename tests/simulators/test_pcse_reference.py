import logging
from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from agbench.errors import SimulationError, UnknownNameError
from agbench.simulators.pcse_reference import PcseSimulator, PcseWorld, run_pcse
from agbench.simulators.pcse_reference.library import load_pcse
from agbench.simulators.pcse_reference.model import _in_words
from agbench.simulators.pcse_reference.models import MODELS
from agbench.variables import Variable, VariableTable
from agbench.weather.daily import DAILY
from agbench.weather.readers.cabo import read_cabo
from agbench.weather.readers.sources import package_folder

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pcse")

START, END = date(1997, 1, 1), date(1997, 10, 20)
CALENDAR = {
    "crop_start_date": date(1997, 3, 31),
    "crop_start_type": "emergence",
    "crop_end_date": END,
    "crop_end_type": "earliest",
    "max_duration": 366,
}
FERTILISER = [(date(1997, 4, 10), "apply_n", 100.0, 0.7), (date(1997, 5, 5), "apply_n", 50.0, 0.7)]
WHEAT = {"RTMIN": 0.03, "TNSOILI": 7.7, "FRTRL": 0.2, "IRRIGF": False}
NUMBERS = VariableTable(
    Variable(name, "-", name) for name in MODELS["lintul3-wheat"].variables if name != "STAGE"
)


@pytest.fixture(scope="module")
def folder():
    return package_folder("pcse") / "tests" / "test_data"


@pytest.fixture(scope="module")
def series(folder):
    return read_cabo(folder, "NL1", "neighbours")


@pytest.fixture(scope="module")
def parameters(folder):
    """Spring wheat, soil and site as PCSE ships them with its tests."""
    load_pcse()
    from pcse.input import PCSEFileReader

    merged = {}
    for kind in ("crop", "soil", "site"):
        merged.update(PCSEFileReader(str(folder / f"lintul3_springwheat.{kind}")))
    return merged


@pytest.fixture(scope="module")
def wheat(parameters):
    return {**parameters, **WHEAT}


@pytest.fixture(scope="module")
def season(wheat, series):
    """A season of wheat without inputs."""
    return run_pcse("lintul3-wheat", wheat, series, START, END, CALENDAR)


@pytest.fixture(scope="module")
def world(wheat, series):
    return PcseWorld("lintul3-wheat", wheat, series, START, END, CALENDAR)


def plain_pcse(parameters, series, names):
    """Run PCSE as its own manual shows, on the same weather."""
    from pcse.base import ParameterProvider
    from pcse.models import LINTUL3

    from agbench.simulators.pcse_reference.stepping import SeriesProvider

    table = [{day: {"amount": amount / 10, "recovery": recovery}} for day, _, amount, recovery in FERTILISER]
    events = {"event_signal": "apply_n", "name": "n", "comment": "", "events_table": table}
    calendar = {"crop_name": "wheat", "variety_name": "spring", **CALENDAR}
    management = [{START: {"CropCalendar": calendar, "TimedEvents": [events], "StateEvents": None}}]
    model = LINTUL3(
        ParameterProvider(cropdata=dict(parameters)),
        SeriesProvider(series, START, END),
        management,
        output_vars=tuple(names),
    )
    model.run_till_terminate()
    return pd.DataFrame(model.get_output()).set_index("day")


def test_lintul3_equals_plain_pcse(parameters, series):
    names = MODELS["lintul3"].variables
    ours = run_pcse("lintul3", parameters, series, START, END, CALENDAR, FERTILISER)
    plain = plain_pcse(parameters, series, names)
    assert list(ours.index.date) == list(plain.index)
    assert ours["WSO"].iloc[-1] > 100
    for name in names:
        pd.testing.assert_series_equal(
            ours[name].reset_index(drop=True), plain[name].reset_index(drop=True), check_exact=True
        )


def test_the_run_ends_at_maturity_or_at_the_end(parameters, series):
    full = run_pcse("lintul3", parameters, series, START, END, CALENDAR, variables=["DVS", "STAGE"])
    assert full["STAGE"].iloc[-1] == "mature"
    assert full.index[-1].date() < END
    short = run_pcse("lintul3", parameters, series, START, date(1997, 6, 1), CALENDAR)
    assert short.index[-1].date() == date(1997, 6, 1)
    assert 0 < short["DVS"].iloc[-1] < 2


def test_events_of_one_day_add_up(parameters, series):
    day = date(1997, 4, 10)
    parts = [(day, "apply_n", 60.0, 0.5), (day, "apply_n", 40.0, None)]
    whole = [(day, "apply_n", 100.0, 0.58)]
    runs = [
        run_pcse("lintul3", parameters, series, START, END, CALENDAR, events, ["WSO"])
        for events in (parts, whole)
    ]
    np.testing.assert_allclose(*(r["WSO"].astype(float) for r in runs), rtol=1e-12)


def test_wheat_starts_with_soil_nitrogen_and_gains_rtmin(wheat, series):
    calendar = {"crop_start_date": START}
    run = run_pcse("lintul3-wheat", wheat, series, START, END, calendar)
    assert run["TNSOIL"].iloc[0] == 7.7
    gained = run["TNSOIL"] + run["NUPTT"] - 7.7
    np.testing.assert_allclose(gained, 0.03 * np.arange(len(run)), atol=1e-9)


def test_wheat_moves_stem_reserves_to_the_grain(wheat, series, season):
    without = run_pcse("lintul3-wheat", {**wheat, "FRTRL": 0.0}, series, START, END, CALENDAR)
    run = season
    i = int(np.argmax(run["DVS"].astype(float) > wheat["DVSNT"]))
    moved = 0.2 * run["WST"].iloc[i] * run["DVR"].iloc[i]
    assert moved > 0
    assert run["WSO"].iloc[i + 1] - without["WSO"].iloc[i + 1] == pytest.approx(moved)
    assert without["WST"].iloc[i + 1] - run["WST"].iloc[i + 1] == pytest.approx(moved)
    assert run["WSO"].iloc[i] == without["WSO"].iloc[i]


def test_irrigation_reaches_the_soil_in_mm(wheat, series, season):
    event = [(date(1997, 6, 10), "irrigate", 2.0, 0.75)]
    wet = run_pcse("lintul3-wheat", wheat, series, START, END, CALENDAR, event)
    columns = ["WA", "TIRRIG"]
    gain = (wet[columns] - season[columns]).astype(float)
    assert (gain.loc[:"1997-06-10"] == 0).all().all()
    assert gain.loc["1997-06-11"].tolist() == pytest.approx([15.0, 15.0])


def test_growth_is_reduced_by_the_worse_stress(season):
    run = season.loc["1997-03-31":].astype({"GRF": float, "NRF": float, "TRANRF": float})
    assert (run["GRF"] == run[["NRF", "TRANRF"]].min(axis=1)).all()
    assert run["NRF"].min() < 0.99


def stepped(simulator, actions, steps):
    """Return the state after each step of a single row."""
    states = [simulator.state[0].copy()]
    for action in actions:
        simulator.advance(np.array([action]), steps)
        states.append(simulator.state[0].copy())
    return states


def weekly_actions(count):
    rng = np.random.default_rng(3)
    return np.column_stack([rng.choice([0.0, 20.0, 40.0], count), rng.choice([0.0, 1.5], count)])


def test_stepping_equals_timed_events_bit_for_bit(world):
    simulator = PcseSimulator(1, NUMBERS)
    simulator.reset([world])
    actions = weekly_actions(40)
    states = stepped(simulator, actions, 7)
    events = [
        (START + timedelta(days=7 * i + 1), name, amount, 0.7)
        for i, action in enumerate(actions)
        for name, amount in zip(("apply_n", "irrigate"), action, strict=True)
        if amount
    ]
    run = run_pcse(world.model, world.parameters, world.series, START, END, CALENDAR, events, NUMBERS.names)
    table = run.astype(float).fillna(0.0).to_numpy()
    assert simulator.finished[0]
    assert simulator.elapsed[0] == len(table) - 1
    for i, state in enumerate(states):
        np.testing.assert_array_equal(state, table[min(7 * i, len(table) - 1)])


def test_rows_do_not_touch_each_other(world):
    pair = PcseSimulator(2, NUMBERS)
    pair.reset([world, world])
    alone = PcseSimulator(1, NUMBERS)
    alone.reset([world])
    for a in weekly_actions(20):
        pair.advance(np.array([[40.0, 0.0], a]), 7)
        alone.advance(np.array([a]), 7)
    np.testing.assert_array_equal(pair.state[1], alone.state[0])
    assert (pair.state[0] != pair.state[1]).any()


def test_save_and_load_replay(world):
    first = PcseSimulator(1, NUMBERS)
    first.reset([world])
    actions = weekly_actions(30)
    stepped(first, actions[:18], 7)
    second = PcseSimulator(3, NUMBERS)
    second.load(2, first.save(0))
    np.testing.assert_array_equal(second.state[2], first.state[0])
    for action in actions[18:]:
        first.advance(np.array([action]), 7)
        second.advance(np.array([action] * 3), 7, np.array([False, False, True]))
    np.testing.assert_array_equal(second.state[2], first.state[0])
    assert second.elapsed[2] == first.elapsed[0]


def test_a_mask_leaves_other_rows_alone(world):
    simulator = PcseSimulator(2, NUMBERS)
    simulator.reset([world, world])
    before = simulator.state[0].copy()
    simulator.advance(np.zeros((2, 2)), 100, np.array([False, True]))
    np.testing.assert_array_equal(simulator.state[0], before)
    assert simulator.elapsed.tolist() == [0, 100]
    simulator.reset([world], np.array([False, True]))
    np.testing.assert_array_equal(simulator.state[1], before)


def test_weather_ends_with_the_current_day(world):
    simulator = PcseSimulator(1, NUMBERS)
    simulator.reset([world])
    simulator.advance(np.zeros((1, 2)), 7)
    columns = DAILY.columns(["RAIN", "TMIN"])
    expected = world.series.window(date(1997, 1, 1), date(1997, 1, 8))[:, columns]
    np.testing.assert_array_equal(simulator.weather(7, columns)[0], expected[1:])
    longer = simulator.weather(10, columns)[0]
    np.testing.assert_array_equal(longer, expected[[0, 0, *range(8)]])
    assert simulator.horizon.tolist() == [(END - START).days]


def test_a_row_without_a_world_is_an_error():
    with pytest.raises(SimulationError, match="row 0 has not been reset"):
        PcseSimulator(1, NUMBERS).advance(np.zeros((1, 2)), 1)


def test_an_error_of_pcse_during_the_run_is_reported(parameters, series):
    lacking = {k: v for k, v in parameters.items() if k != "LUE"}
    with pytest.raises(SimulationError, match="PCSE refuses: Value for parameter LUE missing"):
        run_pcse("lintul3", lacking, series, START, END, CALENDAR)


def test_errors_say_what_is_wrong(parameters, series):
    with pytest.raises(UnknownNameError, match="'lintul3-wheat'"):
        run_pcse("lintul3wheat", parameters, series, START, END)
    with pytest.raises(UnknownNameError, match="crop_end_date"):
        run_pcse("lintul3", parameters, series, START, END, {"end_date": END})
    with pytest.raises(UnknownNameError, match="unknown event of this model 'irrigate'"):
        run_pcse("lintul3", parameters, series, START, END, None, [(START, "irrigate", 1.0, None)])
    with pytest.raises(SimulationError, match="outside the run"):
        run_pcse(
            "lintul3", parameters, series, START, END, None, [(END.replace(year=1998), "apply_n", 1.0, 1.0)]
        )
    lacking = {k: v for k, v in parameters.items() if k != "LUE"}
    with pytest.raises(SimulationError, match="LUE"):
        run_pcse("lintul3", lacking, series, START, END, {"crop_start_date": START})


def test_importing_pcse_leaves_logging_and_output_alone(capsys):
    before = (logging.getLogger().handlers[:], logging.getLogger().level)
    load_pcse()
    assert (logging.getLogger().handlers, logging.getLogger().level) == before
    assert capsys.readouterr().out == ""


def test_a_table_in_words_has_dates_numbers_and_no_empty_columns():
    days = [date(1997, 3, 31), date(1997, 4, 1)]
    columns = {"STAGE": ["emerging", "vegetative"], "DOS": days, "DOM": [None, None], "LAI": [0, "0.5"]}
    table = _in_words(pd.DataFrame({**columns, "TRA": [None, None]}, index=days))
    assert list(table) == ["STAGE", "DOS", "DOM", "LAI"]
    assert table["STAGE"].tolist() == columns["STAGE"]
    assert [day.date() for day in table["DOS"]] == days
    assert table["DOM"].isna().all()
    assert table["LAI"].tolist() == [0.0, 0.5]
