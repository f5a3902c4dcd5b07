"""Seasons packed for a page: values and days come back as fine as a picture shows, whatever they are."""

import base64
import gzip
import json
import math
import re

import numpy as np
import pytest

from agbench.envs.curves import CurveData, PanelData
from agbench.leaderboard.episode_record import EpisodeRecord
from agbench.leaderboard.page import season_data


def unpacked(*curves):
    """Return the only panel of a season with such curves: days and values as the page reads them."""
    panel = PanelData(title="panel", curves=list(curves))
    record = EpisodeRecord(
        first_day="2001-01-01", days=9.0, total=1.0, objective=1.0, problem="", panels=[panel]
    )
    text = gzip.decompress(base64.b64decode(season_data.packed([record]))).decode()
    assert not re.search(r"\.0[],}]", text)  # whole numbers are written as such
    (season,) = json.loads(text, parse_constant=pytest.fail)
    (content,) = season["panels"]
    days = np.cumsum(content["x"], dtype=np.float64).tolist()
    read = [
        {
            name: [None if v is None else v / 10 ** curve.get("decimals", 0) for v in curve[name]]
            for name in ("y", "top")
            if name in curve
        }
        for curve in content["curves"]
    ]
    return days, read


def curve(x, y, **more):
    return CurveData(name="curve", unit="d", x=list(map(float, x)), y=list(map(float, y)), **more)


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 123.456, 9.9e8, 3e14, 3e15, 1e30])
def test_values_come_back_as_fine_as_a_picture_shows(size):
    long = np.sin(np.arange(200)) * size
    few = [1.234 * size, -0.05678 * size, 0.0]
    days, (one,) = unpacked(curve(range(200), long))
    assert days == list(range(200))
    assert np.abs(np.array(one["y"]) - long).max() <= 0.005 * size
    _, (other,) = unpacked(curve([1, 2, 3], few))
    assert np.abs(np.array(other["y"]) - few).max() <= 1e-9 * size


def test_a_band_has_the_decimals_of_its_larger_end():
    _, (band,) = unpacked(curve([1, 2], [0.001234, 0.0], form="band", top=[5000.25, 0.5]))
    assert band == {"y": [0.001234, 0.0], "top": [5000.25, 0.5]}


def test_a_curve_has_nothing_on_the_days_of_others_and_hours_stay():
    days, (bars, line) = unpacked(curve([2.5], [7], form="bars"), curve([1, 2.5, 4], [1, 2, 3]))
    assert days == [1.0, 2.5, 4.0]
    assert bars["y"] == [None, 7.0, None]
    assert line["y"] == [1.0, 2.0, 3.0]


def test_a_day_beyond_all_calendars_stays_where_it_is():
    days, (one,) = unpacked(curve([1, 1e20], [1, 2]))
    assert (days, one["y"]) == ([1.0, 1e20], [1.0, 2.0])


def test_what_is_no_number_is_nothing():
    _, (one,) = unpacked(curve([1, 2, 3, 4], [math.nan, 1.5, math.inf, -2.0]))
    assert one["y"] == [None, 1.5, None, -2.0]
    for values in ([0.0], [1e-250], [math.nan]):
        _, (nothing,) = unpacked(curve([1], values))
        assert nothing["y"] in ([0.0], [None])
