"""Prices of greenhouse tasks: numbers, hours of the day, series by date; what is paid and shown."""

import re

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.data import catalog
from agbench.data.greenhouse_reward import GreenhouseReward
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.greenhouse.prices import GreenhousePrices
from agbench.errors import ConfigError, UnknownNameError
from agbench.evaluation.runner import evaluate, replay

WINTER = "greenhouse-winter-v1"
BY_HOUR = [round(0.1 + 0.01 * hour, 2) for hour in range(24)]
SHORT = {"episode__length": "1 d", "action__kind": "absolute", "simulator__accuracy": "fast"}


@pytest.fixture
def series(tmp_path, monkeypatch):
    """Describe a price series that lies in a data folder of the user's own."""
    folder = tmp_path / "prices"
    folder.mkdir()
    monkeypatch.setenv("AGBENCH_PATH", str(tmp_path))

    def write(times, prices, suffix=".csv", **message):
        table = pd.DataFrame({"time": times, "price": prices})
        file = folder / f"spot{suffix}"
        table.to_parquet(file) if suffix == ".parquet" else table.to_csv(file, index=False)
        lines = {
            "prices": "spot",
            "summary": "drawn for a test",
            "source": "this test",
            "unit": "EUR kWh-1",
            "file": file.name,
            **message,
        }
        text = "".join(f"{key}: {value}\n" for key, value in lines.items())
        (folder / "spot.yaml").write_text(text, "utf-8")
        return folder / "spot.yaml"

    return write


def hours(first, count):
    return pd.date_range(first, periods=count, freq="h")


def lamps(env, steps):
    """Burn all lamps for some steps and return what each step cost."""
    action = np.array([-1, -1, -1, -1, 1, -1], np.float32)
    spent = [0.0]
    for _ in range(steps):
        env.step(action)
        spent.append(float(env.core.reward.totals["spent"][0]))
    return np.diff(spent)


def test_each_hour_is_paid_at_its_own_price():
    env = agbench.make(WINTER, reward__electricity=BY_HOUR, **SHORT).unwrapped
    env.reset(seed=0, options={"scenario": "bleiswijk/2009-11-09"})
    power = float(env.core.simulator.parameters[0, parameter("thetaLampMax")]) * 300 / 3.6e6
    paid = lamps(env, 36)
    np.testing.assert_allclose(paid, power * np.repeat(BY_HOUR[:3], 12), rtol=1e-12)


def parameter(name):
    from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE

    return PARAMETER_TABLE.column(name)


def test_a_night_tariff_is_a_list_of_hours():
    night = [0.1 if hour >= 23 or hour < 7 else 0.3 for hour in range(24)]
    tariff = GreenhousePrices(GreenhouseReward(electricity_night=0.1))
    day = pd.Timestamp("2010-01-04").date()
    assert tariff.rows(day, 2)[:, 3].tolist() == night * 2
    assert tariff.rows(day, 1)[:, 0].tolist() == [1.6] * 24


def test_a_batch_pays_each_row_by_its_own_date_and_goes_on_from_a_saved_state(series):
    series(hours("2009-01-01", 24 * 365), np.arange(24 * 365) / 1000, repeats="true")
    keys = ["bleiswijk/2009-10-20", "bleiswijk/2009-11-09"]
    parts = build(override(catalog.task(WINTER), {"reward__electricity": "spot", **SHORT}), "train")
    actions = np.tile(np.array([-1, -1, -1, -1, 1, -1], np.float32), (2, 1))
    both = BatchCore(parts, 2)
    both.reset([0, 1], keys)
    for _ in range(13):
        both.step(actions, ~both.over)
    firsts = np.array([24 * 292, 24 * 312]) / 1000
    spent = both.reward.totals["spent"]
    power = spent / (12 * firsts + firsts + 0.001)
    assert power[0] == pytest.approx(power[1], rel=1e-12)
    alone = BatchCore(parts, 1)
    alone.load(0, both.save(1))
    for core in (both, alone):
        core.step(actions[: core.n], ~core.over)
    assert alone.reward.totals["spent"][0] == both.reward.totals["spent"][1]


def test_prices_are_seen_now_and_ahead_where_the_task_shows_them():
    shown = {
        "observation__prices": ["electricity", "fruit"],
        "observation__forecast": ["tOut", "electricityPrice"],
        "observation__forecast_length": "4 h",
    }
    env = agbench.make(WINTER, reward__electricity=BY_HOUR, **shown, **SHORT).unwrapped
    observation, _ = env.reset(seed=0)
    names = [entry.name for entry in env.observation_entries]
    seen = dict(zip(names, observation, strict=True))
    assert seen["electricityPrice"] == np.float32(BY_HOUR[0])
    assert seen["fruitPrice"] == np.float32(1.6)
    assert seen["electricityPrice[+240 min]"] == np.float32(BY_HOUR[4])
    for _ in range(12 * 22):
        observation, *_ = env.step(np.full(6, -1.0, np.float32))
    seen = dict(zip(names, observation, strict=True))
    assert seen["electricityPrice"] == np.float32(BY_HOUR[22])
    assert seen["electricityPrice[+240 min]"] == np.float32(BY_HOUR[2])
    assert env.observation_space.contains(observation)


def test_a_year_of_prices_stands_for_any_year(series):
    series(hours("2019-01-01", 8760), np.arange(8760) / 1000, ".parquet", repeats="true")
    prices = GreenhousePrices(GreenhouseReward(electricity="spot"))
    rows = prices.rows(pd.Timestamp("1984-02-28").date(), 3)[:, 3]
    day = 24 * 58
    np.testing.assert_allclose(rows * 1000, [*range(day, day + 24)] * 2 + [*range(day + 24, day + 48)])


def test_the_result_names_its_series_and_replays(series):
    path = series(hours("2009-01-01", 24 * 365), np.full(24 * 365, 0.25), repeats="true")
    result = evaluate(WINTER, "rule-based", reward__electricity=str(path), **SHORT)
    assert len(result.record["data"]["prices spot"]) == 64
    assert replay(result).episodes["return"].tolist() == result.episodes["return"].tolist()


@pytest.mark.parametrize(
    ("price", "message"),
    [
        ([0.1] * 23, "one for each hour of the day, 24; got 23"),
        ([0.1] * 23 + ["dear"], "price of hour 23 is 'dear'"),
        (45000.0, "at most 100 EUR per kg or kWh"),
        (90.0, r"90 EUR kWh-1; at most 10 is allowed. EUR MWh-1 need a factor 0.001, ct kWh-1 0.01"),
        ([0.1] * 23 + [-10.1], "-10.1 EUR kWh-1"),
        (True, "the price is True"),
    ],
)
def test_a_price_that_is_none_is_refused(price, message):
    with pytest.raises(ConfigError, match=message):
        override(catalog.task(WINTER), {"reward.electricity": price})


def test_a_night_tariff_beside_hourly_prices_is_refused():
    with pytest.raises(ConfigError, match="hourly prices already include"):
        override(catalog.task(WINTER), {"reward.electricity": BY_HOUR, "electricity_night": 0.1})


def test_series_are_in_the_unit_of_what_they_price(series):
    path = series(hours("2009-10-01", 24), [8.0] * 24)
    GreenhousePrices(GreenhouseReward(electricity="spot"))
    with pytest.raises(ConfigError, match=r"unit: EUR kWh-1; the price of co2 is in EUR kg-1"):
        GreenhousePrices(GreenhouseReward(co2="spot"))
    for unit in ("ct kWh-1", "EUR MWh-1", "USD per barrel"):
        path.write_text(re.sub("unit: .*", f"unit: {unit}", path.read_text()))
        with pytest.raises(ConfigError, match=rf"unit: .*{unit}"):
            GreenhousePrices(GreenhouseReward(electricity=str(path)))


def test_errors_of_series_name_file_place_and_remedy(series):
    def reading(*args, **message):
        series(*args, **message)
        return GreenhousePrices(GreenhouseReward(electricity="spot"))

    with pytest.raises(UnknownNameError, match="unknown prices 'sport'"):
        GreenhousePrices(GreenhouseReward(electricity="sport"))
    gap = hours("2009-10-01", 48).delete(5)
    with pytest.raises(ConfigError, match=r"row 6 is .*2009-10-01 05:00 is missing"):
        reading(gap, np.zeros(47))
    with pytest.raises(ConfigError, match=r"EUR kWh-1 up to 10 \(EUR MWh-1 need a factor 0.001"):
        reading(hours("2009-10-02", 24), [0.1] * 23 + [453.2])
    with pytest.raises(ConfigError, match="without a zone"):
        reading(hours("2009-10-03", 24).tz_localize("UTC"), np.zeros(24))
    with pytest.raises(ConfigError, match="8760 hours from 1 January"):
        reading(hours("2009-10-04", 24), np.zeros(24), repeats="true")
    with pytest.raises(ConfigError, match="SHA-256"):
        reading(hours("2009-10-05", 24), np.zeros(24), sha256="a" * 64)
    prices = reading(hours("2009-10-06", 24), np.zeros(24))
    with pytest.raises(ConfigError, match=r"from 2009-10-06 00:00 to 2009-10-07 00:00, and 48 hours"):
        prices.rows(pd.Timestamp("2009-10-06").date(), 2)


def test_rows_of_a_scenario_share_its_weather_and_its_prices():
    env = agbench.make_vec("greenhouse-setpoint-continuous-v1", 6, split="test")
    keys = env.scenarios.keys[:2]
    env.reset(seed=0, options={"scenario": [*keys, *keys, *keys]})
    simulator = env.core.simulator
    assert len(set(simulator._weather.tolist())) == 2
    assert len(set(simulator.beside[:, 0, 0].tolist())) == 2
    own = [value for value in vars(env.core.reward).values() if isinstance(value, np.ndarray)]
    assert sum(array.nbytes for array in own) < 6 * 500  # nothing by the hour
