"""What an adviser would not do: nitrogen on bare soil or young winter wheat, anything on a ripe crop."""

from functools import cache

import numpy as np
import pytest

import agbench
from agbench.data import catalog
from agbench.data.field_task import FieldTask
from agbench.data.suites import suite
from agbench.evaluation.references import policy_name

SUITES = ("core", "field", "crops", "replication")
FED = sorted(
    name
    for name in {name for label in SUITES for name in suite(label).ids}
    if isinstance(task := catalog.task(name), FieldTask) and {"N"} < set(task.action.doses)
)
WINTER_WHEAT = ("wheat-inputs-v1", "wheat-limits-v1", "wheat-layered-v1", "wheat-planting-v1")
SEASONS = 4
TOTALS = {"nitrogen": "TOTN", "phosphorus": "TOTP", "potassium": "TOTK", "water": "TOTIRRIG"}
ANNUAL = [name for name in FED if catalog.task(name).season.years == 1 and name != "wheat-maize-rotation-v1"]
LEGUMES = ("chickpea", "cowpea", "fababean", "groundnut", "soybean")
"""They fix their nitrogen; their experts give none."""


@cache
def stages_of(name, seasons):
    """Return DVS of the standing crop at each dose of the expert, by input; -1 where none stands."""
    env = agbench.make(name, split="test")
    names = [entry.name for entry in env.unwrapped.observation_entries]
    expert = agbench.load_policy(policy_name(catalog.task(name), "expert"), name)
    found = {input: [] for input in TOTALS.keys() & catalog.task(name).metrics.keys()}
    for number, key in enumerate(list(env.unwrapped.scenarios)[:seasons]):
        seen, told = env.reset(seed=number, options={"scenario": key})
        expert.reset(number)
        over = False
        while not over:
            before, given = seen, told
            seen, _, terminated, truncated, told = env.step(expert(before))
            over = terminated or truncated
            for input in found:
                if told[input] > given[input]:
                    found[input] += stages_of_fed(names, before, seen, input)
    return {input: np.array(stages) for input, stages in found.items()}


def stages_of_fed(names, before, after, input):
    """Return DVS before a dose in each of the fields that got it, or in the one field that there is."""
    fields = [name.removeprefix("DVS") for name in names if name.startswith("DVS")]
    totals = [names.index(f"{TOTALS[input]}{field}") for field in fields] if len(fields) > 1 else []
    fed = [after[at] > before[at] for at in totals] or [True]
    stands = "CROP" not in names or before[names.index("CROP")] > 0.5
    return [
        float(before[names.index(f"DVS{field}")]) if stands else -1.0
        for field, got in zip(fields, fed, strict=True)
        if got
    ]


@pytest.mark.slow_except(
    "wheat-*", "*orchard-v1", "grape-*", "maize-*", "sunflower-farm-v1", "potato-inputs-v1"
)
@pytest.mark.parametrize("name", FED)
def test_experts_give_no_nitrogen_to_bare_soil_or_a_ripening_crop(name):
    stages = stages_of(name, SEASONS)["nitrogen"]
    assert len(stages) > 0 or name.startswith(LEGUMES)
    assert (stages >= 0.0).all()
    assert (stages <= 1.8).all()


@pytest.mark.parametrize("name", ANNUAL)
def test_experts_give_nothing_to_a_ripe_crop(name):
    for input, stages in stages_of(name, SEASONS).items():
        assert (stages <= 1.9).all(), input


@pytest.mark.parametrize("name", WINTER_WHEAT)
def test_winter_wheat_is_fed_from_tillering_on(name):
    stages = stages_of(name, 30)["nitrogen"]
    assert len(stages) > 30  # it feeds, mostly more than once
    assert (stages >= 0.1).all()
