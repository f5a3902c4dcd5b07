"""Response: more of an action moves yield and cost the way an agronomist expects."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.data.field_task import FieldTask
from agbench.envs.core import BatchCore, Parts
from agbench.envs.rollout import Act, play
from agbench.errors import ContractError
from agbench.variables import Booleans, Floats

_RIPE = 2.0  # development stage at maturity
_OFTEN = 7  # d; on longer steps there are too few decisions for all inputs
_LEVELS: Final = (0, 1, 2, 4, 8)
"""How many of the season's decisions give the input's largest dose, evenly spread."""

_MANY: Final = (0, 4, 8, 16, 32)
"""The same for inputs of which a crop needs more, such as water in a desert."""

_TREES: Final = ("PRUNE", "PLANT")
_MOST_SCENARIOS = 12  # the first ones; generated splits have thousands
_LEAST = 1e-3
"""What counts as a change, as a share of the largest value in the trial.

An input of which a hundred-thousandth arrives stays below it, and so does rounding. The weakest real answer,
that of jujube to water in the rain of Sichuan, is 0.3 %.
"""

_ENOUGH = 0.25
"""Of the scenarios: rain leaves rice and jujube short of water in three of twelve."""


@dataclass(frozen=True)
class FieldResponse:
    """What seasons become with each level of an input, (levels, scenarios) each.

    `beside` are the inputs given on the other decisions, `grown` is the rewarded variable at the end.
    """

    name: str
    beside: tuple[str, ...]
    levels: tuple[int, ...]
    scenarios: tuple[str, ...]
    returns: Floats
    grown: Floats
    metrics: dict[str, Floats]

    @property
    def rises(self) -> Floats:
        """What the best of the amounts leaves beyond what none does, (scenarios,)."""
        best: Floats = (self.grown - self.grown[0]).max(axis=0)
        return best

    @property
    def answers(self) -> Booleans:
        """Whether it rises by more than a thousandth of the largest of all runs, (scenarios,)."""
        enough: Booleans = self.rises > _LEAST * np.abs(self.grown).max()
        return enough

    @property
    def raises(self) -> bool:
        """Whether a quarter of the scenarios answer, and some amount leaves more than none in their mean."""
        means = self.grown.mean(axis=1)
        return bool(self.answers.mean() >= _ENOUGH and (means > means[0]).any())

    def changes(self, metrics: Sequence[str]) -> bool:
        """Whether some amount changes one of `metrics` by more than a thousandth; True without any."""
        of = [self.metrics[name] for name in metrics]
        return not of or any(np.abs(m - m[0]).max() > _LEAST * np.abs(m).max() for m in of)


def check(task: FieldTask, parts: Parts) -> None:
    """Every input does something: yield rises from nothing to some of it, and cost with it.

    Seen on the first scenarios of the split, at most a dozen, each with one seed for all its runs. For each
    input of the task: some amount changes a metric by more than 0.1 % in some scenario; from nothing to some
    amount the rewarded variable rises by more than 0.1 % of the largest seen, in at least a quarter of the
    scenarios, and in the mean of them all; the recorded amount rises with every level in every scenario; and
    so does what is paid for it, if it has a price. Where an input alone raises too little, because something
    else is scarcer (Liebig's law of the minimum), it must raise that much beside the largest dose of each of
    the others, or of all but one of them, in turn. The runs of a trial differ in their doses of the input
    alone: where the agent sows or harvests, it does so on the first decision on which no run gives it, and
    on the last one; fruit is picked ripe. Raises `ContractError` for an input that falls short.
    """
    for name in _fed(task):
        alone = _respond(task, parts, name)
        if task.season.management != "inputs" and not (alone.grown > 0.0).any():
            raise ContractError(
                f"{task.task}: a crop that is sown and harvested leaves no {task.reward.variable}."
            )
        if _effect(task, parts, alone) is None:
            _refuse(task, alone)
        _require_cost(task, alone)


def responses(task: FieldTask, parts: Parts) -> list[FieldResponse]:
    """Return how seasons answer to each input: alone, or beside the others where it needs them."""
    alone = [_respond(task, parts, name) for name in _fed(task)]
    return [_effect(task, parts, one) or one for one in alone]


def _effect(task: FieldTask, parts: Parts, alone: FieldResponse) -> FieldResponse | None:
    """Return the first trial in which an input does what it is there for; None where none shows it."""
    states = _states(task)
    if alone.raises and alone.changes(states):
        return alone
    if parts.task.step > _OFTEN and task.season.years == 1:
        return None
    for levels, others in product((_LEVELS, _MANY), _company(task, alone.name)):
        result = _respond(task, parts, alone.name, others, levels)
        if result.raises and (alone.changes(states) or result.changes(states)):
            return result
    return None


def _states(task: FieldTask) -> list[str]:
    return [m for m, spec in task.metrics.items() if spec.state is not None]


def _refuse(task: FieldTask, alone: FieldResponse) -> None:
    """Say what an input does not do."""
    states = _states(task)
    if not alone.changes(states):
        raise ContractError(
            f"{task.task}: no amount of {alone.name} changes any of {', '.join(states)} by more than "
            f"{_LEAST:.1%} in any scenario."
        )
    raise ContractError(
        f"{task.task}: no amount of {alone.name} raises {task.reward.variable} by more than "
        f"{_LEAST:.1%} in {_ENOUGH:.0%} of the scenarios and in the mean of all."
    )


def _company(task: FieldTask, name: str) -> list[list[str]]:
    """Return the inputs beside which one is tried: all others in turn, then all but one of them."""
    others = [other for other in _fed(task) if other != name]
    but_one = [[kept for kept in others if kept != left] for left in others] if len(others) > 1 else []
    return [others, *but_one] if others else []


def _fed(task: FieldTask) -> list[str]:
    """Return the inputs of a task but for sowing, pruning and the harvest of what an agent grows."""
    work = (*task.season.work, *(_TREES if task.season.management == "orchard" else ()))
    return [name for name in task.action.doses if name not in work]


def paid(task: FieldTask, of: FieldResponse) -> Floats | None:
    """Return what the return loses to the price of an input, (levels, scenarios); None where it has none."""
    if task.season.rotation or not (task.reward.prices.get(of.name, 0.0) and task.reward.beta):
        return None  # the price of a rotation depends on the crop
    worth = task.reward.product_price or 1.0
    costs: Floats = worth * (of.grown - of.grown[0]) - (of.returns - of.returns[0])
    return costs


def _require_cost(task: FieldTask, of: FieldResponse) -> None:
    for metric, spec in task.metrics.items():
        if spec.input == of.name:
            _require_rise(task, f"metric {metric!r}", of, of.metrics[metric])
    costs = paid(task, of)
    if costs is not None:
        _require_rise(task, "the cost in the return", of, costs)


def _require_rise(task: FieldTask, what: str, of: FieldResponse, values: Floats) -> None:
    """Raise unless `values` rise with every level in every scenario."""
    falls = np.diff(values, axis=0) <= 0.0
    if falls.any():
        level, scenario = np.argwhere(falls)[0]
        raise ContractError(
            f"{task.task}: {what} does not rise from {of.levels[level]} to {of.levels[level + 1]} doses of "
            f"{of.name} in {of.scenarios[scenario]}: {values[level, scenario]:g}, "
            f"{values[level + 1, scenario]:g}."
        )


def _respond(
    task: FieldTask, parts: Parts, name: str, others: Sequence[str] = (), levels: Sequence[int] = _LEVELS
) -> FieldResponse:
    """Run every level of an input in every scenario of the split, side by side.

    All levels of a scenario have the same seed, hence the same field where the task draws it.
    """
    keys = parts.scenarios.keys[:_MOST_SCENARIOS]
    shape = (len(levels), len(keys))
    core = BatchCore(parts, len(levels) * len(keys))
    seeds = range(task.protocol.seed, task.protocol.seed + len(keys))
    core.start(list(keys) * len(levels), [*seeds] * len(levels))
    returns = play(core, _giving(task, core, name, others, levels))
    column = core.simulator.variables.column(task.reward.variable)
    info = core.info()
    return FieldResponse(
        name,
        tuple(others),
        tuple(levels),
        tuple(keys),
        returns.reshape(shape),
        core.simulator.state[:, column].copy().reshape(shape),
        {name: info[name].reshape(shape) for name in task.metrics},
    )


def _giving(task: FieldTask, core: BatchCore, name: str, others: Sequence[str], levels: Sequence[int]) -> Act:
    """Return what lets the rows of each level give their doses of an input, level after level.

    The decisions on which the largest level gives it are kept for it in all rows: those without a dose do
    nothing then, so that the rows differ in this input alone. On the rest, `others` are given in turn.
    """
    encode = core.parts.actions.encode
    dose, nothing = (encode(name, amount)[0] for amount in (np.inf, 0.0))
    beside = [encode(other, np.inf)[0] for other in others] or [nothing]
    doses, most = np.repeat(levels, core.n // len(levels)), max(levels)
    decisions = (core.simulator.horizon - core.simulator.elapsed) // task.step
    closest = 2 if others or task.season.work else 1  # leaves room for what else is done
    spread = np.maximum(closest, decisions // (2 * most))

    def act(_: Any, step: int) -> NDArray[Any]:
        kept = (step % spread == 0) & (step // spread < most)
        gives = kept & (step // spread < doses)
        turns = (step - np.minimum(-(-step // spread), most)) % len(beside)
        actions = np.array(
            [nothing if keeps else beside[turn] for keeps, turn in zip(kept, turns, strict=True)]
        )
        actions[gives] = dose
        _work_the_field(task, core, actions, kept, step)
        return actions

    return act


def _work_the_field(
    task: FieldTask, core: BatchCore, actions: NDArray[Any], kept: Booleans, step: int
) -> None:
    """Let rows sow where the field is empty, on decisions not `kept` for doses, and harvest on the last one.

    In a rotation the crops are tried in turn, and each is harvested when it is ripe; so is the fruit of an
    orchard, or in autumn where that comes first.
    """
    encode, column = core.parts.actions.encode, core.simulator.variables.column
    if "PLANT" in task.season.work:
        empty = core.simulator.state[:, column("CROP")] == 0.0
        number = 1 + step % max(1, len(task.season.rotation))
        actions[empty & ~kept] = encode("PLANT", float(number))[0]
    if task.season.rotation:
        ripe = core.simulator.state[:, column("DVS")] >= _RIPE
        actions[ripe & ~kept] = encode("HARVEST", 1.0)[0]
    if task.season.management == "orchard" and "HARVEST" in task.action.doses:
        autumn, fruit, age = (core.simulator.state[:, column(name)] for name in ("AUTUMN", "HWSO", "DVS"))
        actions[((autumn > 0.0) | (age >= _RIPE)) & (fruit > 0.0) & ~kept] = encode("HARVEST", 1.0)[0]
    elif task.season.management in ("harvest", "plant", "rotation"):
        last = core.simulator.elapsed + task.step >= core.simulator.horizon
        actions[last] = encode("HARVEST", 1.0)[0]
