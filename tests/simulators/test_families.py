"""Families of tables: curves of one variable for each of some values of another."""

import numpy as np
import pytest

from agbench.data.table import Table
from agbench.errors import ConfigError
from agbench.simulators.field import afgen
from agbench.simulators.field.parameters import read_family
from agbench.simulators.wofost.parameters import place_families
from agbench.simulators.wofost.tables import table_by
from agbench.variables import Parameter

SHARE = Parameter("FRTB", "-", "share of growth to roots", 0, 1, of="DVS", by="AGE")
FAMILY = [0, [0, 0.3, 1.54, 0], 5, [0, 0.1, 1.54, 0]]


def placed(value):
    """Return the tables of a world with an empty one and a family."""
    tables = [np.zeros((3, 2)), read_family(SHARE, value, "here")]
    place_families(tables)
    return afgen.stack(tables, max(t.shape[1] for t in tables))


@pytest.mark.parametrize(
    ("age", "dvs", "share"),
    [(2, 0.77, 0.11), (0, 0.0, 0.3), (-1, 0.0, 0.3), (5, 0.0, 0.1), (9, 0.77, 0.05), (2.5, 2.0, 0.0)],
)
def test_is_interpolated_between_ages_and_stages(age, dvs, share):
    assert table_by(placed(FAMILY), 1, float(age), dvs) == pytest.approx(share, abs=1e-15)


@pytest.mark.parametrize(("dvs", "share"), [(0.5, 0.175), (1.0, 0.15), (1.5, 0.1), (2.0, 0.05), (2.5, 0.05)])
def test_curves_of_several_points_are_interpolated_between_the_nearest_two(dvs, share):
    """At half of the time between two ages, the mean of their curves."""
    bent = [0, [0, 0.3, 1, 0.1, 2, 0], 5, [0, 0.1, 1, 0.2, 2, 0.1]]
    assert table_by(placed(bent), 1, 2.5, dvs) == pytest.approx(share, abs=1e-15)


def test_one_curve_holds_at_all_ages():
    for value in ([0, [0, 0.3, 1.54, 0]], [0, 0.3, 1.54, 0]):
        assert table_by(placed(value), 1, 7.0, 0.77) == 0.15


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([0, [0, 1, 1, 1], 1], "must list AGE and a table against DVS in turn"),
        ([1, [0, 1, 1, 1], 0, [0, 1, 1, 1]], "AGE must ascend strictly"),
        ([0, [0, 1, 1, 1], 1, [0, 1, 2, 1]], "must have the same DVS"),
        ([0, [0, 1, 1, 2]], "is 2; it must be 0 to 1"),
    ],
)
def test_refuses_what_is_no_family(value, message):
    with pytest.raises(ConfigError, match=message):
        read_family(SHARE, value, "here")


def test_is_written_in_files_as_curves():
    curves = [{"at": 0, "points": [[0, 0.3], [1.54, 0]]}, {"at": 5, "points": [[0, 0.1], [1.54, 0]]}]
    read = Table.model_validate({"unit": "-", "of": "DVS", "by": "AGE", "curves": curves})
    assert read.flat == FAMILY
    for wrong in (
        {"by": "AGE"},
        {"points": [[0, 1], [1, 1]], "by": "AGE", "curves": curves},
        {"curves": curves},
    ):
        with pytest.raises(ValueError, match=r"curves|points"):
            Table.model_validate({"unit": "-", "of": "DVS", **wrong})
