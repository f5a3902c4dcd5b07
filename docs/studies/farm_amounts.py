"""The rules of the expert of farm-nitrogen-v1: the best mean of generated seasons within the budget.

Run: `python docs/studies/farm_amounts.py`. Each field is played by itself with each amount, given when its
soil runs low; dynamic programming chooses amounts within the budget. Single changes then better the rules of
all fields together, under the budget: amounts, thresholds, stages, a first dressing of its own, and 20
kg ha-1 from one field to another. The last line is what other generated seasons return. Test seasons take no
part, but for the climate that the generator was fitted to.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Any, Final

import numpy as np

from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs.core import BatchCore
from agbench.envs.family import build
from agbench.envs.rollout import play
from agbench.policies.field.fieldwise_search import best_within

SEASONS: Final = (0, 99)
OTHERS: Final = (100, 249)
DOSE: Final = 20.0  # kg ha-1, the step of the menu, whose largest dose is 60
AMOUNTS: Final = np.arange(0.0, 241.0, DOSE)  # kg ha-1
THRESHOLDS: Final = (0.5, 1.0, 1.5, 2.0, 3.0)  # g m-2 of mineral nitrogen
STAGES: Final = ((0.0, 1.0), (0.3, 1.0), (0.0, 0.7))  # DVS: not before, not after
FEW: Final = (0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)  # g m-2, of the first changes
MANY: Final = (*FEW, 5.0, 8.0)  # g m-2, of all later ones
ROUNDS: Final = 2  # in which every number is changed, and every 20 kg ha-1 traded
_GAIN: Final = 1.0  # kg; less is no improvement

Change = dict[str, float]


@dataclass(frozen=True)
class Rules:
    """When a field is fed: below so much mineral nitrogen, between two stages, up to an amount.

    A `first` dressing above 0 has a threshold and a stage of its own.
    """

    amount: float
    below: float
    since: float
    until: float
    most: float = 60.0
    first: float = 0.0
    first_below: float = 0.0
    first_since: float = 0.0

    def __str__(self) -> str:
        """The rules in a line."""
        text = f"{self.amount:.0f} kg ha-1, {self.most:.0f} at most, below {self.below:g} g m-2"
        text += f", DVS {self.since:g} to {self.until:g}"
        if self.first:
            text += f"; first {self.first:.0f} below {self.first_below:g} from {self.first_since:g}"
        return text


class Seasons:
    """Generated seasons of the farm, in which rules of all fields are played side by side."""

    def __init__(self, task: Any, numbers: tuple[int, int]) -> None:
        split = type(task.splits["train"])(generated=list(numbers))
        self.parts = build(task.model_copy(update={"splits": {"train": split}}), "train")
        self.core = BatchCore(self.parts, len(self.parts.scenarios.keys))
        names = [entry.name for entry in self.parts.observer.entries]
        self._soil, self._stage = (
            [names.index(f"{name}.{field}") for field in task.field_names] for name in ("TNSOIL", "DVS")
        )

    def returns(self, rules: list[Rules]) -> Any:
        """Return what rules, one a field, earn in each season [kg]."""
        table = {name: np.array([getattr(one, name) for one in rules]) for name in vars(rules[0])}
        given = np.zeros((self.core.n, len(rules)))

        def act(seen: Any, _: int) -> Any:
            soil, stage = seen[:, self._soil], seen[:, self._stage]
            left = np.maximum(table["amount"] - given, 0.0)
            open_ = (left >= DOSE) & (stage <= table["until"])
            later = open_ & (soil < table["below"]) & (stage >= table["since"])
            first = open_ & (given == 0.0) & (table["first"] > 0.0)
            first &= (soil < table["first_below"]) & (stage >= table["first_since"])
            dose = np.where(first, table["first"], np.where(later, np.minimum(left, table["most"]), 0.0))
            given[...] += dose
            return (dose / DOSE).astype(np.int64)

        self.core.over[:] = True
        self.core.reset(range(self.core.n), list(self.parts.scenarios.keys))
        return play(self.core, act)


def by_amount(task: Any) -> list[Rules]:
    """Return the rules that dynamic programming chooses, from what each field does with each by itself."""
    free = override(task, {"farm__budgets": {}})
    seasons, fields = Seasons(free, SEASONS), task.field_names
    tried = [Rules(0.0, 1.0, 0.0, 1.0)]
    tried += [Rules(a, below, *stages) for a, below, stages in product(AMOUNTS[1:], THRESHOLDS, STAGES)]
    values, spent = [], []
    drawn = seasons.core.simulator.inputs.weighted("total(N)")
    for rules in tried:
        seasons.returns([rules] * len(fields))
        values.append([seasons.core.reward.totals[f"return.{name}"].mean() for name in fields])
        spent.append([seasons.core.applied[:, column].max() * area for column, area in drawn])
    budget = np.array([float(task.farm.budgets["N"])])
    chosen = best_within(list(np.array(values).T), list(np.array(spent).T[:, :, None]), budget)
    return [tried[number] for number in chosen]


def near(value: float, grid: tuple[float, ...], away: tuple[int, ...]) -> list[float]:
    """Return the values of a grid some places away from the one nearest to `value`."""
    at = int(np.argmin(np.abs(np.array(grid) - value)))
    return [grid[at + step] for step in away if 0 <= at + step < len(grid)]


def simple_changes(rules: Rules) -> Iterator[Change]:
    """Yield another threshold, other stages, or 20 kg ha-1 more or less."""
    now = {name: getattr(rules, name) for name in ("amount", "below", "since", "until", "first_since")}
    yield from (now | {"below": below} for below in near(rules.below, FEW, (-1, 1)))
    for since, until in ((0.0, 1.0), (0.2, 1.0), (0.4, 1.0), (0.0, 0.8)):
        yield now | {"since": since, "until": until, "first_since": since}
    yield now | {"amount": max(rules.amount - DOSE, 0.0)}
    yield now | {"amount": rules.amount + DOSE}


def all_changes(rules: Rules) -> Iterator[Change]:
    """Yield another value of each number."""
    if rules.amount > 0.0:
        yield from ({"below": below} for below in near(rules.below, MANY, (-2, -1, 1, 2)))
        yield from ({"since": since} for since in (0.0, 0.2, 0.4))
        yield from ({"until": until} for until in (0.7, 0.85, 1.0))
        yield from ({"most": most} for most in (20.0, 40.0, 60.0))
        for first, below in product((20.0, 40.0, 60.0), (1.0, 2.0, 4.0)):
            yield {"first": first, "first_below": below}
        if rules.first:
            yield {"first": 0.0, "first_below": 0.0}
            yield from ({"first_below": below} for below in near(rules.first_below, MANY, (-2, -1, 1, 2)))
    yield {"amount": rules.amount + DOSE}
    yield {"amount": max(rules.amount - DOSE, 0.0)}


def bettered(
    seasons: Seasons, rules: list[Rules], changes: Callable[[Rules], Iterator[Change]], trading: bool
) -> list[Rules]:
    """Return the rules after each field's changes, and trades between fields, were tried once."""
    best, most = list(rules), float(seasons.returns(rules).mean())

    def tried(candidate: list[Rules]) -> None:
        nonlocal best, most
        value = float(seasons.returns(candidate).mean())
        if value > most + (_GAIN if trading else 0.0):
            best, most = candidate, value

    for i in range(len(best)):
        for change in list(changes(best[i])):
            tried([*best[:i], replace(best[i], **change), *best[i + 1 :]])
    for i, j in permutations(range(len(best)), 2) if trading else []:
        if best[i].amount > 0.0:
            less, more = (replace(best[k], amount=best[k].amount + by) for k, by in ((i, -DOSE), (j, DOSE)))
            tried([less if k == i else more if k == j else one for k, one in enumerate(best)])
    return best


def main() -> None:
    """Print the rules of each field, and what they return in the seasons of the search and in others."""
    task = catalog.task("farm-nitrogen-v1")
    seasons = Seasons(task, SEASONS)
    rules = bettered(seasons, by_amount(task), simple_changes, trading=False)
    for _ in range(ROUNDS):
        rules = bettered(seasons, rules, all_changes, trading=True)
    for name, one in zip(task.field_names, rules, strict=True):
        print(f"{name}: {one}")
    means = [float(some.returns(rules).mean()) for some in (seasons, Seasons(task, OTHERS))]
    print("mean returns: {:,.0f} kg, of other seasons {:,.0f} kg".format(*means))


if __name__ == "__main__":
    main()
