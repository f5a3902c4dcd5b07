"""What an adviser would not do: nitrogen on bare soil, or on winter wheat that has just come up."""

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.farm_task import FarmTask
from agbench.data.field_task import FieldTask
from agbench.data.suites import suite
from agbench.evaluation.references import policy_name

FED = sorted(
    name
    for name in {*suite("core").ids, *suite("field").ids, *suite("crops").ids}
    if isinstance(task := catalog.task(name), FieldTask)
    and not isinstance(task, FarmTask)
    and {"N"} < set(task.action.doses)
    and task.season.years == 1
)
WINTER_WHEAT = ("wheat-inputs-v1", "wheat-limits-v1", "wheat-layered-v1", "wheat-planting-v1")
SEASONS = 4


def stages_of_nitrogen(name, seasons):
    """Return DVS of the standing crop at each dose of nitrogen of the expert; -1 where none stands."""
    env = agbench.make(name, split="test")
    names = [entry.name for entry in env.unwrapped.observation_entries]
    expert = agbench.load_policy(policy_name(catalog.task(name), "expert"), name)
    found = []
    for number, key in enumerate(list(env.unwrapped.scenarios)[:seasons]):
        seen, told = env.reset(options={"scenario": key})
        expert.reset(number)
        over = False
        while not over:
            stands = "CROP" not in names or seen[names.index("CROP")] > 0.5
            stage, before = float(seen[names.index("DVS")]), told["nitrogen"]
            seen, _, terminated, truncated, told = env.step(expert(seen))
            over = terminated or truncated
            if told["nitrogen"] > before:
                found.append(stage if stands else -1.0)
    return np.array(found)


@pytest.mark.parametrize("name", FED)
def test_experts_give_no_nitrogen_to_bare_soil_or_a_ripening_crop(name):
    stages = stages_of_nitrogen(name, SEASONS)
    assert (stages >= 0.0).all()
    assert (stages <= 1.8).all()


@pytest.mark.parametrize("name", WINTER_WHEAT)
def test_winter_wheat_is_fed_from_tillering_on(name):
    stages = stages_of_nitrogen(name, 30)
    assert len(stages) > 30  # it feeds, mostly more than once
    assert (stages >= 0.1).all()
