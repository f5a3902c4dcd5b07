"""Random and on/off controls in every preset: nothing but finite observations within their bounds."""

import numpy as np
import pytest
from robustness import KINDS, UNCERTAIN, endure

from agbench.simulators.greenlight.presets import PRESETS

SEASONS = ("01-05", "06-10")


def check(result):
    assert result.not_finite == 0
    assert result.outside == ()
    assert (result.high > result.low).mean() > 0.9  # the weather, the crop and the controls did move


@pytest.mark.parametrize("preset", PRESETS)
def test_on_off_controls_keep_observations_in_their_space(preset):
    check(endure(preset, "on/off", 960, 16, starts=SEASONS))


def test_perturbed_parameters_keep_observations_in_their_space():
    check(endure("gym", "random", 480, 16, 0, UNCERTAIN, SEASONS, uncertainty__parameters="published"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("preset", PRESETS)
def test_a_hundred_thousand_steps_keep_observations_in_their_space(preset, kind):
    check(endure(preset, kind, 100_000))


def test_an_observation_out_of_bounds_fails_the_check(monkeypatch):
    from agbench.envs.vector import AgBenchVectorEnv

    honest = AgBenchVectorEnv.step

    def broken(self, actions):
        seen, rewards, *rest = honest(self, actions)
        seen[0, 0], seen[1, 1] = np.nan, 1e9
        return seen, rewards, *rest

    monkeypatch.setattr(AgBenchVectorEnv, "step", broken)
    result = endure("gym", "on/off", 80, 16, starts=SEASONS[:1])
    assert result.not_finite == 5
    assert len(result.outside) == 1
