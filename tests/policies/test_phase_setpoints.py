"""Set points by phase and brightness, and the search in pieces that fits them."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.greenhouse_split import GreenhouseSplit
from agbench.data.overrides import override
from agbench.errors import AgBenchError
from agbench.policies.greenhouse.candidates import judged
from agbench.policies.greenhouse.phase_setpoints import PhaseSetpoints, PhaseSettings
from agbench.policies.greenhouse.phase_tuning import tune_phases
from agbench.policies.registry import interface_of
from agbench.policies.tuning.cross_entropy import Search, settle

TASK = "greenhouse-setpoint-continuous-v1"
SETTINGS = {
    "brightness": [4, 14],
    "ahead": 0.5,
    "phases": {
        "lamps": {"tSpDay": [22, 20], "thScrSpNight": [12, 12]},
        "day": {
            "tSpDay": [24, 20],
            "co2SpDay": [1000, 1000],
            "rhMax": [86, 82],
            "thScrSpDay": [0, 0],
            "lampsOffSun": [500, 500],
        },
        "night": {"tSpNight": [18, 16], "thScrSpNight": [20, 20]},
    },
    "gains": {"day": {"co2SpDay": {"iGlob": -50}, "tSpDay": {"tOut": -1}}, "night": {"tSpNight": {"rh": 2}}},
}
NAMES = ["tSpDay", "tSpNight", "co2SpDay", "rhMax", "thScrSpDay", "thScrSpNight", "lampsOffSun"]


def _set_points(settings: dict, **seen: float) -> dict[str, float]:
    """Return what a policy sets, by name, for an observation in which all but what is named is 0."""
    interface = interface_of(catalog.task(TASK))
    policy = PhaseSetpoints("phases", PhaseSettings.model_validate(settings), interface)
    row = np.zeros(len(interface.observer.entries))
    ahead = seen.pop("ahead", 0.0)
    for i, entry in enumerate(interface.observer.entries):
        row[i] = ahead if entry.name.startswith("iGlob[") else seen.get(entry.name, 0.0)
    inputs = interface.actions.inputs(policy(row)[None])[0]
    return dict(zip(NAMES, np.round(inputs, 2).tolist(), strict=True))


def test_set_points_are_those_of_the_phase_and_of_bright_or_dull_days():
    watts = 4.0 / 0.0864  # the mean of a day with 4 MJ m-2
    dull = _set_points(SETTINGS, hour=20, dli=4.0, ahead=watts, rh=80)
    assert (dull["tSpNight"], dull["thScrSpNight"], dull["rhMax"]) == (18.0, 20.0, 86.0)
    between = _set_points(SETTINGS, hour=20, dli=14.0, ahead=watts, rh=80)
    assert (between["tSpNight"], between["rhMax"]) == (17.0, 84.0)
    assert _set_points(SETTINGS, hour=20, dli=60.0, ahead=watts, rh=80)["tSpNight"] == 16.0


def test_lamps_make_their_hours_of_dull_days_a_phase_of_their_own():
    lamps = _set_points(SETTINGS, hour=3, dli=4.0, ahead=0.0)
    assert (lamps["tSpDay"], lamps["thScrSpNight"]) == (22.0, 12.0)
    assert _set_points(SETTINGS, hour=3, dli=12.0, ahead=0.0)["thScrSpNight"] == 20.0, (
        "a bright day: no lamps"
    )
    assert _set_points(SETTINGS, hour=18, dli=4.0, ahead=0.0)["thScrSpNight"] == 20.0, "lamps go off at 18 h"


def test_set_points_change_with_sun_cold_and_humidity():
    day = _set_points(SETTINGS, hour=12, dli=2.0, ahead=0.0, iGlob=300.0, tOut=15.0)
    assert (day["co2SpDay"], day["tSpDay"]) == (850.0, 23.0)
    night = _set_points(SETTINGS, hour=22, dli=2.0, ahead=0.0, rh=85.0)
    assert night["tSpNight"] == 20.0


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"brightness": [14, 4]}, "ascend"),
        ({"brightness": [4]}, "2 values, and there are 1"),
        ({"ahead": 1.5}, "less than or equal to 1"),
        ({"gains": {"lamps": {"co2SpDay": {"iGlob": 1}}}}, "co2SpDay has no value to start from"),
        ({"gains": {"day": {"tSpDay": {"wind": 1}}}}, "wind is none of iGlob, tOut, rh"),
        ({"phases": {"day": SETTINGS["phases"]["day"]}, "gains": {}}, "lacks tSpNight"),
        ({"phases": {**SETTINGS["phases"], "night": {"tSpNight": [40, 16]}}, "gains": {}}, "40 of tSpNight"),
    ],
)
def test_wrong_settings_are_refused(change, expected):
    with pytest.raises((AgBenchError, ValueError), match=expected):
        _set_points({**SETTINGS, **change})


def test_it_needs_set_points_and_a_forecast_of_a_day():
    settings = PhaseSettings.model_validate(SETTINGS)
    with pytest.raises(AgBenchError, match="set points"):
        PhaseSetpoints("phases", settings, interface_of(catalog.task("greenhouse-tomato-v1")))
    short = override(catalog.task(TASK), {"observation__forecast_length": "12 h"})
    with pytest.raises(AgBenchError, match="set it to 0"):
        PhaseSetpoints("phases", settings, interface_of(short))
    past = settings.model_copy(update={"ahead": 0.0})
    assert PhaseSetpoints("phases", past, interface_of(short)).sight.brightness(np.ones((1, 34))) == [1.0]


def test_a_batch_acts_as_each_episode_alone():
    task = catalog.task(TASK)
    interface = interface_of(task)
    policies = [
        PhaseSetpoints("phases", PhaseSettings.model_validate({**SETTINGS, "ahead": ahead}), interface)
        for ahead in (0.0, 0.3, 1.0)
    ]
    env = agbench.make(task.task).unwrapped
    seen = []
    observation, _ = env.reset(seed=1)
    for _ in range(3):
        seen.append(observation)
        observation, *_ = env.step(policies[0](observation))
    batch = policies[1].actions(
        np.array(seen),
        np.stack([p.table for p in policies]),
        np.stack([p.gains for p in policies]),
        np.array([0.0, 0.3, 1.0]),
    )
    assert np.array_equal(batch, [p(row) for p, row in zip(policies, seen, strict=True)])


def test_a_search_settles_where_noise_hides_the_peak():
    """Rounds differ by far more than candidates do."""
    generator = np.random.default_rng(5)

    def value(drawn, number):
        return (
            -((drawn - [0.3, 0.7]) ** 2).sum(axis=1) + 0.02 * generator.standard_normal(len(drawn)) + number
        )

    low, high = np.zeros(2), np.ones(2)
    found = settle(value, np.array([0.9, 0.1]), low, high, Search(candidates=32, rounds=25))
    assert np.abs(found - [0.3, 0.7]).max() < 0.1


def test_fitting_by_phase_betters_poor_set_points_in_training():
    """Vents that open at 70 % lose much heat on a winter's day."""
    split = GreenhouseSplit(generated=(0, 2), start="10-15", until="02-10")
    task = override(catalog.task(TASK), {"episode__length": "1 d"})
    task = task.model_copy(update={"splits": {"train": split}})
    dry = {**SETTINGS["phases"], "day": {**SETTINGS["phases"]["day"], "rhMax": [70, 70]}}
    given = PhaseSettings.model_validate({**SETTINGS, "phases": dry})
    fitted, mean = tune_phases(task, given, Search(candidates=6, rounds=2))
    assert fitted.brightness == given.brightness
    assert set(fitted.gains["day"]) == {"co2SpDay", "tSpDay"}
    assert fitted.phases["day"]["rhMax"][0] > 70.0
    start = PhaseSetpoints("given", given, interface_of(task))
    before = judged(task, lambda _: lambda seen: np.array([start(row) for row in seen]), np.zeros((1, 1)))
    assert mean > before[0] + 0.002
