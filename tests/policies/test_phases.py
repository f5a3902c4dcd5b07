"""Phases of the day at the minute where they change, how bright a day is, and what lies between two knots."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.policies.greenhouse.daily import _between
from agbench.policies.greenhouse.phases import PHASES, DayPhases
from agbench.policies.registry import interface_of

TASK = "greenhouse-setpoint-continuous-v1"


def sight(ahead=0.0, **rules):
    """Return what reads phases in the task, and a function that makes observations of it."""
    task = override(catalog.task(TASK), {"action.rules": rules} if rules else {})
    interface = interface_of(task)

    def seen(sun=0.0, forecast=0.0, **shown):
        row = np.zeros((1, len(interface.observer.entries)))
        for i, entry in enumerate(interface.observer.entries):
            row[0, i] = forecast if entry.name.startswith("iGlob[") else shown.get(entry.name, 0.0)
        row[0, interface.columns(["iGlob"])[0]] = sun
        return row

    return DayPhases(interface, ahead), seen


@pytest.mark.parametrize(
    ("on", "off", "hour", "phase"),
    [
        # the middle of an hour's step counts
        (2.0, 18.0, 17.49, "lamps"),
        (2.0, 18.0, 17.5, "night"),
        (2.0, 18.0, 1.5, "night"),
        (2.0, 18.0, 1.51, "lamps"),
        (2.0, 18.0, 23.6, "night"),
        (20.0, 6.0, 19.5, "night"),
        (20.0, 6.0, 19.51, "lamps"),
        (20.0, 6.0, 23.9, "lamps"),
        (20.0, 6.0, 5.49, "lamps"),
        (20.0, 6.0, 5.5, "night"),
    ],
)
def test_lamps_burn_from_their_hour_to_their_hour(on, off, hour, phase):
    phases, seen = sight(lampOn=on, lampOff=off, lampRadSumLimit=10.0)
    assert PHASES[phases.phase(seen(hour=hour, dli=5.0))[0]] == phase
    assert PHASES[phases.phase(seen(hour=hour, dli=5.0, sun=0.1))[0]] == "day"


@pytest.mark.parametrize(("past", "phase"), [(9.99, "lamps"), (10.0, "night")])
def test_a_bright_day_needs_no_lamps(past, phase):
    phases, seen = sight(lampOn=2.0, lampOff=18.0, lampRadSumLimit=10.0)
    assert PHASES[phases.phase(seen(hour=4.0, dli=past))[0]] == phase


def test_a_day_is_as_bright_as_the_last_one_and_the_forecast_say():
    """100 W m-2 in the mean are 8.64 MJ m-2 d-1."""
    phases, seen = sight(ahead=0.25)
    row = seen(dli=4.0, forecast=100.0)
    assert phases.brightness(row) == pytest.approx([0.75 * 4.0 + 0.25 * 8.64])
    assert phases.brightness(row, np.array([1.0])) == pytest.approx([8.64])
    assert sight(ahead=0.0)[0].brightness(row) == [4.0]


@pytest.mark.parametrize(
    ("knots", "at", "period", "expected"),
    [
        ([0.0, 7.0, 17.0], 0.0, 24.0, (0, 1, 0.0)),
        ([0.0, 7.0, 17.0], 7.0, 24.0, (1, 2, 0.0)),
        ([0.0, 7.0, 17.0], 9.5, 24.0, (1, 2, 0.25)),
        ([0.0, 7.0, 17.0], 20.5, 24.0, (2, 0, 0.5)),
        ([40.0, 100.0], 10.0, 365.0, (-1, 0, 275.0 / 305.0)),  # before the first: from the last one on
        ([40.0, 100.0], 364.0, 365.0, (1, 0, 264.0 / 305.0)),
        ([6.0], 12.0, 24.0, (0, 0, 0.25)),
    ],
)
def test_what_lies_between_two_knots_of_a_cycle(knots, at, period, expected):
    before, after, share = _between(np.array(knots), np.array([at]), period)
    assert (int(before[0]), int(after[0]), float(share[0])) == pytest.approx(expected)
