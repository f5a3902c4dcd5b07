"""The rules against the controls of GreenLight-Gym 2's own controller, and their errors."""

import numpy as np
import pytest
from greenlight_reference import compact

from agbench.errors import ConfigError, UnknownNameError
from agbench.simulators.greenlight.climate_computer import MEASURED, USUAL, control, settings_vector
from agbench.simulators.greenlight.sensors import read_climate


def measured(states, weather, clock):
    climate = np.empty((len(states), 4))
    read_climate(np.ascontiguousarray(states), climate)
    co2, air, humidity = climate[:, 0], climate[:, 1], climate[:, 2]
    sky = [weather[:, i] for i in (1, 0, 7, 8, 9)]
    return np.column_stack([air, humidity, co2, *sky, clock[:, 1], clock[:, 0]])


def controls(signals, **changes):
    result = np.zeros((len(signals), 8))
    control(signals, np.tile(settings_vector(changes), (len(signals), 1)), result)
    return result


@pytest.mark.parametrize("scenario", ["amst_mar", "amst_jul", "bleiswijk2009"])
def test_the_rules_are_those_of_the_published_controller(scenario):
    with compact("rules_gym") as data:
        states, weather, clock, published = (
            data[f"{scenario}_{part}"] for part in ("states", "weather", "clock", "controls")
        )
    error = np.abs(controls(measured(states, weather, clock))[:, :6] - published).max(axis=0)
    assert (error < 2e-4).all(), error


def signal(**changes):
    usual = dict.fromkeys(MEASURED.names, 0.0) | {"tAir": 18.0, "rh": 70.0, "co2_ppm": 600.0, "tOut": 12.0}
    return np.array([list((usual | changes).values())])


def test_cold_air_is_heated_and_warm_air_is_not():
    cold, warm = controls(np.vstack([signal(tAir=12.0, hour=12.0), signal(tAir=24.0, hour=12.0)]))
    assert cold[0] > 0.99
    assert warm[0] < 0.01


def test_humid_air_opens_the_vents_unless_it_is_cold():
    humid, cold = controls(np.vstack([signal(rh=99.0, isDay=1.0, tAir=22.0), signal(rh=99.0, tAir=10.0)]))
    assert humid[3] > 0.99
    assert cold[3] < 0.01


def test_lamps_burn_in_their_hours_of_dull_days():
    signals = [signal(hour=10.0), signal(hour=20.0), signal(hour=10.0, iGlob=500.0)]
    assert controls(np.vstack(signals))[:, 4].round(3).tolist() == [1.0, 0.0, 0.0]


def test_a_window_of_lamps_may_go_over_midnight():
    night = controls(np.vstack([signal(hour=2.0), signal(hour=12.0)]), lampOn=22.0, lampOff=6.0)
    assert night[:, 4].round(3).tolist() == [1.0, 0.0]


def test_there_are_thirty_settings():
    assert len(USUAL) == 30


def test_a_misspelt_setting_names_the_right_one():
    with pytest.raises(UnknownNameError, match="tSpDay"):
        settings_vector({"tSpDy": 20.0})


def test_a_band_of_zero_is_refused():
    with pytest.raises(ConfigError, match="its sign sets the direction"):
        settings_vector({"tHeatBand": 0.0})


@pytest.mark.parametrize(
    ("hour", "set_point"),
    [
        (2.0, 22.0),
        (0.0, 22.0),
        (20.0, 22.0),
        (5.9, 22.0),
        (19.5, 18.0),
        (6.5, 18.0),
        (7.0, 14.0),
        (18.9, 14.0),
    ],
)
def test_lamps_from_20_to_6_h_keep_the_air_at_the_day_s_set_point(hour, set_point):
    """A steep band shows the set point: heating goes from full to none around it; ramps last an hour."""
    usual = {"lampOn": 20.0, "lampOff": 6.0, "tSpDay": 22.0, "tSpNight": 14.0, "tHeatBand": -0.01}
    below, above = controls(
        np.vstack([signal(hour=hour, tAir=set_point + offset) for offset in (-0.1, 0.1)]), **usual
    )
    assert (below[0].round(3), above[0].round(3)) == (1.0, 0.0)
