"""Checking a submission: everything that needs no simulation. Level: claimed."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from agbench.data import catalog
from agbench.data.submission import Submission
from agbench.data.task import Task
from agbench.errors import AgBenchError
from agbench.evaluation import provenance
from agbench.evaluation.references import REPORTED
from agbench.leaderboard import board
from agbench.leaderboard.board import CARD
from agbench.leaderboard.checks import results, submitted_policy
from agbench.leaderboard.checks.claims import check_claims
from agbench.leaderboard.checks.kept import KeptResults, Known
from agbench.leaderboard.checks.policy_identity import identities
from agbench.leaderboard.checks.recorded import RecordedActions, same_actions
from agbench.leaderboard.checks.results import CheckedResult
from agbench.untrusted.confined import Confined
from agbench.untrusted.folder import read_folder
from agbench.untrusted.refusal import RefusedError
from agbench.untrusted.text import read_schema
from agbench.variables import Floats

_CARD_BYTES: Final = 100_000


@dataclass(frozen=True)
class CheckedSubmission:
    """A submission that passed all checks; it has not been simulated yet."""

    folder: Path
    card: Submission
    task: Task
    results: list[CheckedResult]
    policies: dict[str, bytes]
    """The files under policy/ by name."""
    digest: str
    """SHA-256 of the card, which has the hash of every other file."""
    sizes: dict[str, int]
    """The size of every file in bytes, by path."""

    @property
    def name(self) -> str:
        """The submission as people say it."""
        return f"{self.card.task} {self.card.agent} {self.card.version}"

    @property
    def splits(self) -> list[str]:
        """The splits that were submitted, `test` first."""
        return [s for s in REPORTED if any(r.split == s for r in self.results)]

    def of_split(self, split: str) -> list[CheckedResult]:
        """Return the results on a split, one a training seed, in the card's order."""
        return [r for r in self.results if r.split == split]

    def objective(self, split: str) -> Floats:
        """Return the objective of each distinct training seed in each scenario, (seeds, scenarios)."""
        name = self.task.protocol.objective
        return np.array([r.by_scenario(name) for r in self._distinct(split)])

    def cost(self, split: str) -> Floats:
        """Return the constraint cost of each distinct training seed in each episode, (seeds, episodes)."""
        return np.array([r.columns["cost"] for r in self._distinct(split)], dtype=np.float64)

    def _distinct(self, split: str) -> list[CheckedResult]:
        return [r for r in self.of_split(split) if r.seed in self.distinct_seeds]

    @cached_property
    def distinct_seeds(self) -> tuple[int, ...]:
        """The training seeds that act otherwise than all before them, in the card's order.

        Seeds whose actions are equal in all scenarios of all splits are one seed, whatever their networks'
        numbers are: hidden units can be put in another order without changing what a network does.
        """
        distinct: list[int] = []
        for seed in self.card.training.seeds:
            if not any(self._act_alike(seed, other) for other in distinct):
                distinct.append(seed)
        return tuple(distinct)

    @property
    def equal_seeds(self) -> list[tuple[int, int]]:
        """Training seeds that act as an earlier one does, after that one."""
        return [
            (other, seed)
            for seed in self.card.training.seeds
            if seed not in self.distinct_seeds
            for other in self.distinct_seeds
            if self._act_alike(seed, other)
        ]

    def _act_alike(self, one: int, other: int) -> bool:
        """Return whether two training seeds take the same actions in all scenarios of all splits."""
        by_seed = [{r.split: r.fingerprint for r in self.results if r.seed == seed} for seed in (one, other)]
        return all(same_actions(by_seed[0][split], by_seed[1][split]) for split in by_seed[0])


def check(
    folder: str | Path, child: Confined, placed: bool = True, kept: KeptResults = results.NOTHING
) -> CheckedSubmission:
    """Check a submission's folder; raises `RefusedError`, which names file, field and reason.

    `child` reads tables (see `tables.READER`). `placed`: the folder must lie at TASK/AGENT/VERSION. `kept`:
    submissions whose results and policies were checked before.
    """
    path = Path(folder)
    _check_depth(path)
    files = read_folder(path)
    card = read_card(files)
    if placed:
        board.check_place(path, card.task, card.agent, card.version)
    task = _task(card)
    check_claims(card, task)
    _check_files(card, files, _expected(card, task))
    own = [(split, seed) for split in _splits(card, task) for seed in card.training.seeds]
    policies = {n.removeprefix("policy/"): c for n, c in files.items() if n.startswith("policy/")}

    def look() -> list[tuple[Known, RecordedActions]]:
        found = results.found(files, card, task, own, child)
        check_policies(card, task, policies)
        return found

    result = results.check(files, card, task, own, kept, look)
    submitted_policy.require_named(card, task)
    digest, sizes = hashlib.sha256(files[CARD]).hexdigest(), {n: len(c) for n, c in files.items()}
    return CheckedSubmission(path, card, task, result, policies, digest, sizes)


def _check_depth(path: Path) -> None:
    """Refuse the folder of an agent or a task in the place of a version's."""
    if not (path / CARD).exists():
        inner = sorted(card.parent for depth in ("*", "*/*") for card in path.glob(f"{depth}/{CARD}"))
        if inner:
            raise RefusedError(CARD, "", f"missing: name the folder of a version, such as {inner[0]}.")


def read_card(files: Mapping[str, bytes]) -> Submission:
    """Return the card among a submission's files; raises `RefusedError`."""
    if CARD not in files:
        raise RefusedError(CARD, "", "missing.")
    if len(files[CARD]) > _CARD_BYTES:
        raise RefusedError(CARD, "size", f"{len(files[CARD]):,} bytes; at most {_CARD_BYTES:,}.")
    return _card(files[CARD])


@lru_cache(maxsize=2048)
def _card(content: bytes) -> Submission:
    """Return a card; one is read by its own check, and when others are held against it."""
    return read_schema(Submission, content, CARD)


def _task(card: Submission) -> Task:
    """Return our own task of the card's name, if it is the version that the card speaks of."""
    try:
        task = catalog.task(card.task)
    except AgBenchError as error:
        raise RefusedError(CARD, "task", str(error)) from None
    if provenance.task_hash(task) != card.task_hash:
        raise RefusedError(CARD, "task_hash", f"not that of {card.task} here; evaluate again.")
    return task


def _splits(card: Submission, task: Task) -> list[str]:
    """Return the splits that a submission reports; one that plans with the model may report `test` alone.

    An oracle or a predictive controller can take minutes for one episode.
    """
    alone = card.method in ("oracle", "mpc") and not any(name.startswith("shift/") for name in card.files)
    return [split for split in REPORTED if split in task.splits and not (alone and split == "shift")]


def _expected(card: Submission, task: Task) -> set[str]:
    """Return the paths of all files that belong to a submission of this card."""
    seeds = card.training.seeds
    folders = [f"{split}/seed-{seed}" for split in _splits(card, task) for seed in seeds]
    expected = {name for folder in folders for name in results.names(card.files, folder)}
    if card.policy is not None and card.policy.format == "rule" and card.policy.name is None:
        expected.add("policy/rule.yaml")
    if card.policy is not None and card.policy.format in submitted_policy.SUFFIXES:
        suffix = submitted_policy.SUFFIXES[card.policy.format]
        expected |= {f"policy/seed-{seed}{suffix}" for seed in seeds}
    return expected


def _check_files(card: Submission, files: Mapping[str, bytes], expected: set[str]) -> None:
    """Refuse a file too many, one too few, and one with another hash than the card's."""
    for name in sorted(set(files) - expected - {CARD}):
        raise RefusedError(name, "", "does not belong to this submission.")
    for name in sorted(expected - set(files)):
        raise RefusedError(name, "", "missing.")
    for name in sorted(set(card.files) ^ expected):
        problem = "is not one of the files" if name in card.files else "has no hash"
        raise RefusedError(CARD, f"files.{name}", f"{problem} of this submission.")
    for name in sorted(expected):
        if hashlib.sha256(files[name]).hexdigest() != card.files[name]:
            raise RefusedError(name, "SHA-256", "not the one in submission.yaml.")


def check_policies(card: Submission, task: Task, policies: Mapping[str, bytes]) -> None:
    """Refuse a policy that is not sound, or that reads what the card does not say."""
    for seed in card.training.seeds if card.policy is not None else ():
        policy = submitted_policy.load(card, task, policies, seed)
        if policy.information != card.information:
            raise RefusedError(
                CARD, "information", f"{card.information}; the policy's is {policy.information}."
            )
    seen = identities(card, task, policies)
    if len(set(seen.values())) < len(seen):
        raise RefusedError("policy", "", "two training seeds have exactly the same policy.")
