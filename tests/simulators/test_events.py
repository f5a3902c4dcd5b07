from datetime import date

import numpy as np
import pandas as pd
import pytest

from agbench.errors import ConfigError
from agbench.simulators.field.events import Event, daily_inputs, parse

START, END = date(1984, 1, 1), date(1984, 1, 10)
WHEAT = ("apply_n", "irrigate")


def read(*events, allowed=WHEAT):
    return parse(events, allowed, "lintul3-wheat", START, END)


def test_an_event_without_a_fraction_takes_the_usual_one():
    assert read(("1984-01-03", "apply_n", 60.0)) == [Event(date(1984, 1, 3), "apply_n", (60.0,), (0.7,))]


def test_an_event_may_name_its_own_fraction():
    (event,) = read(["1984-01-03", "irrigate", 2, 0.9])
    assert (event.amounts, event.fractions) == ((2.0,), (0.9,))


def test_numbers_of_numpy_are_numbers():
    (event,) = read(("1984-01-03", "apply_n", np.float64(60.0), np.float64(0.5)))
    assert (event.amounts, event.fractions) == ((60.0,), (0.5,))


def test_events_come_in_the_order_of_their_dates():
    days = [event.date.day for event in read(*[(f"1984-01-0{d}", "apply_n", 1.0) for d in (7, 2, 5)])]
    assert days == [2, 5, 7]


def test_reading_an_event_twice_changes_nothing():
    (event,) = read(("1984-01-03", "apply_n", 60.0, 0.5))
    assert read(event) == [event]


def test_three_nutrients_share_a_recovery():
    (event,) = read(("1984-01-03", "apply_npk", (60, 10, 20), 0.5), allowed=("apply_npk",))
    assert (event.amounts, event.fractions) == ((60.0, 10.0, 20.0), (0.5, 0.5, 0.5))


def test_a_harvest_takes_all_or_a_share():
    for values, share in (((), 1.0), ((0.25,), 0.25), ((None,), 1.0)):
        (event,) = read(("1984-01-03", "harvest", *values), allowed=("harvest",))
        assert event == Event(date(1984, 1, 3), "harvest", (share,))
        assert read(event, allowed=("harvest",)) == [event]
    for wrong in ((1.5,), (1.0, 0.5), ("all",)):
        with pytest.raises(ConfigError, match="harvest"):
            read(("1984-01-03", "harvest", *wrong), allowed=("harvest",))


@pytest.mark.parametrize("amount", [np.float32(5.0), np.int64(5), np.array(5.0), 5])
@pytest.mark.parametrize("day", [np.datetime64("1984-01-03"), pd.Timestamp("1984-01-03 12:00"), START])
def test_amounts_and_dates_of_numpy_and_pandas_are_read(day, amount):
    (event,) = read((day, "irrigate", amount, np.int64(1)))
    assert (event.amounts, event.fractions) == ((5.0,), (1.0,))
    assert type(event.date) is date


@pytest.mark.parametrize("day", [np.datetime64("NaT", "D"), pd.NaT, "1984-13-01", 19840101])
def test_what_is_no_date_is_refused(day):
    with pytest.raises(ConfigError, match="is not a date like 1984-02-24"):
        read((day, "irrigate", 1.0))


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            ("1984-01-03", "apply_p", 1.0),
            "lintul3-wheat does not understand 'apply_p'. Did you mean 'apply_n'",
        ),
        (("1984-01-03", "apply_n"), "amount must be a number"),
        (("1984-01-03", "apply_n", "60"), "amount must be a number.*got '60'"),
        (("1984-01-03", "apply_n", -1.0), "amount must be a number"),
        (("1984-01-03", "apply_n", 1e300), "amount must be a number, 0 to 1000 kg ha-1; got 1e.300"),
        (("1984-01-03", "irrigate", 100.5), "amount must be a number, 0 to 100 cm; got 100.5"),
        (("1984-01-03", "apply_n", float("nan")), "amount must be a number"),
        (("1984-01-03", "apply_n", float("inf")), "amount must be a number"),
        (("1984-01-03", "apply_n", (1.0, 2.0)), "amount must be a number"),
        (("1984-01-03", "apply_n", True), "amount must be a number"),
        (("1984-01-03", "apply_n", 1.0, 70.0), "recovery must be a number.* to 1; got 70"),
        (("1984-01-32", "apply_n", 1.0), r"events\[0\]: '1984-01-32' is not a date"),
        (("1984-01-11", "apply_n", 1.0), "on 1984-01-11 lies outside the simulation, 1984-01-01 to"),
        (("1984-01-03",), "is not .date, name, amount"),
        ("1984-01-03", "is not .date, name, amount"),
    ],
)
def test_the_error_of_a_wrong_event_names_its_place(event, message):
    with pytest.raises(ConfigError, match=message):
        read(event)


def test_what_a_day_may_bring_counts_all_its_events():
    fed = [("1984-01-03", "apply_n", 600.0), ("1984-01-03", "apply_npk", (500.0, 0.0, 0.0))]
    with pytest.raises(
        ConfigError, match="those of 1984-01-03 bring 1100 kg ha-1 together; a day may bring 1000"
    ):
        read(*fed, allowed=("apply_n", "apply_npk"))
    apart = [fed[0], ("1984-01-04", *fed[1][1:])]
    assert len(read(*apart, allowed=("apply_n", "apply_npk"))) == 2


CLASH = [
    Event(date(1984, 1, 3), "apply_n", (60.0,), (0.5,)),
    Event(date(1984, 1, 3), "apply_n", (20.0,), (1.0,)),
    Event(date(1984, 1, 4), "irrigate", (2.0,), (0.75,)),
]


def test_effective_amounts_of_one_day_add_up():
    inputs = daily_inputs(CLASH, START, 10, sound=True)
    assert inputs[2].tolist() == [50.0, 0.0]
    assert inputs[3].tolist() == [0.0, 1.5]
    assert inputs.sum() == 51.5


def test_the_published_setting_lets_the_last_of_a_day_count():
    assert daily_inputs(CLASH, START, 10, sound=False)[2].tolist() == [20.0, 0.0]
