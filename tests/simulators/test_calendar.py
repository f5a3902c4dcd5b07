from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest

from agbench.errors import ConfigError
from agbench.simulators.field.calendar import CropCalendar, as_date

DAY = date(1984, 2, 24)


@pytest.mark.parametrize(
    "value",
    [
        DAY,
        datetime(1984, 2, 24, 12),
        "1984-02-24",
        pd.Timestamp("1984-02-24"),
        np.datetime64("1984-02-24").item(),
    ],
)
def test_a_date_is_read_in_any_of_its_forms(value):
    assert as_date("start", value) == DAY


@pytest.mark.parametrize("value", ["24-02-1984", "1984-02-30", "", None, 19840224])
def test_what_is_no_date_is_refused_by_name(value):
    with pytest.raises(ConfigError, match=r"start: .* is not a date like 1984-02-24"):
        as_date("start", value)


def test_pcses_mapping_is_read():
    result = CropCalendar.from_mapping(
        {
            "crop_name": "wheat",
            "variety_name": "any",
            "crop_start_date": "1983-10-15",
            "crop_start_type": "sowing",
            "crop_end_date": "1984-09-01",
            "crop_end_type": "earliest",
            "max_duration": 400,
        }
    )
    assert result == CropCalendar(date(1983, 10, 15), "sowing", date(1984, 9, 1), "earliest", 400)


def test_nothing_more_than_a_start_is_needed():
    result = CropCalendar.from_mapping({"crop_start_date": DAY, "crop_end_date": None, "max_duration": None})
    assert result == CropCalendar(DAY)
    assert result.crop_end_type == "maturity"


@pytest.mark.parametrize(
    ("calendar", "end"),
    [
        ({}, date(1985, 2, 23)),
        ({"max_duration": 10}, date(1984, 3, 5)),
        ({"crop_end_type": "harvest", "crop_end_date": date(1984, 8, 1)}, date(1984, 8, 1)),
        ({"crop_end_type": "maturity", "crop_end_date": date(1984, 8, 1)}, date(1985, 2, 23)),
        (
            {"crop_end_type": "earliest", "crop_end_date": date(1984, 8, 1), "max_duration": 5},
            date(1984, 2, 29),
        ),
    ],
)
def test_the_latest_end_counts_what_the_end_type_counts(calendar, end):
    assert CropCalendar(DAY, **calendar).latest_end == end


def test_a_record_counts_days_from_the_start():
    calendar = CropCalendar(DAY, "sowing", date(1984, 8, 1), "harvest", 300)
    record = calendar.as_record(date(1984, 1, 1), date(1984, 9, 1))
    assert record["crop_start"] == 54
    assert record["crop_end"] == 213
    assert record["last"] == 244
    assert (record["sown"], record["ends_at_maturity"], record["max_duration"]) == (1, 0, 300)


def test_an_end_that_does_not_count_is_never():
    calendar = CropCalendar(DAY, crop_end_date=date(1984, 8, 1))
    assert calendar.as_record(DAY, date(1984, 9, 1))["crop_end"] == -1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"crop_start": DAY}, "unknown key 'crop_start'. Did you mean 'crop_start_"),
        ({}, "crop_start_date is missing"),
        ({"crop_start_date": DAY, "crop_start_type": "planting"}, "crop_start_type 'planting' is unknown"),
        ({"crop_start_date": DAY, "crop_end_type": "mature"}, "'mature' is unknown. Did you mean 'maturity'"),
        ({"crop_start_date": DAY, "crop_end_type": "earliest"}, "'earliest' needs a crop_end_date"),
        ({"crop_start_date": DAY, "crop_end_date": DAY}, "must come after crop_start_date"),
        ({"crop_start_date": DAY, "max_duration": -3}, "at least 1 d, at most 36525; got -3"),
        ({"crop_start_date": DAY, "max_duration": 1.5}, "whole number of days; got 1.5"),
    ],
)
def test_the_error_of_a_wrong_calendar_names_the_key(values, message):
    with pytest.raises(ConfigError, match=message):
        CropCalendar.from_mapping(values)


@pytest.mark.parametrize("start_type", ["dormant", "endodorm"])
def test_a_record_is_of_an_annual_crop(start_type):
    with pytest.raises(ConfigError, match="an annual crop starts at 'sowing' or 'emergence'"):
        CropCalendar(DAY, start_type).as_record(DAY, DAY)
