"""Sowing and harvest by the agent: when they count, what they end, what is paid."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.errors import ConfigError

TASK = "wheat-planting-v1"
NOTHING, PLANT, HARVEST = 0, 1, 2
DAILY = {
    "season__start": "02-01",
    "season__end": "10-31",
    "step": "1 d",
    "sowing_window": ["02-15", "05-31"],
    "soil": "oregon-1",
    "randomisation__parameters": {},
    "reward__kind": "growth",
    "prices": {},
}
"""A season in which every day is a decision, on one soil, that pays the kilograms harvested."""


def play(actions, task=TASK, scenario="wageningen/1984", **overrides):
    """Return the steps of a season as (day, reward, info, over); `actions` by day, else nothing."""
    env = agbench.make(task, "test", **DAILY | overrides).unwrapped
    _, info = env.reset(seed=0, options={"scenario": scenario})
    column = env.core.simulator.variables.column
    steps, over = [], False
    while not over:
        day = info["elapsed"] + 1
        _, reward, terminated, truncated, info = env.step(actions.get(day, NOTHING))
        over = terminated or truncated
        steps.append((day, reward, info, bool(env.core.simulator.state[0, column("CROP")])))
    return steps


def test_the_menu_describes_its_choices():
    env = agbench.make(TASK).unwrapped
    assert env.action_labels[:4] == ["nothing", "PLANT", "HARVEST", "20 kg ha-1 N"]
    assert env.action_space.n == 19


def test_a_season_without_sowing_ends_without_yield():
    steps = play({20: HARVEST})
    assert sum(reward for _, reward, _, _ in steps) == 0.0
    assert steps[-1][0] == 273  # 31 October, counted from 1 February, 1984
    assert not any(stands for *_, stands in steps)


@pytest.mark.parametrize(("day", "sown"), [(13, False), (14, True), (120, True), (121, False)])
def test_sowing_counts_within_its_window_only(day, sown):
    """15 February is day 14 of 1984's season, 31 May day 120."""
    steps = play({day: PLANT})
    assert any(stands for *_, stands in steps) == sown
    assert not sown or next(d for d, _, _, stands in steps if stands) == day


def test_a_second_sowing_changes_nothing():
    once, twice = play({40: PLANT, 200: HARVEST}), play({40: PLANT, 60: PLANT, 200: HARVEST})
    assert [reward for _, reward, _, _ in once] == [reward for _, reward, _, _ in twice]


def test_a_harvest_pays_and_ends_the_season():
    steps = play({40: PLANT, 190: HARVEST})
    assert steps[-1][0] == 190
    assert steps[-1][1] > 100.0
    assert all(reward == 0.0 for _, reward, _, _ in steps[:-1])
    assert steps[-1][2]["yield"] == pytest.approx(steps[-1][1] / 1000.0)
    assert steps[-1][2]["growing_days"] == 150


def test_what_is_not_harvested_is_lost():
    steps = play({40: PLANT})
    assert steps[-1][0] == 273
    assert sum(reward for _, reward, _, _ in steps) == 0.0


def test_a_harvest_on_the_day_of_sowing_does_nothing():
    env = agbench.make(TASK, "test", **DAILY, action__kind="continuous").unwrapped
    env.reset(seed=0, options={"scenario": "wageningen/1984"})
    both = np.array([1, 1, -1, -1, -1, -1], dtype=np.float32)
    over = False
    while not over:
        *_, over, _, info = env.step(both)
    assert info["elapsed"] == 15  # sown on day 14, when the window opens


def test_a_sown_crop_equals_the_calendar_s():
    """A season sown by action on the day of the calendar is the same season."""
    by_action = play({43: PLANT, 180: HARVEST})
    changed = {"management": "harvest", "sowing_window": None, "season__start": "03-15"}
    env = agbench.make(TASK, "test", **DAILY | changed, doses={"HARVEST": [0, 1]}).unwrapped
    env.reset(seed=0, options={"scenario": "wageningen/1984"})
    over, days = False, 1
    while not over:
        days += 1
        _, reward, over, truncated, _ = env.step(1 if days == 180 - 43 + 1 else 0)
        over = over or truncated
    assert reward == pytest.approx(by_action[-1][1], rel=0.05)


def test_the_expert_beats_fixed_days_in_every_year_of_two():
    years = [1996, 2004]
    expert, floor = (
        agbench.evaluate(TASK, policy, years=years).episodes["return"].to_numpy()
        for policy in ("advisor", "fixed-days")
    )
    assert (expert > floor).all()
    assert (floor > 50.0).all()  # EUR ha-1 of wheat that is neither fed nor watered


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sowing_window": None}, "needs a sowing_window"),
        ({"doses": {"HARVEST": [0, 1]}}, "needs action.doses PLANT"),
        ({"management": "harvest", "sowing_window": None}, "PLANT among the doses needs"),
        ({"sowing_window": ["12-01", "11-01"]}, "first and the last day of sowing must lie in this order"),
        ({"sowing_window": ["11-01", "10-20"]}, "must lie in this order in a season from"),
        ({"limit": {"HARVEST": 0.5}}, "HARVEST is work that is done or not"),
        ({"limit": {"Q": 5.0}}, "limit: Q is none of the doses"),
        ({"limit": {"N": -5.0}}, "N: -5 is no amount"),
        ({"warmup": "400 d"}, "a warmup of 400 d leaves nothing of a season of"),
    ],
)
def test_half_a_setting_is_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        override(catalog.task(TASK), changes)


def test_what_the_engines_cannot_do_is_an_error():
    with pytest.raises(ConfigError, match="setting 'sound'"):
        agbench.make(TASK, setting="published").reset()
    with pytest.raises(ConfigError, match="wofost81-nwlp on the engine 'pcse' has no harvest"):
        agbench.make(TASK, model="wofost81-nwlp", engine="pcse")
