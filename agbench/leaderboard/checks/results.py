"""Checking one submitted result: record, table and actions, against the protocol and each other."""

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import yaml
from numpy.typing import NDArray

from agbench.data import catalog
from agbench.data.families import read_task
from agbench.data.submission import ResultRecord, Submission
from agbench.data.task import Task
from agbench.errors import AgBenchError
from agbench.evaluation import provenance
from agbench.evaluation.protocol import Episode
from agbench.leaderboard.checks.kept import KeptResults, Known
from agbench.leaderboard.checks.recorded import (
    Budget,
    LaterActions,
    RecordedActions,
    RecordedBehaviour,
    behaviour,
    parts,
)
from agbench.leaderboard.checks.sampled import Sample
from agbench.leaderboard.checks.task_limits import (
    action_space,
    expected_episodes,
    most_decisions,
    observation_size,
)
from agbench.untrusted.confined import Confined
from agbench.untrusted.refusal import RefusedError
from agbench.untrusted.text import read_schema, read_yaml
from agbench.variables import Floats

NOTHING: Final = KeptResults()
_RECORD_BYTES: Final = 200_000
_WORDINGS: Final = 8  # of one task, kept
_BELOW: Final = 1e-6  # of the worst bound, for rounding
_LARGEST: Final = 1e9  # of returns, costs and metrics, in whichever unit
_STATE_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True)
class CheckedResult:
    """One result of a submission: a training seed on a split, every value checked for form."""

    split: str
    seed: int
    record: ResultRecord
    """Without the task in it, which is ours."""
    columns: dict[str, list[Any]]
    actions: Sequence[NDArray[Any]]
    behaviour: RecordedBehaviour
    """By which the same actions are known; see `recorded.behaviour`."""

    @property
    def fingerprint(self) -> Floats:
        """Numbers by which the same actions are known, though they were changed a little."""
        return self.behaviour.fingerprint

    @property
    def sample(self) -> Sample:
        """Some of its decisions."""
        return self.behaviour.sample

    def by_scenario(self, name: str) -> Floats:
        """Return a column averaged over repeats, one value a scenario, in the split's order."""
        keys = self.columns["scenario"]
        order = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        values = np.array(self.columns[name], dtype=np.float64)
        if len(order) == len(keys):
            return values
        places = np.array([order[key] for key in keys])
        return np.array([values[places == i].mean() for i in range(len(order))])


def check(
    files: Mapping[str, bytes],
    card: Submission,
    task: Task,
    own: Sequence[tuple[str, int]],
    kept: KeptResults,
    look: Callable[[], list[tuple[Known, RecordedActions]]],
) -> list[CheckedResult]:
    """Return a submission's results, each of its `own` a split and a training seed.

    `look` checks the whole submission: it returns what `found` does, or raises `RefusedError`. It is not
    called where `kept` has what it found in the same files, whose SHA-256 the card has, which was checked.
    """
    fresh: list[RecordedActions] = []

    def look_now() -> list[Known]:
        result = look()
        fresh.extend(actions for _, actions in result)
        return [one for one, _ in result]

    key = {
        "task": card.task_hash,
        "episodes": {split: _episodes_digest(task, split) for split in {split for split, _ in own}},
        "actions": repr(action_space(task)),
        "decisions": most_decisions(task),
        "observations": observation_size(task),
        "information": card.information,
        "policy": None if card.policy is None else card.policy.model_dump(mode="json"),
        "method": card.method,
        "results": list(own),
        "files": dict(card.files),
    }
    known = kept.known(f"{card.task}/{card.agent}/{card.version}", key, look_now)
    actions: Sequence[RecordedActions | LaterActions] = fresh or [
        _later(files, card, task, *each) for each in zip(own, known, strict=True)
    ]
    return [
        CheckedResult(*which, one.record, one.columns, each, one.behaviour)
        for which, one, each in zip(own, known, actions, strict=True)
    ]


def _later(
    files: Mapping[str, bytes], card: Submission, task: Task, which: tuple[str, int], one: Known
) -> LaterActions:
    """Return the actions of a result that was checked before."""
    return LaterActions(
        len(one.columns["steps"]), lambda: _recorded(files, card, task, which, one.columns, Budget())
    )


def _episodes_digest(task: Task, split: str) -> str:
    """Return what the protocol's episodes on a split are known by."""
    episodes = [[e.scenario, e.repeat, e.seed] for e in expected_episodes(task, split)]
    return hashlib.sha256(json.dumps(episodes).encode()).hexdigest()


def found(
    files: Mapping[str, bytes], card: Submission, task: Task, own: Sequence[tuple[str, int]], child: Confined
) -> list[tuple[Known, RecordedActions]]:
    """Return what the check of each result finds, with its actions; raises `RefusedError`."""
    budget = Budget()
    result = []
    records = [_record(files, f"{split}/seed-{seed}", card, task, split) for split, seed in own]
    answers = _tables(files, own, task, child)  # a refused one is the last
    for which, record, table in zip(own, records, answers, strict=False):
        if isinstance(table, RefusedError):
            raise table
        split, seed = which
        _check_table(f"{split}/seed-{seed}", task, split, record, table)
        actions = _recorded(files, card, task, which, table, budget)
        result.append((Known(record, table, behaviour(actions, task)), actions))
    return result


def _recorded(
    files: Mapping[str, bytes],
    card: Submission,
    task: Task,
    which: tuple[str, int],
    columns: Mapping[str, list[Any]],
    budget: Budget,
) -> RecordedActions:
    """Return the actions of a result, a split and a training seed; refuses impossible sizes."""
    split, seed = which
    steps = columns["steps"]
    return RecordedActions(files, f"{split}/seed-{seed}", task, len(steps), budget, steps, card.files)


def _check_table(
    folder: str, task: Task, split: str, record: ResultRecord, columns: Mapping[str, list[Any]]
) -> None:
    """Refuse a result whose table, its `columns`, is not of the protocol or does not belong to its record."""
    episodes = expected_episodes(task, split)
    _check_episodes(columns, f"{folder}/episodes.parquet", task, episodes)
    failed = sum(columns["failed"])
    if (record.episodes, record.failed) != (len(episodes), failed):
        raise RefusedError(
            f"{folder}/result.yaml",
            "failed" if record.episodes == len(episodes) else "episodes",
            f"{record.episodes} episodes, {record.failed} failed; the table has {len(episodes)}, {failed}.",
        )


def names(files: Iterable[str], folder: str) -> list[str]:
    """Return the paths of all files of a result; the first part of its actions may not lack."""
    own = dict.fromkeys(["result.yaml", "episodes.parquet", "actions.npz", *parts(files, folder)])
    return [f"{folder}/{name}" for name in own]


def _record(
    files: Mapping[str, bytes], folder: str, card: Submission, task: Task, split: str
) -> ResultRecord:
    """Return the result's record without the task in it, which must be ours."""
    name = f"{folder}/result.yaml"
    if len(files[name]) > _RECORD_BYTES:
        raise RefusedError(name, "size", f"{len(files[name]):,} bytes; at most {_RECORD_BYTES:,}.")
    record, ours = _read(files[name], name, task)
    for field, result, expected in (
        ("task", record.task, card.task),
        ("task_hash", record.task_hash, card.task_hash),
        ("split", record.split, split),
        ("information", record.information, card.information),
        ("seed", record.seed, task.protocol.seed),
    ):
        if result != expected:
            raise RefusedError(name, field, f"{result!r}; expected {expected!r}.")
    own = {"episodes.parquet", *parts(files, folder)}
    for file in sorted(own ^ set(record.files)):
        text = "has no hash here" if file in own else "is not there"
        raise RefusedError(name, f"files.{file}", f"{text}.")
    for file, digest in record.files.items():
        if card.files[f"{folder}/{file}"] != digest:
            raise RefusedError(name, f"files.{file}", "not the SHA-256 of that file.")
    if not ours:
        _check_content(record.content, name, task)
        _remember(files[name], name, record.content, task)
    return record.model_copy(update={"content": {}})


def _check_content(content: dict[str, Any], name: str, task: Task) -> None:
    """Refuse a record whose task differs from ours; texts for people may differ."""
    if content == task.content():
        return
    try:
        claimed = read_task(content, "content")
    except (AgBenchError, ValueError, OverflowError) as error:
        raise RefusedError(name, "content", str(error).removeprefix("content: ")) from None
    ours, theirs = provenance.identity(task), provenance.identity(claimed)
    for key in sorted(set(ours) | set(theirs)):
        if ours.get(key) != theirs.get(key):
            raise RefusedError(name, f"content.{key}", f"differs from {task.task} here.")


def _read(content: bytes, name: str, task: Task) -> tuple[ResultRecord, bool]:
    """Return a record, and whether it ends with exactly the text of our own task, which is not parsed then.

    Most of a record is the task. A key at the start of a line means the same whatever follows it, so
    that what stands before can be read by itself.
    """
    for own in _own_contents(task.task, provenance.task_hash(task)):
        if content.endswith(own):
            return read_schema(ResultRecord, content[: -len(own)] + b"\ncontent: {}\n", name), True
    return read_schema(ResultRecord, content, name), False


def _remember(content: bytes, name: str, own: dict[str, Any], task: Task) -> None:
    """Keep the last lines of a record that say our `own` task in other words: the next ones have them too."""
    known = _own_contents(task.task, provenance.task_hash(task))
    end = content[content.rfind(b"\ncontent:\n") :]
    with suppress(RefusedError):  # not a whole text: what looked like its key stands within another
        if len(known) < _WORDINGS and read_yaml(end, name) == {"content": own}:
            known.append(end)


@lru_cache(maxsize=64)
def _own_contents(name: str, task_hash: str) -> list[bytes]:
    """Return the last lines of records of our own task: first as `Result.save` writes them now.

    The emitter in C writes the same text in a fraction of the time. Where it does not, records are parsed
    whole.
    """
    text = yaml.dump(
        {"content": catalog.task(name).content()},
        Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper),
        sort_keys=False,
        width=100,
        allow_unicode=True,
    )
    return [f"\n{text}".encode()]


def _tables(
    files: Mapping[str, bytes], own: Sequence[tuple[str, int]], task: Task, child: Confined
) -> list[dict[str, list[Any]] | RefusedError]:
    """Return the columns of each table of episodes, or why it is refused; see `Confined.ask_each`."""
    columns = {"scenario": "text", "repeat": "whole", "seed": "whole", "return": "real", "cost": "real"}
    columns |= dict.fromkeys(task.metrics, "real")
    columns |= {"steps": "whole", "failed": "flag", "error": "text", "final_state": "text"}
    asked = []
    for split, seed in own:
        name = f"{split}/seed-{seed}/episodes.parquet"
        asked.append((name, {"rows": len(expected_episodes(task, split)), "columns": columns}, files[name]))
    return child.ask_each(asked)


def _check_episodes(
    columns: Mapping[str, list[Any]], name: str, task: Task, episodes: Sequence[Episode]
) -> None:
    """Refuse rows that are not those of the protocol, or say what cannot be."""
    for key in ("scenario", "repeat", "seed"):
        expected = [getattr(episode, key) for episode in episodes]
        if columns[key] != expected:
            for i, (value, wanted) in enumerate(zip(columns[key], expected, strict=True)):
                if value != wanted:
                    raise RefusedError(name, f"{key} of row {i}", f"{value!r}; the protocol has {wanted!r}.")
    for key in ("return", "cost", *task.metrics):
        if not (np.abs(np.array(columns[key])) <= _LARGEST).all():  # nor is no number
            for i, value in enumerate(columns[key]):
                _check_number(value, name, f"{key} of row {i}")
    _check_ends(columns, name, task)
    for i, value in enumerate(columns[task.protocol.objective]):
        _check_objective(value, columns["failed"][i], name, task, i)


def _check_ends(columns: Mapping[str, list[Any]], name: str, task: Task) -> None:
    """Refuse costs, numbers of decisions, errors and final states that no episode has."""
    most = most_decisions(task)
    own = (columns[key] for key in ("cost", "steps", "failed", "error", "final_state"))
    for i, (cost, steps, failed, error, state) in enumerate(zip(*own, strict=True)):
        if cost < 0.0:
            raise RefusedError(name, f"cost of row {i}", f"{cost:g}; a constraint cost is never negative.")
        if not (0 if failed else 1) <= steps <= most:
            raise RefusedError(
                name, f"steps of row {i}", f"{steps:,}; an episode has 1 to {most:,} decisions."
            )
        if failed != bool(error):
            raise RefusedError(
                name, f"error of row {i}", "a failed episode needs an error, and only a failed one has one."
            )
        if not _STATE_HASH.fullmatch(state):
            raise RefusedError(name, f"final_state of row {i}", "not a SHA-256.")


def _check_number(value: float, name: str, field: str) -> None:
    """Refuse what is no number of an episode: sums of such must stay finite."""
    if not math.isfinite(value):
        raise RefusedError(name, field, f"{value} is not a finite number.")
    if abs(value) > _LARGEST:
        raise RefusedError(name, field, f"{value:g}; no value may be greater than {_LARGEST:g}.")


def _check_objective(value: float, failed: bool, name: str, task: Task, i: int) -> None:
    """Refuse an objective below the task's worst bound, which is what a failed episode counts.

    The bound is that of the objective alone; other metrics have none.
    """
    objective, worst = task.protocol.objective, float(task.protocol.worst)
    if failed and value != worst:
        raise RefusedError(name, f"{objective} of row {i}", f"a failed episode must have {worst:g}.")
    if value < worst - _BELOW * max(1.0, abs(worst)):
        text = f"{value:g}; no episode of this task ends below {worst:g}."
        raise RefusedError(name, f"{objective} of row {i}", text)
