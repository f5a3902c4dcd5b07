"""Forecasts: the coming weather, with errors that grow and that the seed decides."""

import numpy as np
import pytest

import agbench
from agbench.errors import ConfigError

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
