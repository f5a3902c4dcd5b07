"""The amounts of the expert of farm-nitrogen-v1: the best mean of generated seasons within the budget.

Run: `python docs/studies/farm_amounts.py`. Each field is played by itself with each amount, given when its
soil runs low, in seasons of the site's weather generator; the dynamic programming of the oracle chooses.
Test seasons take no part, but for the climate that the generator was fitted to.
"""

from itertools import product

import numpy as np

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.rollout import play
from agbench.policies.field.fieldwise import Fieldwise, FieldwiseSettings
from agbench.policies.field.fieldwise_search import best_within
from agbench.policies.registry import interface_of

SEASONS = 150
AMOUNTS = np.arange(0.0, 241.0, 20.0)  # kg ha-1
THRESHOLDS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)  # g m-2 of mineral nitrogen
STAGES = ((0.0, 1.0), (0.0, 0.7), (0.15, 1.0), (0.3, 1.0))  # DVS: not before, not after
DOSES = (60.0, 40.0, 20.0)  # kg ha-1, the larger one first


def rules(amount, below, stages):
    """Return the settings that give every field an amount in a season, between two stages."""
    when = {"input": "N", "when": "TNSOIL", "below": below, "until": amount, "within": {"DVS": list(stages)}}
    return FieldwiseSettings(policy="rules", settings={"rules": [when | {"amount": dose} for dose in DOSES]})


def played(task, parts, settings):
    """Return the mean return of each field and the most nitrogen that it took [kg], (fields,) each."""
    keys = list(parts.scenarios.keys)
    policies = [Fieldwise("grower", settings, interface_of(task)) for _ in keys]
    core = BatchCore(parts, len(keys))
    core.reset(range(core.n), keys)
    play(core, lambda seen, _: np.array([p(row) for p, row in zip(policies, seen, strict=True)]))
    returns = [core.reward.totals[f"return.{name}"].mean() for name in task.field_names]
    drawn = core.simulator.inputs.weighted("total(N)")
    return returns, [core.applied[:, column].max() * area for column, area in drawn]


def main():
    """Print the amount and the threshold of each field."""
    task = catalog.task("farm-nitrogen-v1")
    split = type(task.splits["train"])(generated=[0, SEASONS - 1])
    free = override(task, {"farm__budgets": {}}).model_copy(update={"splits": {"train": split}})
    parts = build(free, "train")
    candidates = list(product(AMOUNTS, THRESHOLDS, STAGES))
    values, spent = map(np.array, zip(*[played(free, parts, rules(*one)) for one in candidates], strict=True))
    budget = np.array([float(task.farm.budgets["N"])])
    chosen = best_within(list(values.T), list(spent.T[:, :, None]), budget)
    for name, number in zip(task.field_names, chosen, strict=True):
        amount, below, (first, last) = candidates[number]
        print(f"{name}: {amount:.0f} kg ha-1, below {below:.0f} g m-2, DVS {first:g} to {last:g}")


if __name__ == "__main__":
    main()
