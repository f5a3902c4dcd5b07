"""Limits of a season and losses: reported as `cost`, taken off where the reward says so."""

import numpy as np
import pytest

import agbench
from agbench.envs.constraints import ConstrainedReward
from agbench.errors import AgBenchError, ConfigError

LIMITED = "wofostgym-barley-limits-v1"
LIMITS = {"N": 80.0, "P": 80.0, "K": 80.0, "IRRIG": 40.0}


def play(task, choose, year=1984, **overrides):
    """Return rewards and infos of a season whose action at step k is `choose(k)`."""
    env = agbench.make(task, "test", **overrides).unwrapped
    env.reset(options={"scenario": f"wageningen/{year}"})
    rewards, infos, over = [], [], False
    while not over:
        _, reward, terminated, truncated, info = env.step(choose(len(rewards)))
        rewards.append(reward)
        infos.append(info)
        over = terminated or truncated
    return np.array(rewards), infos


def labels(task):
    return agbench.make(task).unwrapped.action_labels


def test_the_menu_has_seventeen_choices():
    menu = labels("wofostgym-wheat-v1")
    assert len(menu) == 17
    assert menu[0] == "nothing"
    assert menu[4] == "8 kg ha-1 N"
    assert menu[-1] == "2 cm IRRIG"


def test_yield_growth_adds_up_to_the_final_yield():
    rewards, infos = play("wofostgym-wheat-v1", lambda k: k % 17)
    assert rewards.sum() == pytest.approx(infos[-1]["yield"] * 1000.0)
    assert all(info["cost"] == 0.0 for info in infos)


def test_within_the_limits_nothing_is_taken_off():
    rewards, infos = play(LIMITED, lambda k: 4 if k < 10 else 0, limits=LIMITS)
    assert infos[-1]["nitrogen"] == 80.0
    assert infos[-1]["violations"] == 0.0
    assert rewards.sum() == pytest.approx(infos[-1]["yield"] * 1000.0)


def test_each_unit_beyond_a_limit_costs_ten_thousand():
    rewards, infos = play(LIMITED, lambda k: 3 if k < 15 else 0, limits=LIMITS)
    assert [info["cost"] for info in infos[12:16]] == [0.0, 4.0, 6.0, 0.0]
    assert infos[-1]["violations"] == 10.0
    assert infos[-1]["violation_days"] == 2.0
    assert rewards.sum() == pytest.approx(infos[-1]["yield"] * 1000.0 - 1e5)


def test_limits_are_reported_beside_any_other_reward():
    values = play("wofostgym-wheat-v1", lambda k: 3 if k < 15 else 0, limits={"N": 80.0})
    assert values[1][-1]["nitrogen"] == 90.0
    assert sum(info["cost"] for info in values[1]) == 10.0
    assert values[0].sum() == pytest.approx(values[1][-1]["yield"] * 1000.0)


def test_runoff_takes_off_what_rain_washes_away():
    rewards, infos = play("wofostgym-potato-runoff-v1", lambda k: 4 if k % 3 == 0 else 0, 1978)
    lost = infos[-1]["violations"]
    assert lost > 0.0
    assert rewards.sum() == pytest.approx(infos[-1]["yield"] * 1000.0 - 1e4 * lost)


def test_without_fertiliser_nothing_runs_off():
    assert play("wofostgym-potato-runoff-v1", lambda k: 0, 1982)[1][-1]["violations"] == 0.0


def test_profit_is_product_less_inputs():
    prices = {"N": 1.0, "IRRIG": 10.0}
    rewards, infos = play(
        "wofostgym-wheat-v1", lambda k: k % 17, reward__kind="profit", product_price=0.2, prices=prices
    )
    last = infos[-1]
    worth = 0.2 * last["yield"] * 1000.0 - last["nitrogen"] - 10.0 * last["water"]
    assert rewards.sum() == pytest.approx(worth)


def test_cost_is_growth_less_inputs():
    rewards, infos = play("wofostgym-wheat-v1", lambda k: k % 17, reward__kind="cost", prices={"N": 2.0})
    assert rewards.sum() == pytest.approx(infos[-1]["yield"] * 1000.0 - 2.0 * infos[-1]["nitrogen"])


def test_weight_pays_what_stands_at_every_step():
    rewards, infos = play("wofostgym-wheat-v1", lambda k: k % 17, reward__kind="storage-organ-weight")
    assert rewards.tolist() == pytest.approx([info["yield"] * 1000.0 for info in infos])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reward__kind": "threshold"}, "needs limits"),
        ({"reward__kind": "profit"}, "needs product_price"),
        ({"reward__kind": "runoff"}, "needs lost"),
    ],
)
def test_a_reward_without_what_it_rests_on_is_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        agbench.make("wofostgym-wheat-v1", **changes)


@pytest.mark.parametrize(
    ("task", "changes", "message"),
    [
        ("wheat-inputs-v1", {"prices": {"Q": 1.0}}, "wheat-inputs-v1: reward.prices: unknown variable 'Q'"),
        (
            "wheat-inputs-v1",
            {"reward__limits": {"Q": 1.0}},
            "reward.limits: unknown variable 'Q'.*IRRIG, K, N",
        ),
        (
            "wheat-inputs-v1",
            {"lost": "TOTN_RUNNOFF"},
            "reward.lost: unknown variable.*Did you mean 'TOTN_RUNOFF'",
        ),
        ("wheat-inputs-v1", {"state": ["LIA"]}, "observation.state: unknown variable 'LIA'.*Did you mean"),
        ("wheat-inputs-v1", {"doses": {"Q": [0, 1]}}, "action.doses: unknown variable 'Q'"),
        (
            "wheat-inputs-v1",
            {"reward__prices__N": -1.0},
            "reward.prices.N: .*greater than or equal to 0; got -1",
        ),
        (
            "wheat-limits-v1",
            {"reward__limits__N": -1.0},
            "reward.limits.N: .*greater than or equal to 0; got -1",
        ),
        ("farm-nitrogen-v1", {"farm__budgets__N": 1e300}, "farm.budgets.N: .*less than or equal to"),
        ("sunflower-farm-v1", {"reward__prices__P": -1.0}, "reward.prices.P: .*greater than or equal to 0"),
    ],
)
def test_prices_limits_and_names_that_make_no_sense_are_refused_with_their_key(task, changes, message):
    with pytest.raises(AgBenchError, match=message):
        agbench.make(task, **changes)


class Flat:
    """A reward of 1 a step, and a simulator whose state is what has been lost so far."""

    def __init__(self):
        self.state = np.zeros((2, 1))

    def reset(self, row, world):
        pass

    def before(self, simulator):
        pass

    def after(self, simulator, inputs, moved):
        return np.ones(2)

    def save(self, row):
        return "inner"

    def load(self, row, saved, world):
        assert saved == "inner"


def test_a_step_violates_by_what_it_adds_beyond_the_limits_and_by_what_is_lost():
    flat = Flat()
    reward = ConstrainedReward(flat, np.array([0, 1]), [10.0, 1.0], 0, 100.0, 2)
    both, first = np.ones(2, bool), np.array([True, False])
    for inputs, lost, moved, cost in (
        ([10.0, 1.0], 0.0, both, [0.0, 0.0]),  # exactly the limits
        ([2.0, 0.0], 0.0, first, [2.0, 0.0]),  # what does not move uses nothing
        ([0.0, 3.0], 0.5, both, [3.5, 3.5]),
        ([0.0, 0.0], 0.25, both, [0.25, 0.25]),  # of what is lost only what this step adds
        ([0.0, 0.0], -1.0, both, [0.0, 0.0]),  # what comes back is no gain
        ([5e-10, 0.0], 0.0, first, [5e-10, 0.0]),  # rounding is no violation
    ):
        reward.before(flat)
        flat.state += lost
        earned = reward.after(flat, np.array([inputs, inputs]), moved)
        np.testing.assert_allclose(reward.cost, cost, atol=1e-15)
        np.testing.assert_allclose(earned, 1.0 - 100.0 * np.array(cost))
    np.testing.assert_allclose(reward.totals["violations"], [5.75, 3.75])
    assert reward.totals["violation_steps"].tolist() == [3.0, 2.0]
    kept = reward.save(0)
    reward.reset(0, None)
    assert (reward.totals["violations"][0], reward.totals["violation_steps"][0], reward.cost[0]) == (0, 0, 0)
    reward.load(1, kept, None)
    assert reward.totals["violations"][1] == pytest.approx(5.75)
    reward.before(flat)
    reward.after(flat, np.array([[10.0, 1.0], [1.0, 0.0]]), both)
    np.testing.assert_allclose(reward.cost, [0.0, 1.0])  # the first row began anew, the second has used all
