"""Checking what a card claims of its agent, as far as no file has to be read for it."""

from datetime import UTC, datetime, timedelta
from typing import Final

from agbench.data import catalog
from agbench.data.baseline import Baseline
from agbench.data.dataset import Recipe, made, names
from agbench.data.read_once import read_once
from agbench.data.submission import LEARNED, NamedDataset, Submission
from agbench.data.task import Task
from agbench.envs.actions import menu_sizes
from agbench.envs.family import action_map
from agbench.evaluation.references import REPORTED
from agbench.leaderboard.board import CARD
from agbench.leaderboard.checks.submitted_policy import SUFFIXES
from agbench.policies.registry import policies
from agbench.untrusted.refusal import RefusedError

PLANNERS: Final = frozenset(("mpc", "receding", "receding-greenhouse", "evolution", "fieldwise-search"))
"""The kinds of policies that play a model ahead to decide."""

_DATASET: Final = "training.dataset"


def check_claims(card: Submission, task: Task) -> None:
    """Refuse what a card cannot claim: of training, method, information, dataset and day."""
    for split in card.training.splits:
        if split in REPORTED:
            raise RefusedError(CARD, "training.splits", f"training on {split} is against the rules.")
        if split not in task.protocol.training_splits:
            allowed = ", ".join(task.protocol.training_splits)
            raise RefusedError(CARD, "training.splits", f"{split!r} is none of {allowed}.")
    if (card.method == "oracle") != (card.information == "model") and card.method != "mpc":
        raise RefusedError(CARD, "information", f"{card.information} does not fit the method {card.method}.")
    if card.policy is not None and card.policy.format == "rule" and card.learned:
        raise RefusedError(CARD, "policy.format", "a rule is not learned; see `method`.")
    _check_planner(card, task)
    _check_learned(card)
    _check_dataset(card, task)
    _check_day(card)


def _check_day(card: Submission) -> None:
    """Refuse a row from the future, which would stretch what is drawn over time; a day is for time zones."""
    last = (datetime.now(UTC).date() + timedelta(days=1)).isoformat()
    if card.submitted is not None and card.submitted > last:
        raise RefusedError(CARD, "submitted", f"{card.submitted} is in the future; write the day of today.")


def _check_learned(card: Submission) -> None:
    """Refuse a method that is none of learning for what was learned: it would need no training seeds."""
    if card.method == "rl" and not card.training.steps:
        raise RefusedError(
            CARD, "training.steps", "0: write how many steps of the environment the agent learned from."
        )
    if card.learned:
        return
    text = f"{card.method!r}, but {{}} learned: name one of {', '.join(sorted(LEARNED))}."
    if card.policy is not None and card.policy.format in SUFFIXES:
        raise RefusedError(CARD, "method", text.format(f"a network ({card.policy.format}) is"))
    if card.training.steps:
        raise RefusedError(CARD, "method", text.format(f"an agent of {card.training.steps:,} steps is"))


def _check_planner(card: Submission, task: Task) -> None:
    """Refuse a planner whose planning nobody can see: that it plans, and the time it takes."""
    if card.method != "mpc":
        return
    remedy = (
        "mpc brings its policy, one of the task's own by name (--rule NAME) that plays a model ahead. Submit "
        "code that only you can run, and rules that do not plan, with the method rule."
    )
    if card.policy is None or card.policy.name is None:
        raise RefusedError(CARD, "policy", f"missing: {remedy}")
    path = catalog.find_baseline(task.task, card.policy.name)
    if path is None or read_once(Baseline, path).policy not in PLANNERS:
        raise RefusedError(CARD, "policy.name", f"{card.policy.name} plans nothing: {remedy}")


def _check_dataset(card: Submission, task: Task) -> None:
    """Refuse a dataset that nobody else can make: it is a named one, or brings its recipe.

    A dataset is its recipe and the SHA-256 of the arrays that this gives, `content` in its metadata.json.
    None is made here: that an own recipe gives these arrays is its authors' word.
    """
    dataset = card.training.dataset
    if dataset is None:
        if card.method == "offline-rl":
            raise RefusedError(CARD, _DATASET, "missing: offline-rl names its dataset by name and sha256.")
    elif dataset.name in names():
        _check_named(dataset)
    elif dataset.recipe is None:
        raise RefusedError(
            CARD,
            f"{_DATASET}.name",
            f"{dataset.name!r} is none of the named datasets (agbench dataset list); for one of your own add "
            "its `recipe` (summary, behaviour, episodes, seed), so that others can make it.",
        )
    else:
        _check_recipe(dataset.recipe, task)


def _check_named(dataset: NamedDataset) -> None:
    """Refuse a named dataset with other arrays than its recipe gives."""
    if dataset.recipe is not None:
        raise RefusedError(
            CARD, f"{_DATASET}.recipe", f"{dataset.name} is a named dataset: leave its recipe out."
        )
    known = made(dataset.name)
    if dataset.sha256 not in known:
        gives = f"it gives {known[0]}" if known else "nobody has made it yet"
        raise RefusedError(
            CARD,
            f"{_DATASET}.sha256",
            f"not of {dataset.name}: {gives}. Write `content` of its metadata.json; agbench dataset check "
            "says whether a folder holds what the recipe gives.",
        )


def _check_recipe(recipe: Recipe, task: Task) -> None:
    """Refuse a recipe of other scenarios than those of training, and one that others cannot follow."""
    field = f"{_DATASET}.recipe"
    if recipe.overrides or recipe.years is not None or not isinstance(recipe.scenarios, str):
        raise RefusedError(
            CARD, field, "overrides, years and lists of scenarios are not allowed: name a split of the task."
        )
    if recipe.split not in task.protocol.training_splits:
        allowed = ", ".join(task.protocol.training_splits)
        raise RefusedError(CARD, f"{field}.split", f"{recipe.split!r} is none of {allowed}.")
    known, menus = policies(task), menu_sizes(action_map(task).space)
    for i, behaviour in enumerate(recipe.behaviour):
        if behaviour.policy not in known:
            raise RefusedError(
                CARD,
                f"{field}.behaviour.{i}.policy",
                f"{behaviour.policy!r} is none of {', '.join(known)}; others have no other policies to play.",
            )
        if menus and behaviour.noise != 0.0:
            raise RefusedError(
                CARD, f"{field}.behaviour.{i}.noise", "is for amounts; menus, as here, take epsilon."
            )
