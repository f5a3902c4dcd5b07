"""Forecasts of greenhouse weather with errors: they grow with the root of the lead, and follow the seed."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.errors import ConfigError
from agbench.evaluation.provenance import task_hash

WINTER = "greenhouse-winter-v1"
SHORT = {"episode__length": "3 d", "simulator__accuracy": "fast", "episode__dli": "past"}
SHOWN = {
    "observation__forecast": ["iGlob", "tOut"],
    "observation__forecast_every": "6 h",
    "observation__forecast_length": "24 h",
}
ERROR = {"observation__forecast_error": {"tOut": 2.0, "iGlob": 0.3}}


def forecasts(env, seed, key="bleiswijk/2009-11-09"):
    observation, _ = env.reset(seed=seed, options={"scenario": key})
    return by_lead(env, observation)


def by_lead(env, observation):
    names = [entry.name for entry in env.unwrapped.observation_entries]
    return np.array(
        [
            [observation[names.index(f"{v}[+{h * 60} min]")] for v in ("iGlob", "tOut")]
            for h in (6, 12, 18, 24)
        ]
    )


@pytest.fixture(scope="module")
def exact():
    return agbench.make(WINTER, **SHORT, **SHOWN)


@pytest.fixture(scope="module")
def erroneous():
    return agbench.make(WINTER, **SHORT, **SHOWN, **ERROR)


def test_the_spread_grows_with_the_root_of_the_lead(exact, erroneous):
    truth = forecasts(exact, 0)
    seen = np.array([forecasts(erroneous, seed) for seed in range(400)])
    spread = (seen[:, :, 1] - truth[:, 1]).std(axis=0)
    np.testing.assert_allclose(spread, 2.0 * np.sqrt(np.array([6, 12, 18, 24]) / 24), rtol=0.12)
    assert np.abs((seen[:, :, 1] - truth[:, 1]).mean(axis=0)).max() < 0.35
    lit = truth[:, 0] > 0
    assert lit.any()
    assert (seen[:, ~lit, 0] == 0.0).all()
    shares = seen[:, lit, 0] / truth[lit, 0]
    np.testing.assert_allclose(
        shares.std(axis=0), 0.3 * np.sqrt(np.array([6, 12, 18, 24]) / 24)[lit], rtol=0.12
    )


def test_the_seed_alone_decides(erroneous):
    np.testing.assert_array_equal(forecasts(erroneous, 5), forecasts(erroneous, 5))
    assert not np.array_equal(forecasts(erroneous, 5), forecasts(erroneous, 6))


def test_a_forecast_comes_nearer_to_the_truth(exact, erroneous):
    """Eighteen hours later only six hours of the walk are left of the error a day ahead."""
    errors = []
    for seed in range(60):
        envs = [exact, erroneous]
        late = []
        for env in envs:
            env.reset(seed=seed, options={"scenario": "bleiswijk/2009-11-09"})
            core = env.unwrapped.core
            core.simulator.elapsed[0] = 18 * 12
            core.observe()
            late.append(by_lead(env, core.observations[0])[0, 1])
        errors.append(late[1] - late[0])
    assert np.std(errors) == pytest.approx(1.0, rel=0.3)


def test_weather_in_force_is_exact(exact, erroneous):
    names = [entry.name for entry in exact.unwrapped.observation_entries]
    now = [i for i, name in enumerate(names) if name in ("iGlob", "tOut")]
    a, b = (env.reset(seed=1, options={"scenario": "bleiswijk/2009-11-09"})[0] for env in (exact, erroneous))
    np.testing.assert_array_equal(a[now], b[now])


def test_loaded_episodes_and_batches_see_the_same(erroneous):
    erroneous.reset(seed=2, options={"scenario": "bleiswijk/2009-11-09"})
    action = np.zeros(6, np.float32)
    saved = erroneous.unwrapped.core.save(0)
    expected = erroneous.step(action)[0]
    other = BatchCore(erroneous.unwrapped.core.parts, 1)
    other.load(0, saved)
    other.step(action[None], ~other.over)
    np.testing.assert_array_equal(other.observations[0], expected)
    envs = agbench.make_vec(WINTER, 3, **SHORT, **SHOWN, **ERROR)
    both, _ = envs.reset(
        seed=[1, 2, 3], options={"scenario": np.array(["bleiswijk/2009-11-09"] * 3, dtype=object)}
    )
    alone = erroneous.reset(seed=2, options={"scenario": "bleiswijk/2009-11-09"})[0]
    np.testing.assert_array_equal(both[1], alone)


def test_a_task_with_errors_is_another_task():
    task = catalog.task(WINTER)
    assert task_hash(override(task, {"observation.forecast_error": {"tOut": 1.0}})) != task_hash(task)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"wind": 0.3}, "wind is not among the variables of 'forecast'"), ({"tOut": -1.0}, "forecast_error")],
)
def test_an_error_that_is_none_is_refused(change, message):
    with pytest.raises(ConfigError, match=message):
        agbench.make(WINTER, observation__forecast_error=change)


def test_prices_and_soil_have_no_error():
    with pytest.raises(ConfigError, match="tSoOut has no error; those that have are iGlob"):
        agbench.make(WINTER, observation__forecast=["tSoOut"], observation__forecast_error={"tSoOut": 1.0})
