"""Policies that control a bare greenhouse: by name, from a task, from a file."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.errors import ConfigError, UnknownNameError
from agbench.weather.greenhouse.site import measured_series

WEATHER = measured_series("bleiswijk").to_frame().loc["2010-01-10"]
ACTUATORS = ["uBoil", "uCo2", "uThScr", "uVent", "uLamp", "uBlScr"]


def day(controls, **options):
    return agbench.simulate("greenlight", weather=WEATHER, controls=controls, **options)


def settings_file(folder, kind, **settings):
    path = folder / "mine.yaml"
    lines = "".join(f"    {key}: {value}\n" for key, value in settings.items())
    path.write_text(f"policy: {kind}\nsummary: a test\nsource: here\nsettings:\n{lines}")
    return path


def test_tuned_rules_of_a_task_decide_otherwise_than_the_usual():
    tuned, usual = day("greenhouse-tomato-v1/rule-based-tuned"), day("rule-based")
    assert not tuned[ACTUATORS].equals(usual[ACTUATORS])
    assert tuned["tAir"].iloc[-1] != usual["tAir"].iloc[-1]


def test_a_file_is_the_policy_that_it_describes(tmp_path):
    named = catalog.find_baseline("greenhouse-tomato-v1", "rule-based-tuned")
    assert day(named).equals(day("greenhouse-tomato-v1/rule-based-tuned"))
    assert day(settings_file(tmp_path, "rule-based", tSpDay=19.5)).equals(day("rule-based"))


def test_constant_controls_are_held_as_in_an_array(tmp_path):
    result = day(str(settings_file(tmp_path, "constant", values="{uBoil: 0.4, uVent: 0.1}")))
    same = day(np.tile([0.4, 0.0, 0.0, 0.1, 0.0, 0.0], (len(WEATHER), 1)))
    np.testing.assert_array_equal(result[same.columns], same)


@pytest.mark.parametrize("controls", ["zero", np.zeros((12, 6))])
def test_structure_reaches_the_equations(controls):
    usual, hard = (
        agbench.simulate(
            "greenlight",
            weather=WEATHER[:13],
            controls=controls,
            structure={"pruning": rule},
            x0={"cLeaf": 1.2e5},
        )
        for rule in ("logistic", "threshold")
    )
    assert hard["cLeaf"].iloc[12] > usual["cLeaf"].iloc[12] * 1.05


def test_constant_set_points_are_followed_by_the_rules_of_their_task():
    cool, warm = (day(f"greenhouse-setpoint-v1/constant-{t}") for t in (18, 26))
    assert warm["tAir"].iloc[100:].mean() > cool["tAir"].iloc[100:].mean() + 3
    assert cool["uBlScr"].max() == 0.0  # the task's rules do not use the blackout screen


def test_random_controls_follow_their_seed():
    first, same, other = (day("random", seed=seed)[ACTUATORS] for seed in (1, 1, 2))
    assert first.equals(same)
    assert not first.equals(other)
    assert first.iloc[1:].mean().between(0.4, 0.6).all()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rule-base", "unknown policy 'rule-base'. Did you mean 'rule-based'"),
        ("greenhouse-tomato-v1/rule-based-tund", "Did you mean 'greenhouse-tomato-v1/rule-based-tuned'"),
    ],
)
def test_a_misspelt_policy_is_answered_with_the_nearest(name, message):
    with pytest.raises(UnknownNameError, match=message):
        day(name)


def test_a_policy_that_cannot_act_alone_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="needs a task around it"):
        day(settings_file(tmp_path, "schedule", input="n"))
    with pytest.raises(ConfigError, match=r"uVent is 1\.5; a control lies between 0 and 1"):
        day(settings_file(tmp_path, "constant", values="{uVent: 1.5}"))
    with pytest.raises(UnknownNameError, match="Did you mean 'uVent'"):
        day(settings_file(tmp_path, "constant", values="{uVnt: 0.5}"))
    with pytest.raises(ConfigError, match="not both"):
        day(settings_file(tmp_path, "constant", values="{uVent: 0.5, tSpDay: 20}"))
