"""Greenhouse policies: the rule-based grower and constant decisions."""

import numpy as np
import pytest

import agbench
from agbench.errors import ConfigError
from agbench.evaluation.runner import replay
from agbench.greenhouse_weather import measured_series

WINTER = "greenhouse-winter-v1"
DAY = {"season__length": "1 d"}


def test_the_rules_act_through_increments_and_keep_the_air_warm():
    result = agbench.evaluate(WINTER, "rule-based", **{"season__length": "3 d"})
    nothing = agbench.evaluate(WINTER, "zero", **{"season__length": "3 d"})
    assert result.episodes["temperature"].mean() < 0.1 * nothing.episodes["temperature"].mean()
    assert result.episodes["return"].mean() > nothing.episodes["return"].mean()


def test_recorded_actions_replay_to_the_last_bit():
    result = agbench.evaluate(WINTER, "rule-based", **DAY)
    again = replay(result)
    assert again.episodes["final_state"].tolist() == result.episodes["final_state"].tolist()
    assert again.episodes["return"].tolist() == result.episodes["return"].tolist()


def test_seasons_with_drawn_clouds_replay_too():
    result = agbench.evaluate("greenhouse-tomato-uncertain-v1", "rule-based", years=[1984], **DAY)
    again = replay(result)
    assert again.episodes["final_state"].tolist() == result.episodes["final_state"].tolist()


def test_the_direct_form_is_that_of_the_bare_simulation():
    steps = 50
    env = agbench.make(WINTER, action__kind="absolute", **DAY).unwrapped
    policy = agbench.load_policy("rule-based", env.task)
    observation, _ = env.reset(options={"scenario": "bleiswijk/2009-11-09"})
    for _ in range(steps):
        observation, *_ = env.step(policy(observation))
    series = measured_series("bleiswijk").to_frame().loc["2009-11-09":].iloc[:steps]
    bare = agbench.simulate("greenlight", weather=series, controls="rule-based")
    assert env.core.simulator.state[0, 2] == pytest.approx(bare["tAir"].iloc[-1], abs=1e-3)


def test_a_variable_that_is_not_shown_is_named():
    from agbench import data
    from agbench.spec.overrides import override

    blind = override(data.task(WINTER), {"climate": ["tAir", "rh"]})
    with pytest.raises(ConfigError, match="co2_ppm"):
        agbench.load_policy("rule-based", blind)


def test_constant_temperatures_are_chosen_by_day_and_night():
    result = agbench.evaluate("greenhouse-setpoint-v1", "constant-20-18", years=[1984], **DAY)
    assert set(np.unique(result.actions[0])) == {0, 2}


def test_tuning_is_seeded_and_never_loses_the_best():
    from agbench import data
    from agbench.policies.greenhouse.tuning import Search, tune
    from agbench.simulators.greenlight.climate_computer import USUAL
    from agbench.spec.overrides import override

    short = override(data.task(WINTER), DAY)
    once = tune(short, dict(USUAL), Search(candidates=4, rounds=1, scenarios=2))
    twice = tune(short, dict(USUAL), Search(candidates=4, rounds=2, scenarios=2))
    assert once == tune(short, dict(USUAL), Search(candidates=4, rounds=1, scenarios=2))
    assert twice[1] >= once[1]
