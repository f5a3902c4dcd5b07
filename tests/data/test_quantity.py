import pytest

from agbench.data.quantity import days, seconds, split_quantity


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("2.73 g MJ-1", 2.73, "g MJ-1"),
        ("-1 degC", -1.0, "degC"),
        ("1.5e-3 m", 0.0015, "m"),
        ("1e3 Pa", 1000.0, "Pa"),
        ("  7   d ", 7.0, "d"),
        (3, 3.0, "-"),
        (0.5, 0.5, "-"),
        (True, 1.0, "-"),
    ],
)
def test_a_quantity_is_a_number_and_a_unit(text, number, unit):
    assert split_quantity(text) == (number, unit)


@pytest.mark.parametrize("text", ["7d", "seven d", "", "d", "7", None, [7], "1..2 d", "nan d"])
def test_what_is_no_quantity_is_refused(text):
    with pytest.raises(ValueError, match="is not a number with its unit"):
        split_quantity(text)


@pytest.mark.parametrize(
    ("text", "expected"), [("7 d", 604_800), ("15 min", 900), ("1.5 h", 5400), ("1 s", 1)]
)
def test_a_duration_is_counted_in_seconds(text, expected):
    assert seconds(text) == expected


@pytest.mark.parametrize("number", [14, 14.0])
def test_a_duration_without_a_unit_is_shown_with_one(number):
    with pytest.raises(ValueError, match=r"14.* has no unit; write one of s, min, h, d, such as '14 d'"):
        seconds(number)


@pytest.mark.parametrize("text", ["0 d", "-1 h", "0.5 s", "1 week", "5", "1 D"])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match=r"duration|whole number of seconds"):
        seconds(text)


@pytest.mark.parametrize(("text", "expected"), [("7 d", 7), ("48 h", 2), ("1 d", 1)])
def test_a_step_is_counted_in_days(text, expected):
    assert days(text) == expected


def test_a_part_of_a_day_is_refused():
    with pytest.raises(ValueError, match="'36 h' must be a whole number of days"):
        days("36 h")
