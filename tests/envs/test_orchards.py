"""Orchards as environments: seasons of several years, harvests that pay each year, weather kept apart."""

import numpy as np
import pytest

from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.errors import AgBenchError

SEASON = {
    "start": "01-01",
    "start_type": "sowing",
    "end": "12-31",
    "step": "7 d",
    "warmup": "1 d",
    "management": "orchard",
    "years": 3,
    "age": 8,
}


def orchard(splits=None, **changes):
    """Return a task of three years of jujube, made from one of spring wheat."""
    content = catalog.task("wofostgym-wheat-v1").content()
    content["reward"]["variable"] = content["metrics"]["yield"]["state"] = "HARVESTED"
    content["simulator"] |= {"crop": "jujube-1", "site": "lodi", "limitation": "pp"}
    content["season"] = SEASON | changes.pop("season", {})
    doses = {"HARVEST": [0, 1], "PRUNE": [0, 0.2], "PLANT": [0, 1], "N": [0, 20, 40], "IRRIG": [0, 2]}
    if content["season"]["management"] != "orchard":
        del doses["PLANT"]
    content["action"]["doses"] = doses
    content["observation"]["state"] = ["STAGE", "DVS", "AGE", "WSO", "WWD", "WRES", "NAVAIL", "SM"]
    content["metrics"] = {"yield": content["metrics"]["yield"]}
    content["splits"] = splits or {"train": {"generated": (0, 3)}, "test": {"generated": (4, 5)}}
    return FieldTask.model_validate(content | changes)


def columns(core, *names):
    """Return columns of the state."""
    return [core.simulator.state[:, core.simulator.variables.column(name)] for name in names]


def play(core, act):
    """Return rewards (steps, n) of episodes; `act(core)` returns actions."""
    rewards, over = [], np.zeros(core.simulator.n, bool)
    core.reset(range(core.simulator.n), ["lodi/generated/4", "lodi/generated/5"][: core.simulator.n])
    while not over.all():
        reward, terminated, truncated = core.step(act(core), ~over)
        rewards.append(np.where(over, 0.0, reward))
        over = over | terminated | truncated
    return np.array(rewards)


def pick(core):
    """Harvest in autumn, and nothing else."""
    autumn, fruit = columns(core, "AUTUMN", "HWSO")
    nothing = np.zeros(core.simulator.n, int)
    return np.where((autumn > 0.0) & (fruit > 0.0), core.parts.actions.encode("HARVEST", 1.0)[0], nothing)


def test_a_season_of_three_years_pays_three_harvests():
    core = BatchCore(build(orchard(), "test"), 2)
    rewards = play(core, pick)
    assert (rewards > 500.0).sum(axis=0).tolist() == [3, 3]
    harvested, crop, age = columns(core, "HARVESTED", "CROP", "AGE")
    np.testing.assert_allclose(rewards.sum(axis=0), harvested)
    assert core.simulator.elapsed.tolist() == [1094, 1094]
    assert crop.tolist() == [1.0, 1.0]
    assert age.tolist() == [10.0, 10.0]


def test_a_row_of_a_batch_is_a_single_environment():
    both, one = (BatchCore(build(orchard(), "test"), n) for n in (2, 1))
    first = play(both, pick)[:, 0]
    assert first.tolist() == play(one, pick)[:, 0].tolist()
    assert both.simulator.state[0].tolist() == one.simulator.state[0].tolist()


def test_replanting_costs_years_without_fruit():
    replanted = []

    def act(core):
        actions = pick(core)
        if not replanted:
            replanted.append(True)
            actions[:] = core.parts.actions.encode("PLANT", 1.0)[0]
        return actions

    core = BatchCore(build(orchard(), "test"), 1)
    young, old = play(core, act).sum(), play(BatchCore(build(orchard(), "test"), 1), pick).sum()
    assert columns(core, "AGE")[0][0] < 3.0
    assert 0.0 < young < 0.3 * old


def test_an_orchard_without_harvest_loses_its_fruit():
    task = orchard()
    doses = {name: amounts for name, amounts in task.action.doses.items() if name != "HARVEST"}
    unpicked = task.model_copy(update={"action": task.action.model_copy(update={"doses": doses})})
    core = BatchCore(build(FieldTask.model_validate(unpicked.content()), "test"), 2)
    assert (play(core, lambda core: np.zeros(2, int)) == 0.0).all()
    grown, harvested, standing = columns(core, "TWSO", "HARVESTED", "WSO")
    assert (grown > 1_500.0).all()
    assert (harvested == 0.0).all()
    assert (standing == 0.0).all()


def test_an_option_left_at_its_default_is_no_part_of_a_task():
    assert not {"years", "age"} & catalog.task("wheat-planting-v1").identity()["season"].keys()
    assert orchard().identity()["season"]["years"] == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"season": {"management": "inputs"}}, "need the management 'orchard'"),
        (
            {"splits": {"train": {"years": [1976, 1983]}, "test": {"years": [1978]}}},
            "seasons of 3 years of train and test both reach into 1978 at lodi",
        ),
    ],
)
def test_refuses_seasons_that_cannot_be(changes, message):
    with pytest.raises(ValueError, match=message):
        orchard(**changes)


@pytest.mark.parametrize(
    ("season", "crop", "message"),
    [
        ({"management": "harvest", "years": 1}, "jujube-1", "jujube-1 is perennial; write 'orchard'"),
        ({"age": None}, "wheat-1", "wheat-1 is annual; write 'inputs'"),
        ({}, "wheat-1", "wheat-1 has no age"),
    ],
)
def test_refuses_the_management_of_another_crop(season, crop, message):
    task = orchard(season=season)
    task = task.model_copy(update={"simulator": task.simulator.model_copy(update={"crop": crop})})
    with pytest.raises(AgBenchError, match=message):
        build(task, "test")


@pytest.mark.parametrize(
    ("name", "most", "kind"),
    [("PRUNE", 10, "menu"), ("PRUNE", 1.5, "continuous"), ("N", 1e9, "menu"), ("IRRIG", 101, "menu")],
)
def test_doses_that_no_day_can_bring_are_refused(name, most, kind):
    changes = {"action.doses": {"HARVEST": [0, 1], name: [0, most]}, "action.kind": kind}
    with pytest.raises(AgBenchError, match=f"{name}: .* is more than a day may bring"):
        override(catalog.task("jujube-orchard-v1"), changes)
