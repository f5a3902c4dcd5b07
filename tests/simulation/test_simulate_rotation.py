"""Rotations as a table: PCSE's list of campaigns, and what is refused in one."""

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.errors import ConfigError, UnknownNameError

MAIZE = {"crop_name": "maize-2", "crop_start_date": "1976-04-25", "crop_end_date": "1976-10-05"}
WHEAT = {"crop_name": "wheat-2", "crop_start_date": "1976-10-20", "crop_end_date": "1977-08-12"}
CATCH = {
    **{"crop_name": "rapeseed-1", "crop_start_date": "1977-08-20", "crop_end_date": "1978-04-01"},
    "crop_end_type": "incorporation",
}
FEED = [("1976-05-20", "apply_npk", (90, 20, 60), 0.95), ("1977-03-10", "apply_n", 120, 0.95)]


def run(*calendar, crop=("wheat-2", "maize-2", "rapeseed-1"), **more):
    given = {"start": "1976-03-01", "events": FEED if len(calendar) > 1 else [], **more}
    return agbench.simulate(
        "wofost-npk-rotation",
        crop=list(crop),
        soil="ec3-rotation",
        site="wageningen",
        calendar=list(calendar),
        **given,
    )


def test_a_calendar_of_campaigns_is_a_rotation():
    table = run(MAIZE, WHEAT, CATCH)
    stands = table["CROP_NAME"]
    assert (table.index[0], table.index[-1]) == (pd.Timestamp("1976-03-01"), pd.Timestamp("1978-04-01"))
    assert stands.loc[:"1976-04-24"].isna().all()
    assert (stands.loc["1976-04-25":"1976-10-05"] == "maize-2").all()
    assert stands.loc["1976-10-06":"1976-10-19"].isna().all()
    assert (stands.loc["1976-10-20":"1977-08-12"] == "wheat-2").all()
    assert (stands.loc["1977-08-20":] == "rapeseed-1").all()
    harvested = table["HARVESTED"].diff()
    assert list(harvested.index[harvested > 1000.0]) == [
        pd.Timestamp("1976-10-05"),
        pd.Timestamp("1977-08-12"),
    ]
    assert table["DVS"].isna().equals(stands.isna())
    assert table["RESIDUE_N"].iloc[-1] > 10.0


def test_without_a_crop_the_field_lies_bare():
    table = run(end="1976-12-31")
    assert table["CROP_NAME"].isna().all()
    assert len(table) == 306
    assert table["WTRAT"].iloc[-1] == 0.0


def test_a_last_crop_without_an_end_stands_to_the_end():
    table = run(
        MAIZE, {key: WHEAT[key] for key in ("crop_name", "crop_start_date")}, end="1976-12-31", events=[]
    )
    assert table["CROP_NAME"].iloc[-1] == "wheat-2"


def test_a_rotation_of_one_crop_is_the_single_season_but_for_leaching():
    """Sown where wofost-npk starts its crop, on the same soil, as long as no water drains."""
    alone = agbench.simulate(
        "wofost-npk",
        crop="maize-2",
        soil="ec3-rotation",
        site="wageningen",
        start="1976-03-01",
        end="1976-08-01",
        calendar={
            "crop_start_date": "1976-04-25",
            "crop_start_type": "sowing",
            "crop_end_type": "max_duration",
        },
    )
    rotation = run({**MAIZE, "crop_end_date": "1976-08-01"}, end="1976-08-01")
    assert rotation["LOSST"].iloc[-1] == 0.0
    np.testing.assert_array_equal(rotation["TAGP"], alone["TAGP"])
    np.testing.assert_array_equal(rotation["NAVAIL"], alone["NAVAIL"])


@pytest.mark.parametrize(
    ("calendar", "message"),
    [
        ([MAIZE, {**WHEAT, "crop_start_date": "1976-10-05"}], "free from 1976-10-06 on"),
        ([{**MAIZE, "crop_end_date": None}, WHEAT], "needs a crop_end_date"),
        ([{**MAIZE, "crop_end_date": "1976-04-25"}], "must come after"),
        ([{**MAIZE, "crop_start_type": "emergence"}], "are sown"),
        ([{**MAIZE, "crop_ends": "1976-10-05"}], "unknown key 'crop_ends'"),
        ([{**MAIZE, "crop_start_date": "1976-02-01"}], "the run starts on 1976-03-01"),
        (["maize-2"], "must be a mapping"),
        ([{**MAIZE, "max_duration": 0}], r"calendar\[0\]: max_duration must be at least 1 d"),
        ([{**MAIZE, "max_duration": "long"}], "must be a whole number of days; got 'long'"),
    ],
)
def test_a_campaign_that_cannot_be_is_refused(calendar, message):
    with pytest.raises(ConfigError, match=message):
        run(*calendar)


def test_a_crop_ends_after_its_longest_duration_at_the_latest():
    by_date = run(MAIZE, WHEAT)
    until = {name: value for name, value in MAIZE.items() if name != "crop_end_date"}
    pd.testing.assert_frame_equal(run({**until, "max_duration": 163}, WHEAT), by_date)
    pd.testing.assert_frame_equal(
        run({**MAIZE, "max_duration": 163}, {**WHEAT, "max_duration": 365}), by_date
    )
    earlier = run({**MAIZE, "max_duration": 100})
    assert earlier.index[-1] == pd.Timestamp("1976-08-03")
    cut = run({**until, "max_duration": 163}, end="1976-08-01")
    assert (cut.index[-1], cut["CROP_NAME"].iloc[-1]) == (pd.Timestamp("1976-08-01"), "maize-2")


def test_names_that_are_none_are_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="maize-2"):
        run({**MAIZE, "crop_name": "maize-22"})
    with pytest.raises(UnknownNameError, match="harvest"):
        run({**MAIZE, "crop_end_type": "harvst"})
    with pytest.raises(ConfigError, match="list of ids"):
        run(MAIZE, crop=())
    with pytest.raises(ConfigError, match="is for wofost-npk-rotation"):
        agbench.simulate(
            "wofost-npk",
            crop="maize-2",
            soil="ec3-rotation",
            site="wageningen",
            start="1976-03-01",
            calendar=[MAIZE],
        )
