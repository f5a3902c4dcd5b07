from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agbench
from agbench.envs.rewards import GrowthReward, WeightReward
from agbench.variables import Variable, VariableTable

TASK = "wheat-nitrogen-v1"
YEARS = (1976, 1983, 1984, 1995, 1998)


def play(year, actions, **overrides):
    """Return the return of a season [g m-2], its final grain [g m-2] and nitrogen [kg ha-1]."""
    env = agbench.make(TASK, **overrides).unwrapped
    env.reset(options={"scenario": f"wageningen/{year}"})
    total, over, step = 0.0, False, 0
    while not over:
        action = actions[step % len(actions)]
        _, reward, terminated, truncated, info = env.step(action)
        total += reward
        over = terminated or truncated
        step += 1
    return total, info["yield"] * 100.0, info["nitrogen"]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(YEARS), st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=1, max_size=34))
def test_the_return_is_grain_above_that_without_nitrogen_less_ten_times_nitrogen(year, actions):
    total, grain, nitrogen = play(year, actions)
    _, without, _ = play(year, [0])
    assert total == pytest.approx(grain - without - 10.0 * 0.1 * nitrogen, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("year", YEARS)
def test_no_nitrogen_earns_nothing(year):
    assert play(year, [0])[0] == 0.0


def test_beta_sets_the_price():
    plan = [0, 0, 0, 2, 2, 0, 0, 0, 0, 2] + [0] * 25
    dear, _, nitrogen = play(1983, plan)
    cheap, _, _ = play(1983, plan, beta=5.0)
    assert cheap - dear == pytest.approx(0.5 * nitrogen)


def test_growth_alone_pays_the_grain():
    total, grain, nitrogen = play(1983, [1, 0, 0, 0, 0, 0, 0], reward__kind="growth")
    assert total == pytest.approx(grain - nitrogen)


def test_a_season_cut_short_still_adds_up():
    total, grain, nitrogen = play(1983, [1, 0], season__end="07-10")
    _, without, _ = play(1983, [0], season__end="07-10")
    assert grain > 0.0
    assert total == pytest.approx(grain - without - nitrogen)


def test_two_prices_are_both_paid():
    doses, prices = {"N": [0, 30], "IRRIG": [0, 2]}, {"N": 0.1, "IRRIG": 2.0}
    kind = {"doses": doses, "prices": prices, "reward__kind": "growth"}
    plan = [1, 2, 2] + [0] * 40
    total, grain, nitrogen = play(1976, plan, **kind)
    assert nitrogen == 30.0
    assert grain - total == pytest.approx(10.0 * (0.1 * 30.0 + 2.0 * 4.0))


def test_the_reference_run_is_that_of_the_row_s_own_scenario():
    envs = agbench.make_vec(TASK, len(YEARS), autoreset_mode="disabled")
    envs.reset(options={"scenario": [f"wageningen/{year}" for year in YEARS]})
    rewards = envs.step(np.zeros(len(YEARS), dtype=int))[1]
    assert not rewards.any()


def test_rows_that_do_not_move_earn_nothing():
    model = VariableTable([Variable("W", "kg ha-1", "weight", 0, 100)])
    inputs = VariableTable([Variable("N", "kg ha-1", "nitrogen", 0, 100)])
    before, after = (SimpleNamespace(state=np.array([[w], [w]]), elapsed=0) for w in (2.0, 5.0))
    moved, given = np.array([True, False]), np.array([[1.0], [1.0]])
    growth = GrowthReward(model, inputs, "W", {"N": 0.5}, 2.0, None, 2)
    growth.before(before)
    assert growth.after(after, given, moved).tolist() == [5.0 - 2.0 - 2.0 * 0.5 * 1.0, 0.0]
    assert WeightReward(model, "W", 2).after(after, given, moved).tolist() == [5.0, 0.0]
