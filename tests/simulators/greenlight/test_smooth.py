"""Roots and powers that stay finite: exactly those of the authors but in a tiny neighbourhood of 0."""

import pytest

from agbench.simulators.greenlight.smooth import TEMPERATURE_WIDTH, magnitude_power


@pytest.mark.parametrize("exponent", [0.25, 0.32, 0.33, 0.66])
def test_temperatures_a_ten_thousandth_of_a_kelvin_apart_act_as_the_authors_wrote(exponent):
    for apart in (1e-4, 1.05e-4, 0.02, 15.0):
        power = apart**exponent
        assert float(magnitude_power(apart, exponent, TEMPERATURE_WIDTH)) == pytest.approx(power, rel=1e-12)
        assert float(magnitude_power(-apart, exponent, TEMPERATURE_WIDTH)) == pytest.approx(power, rel=1e-12)


def test_of_smaller_differences_the_power_is_finite_and_lower_than_at_the_edge():
    edge = 1e-4**0.33
    nearer = [float(magnitude_power(apart, 0.33, TEMPERATURE_WIDTH)) for apart in (0.0, 3e-5, 6e-5, 9.9e-5)]
    assert nearer == sorted(nearer)
    assert 0.0 < nearer[0] < nearer[-1] < edge
