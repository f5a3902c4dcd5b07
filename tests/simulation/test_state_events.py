"""Events that come when a state crosses a value: as PCSE's own, alone and in a batch."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.errors import ConfigError, UnknownNameError
from agbench.simulation.pcse_files import read_agromanagement
from agbench.simulation.state_events import StateEvent
from agbench.simulators.pcse_reference import run as pcse_run
from agbench.simulators.pcse_reference.management import event_arguments

WHEAT = {"crop": "winter-wheat-nl", "soil": "cropgym-nl", "site": "wageningen", "start": "1984-01-01"}
MAIZE = {
    "crop": "grain-maize-201-wofost72",
    "soil": "ec3",
    "site": "netherlands",
    "start": "1990-04-15",
    "calendar": {"crop_start_date": "1990-04-15", "crop_start_type": "sowing", "max_duration": 220},
}
DRESSINGS = [(("DVS", 0.3, "rising"), "apply_n", 60.0, 0.7), (("DVS", 0.62, "either"), "apply_n", 40.0, 0.7)]
WATER = [(("SM", 0.2, "falling"), "irrigate", 3.0, 0.7)]


@pytest.mark.parametrize(
    ("condition", "days"), [("rising", [2, 6]), ("falling", [4, 8]), ("either", [2, 4, 6, 8])]
)
def test_the_sign_says_when_a_state_crosses(condition, days):
    values = np.array([-1.0, -0.5, 0.0, 1.0, 0.0, -1.0, 2.0, 1.0, -1.0])
    assert StateEvent("DVS", 0.0, condition, ()).days(values) == days
    assert StateEvent("DVS", 5.0, condition, ()).days(values) == []


def natively(monkeypatch, events):
    """Let PCSE have the events as its own StateEvents."""
    plain = pcse_run.agromanagement

    def with_state_events(model, start, *others):
        campaigns = plain(model, start, *others)
        campaigns[0][start]["StateEvents"] = [
            {
                "event_signal": signal,
                "event_state": state,
                "zero_condition": condition,
                "name": "",
                "comment": "",
                "events_table": [{value: event_arguments(model, signal, amount, share)}],
            }
            for (state, value, condition), signal, amount, share in events
        ]
        return campaigns

    monkeypatch.setattr(pcse_run, "agromanagement", with_state_events)


def test_nitrogen_at_a_stage_comes_on_the_day_of_pcse(monkeypatch):
    ours = agbench.simulate("lintul3", **WHEAT, events=DRESSINGS)
    through = agbench.simulate("lintul3", **WHEAT, events=DRESSINGS, engine="pcse")
    natively(monkeypatch, DRESSINGS)
    natively_run = agbench.simulate("lintul3", **WHEAT, engine="pcse")
    pd.testing.assert_frame_equal(through, natively_run, check_exact=True)
    assert ours["WSO"].iloc[-1] == pytest.approx(natively_run["WSO"].iloc[-1], rel=1e-9)
    assert ours["WSO"].iloc[-1] > 1.5 * agbench.simulate("lintul3", **WHEAT)["WSO"].iloc[-1]


def test_water_on_a_dry_soil_comes_whenever_pcse_gives_it(monkeypatch):
    ours = agbench.simulate("wofost72-wlp", **MAIZE, events=WATER)
    days = ours.index[np.flatnonzero((ours["SM"].shift(1) > 0.2) & (ours["SM"] <= 0.2))]
    assert len(days) > 1
    dated = [(day.date(), *WATER[0][1:]) for day in days]
    pd.testing.assert_frame_equal(
        ours, agbench.simulate("wofost72-wlp", **MAIZE, events=dated), check_exact=True
    )
    natively(monkeypatch, WATER)
    theirs = agbench.simulate("wofost72-wlp", **MAIZE, engine="pcse")
    assert ours["TWSO"].iloc[-1] == pytest.approx(theirs["TWSO"].iloc[-1], rel=1e-9)


@pytest.mark.parametrize(
    ("model", "field", "events"), [("lintul3", WHEAT, DRESSINGS), ("wofost72-wlp", MAIZE, WATER)]
)
def test_a_batch_reacts_as_a_season_alone(model, field, events):
    cases = [
        {"events": events},
        {},
        {"events": [*events, ("1990-06-01" if model != "lintul3" else "1984-05-01", events[0][1], 2.0)]},
    ]
    table = agbench.simulate_many(model, cases, output="days", **field)
    for number, case in enumerate(cases):
        alone = agbench.simulate(model, **field, **case)
        for name in ("LAI", "DVS", "SM" if model != "lintul3" else "TNSOIL"):
            ours = table[name].to_numpy()[number, : len(alone)]
            there = alone[name].notna().to_numpy()
            assert np.array_equal(ours[there], alone[name].to_numpy()[there]), (number, name)


@pytest.mark.parametrize(
    ("when", "error", "words"),
    [
        (("DVS", 0.3), ConfigError, r"events\[0\].*no condition"),
        (("DVS", "0.3", "rising"), ConfigError, r"events\[0\].*no condition"),
        (("DVS", float("nan"), "rising"), ConfigError, "cannot cross nan"),
        (("DVS", 0.3, "risng"), UnknownNameError, "Did you mean 'rising'"),
        (("DSV", 0.3, "rising"), UnknownNameError, "Did you mean 'DVS'"),
        (("DVSR", 0.3, "rising"), UnknownNameError, "state"),
    ],
)
def test_a_wrong_condition_is_told_before_the_season(when, error, words):
    with pytest.raises(error, match=words):
        agbench.simulate("lintul3", **WHEAT, events=[(when, "apply_n", 60.0)])


def test_what_a_state_brings_about_must_be_possible():
    with pytest.raises(ConfigError, match="does not understand 'mow'"):
        agbench.simulate("lintul3", **WHEAT, events=[(("DVS", 9.0, "rising"), "mow", 60.0)])
    twice = [(("DVS", 0.3, "rising"), "apply_n", 600.0)] * 2
    with pytest.raises(ConfigError, match=r"case 0: events.*bring .* together"):
        agbench.simulate_many("lintul3", [{"events": twice}], **WHEAT)


MANAGEMENT = """
AgroManagement:
- 1990-04-15:
    CropCalendar:
        {crop_start_date: 1990-04-15, crop_start_type: sowing, crop_end_type: maturity, max_duration: 220}
    TimedEvents: null
    StateEvents:
    -   event_signal: irrigate
        event_state: SM
        zero_condition: falling
        name: dry soil
        comment: cm
        events_table:
        - 0.2: {amount: 3.0, efficiency: 0.7}
"""


def test_state_events_of_agromanagement_are_followed(tmp_path):
    path = tmp_path / "agro.yaml"
    path.write_text(MANAGEMENT)
    (case,) = read_agromanagement(path)
    assert case["start"] == date(1990, 4, 15)
    assert case["events"] == WATER
    given = {key: MAIZE[key] for key in ("crop", "soil", "site")}
    table = agbench.simulate_many("wofost72-wlp", [case], **given)
    own = {**MAIZE, "calendar": case["calendar"]}
    assert table["TWSO"].item() == agbench.simulate("wofost72-wlp", **own, events=WATER)["TWSO"].iloc[-1]


@pytest.mark.slow_except("WC-*")
@pytest.mark.parametrize(("ours", "of_tables", "value"), [("WC", "W", 12.0), ("WART", "WDRT", 2.0)])
def test_a_state_goes_by_its_own_name_and_by_that_of_tables(ours, of_tables, value):
    condition = "falling" if ours == "WC" else "rising"
    irrigated = [((name, value, condition), "irrigate", 3.0, 0.7) for name in (ours, of_tables)]
    tables = [agbench.simulate("wofost72-wlp", **MAIZE, events=[event]) for event in irrigated]
    dry = agbench.simulate("wofost72-wlp", **MAIZE)
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(dry)
    many = agbench.simulate_many("wofost72-wlp", [{"events": [event]} for event in irrigated], **MAIZE)
    assert many["TWSO"].tolist() == [tables[0]["TWSO"].iloc[-1]] * 2
    pcse = agbench.simulate("wofost72-wlp", **MAIZE, events=irrigated[:1], engine="pcse")
    assert pcse["TWSO"].iloc[-1] == pytest.approx(tables[0]["TWSO"].iloc[-1], rel=1e-12)
