import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agbench.errors import ConfigError
from agbench.simulators.field.afgen import afgen, build, stack

POINTS = [0.0, 1.0, 10.0, 3.0, 20.0, -1.0]


@pytest.mark.parametrize(
    ("x", "y"), [(-5.0, 1.0), (0.0, 1.0), (5.0, 2.0), (10.0, 3.0), (15.0, 1.0), (20.0, -1.0), (99.0, -1.0)]
)
def test_a_table_is_linear_between_its_points_and_constant_beyond(x, y):
    assert afgen(build("T", POINTS), x) == y


@given(st.lists(st.integers(-500, 500), min_size=2, max_size=20, unique=True).map(sorted), st.data())
def test_any_table_agrees_with_numpy(x, data):
    ordinates = st.floats(-100, 100)
    y = data.draw(st.lists(ordinates, min_size=len(x), max_size=len(x)))
    at = data.draw(st.floats(-600, 600))
    pairs = [number / 10 for pair in zip(x, y, strict=True) for number in pair]
    xs, ys = pairs[0::2], pairs[1::2]
    if ys[-1] == 0.0 and xs[-1] == 0.0:
        return  # a database's padding, see below
    assert afgen(build("T", pairs), at) == pytest.approx(np.interp(at, xs, ys), rel=1e-9, abs=1e-9)


def test_any_table_agrees_with_pcse_at_and_around_its_points():
    from agbench.simulators.pcse_reference.library import load_pcse

    load_pcse()
    from pcse.util import Afgen

    theirs, ours = Afgen(POINTS), build("T", POINTS)
    for x in (*np.linspace(-1, 21, 101), *np.nextafter(POINTS[::2], 99), *np.nextafter(POINTS[::2], -99)):
        assert afgen(ours, float(x)) == theirs(float(x))


def test_the_padding_of_a_database_is_dropped():
    padded = build("T", [*POINTS, 0.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(padded, build("T", POINTS))


def test_stacked_tables_give_what_each_gives_alone():
    tables = [build("A", POINTS), build("B", [0.0, 0.0, 1.0, 5.0])]
    stacked = stack(tables, 8)
    assert stacked.shape == (2, 3, 8)
    for table, padded in zip(tables, stacked, strict=True):
        for x in np.linspace(-2.0, 25.0, 55):
            assert afgen(padded, x) == afgen(table, x)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([0.0, 1.0], "at least two pairs"),
        ([0.0, 1.0, 2.0], "crop: T must be a flat list"),
        ([0.0, 1.0, 0.0, 2.0], r"crop: T: the abscissae must ascend strictly; got \[0.0, 0.0\]"),
        ([1.0, 1.0, 0.5, 2.0], "must ascend"),
        ([0.0, float("nan"), 1.0, 1.0], "finite numbers"),
        ([[0.0, 1.0], [1.0, 1.0]], "flat list"),
    ],
)
def test_a_wrong_table_is_refused_by_name(pairs, message):
    with pytest.raises(ConfigError, match=message):
        build("T", pairs, "crop")
