"""The accounts of a greenhouse step, row by row in one compiled pass: growth, use of resources, and costs."""

from typing import Final

import numpy as np

from agbench.compiled import entry
from agbench.data.greenhouse_reward import GreenhouseReward
from agbench.envs.greenhouse.constraints import ClimateLimits
from agbench.variables import Floats

ENTRIES: Final = (
    *("profit", "income", "spent", "fruit", "harvest", "heat", "electricity", "co2", "water", "light"),
    *("penalty", "hours_temperature", "hours_co2", "hours_humidity", "cost"),
)
"""EUR m-2; fresh kg m-2; kWh m-2; kg m-2 of CO2 and water; MJ m-2 of absorbed PAR; EUR m-2; h; cost
in h of full-scale violation."""

JOULES: Final = 3.6e6  # per kWh
MG: Final = 1e6  # per kg


def book(
    grown: Floats,
    used: Floats,
    climate: Floats,
    limits: ClimateLimits,
    prices: Floats,
    spec: GreenhouseReward,
    hours: float,
) -> Floats:
    """Return the entries (n, 15) of a step of some `hours`, in the order of `ENTRIES`.

    `grown` (n,) is the change of fruit on the plants [mg m-2], `used` (n, 6) the meters' step,
    `climate` (n, 4) what sensors read at its end, `prices` (n, 4) those in force, in the order of
    `PRICED`.
    """
    result = np.empty((len(grown), len(ENTRIES)))
    violations = limits.violations(climate)
    fresh = 1.0 / (MG * spec.dry_matter)
    _book(grown, used, violations, prices, fresh, spec.penalty, hours, result)
    return result


@entry
def _book(
    grown: Floats,
    used: Floats,
    violations: Floats,
    prices: Floats,
    fresh: float,
    penalty: float,
    hours: float,
    result: Floats,
) -> None:
    for i in range(len(grown)):
        harvest = used[i, 3]
        fruit = (grown[i] + harvest) * fresh
        heat, light, co2 = used[i, 0] / JOULES, used[i, 1] / JOULES, used[i, 2] / MG
        income = fruit * prices[i, 0]
        spent = heat * prices[i, 2] + light * prices[i, 3] + co2 * prices[i, 1]
        result[i, 0], result[i, 1], result[i, 2] = income - spent, income, spent
        result[i, 3], result[i, 4] = fruit, harvest * fresh
        result[i, 5], result[i, 6], result[i, 7] = heat, light, co2
        result[i, 8], result[i, 9] = used[i, 4], used[i, 5] * 1e-6
        cost = (violations[i, 0] + violations[i, 1] + violations[i, 2]) * hours
        result[i, 10] = penalty * cost
        for k in range(3):
            result[i, 11 + k] = hours if violations[i, k] > 0.0 else 0.0
        result[i, 14] = cost
