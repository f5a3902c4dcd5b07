"""Weather and errors that are made a day at a time: the bits of the whole, in any order of reading."""

from datetime import date

import numpy as np
import pytest

from agbench.envs import scenario_weather
from agbench.envs.greenhouse.ahead import ErrorWalks, error_paths
from agbench.weather.day_by_day import DayByDay, can_draw_again
from agbench.weather.draws import standard_normal
from agbench.weather.greenhouse.site import disaggregated

DAYS, AHEAD = 5, 289


@pytest.fixture(scope="module")
def season():
    return scenario_weather.series_of("netherlands/generated/5")


def both(season, first, days, past=True, by_clock=True):
    """Return the rows made at once and the table made day by day, and check what they left to draw."""
    weather = disaggregated(season, "netherlands", True, 300, by_clock, past)
    drawn, again = np.random.default_rng(3), np.random.default_rng(3)
    whole = weather.rows(first, days, AHEAD, drawn)
    table = weather.table(first, days, AHEAD, again)
    assert drawn.bit_generator.state == again.bit_generator.state
    assert table.shape == whole.shape
    return whole, table


@pytest.mark.parametrize("past", [True, False])
@pytest.mark.parametrize("by_clock", [True, False])
@pytest.mark.parametrize(
    ("first", "days"), [(date(2001, 1, 1), DAYS), (date(2001, 3, 1), DAYS), (date(2002, 12, 30), 2)]
)
def test_a_table_has_the_bits_of_the_whole_in_any_order(season, first, days, past, by_clock):
    whole, table = both(season, first, days, past, by_clock)
    last = len(whole)
    for begin, end in ((last - 300, last - 20), (10, 300), (0, 1), (280, 300), (last - 1, last)):
        assert table[begin:end].tobytes() == whole[begin:end].tobytes()
    assert np.asarray(table).tobytes() == table.copy().tobytes() == whole.tobytes()
    assert table[3].tobytes() == whole[3].tobytes()
    assert table[-1].tobytes() == whole[-1].tobytes()
    assert table[20:40, 0].tobytes() == whole[20:40, 0].tobytes()
    assert table[7:3].shape == (0, 10)


def test_errors_of_forecasts_have_the_bits_of_the_whole():
    error, rows = {"iGlob": 0.4, "tOut": 2.0}, 700
    drawn, again = np.random.default_rng(4), np.random.default_rng(4)
    steps = standard_normal(drawn, (rows, 2)) * (np.array([0.4, 2.0]) / np.sqrt(288.0))
    table = error_paths(error, rows, again)
    assert isinstance(table, ErrorWalks)
    assert table[300:700].tobytes() == steps.cumsum(axis=0)[300:].tobytes()
    assert table[:300].tobytes() == steps.cumsum(axis=0)[:300].tobytes()
    assert drawn.bit_generator.state == again.bit_generator.state


def test_another_kind_of_generator_gives_the_whole_at_once(season):
    weather = disaggregated(season, "netherlands", True, 300)
    generators = [np.random.Generator(np.random.MT19937(2)) for _ in range(2)]
    assert not can_draw_again(generators[0])
    table = weather.table(date(2001, 3, 1), 2, 0, generators[0])
    assert isinstance(table, np.ndarray)
    assert table.tobytes() == weather.rows(date(2001, 3, 1), 2, 0, generators[1]).tobytes()


class Counted(DayByDay):
    """A table of one column and four rows a day, which notes the days that are made."""

    def __init__(self):
        super().__init__((40, 1), 4, 0, np.zeros(1), np.random.default_rng(1))
        self.made = []

    def _make(self, day, taken_over, generator):
        self.made.append(day)
        return generator.random((4, 1)), taken_over


def test_a_slice_makes_its_own_days_and_an_empty_one_none():
    table = Counted()
    assert len(table[0:12]) == 12
    assert table.made == [0, 1, 2]
    for rows, days in ((slice(5, 9), [1, 2]), (slice(1, 1), []), (slice(9, 3), [])):
        table.made.clear()
        assert len(table[rows]) == max(rows.stop - rows.start, 0)
        assert table.made == days
