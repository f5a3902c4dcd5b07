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
from agbench.envs.greenhouse.day_ahead import DayAhead, autoregress
from agbench.envs.greenhouse.prices import GreenhousePrices
from agbench.errors import ConfigError
from agbench.evaluation.runner import evaluate, replay
from agbench.testing import data_files
from agbench.weather.draws import standard_normal

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


def model(**changes):
    """Return a model of round numbers: weekdays twice as dear as weekends, 15 January the dearest day."""
    content = {
        "prices": "mine", "summary": "s", "source": "s", "unit": "EUR kWh-1", "model": "day-ahead",
        "mean": 0.1, "weekday": [1.0] * 24, "weekend": [0.5] * 24, "published_at": 12,
        "season": {"amplitude": 0.2, "highest": 15}, "limits": [-1.0, 1.0],
        "days": {"deviation": 0.0, "memory": 0.0}, "hours": {"deviation": 0.0, "memory": 0.0},
    }  # fmt: skip
    return DayAhead(read_data(PriceModel, content | changes, "here"), "")


def test_expected_prices_by_hand():
    """Monday, 15 January 2001: the crest of the year; its weekdays are 7/6 of the mean, its weekends 7/12."""
    week = model().expected(date(2001, 1, 15), 7)
    season = 1.0 + 0.2 * np.cos(2.0 * np.pi * np.arange(7) / 365.25)
    shares = np.array([7 / 6] * 5 + [7 / 12] * 2)
    np.testing.assert_allclose(week, np.repeat((0.1 * season * shares)[:, None], 24, axis=1), rtol=1e-12)
    summer = model().expected(date(2001, 7, 17), 1)[0]  # 183 days later, a Tuesday
    np.testing.assert_allclose(summer, 0.1 * (1.0 + 0.2 * np.cos(366.0 * np.pi / 365.25)) * 7 / 6, rtol=1e-12)


def test_the_sun_takes_its_depth_off_at_noon_of_the_longest_day_and_keeps_the_mean_of_the_year():
    sun = {"depth": 1.5, "noon": 12.5, "width": 2.0, "deviation": 0.0, "memory": 0.0}
    flat = {"season": {"amplitude": 0.0, "highest": 1}, "weekend": [1.0] * 24}
    bright, dark = model(sun=sun, **flat), model(**flat)
    assert (dark.expected(date(2001, 1, 1), 365) == 0.1).all()
    year = bright.expected(date(2001, 1, 1), 365)
    assert year.mean() == pytest.approx(0.1, rel=1e-3)
    longest, shortest = year[171], year[int(171 - 365.25 / 2) % 365]
    assert longest[0] - longest[12] == pytest.approx(0.15, rel=1e-6)
    assert longest[0] - longest[14] == pytest.approx(0.15 * np.exp(-0.5), rel=1e-6)
    assert longest[14] == pytest.approx(longest[10], rel=1e-9)
    assert np.ptp(shortest) < 1e-4


def test_deviations_are_in_shares_of_the_mean_and_prices_stay_within_the_limits():
    first, drawn_days = date(2001, 1, 15), standard_normal(np.random.default_rng(3), 5)
    days = model(days={"deviation": 0.3, "memory": 0.0}).window(first, 120, np.random.default_rng(3))
    off = days.reshape(5, 24) - model().expected(first, 5)
    np.testing.assert_allclose(off, np.repeat(0.03 * drawn_days[:, None], 24, axis=1), atol=1e-12)
    generator = np.random.default_rng(3)
    standard_normal(generator, 2)
    drawn_hours = standard_normal(generator, 48)
    hours = model(hours={"deviation": 2.0, "memory": 0.0}).window(first, 30, np.random.default_rng(3))
    expected = model().expected(first, 2).ravel()[:30] + 0.2 * drawn_hours[:30]
    np.testing.assert_allclose(hours, expected, atol=1e-12)
    cut = model(hours={"deviation": 2.0, "memory": 0.0}, limits=[0.05, 0.15])
    low, high = cut.window(first, 48, np.random.default_rng(3))[[drawn_hours.argmin(), drawn_hours.argmax()]]
    assert (low, high) == (0.05, 0.15)
    assert model().window(first, 30, None).tolist() == model().expected(first, 2).ravel()[:30].tolist()


def test_a_deviation_remembers_the_one_before_and_keeps_its_variance():
    noise = np.ones(4)
    autoregress(noise, 0.6)
    np.testing.assert_allclose(noise, [1.0, 1.4, 1.64, 1.784])


@pytest.mark.parametrize(
    ("what", "price", "message"),
    [
        ("electricity", 10.0, None),
        ("electricity", -10.0, None),
        ("electricity", 10.01, "electricity: a price of 10.01 EUR kWh-1"),
        ("heat", -10.01, "heat: a price of -10.01 EUR kWh-1"),
        ("fruit", 100.0, None),
        ("fruit", -0.01, "nobody pays to have fruit taken"),
        ("fruit", 100.01, "the price of hour 3 is"),
        ("co2", -100.01, "the price of hour 3 is"),
        ("electricity", np.nan, "the price of hour 3 is"),
    ],
)
def test_a_price_has_limits_that_other_units_pass(what, price, message):
    changes = {f"reward.{what}": [0.5] * 3 + [price] + [0.5] * 20}
    if message is None:
        assert getattr(override(catalog.task(WINTER), changes).reward, what)[3] == price
    else:
        with pytest.raises(ConfigError, match=message):
            override(catalog.task(WINTER), changes)
