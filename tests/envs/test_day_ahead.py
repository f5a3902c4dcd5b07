"""Day-ahead prices: what the model draws, when prices are published, and what is refused."""

from datetime import date

import numpy as np
import pandas as pd
import pytest

import agbench
from agbench.data import catalog, places
from agbench.data.greenhouse_reward import GreenhouseReward
from agbench.data.overrides import override
from agbench.data.prices import PriceModel
from agbench.data.reading import load_file, read_data
from agbench.envs.greenhouse.prices import GreenhousePrices
from agbench.errors import ConfigError
from agbench.evaluation.runner import evaluate, replay
from agbench.testing import data_files

WINTER = "greenhouse-winter-v1"
KEY = "bleiswijk/2009-11-09"
SHORT = {"episode__length": "3 d", "action__kind": "absolute", "simulator__accuracy": "fast"}
MARKET = {**SHORT, "reward__electricity": "day-ahead-nl", "observation__prices": ["electricity"]}
AHEAD = {
    "observation__forecast": ["electricityPrice"],
    "observation__forecast_length": "36 h",
    "observation__forecast_every": "1 h",
}
MODEL = places.find("prices", "day-ahead-nl")


@pytest.fixture(scope="module")
def prices():
    return GreenhousePrices(GreenhouseReward(electricity="day-ahead-nl"))


def drawn(prices, days=364 * 20, seed=0):
    return prices.rows(date(2001, 1, 1), days, 0, np.random.default_rng(seed))[:, 3].reshape(days, 24)


def test_the_mean_and_the_spread_are_the_model_s(prices):
    spec = read_data(PriceModel, load_file(MODEL), "here")
    table = drawn(prices)
    expected = prices.rows(date(2001, 1, 1), len(table))[:, 3].reshape(-1, 24)
    assert expected.mean() == pytest.approx(spec.mean, rel=2e-3)
    assert table.mean() == pytest.approx(spec.mean, rel=0.03)
    off = ((table - expected) / spec.mean)[:, :8]  # before the sun has its share
    total = np.hypot(spec.days.deviation, spec.hours.deviation)
    assert off.std() == pytest.approx(total, rel=0.05)
    days = ((table - expected) / spec.mean)[:, [0, 6, 23]].mean(axis=1)
    assert np.corrcoef(days[1:], days[:-1])[0, 1] == pytest.approx(spec.days.memory, abs=0.12)


def test_evenings_weekdays_and_winters_are_dear(prices):
    table = drawn(prices)
    weekday = np.arange(len(table)) % 7
    assert table[weekday < 5].mean() > 1.1 * table[weekday >= 5].mean()
    assert table[:, 18].mean() > 1.4 * table[:, 3].mean()
    month = np.arange(len(table)) % 364 // 30.4
    assert table[month == 0].mean() > 1.1 * table[month == 6].mean()


def test_the_sun_lowers_noons_of_summer_and_spares_the_shortest_day(prices):
    table = drawn(prices)
    day = np.arange(len(table)) % 364
    summer, winter = table[(day > 140) & (day < 200)], table[(day < 15) | (day > 340)]
    assert summer[:, 12].mean() < 0.3 * summer[:, 0].mean()
    assert winter[:, 12].mean() > winter[:, 0].mean()
    assert summer[:, 12].std() > 1.2 * summer[:, 0].std()
    assert (summer < 0).mean() > 10 * (winter < 0).mean()


def years_of(table):
    """Return by year: hours and days by range of price, days with negative prices, and the mean swing."""
    every = 365 / 364
    for year in table.reshape(-1, 364, 24):
        hours = np.histogram(year, [-1e9, 50, 100, 150, 1e9])[0]
        days = np.histogram(year.mean(axis=1), [-1e9, 50, 100, 150, 1e9])[0]
        negative = (year.min(axis=1) < 0).sum()
        yield [*every * hours, *every * days, every * negative, np.ptp(year, axis=1).mean()]


def test_the_year_that_prices_were_fitted_to_could_be_one_of_the_model_s(prices):
    """Electricity Maps, Grid Review 2025, The Netherlands: a single year, so an error of sampling of one.

    Each statistic of 2025 lies within three standard deviations of the model's years, whose mean is
    uncertain by a twentieth of their variance. The ranges at either end are taken together: within
    them the market has more extreme hours than the model.
    """
    ours = np.array(list(years_of(1e3 * drawn(prices))))
    seen = np.array([584 + 865, 4069, 2645, 404 + 127, 1 + 31, 243, 81, 8 + 2, 116, 124])
    error = ours.std(axis=0, ddof=1) * np.sqrt(1 + 1 / len(ours))
    assert (error < [250, 350, 350, 170, 20, 30, 30, 6, 20, 4]).all()
    assert (abs(ours.mean(axis=0) - seen) < 3 * error).all()


def test_the_seed_alone_decides(prices):
    first, again, other = (drawn(prices, 10, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    assert prices.random
    assert not GreenhousePrices(GreenhouseReward()).random
    assert prices.highest[3] == 0.5235


def seen_by_hour(env, hours):
    """Return the observed present price and prices ahead at the beginning of each hour."""
    names = [entry.name for entry in env.observation_entries]
    columns = [i for i, name in enumerate(names) if name.startswith("electricityPrice")]
    observation, _ = env.reset(seed=3, options={"scenario": KEY})
    rows = [observation[columns]]
    for _ in range(hours):
        for _ in range(12):
            observation, *_ = env.step(np.full(6, -1.0, np.float32))
        rows.append(observation[columns])
    return np.array(rows)


def test_tomorrow_s_prices_are_published_at_noon():
    env = agbench.make(WINTER, **MARKET, **AHEAD).unwrapped
    rows = seen_by_hour(env, 13)
    truth = env.core.worlds[0].prices[:, 3].astype(np.float32)
    for hour in (0, 5, 11):
        visible = 24 - hour
        np.testing.assert_array_equal(rows[hour][:visible], truth[hour:24])
        np.testing.assert_array_equal(rows[hour][visible : visible + 12], truth[:12])
        assert not np.array_equal(rows[hour][visible : visible + 12], truth[24:36])
    np.testing.assert_array_equal(rows[12][:36], truth[12:48])
    assert rows[12][36] == truth[24]


def test_each_step_is_paid_at_the_drawn_price():
    env = agbench.make(WINTER, **MARKET).unwrapped
    env.reset(seed=3, options={"scenario": KEY})
    spent = [0.0]
    for _ in range(30):
        env.step(np.array([-1, -1, -1, -1, 1, -1], np.float32))
        spent.append(float(env.core.reward.totals["spent"][0]))
    prices = env.core.worlds[0].prices[:3, 3]
    ratio = np.diff(spent) / np.repeat(prices, 12)[:30]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-9)


def test_rows_of_a_batch_see_their_own_prices():
    key = {"scenario": np.array([KEY, KEY], dtype=object)}
    envs = agbench.make_vec(WINTER, 2, **MARKET, **AHEAD)
    both, _ = envs.reset(seed=[3, 4], options=key)
    alone = agbench.make(WINTER, **MARKET, **AHEAD)
    for row, seed in enumerate((3, 4)):
        np.testing.assert_array_equal(both[row], alone.reset(seed=seed, options={"scenario": KEY})[0])
    assert not np.array_equal(both[0], both[1])


def test_results_name_the_model_and_replay():
    result = evaluate(WINTER, "rule-based", **{**MARKET, "episode__length": "1 d"})
    assert len(result.record["data"]["prices day-ahead-nl"]) == 64
    assert replay(result).episodes["return"].tolist() == result.episodes["return"].tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weekday": [1.0] * 23}, "weekday"),
        ({"limits": [0.1, 0.2]}, "do not lie about the mean"),
        ({"days": {"deviation": 0.1, "memory": 1.0}}, "memory"),
        ({"unit": "EUR MWh-1"}, "EUR kWh-1"),
        ({"published_at": 24}, "published_at"),
    ],
)
def test_a_model_that_is_none_is_refused(change, message):
    with pytest.raises(ConfigError, match=message):
        read_data(PriceModel, {**load_file(MODEL), **change}, "here")


def test_check_reads_models_and_the_files_of_series(tmp_path):
    assert data_files.check_file(MODEL) is None
    path = tmp_path / "spot.yaml"
    path.write_text("prices: spot\nsummary: s\nsource: s\nunit: EUR kWh-1\nfile: spot.csv\n", "utf-8")
    assert "there is no" in data_files.check_file(path)
    pd.DataFrame({"time": pd.date_range("2010-01-01", periods=3, freq="h"), "price": 0.1}).to_csv(
        tmp_path / "spot.csv", index=False
    )
    assert data_files.check_file(path) is None


def test_a_series_may_have_an_hour_of_publication(tmp_path):
    times = pd.date_range("2010-01-01", periods=48, freq="h")
    pd.DataFrame({"time": times, "price": 0.1}).to_csv(tmp_path / "spot.csv", index=False)
    path = tmp_path / "spot.yaml"
    described = "prices: spot\nsummary: s\nsource: s\nunit: EUR kWh-1\nfile: spot.csv\npublished_at: 13\n"
    path.write_text(described, "utf-8")
    prices = GreenhousePrices(GreenhouseReward(electricity=str(path)))
    assert prices.published_at.tolist() == [-1.0, -1.0, -1.0, 13.0]


def test_a_night_tariff_beside_the_market_is_refused():
    with pytest.raises(ConfigError, match="the night tariff goes with a day tariff"):
        override(catalog.task(WINTER), {"reward.electricity": "day-ahead-nl", "electricity_night": 0.1})
