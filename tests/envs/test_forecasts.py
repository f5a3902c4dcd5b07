"""Forecasts: the coming weather, with errors that grow and that the seed decides."""

import numpy as np
import pytest

import agbench
from agbench.envs.field.forecasts import Forecast, _noise
from agbench.errors import ConfigError
from agbench.variables import Variable, VariableTable

TASK = "wofostgym-wheat-v1"
SCENARIO = {"scenario": "wageningen/1983"}


def season(seed, days=4, error=None, steps=60):
    """Return forecasts of TEMP (steps, days) and the temperature that came (steps,)."""
    forecast = {"days": days, "variables": ["TEMP"], "error": error or {}}
    env = agbench.make(TASK, observation__forecast=forecast).unwrapped
    names = [entry.name for entry in env.observation_entries]
    now, first = names.index("mean(TEMP)"), names.index("TEMP[+1]")
    rows = [env.reset(seed=seed, options=SCENARIO)[0]]
    rows += [env.step(0)[0] for _ in range(steps)]
    seen = np.array(rows)
    return seen[:, first:], seen[:, now]


def test_a_forecast_without_errors_is_what_comes():
    forecast, came = season(1)
    for ahead in range(1, 5):
        assert (forecast[:-ahead, ahead - 1] == came[ahead:]).all()


def test_errors_grow_with_the_days_ahead():
    truth, _ = season(1, steps=150)
    errors = season(1, error={"TEMP": 1.0}, steps=150)[0] - truth
    spread = errors.std(axis=0)
    assert spread[0] == pytest.approx(1.0, rel=0.25)
    assert spread[3] == pytest.approx(4.0, rel=0.25)


def test_the_seed_decides_the_errors():
    error = {"TEMP": 1.0}
    assert (season(1, error=error)[0] == season(1, error=error)[0]).all()
    assert (season(1, error=error)[0] != season(2, error=error)[0]).any()


def test_progress_counts_the_days():
    env = agbench.make(TASK, progress=["elapsed"]).unwrapped
    assert env.reset(seed=0)[0][-1] == 1.0
    assert env.step(0)[0][-1] == 2.0


def test_a_model_without_forecasts_is_an_error():
    forecast = {"days": 2, "variables": ["TMIN"]}
    for engine in ("compiled", "pcse"):
        with pytest.raises(ConfigError, match=f"on the engine '{engine}' has no forecasts"):
            agbench.make("wheat-nitrogen-v1", observation__forecast=forecast, engine=engine)


def test_wofost_run_by_pcse_has_no_forecasts_either():
    forecast = {"days": 2, "variables": ["TMIN"]}
    with pytest.raises(ConfigError, match="wofost81-nwlp on the engine 'pcse' has no forecasts"):
        agbench.make(TASK, model="wofost81-nwlp", engine="pcse", observation__forecast=forecast)


def test_errors_are_nearly_normal_and_of_unit_spread():
    """Four uniform numbers reach 2 sqrt(3) = 3.46 at most; their fourth moment is 2.7, a normal one's 3."""
    noise = _noise(np.arange(1, 4001, dtype=np.uint64), np.zeros(4000, np.int64), (5, 2))
    assert noise.shape == (4000, 5, 2)
    assert noise.mean() == pytest.approx(0.0, abs=0.02)
    assert noise.std() == pytest.approx(1.0, abs=0.01)
    assert (noise**4).mean() == pytest.approx(2.7, abs=0.06)
    assert np.abs(noise).max() < 2.0 * np.sqrt(3.0)
    assert np.abs(np.corrcoef(noise.reshape(4000, 10), rowvar=False) - np.eye(10)).max() < 0.07


def test_an_error_depends_on_seed_day_and_place_alone():
    seeds, days = np.array([7, 7, 8, 7], np.uint64), np.array([3, 4, 3, 3], np.int64)
    noise = _noise(seeds, days, (3,))
    assert (noise[0] == noise[3]).all()
    assert (noise[0] != noise[1]).all()
    assert (noise[0] != noise[2]).all()
    assert (_noise(seeds[:1], days[:1], (3,))[0] == noise[0]).all()


def test_a_forecast_stays_within_the_bounds_of_its_variable_and_says_how_far_ahead_it_is():
    table = VariableTable(
        [Variable("TEMP", "degC", "temperature", -5.0, 10.0), Variable("RAIN", "cm", "rain", 0.0)]
    )
    forecast = Forecast(table, ["RAIN", "TEMP"], 2, {"TEMP": 100.0})
    assert [entry.name for entry in forecast.entries] == ["RAIN[+1]", "TEMP[+1]", "RAIN[+2]", "TEMP[+2]"]
    assert (forecast.entries[1].low, forecast.entries[1].high) == (-5.0, 10.0)

    class Coming:
        noise_seeds, elapsed = np.arange(200, dtype=np.uint64), np.zeros(200, np.int64)

        def coming(self, days, columns):
            assert (days, columns.tolist()) == (2, [1, 0])
            return np.tile([0.5, 2.0], (200, 2, 1))

    seen = forecast.of(Coming())
    assert seen.shape == (200, 4)
    assert (seen[:, [0, 2]] == 0.5).all()  # without an error
    assert (seen[:, [1, 3]].min(), seen[:, [1, 3]].max()) == (-5.0, 10.0)
