"""Statistics: against values that can be worked out by hand."""

import numpy as np
import pytest

from agbench.evaluation.statistics import bootstrap, interval

THREE = np.array([1.0, 2.0, 3.0])


def test_the_median_interval_of_a_constant_is_the_constant():
    assert interval(np.full(9, 4.0), "median", 500) == (4.0, 4.0, 4.0)


def test_bootstrap_medians_of_three_values_have_their_exact_chances():
    """P(median of 3 draws from {1,2,3} = 1) = 7/27, = 2: 13/27, = 3: 7/27."""
    drawn = bootstrap(THREE, "median", 100_000)
    shares = [(drawn == v).mean() for v in THREE]
    assert shares == pytest.approx([7 / 27, 13 / 27, 7 / 27], abs=0.006)


def test_the_mean_interval_has_the_width_that_theory_gives():
    values = np.random.default_rng(1).normal(size=400)
    result = interval(values, "mean", 10_000)
    assert (result.high - result.low) / 2 == pytest.approx(1.96 * values.std() / 20.0, rel=0.05)


def test_bootstrap_does_not_depend_on_how_it_is_cut_into_blocks():
    many = np.arange(3000.0)
    assert np.array_equal(bootstrap(many, "mean", 700)[:5], bootstrap(many, "mean", 700)[:5])
    assert len(bootstrap(many, "mean", 700)) == 700
