"""Rotations as tasks: what the choices do, what is paid, what the schema refuses."""

from datetime import date, timedelta

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.data.reading import read_data
from agbench.envs.core import BatchCore
from agbench.envs.family import build, family
from agbench.errors import ConfigError

TASK = "wheat-maize-rotation-v1"
NOTHING, WHEAT, MAIZE, CATCH, HARVEST, N30, P20 = 0, 1, 2, 3, 4, 5, 8
SCENARIO, FIRST = "wageningen/1976", date(1976, 3, 1)
PLAN = {
    date(1976, 4, 20): MAIZE,
    date(1976, 6, 1): N30,
    date(1976, 7, 1): P20,
    date(1976, 10, 12): HARVEST,
    date(1976, 10, 26): WHEAT,
    date(1977, 8, 16): HARVEST,
    date(1977, 8, 23): CATCH,
    date(1978, 4, 4): HARVEST,
}


def play(env, plan):
    """Return the steps of an episode as (day, action, reward, info); `plan` is done at the first decision."""
    _, info = env.reset(seed=0, options={"scenario": SCENARIO})
    plan, steps, over = sorted(plan.items()), [], False
    while not over:
        day = FIRST + timedelta(days=int(info["elapsed"]) + 1)
        action = plan.pop(0)[1] if plan and day >= plan[0][0] else NOTHING
        _, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        steps.append((day, action, float(reward), info))
    return steps


@pytest.fixture(scope="module")
def env():
    return agbench.make(TASK, "train").unwrapped


def test_the_menu_names_the_crops(env):
    assert env.action_labels[:5] == [
        "nothing",
        "PLANT wheat-2",
        "PLANT maize-2",
        "PLANT rapeseed-1",
        "HARVEST",
    ]
    assert env.action_space.n == 10


def test_an_episode_lasts_four_growing_seasons(env):
    task = catalog.task(TASK)
    assert task.season.days_from(1976) == (date(1976, 3, 1), date(1979, 12, 31))
    assert family(task).longest(task) == 1401
    steps = play(env, {})
    assert steps[-1][3]["elapsed"] == 1400
    assert sum(reward for _, _, reward, _ in steps) == 0.0  # four years of fallow


def test_each_crop_is_paid_at_its_price_less_its_cost(env):
    steps, reward = play(env, PLAN), catalog.task(TASK).reward
    paid = {action: r for _, action, r, _ in steps if action != NOTHING and action != HARVEST}
    assert paid == {MAIZE: -800.0, WHEAT: -700.0, CATCH: -90.0, N30: -24.0, P20: -44.0}
    maize, wheat, catch = (r for _, action, r, _ in steps if action == HARVEST)
    info = steps[-1][3]
    assert maize == pytest.approx(info["maize"] * 1000.0 * reward.crop_prices["maize-2"])
    assert wheat == pytest.approx(info["wheat"] * 1000.0 * reward.crop_prices["wheat-2"])
    assert min(maize, wheat) > 400.0
    assert catch == 0.0
    assert (info["maize_sown"], info["wheat_sown"], info["catch_crops"]) == (1.0, 1.0, 1.0)
    assert sum(r for _, action, r, _ in steps if action == NOTHING) == 0.0


def test_sowing_out_of_season_or_on_a_crop_costs_and_does_nothing(env):
    steps = play(env, {date(1976, 3, 9): MAIZE, date(1976, 5, 4): MAIZE, date(1976, 5, 11): MAIZE})
    paid = [r for _, action, r, _ in steps if action == MAIZE]
    assert paid == [0.0, -800.0, 0.0]
    assert steps[-1][3]["maize_sown"] == 1.0
    assert steps[-1][3]["maize"] == 0.0  # never harvested


def test_a_saved_episode_goes_on_bit_by_bit_and_its_accounts_with_it(env):
    actions = [action for _, action, _, _ in play(env, PLAN)]
    parts = build(catalog.task(TASK), "train")
    one, other = BatchCore(parts, 1), BatchCore(parts, 2)
    one.reset([0], [SCENARIO])
    other.reset([0, 1], ["wageningen/1980"] * 2)
    for i, action in enumerate(actions):
        if i == 60:
            other.load(1, one.save(0))
        rewards = one.step(np.array([action]), ~one.over)[0]
        if i >= 60:
            cloned = other.step(np.array([NOTHING, action]), ~other.over)[0]
            assert cloned[1] == rewards[0]
            np.testing.assert_array_equal(one.observations[0], other.observations[1])
    for name, values in one.info().items():
        assert other.info()[name][1] == values[0]


def test_day_of_year_is_seen(env):
    place = env.core.parts.observer.index("day_of_year")
    env.reset(seed=0, options={"scenario": SCENARIO})
    seen = [env.step(NOTHING)[0][place] for _ in range(50)]
    assert seen[:2] == [75.0, 82.0]  # 15 and 22 March of a leap year
    assert seen[44] == pytest.approx((date(1976, 3, 1) + timedelta(days=7 * 46) - date(1977, 1, 1)).days + 1)


def test_hidden_seasons_are_four_years_of_generated_weather():
    core = agbench.make(TASK, "train").unwrapped
    core.reset(seed=0, options={"scenario": "wageningen/generated/5"})
    assert int(core.core.simulator.horizon[0]) == 1401  # 2004 has a 29 February
    assert np.ptp(core.core.simulator.coming(1400, np.array([3]))[0]) > 20.0  # degC


def content(**changes):
    task = catalog.task(TASK).content()
    for path, value in changes.items():
        section, _, key = path.partition("__")
        task[section][key] = value
    return task


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"simulator__crop": "maize-2"}, "first crop of season.rotation"),
        ({"season__management": "plant"}, "needs the crops of a rotation|needs a sowing_window"),
        ({"season__management": "harvest", "season__rotation": {}}, "4 years need the management"),
        ({"season__rotation": {}}, "needs the crops of a rotation"),
        ({"reward__kind": "growth"}, "rotation-profit"),
        ({"reward__crop_costs": {"wheat-2": 1.0}}, "must name wheat-2, maize-2, rapeseed-1"),
        ({"randomisation__crops": ["wheat-1"]}, "a rotation has several"),
    ],
)
def test_a_rotation_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        read_data(FieldTask, content(**changes), "task")


def test_a_choice_of_each_crop_is_needed_among_the_doses():
    task = content()
    task["action"]["doses"]["PLANT"] = [0, 1]
    with pytest.raises(ConfigError, match=r"PLANT: \[0, 1, 2, 3\]"):
        read_data(FieldTask, task, "task")


def test_a_rotation_and_its_model_go_together():
    task = content(simulator__model="wofost-npk")
    with pytest.raises(ConfigError, match="go together"):
        build(read_data(FieldTask, task, "task"), "train")
