"""Making a submission from results: built beside the board, checked, then moved there."""

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import yaml

from agbench.data.reading import load_yaml
from agbench.data.submission import Submission
from agbench.data.task import Task
from agbench.errors import ConfigError, ResultError
from agbench.evaluation.references import REPORTED
from agbench.evaluation.result import Result
from agbench.files import BOARD, alone, asked_for, replacing, sha256
from agbench.leaderboard import board as places
from agbench.leaderboard.board import CARD
from agbench.leaderboard.checks import submitted_policy
from agbench.leaderboard.checks.agents import refuse_taken
from agbench.leaderboard.checks.duplicates import CopyIndex
from agbench.leaderboard.checks.rows import Rows
from agbench.leaderboard.checks.submission import CheckedSubmission, check
from agbench.leaderboard.trainings import of_trainings
from agbench.policies.networks.made_for import require_made_for
from agbench.untrusted import tables
from agbench.untrusted.confined import confined
from agbench.untrusted.folder import is_name
from agbench.untrusted.refusal import RefusedError
from agbench.untrusted.text import LONGEST_WORD

_OF_A_NAME: Final = (
    "letters, digits, dots, dashes and underscores, a letter or digit first, no dot last, and no device of "
    "Windows (con, aux, nul)"
)
_LONGEST: Final = {"agent": 64, "version": 32}  # characters


def submit(
    folders: Sequence[str | Path],
    card: Mapping[str, Any],
    board: str | Path = BOARD,
    policies: Sequence[str | Path] = (),
    seeds: Sequence[int] | None = None,
    official: bool = False,
    other_task: bool = False,
    replace: bool = False,
) -> Path:
    """Make a submission from result folders, check it, put it on the board, and return its folder.

    Args:
        folders: results of one task, the i-th of each split of the i-th training seed; or what
            `agbench train` wrote, a folder a seed, which bring policies, seeds, steps and method.
        card: the keys of submission.yaml that results do not say: agent, version, authors, contact,
            method and what else `agbench.data.submission.Submission` has.
        board: the leaderboard's folder.
        policies: files of the policy, one a training seed; for a rule of its own, its settings.
        seeds: the training seeds; 0, 1, 2, ... if not given.
        official: whether it is a task's own reference, which alone may be called so.
        other_task: take networks' files that say they were made for another task or other observations.
        replace: put it in the place of a row of its name, which stays until then; of a task's own reference.

    Raises `RefusedError`, and leaves the board unchanged, unless the whole submission is good.
    """
    _check_folders_differ(folders)
    if (trained := of_trainings([Path(folder) for folder in folders])) is not None:
        if policies or seeds or "policy" in card:
            raise ResultError(f"{folders[0]} is a training: it brings its policy and its seed.")
        folders, policies, seeds = trained.results, trained.policies, trained.seeds
        card = trained.stated(card)
    results = [Result.load(folder) for folder in folders]
    chosen = _seeds(results, seeds)
    _check_splits(results, card)
    _check_names(card)
    _check_one_policy(card, policies)
    if not other_task:
        _check_made_for(results[0].task, policies)
    root = Path(board)
    target = places.place(root, results[0].task.task, str(card["agent"]), str(card["version"]))
    rows = Rows(root)
    replace = replace and official and target.is_dir()
    if not replace:
        _check_free(target)
    drafts = root if root.is_dir() else root.parent  # on the same disk as the board, which can be a mount
    drafts.mkdir(parents=True, exist_ok=True)
    places.sweep(drafts, f"{places.DRAFT}*")
    with asked_for(target, drafts / places.DRAFT):
        building = Path(tempfile.mkdtemp(prefix=places.DRAFT, dir=drafts))
        try:
            _fill(building, folders, results, chosen, card, policies)
            with confined(tables.READER) as child:
                submission = check(building, child, placed=False)
            refuse_taken(submission, rows, official)
            CopyIndex(rows).refuse_copy(submission)
            target.parent.mkdir(parents=True, exist_ok=True)
            building.chmod(0o755)
            (_exchange if replace else _put)(building, target)
        finally:
            shutil.rmtree(building, ignore_errors=True)
    return target


def _put(building: Path, target: Path) -> None:
    """Move a submission to its place; refuse one that another process took in the meantime."""
    try:
        os.rename(building, target)
    except OSError:
        _check_free(target)
        raise


def _exchange(building: Path, target: Path) -> None:
    """Move a submission to the place of an older one, which is deleted only then."""
    with alone(target, refused_place), replacing(target) as draft:
        draft.rmdir()
        os.rename(building, draft)


def refused_place(sentence: str) -> RefusedError:
    """Return the refusal of a row whose folder cannot be written now."""
    return RefusedError(CARD, "version", sentence)


def _check_folders_differ(folders: Sequence[str | Path]) -> None:
    """Refuse a result folder that is given twice: it would be one training seed given out as several."""
    real = [Path(folder).resolve() for folder in folders]
    for i, folder in enumerate(real):
        if folder in real[:i]:
            raise ResultError(f"{folders[i]} is given twice; a result is that of one training seed.")


def _seeds(results: Sequence[Result], seeds: Sequence[int] | None) -> list[int]:
    """Return the training seeds; every split must have a result of each."""
    if not results:
        raise ResultError("nothing to submit: name at least one result folder.")
    tasks = sorted({result.task.task for result in results})
    if len(tasks) > 1:
        raise ResultError(f"results of different tasks cannot be one submission: {', '.join(tasks)}.")
    counts = {s: sum(r.split == s for r in results) for s in {r.split for r in results}}
    chosen = list(seeds) if seeds else list(range(max(counts.values())))
    for split, count in sorted(counts.items()):
        if count != len(chosen):
            raise ResultError(f"{split} has {count} results, but there are {len(chosen)} training seeds.")
    return chosen


def _check_splits(results: Sequence[Result], card: Mapping[str, Any]) -> None:
    """Refuse results that lack a reported split, and those of a split that is not, before any is copied."""
    task, given = results[0].task, {result.split for result in results}
    reported = [split for split in REPORTED if split in task.splits]
    free = {"shift"} if card.get("method") in ("oracle", "mpc") else set()
    for split in reported:
        if split not in given | free:
            raise ResultError(
                f"a submission to {task.task} has results on {' and '.join(reported)}; none is on {split}. "
                f"Make one: agbench evaluate {task.task} --policy POLICY --split {split} --out FOLDER"
            )
    for split in sorted(given - set(reported)):
        raise ResultError(
            f"a submission to {task.task} has results on {' and '.join(reported)}; leave that on {split} out."
        )


def _check_names(card: Mapping[str, Any]) -> None:
    """Refuse names before they become a path."""
    for key in ("agent", "version"):
        if not is_name(str(card.get(key, ""))):
            raise RefusedError(
                CARD, key, f"{str(card.get(key))!r} is not a name: at most {_LONGEST[key]} {_OF_A_NAME}."
            )


def _check_one_policy(card: Mapping[str, Any], policies: Sequence[str | Path]) -> None:
    """Refuse two policies: one of the task's own by name, and files."""
    name = dict(card.get("policy") or {}).get("name")
    if name is not None and policies:
        files = ", ".join(str(path) for path in policies)
        raise ConfigError(
            f"there are two policies: {name}, one of the task's own (--rule), and {files} (--policy); "
            "give one of the two."
        )


def _check_made_for(task: Task, policies: Sequence[str | Path]) -> None:
    """Refuse networks' files that were made for another task; warns of those that do not say for what."""
    for path in map(Path, policies):
        if path.is_file() and path.suffix in submitted_policy.SUFFIXES.values():
            require_made_for(submitted_policy.made_for_of(path), task, str(path))


def _check_free(target: Path) -> None:
    """Refuse a place that is taken."""
    if target.exists():
        raise RefusedError(
            CARD, "version", f"{target.name} of {target.parent.name} exists already; a row never changes."
        )


def _fill(
    building: Path,
    folders: Sequence[str | Path],
    results: Sequence[Result],
    seeds: Sequence[int],
    card: Mapping[str, Any],
    policies: Sequence[str | Path],
) -> None:
    """Write the files of a submission into a folder, the card last."""
    left = {split: list(seeds) for split in {r.split for r in results}}
    for folder, result in zip(folders, results, strict=True):
        target = building / result.split / f"seed-{left[result.split].pop(0)}"
        target.mkdir(parents=True)
        for name in ("result.yaml", *result.record["files"]):
            shutil.copyfile(Path(folder) / name, target / name)
    _copy_policies(building / "policy", card, seeds, policies)
    hashes = {p.relative_to(building).as_posix(): sha256(p) for p in building.rglob("*") if p.is_file()}
    training = {**dict(card.get("training") or {}), "seeds": list(seeds)}
    content = {
        "format": 1,
        "task": results[0].task.task,
        "task_hash": results[0].record["task_hash"],
        "submitted": datetime.now(UTC).date().isoformat(),
        **card,
        "information": results[0].information,
        "training": training,
        "files": dict(sorted(hashes.items())),
    }
    names = [key for key in Submission.model_fields if key in content]
    ordered = {key: content[key] for key in [*names, *(k for k in content if k not in names)]}
    text = yaml.dump(ordered, Dumper=_CardDumper, sort_keys=False, width=100, allow_unicode=True)
    (building / CARD).write_text(text, encoding="utf-8")


class _CardDumper(yaml.SafeDumper):
    """Writes texts so that the check of a card reads them as they are."""

    def represent_str(self, data: str) -> yaml.ScalarNode:
        """Quote what the check takes for something else without quotes: `31e8042`, a very long word."""
        style = None if len(data) <= LONGEST_WORD and _is_plain(data) else "'"
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_CardDumper.add_representer(str, _CardDumper.represent_str)


def _is_plain(text: str) -> bool:
    try:
        load_yaml(text, CARD)
    except (ConfigError, ValueError):  # a day that is in no calendar: quoted too
        return False
    return True


def _copy_policies(
    folder: Path, card: Mapping[str, Any], seeds: Sequence[int], policies: Sequence[str | Path]
) -> None:
    policy = card.get("policy") or {}
    kind = policy.get("format")
    if not policies:
        return
    suffix = submitted_policy.SUFFIXES.get(str(kind), "")
    names = [submitted_policy.RULE] if kind == "rule" else [f"seed-{seed}{suffix}" for seed in seeds]
    if len(policies) != len(names):
        raise ConfigError(f"{len(policies)} policy files; {kind} needs {len(names)}: {', '.join(names)}.")
    folder.mkdir()
    for source, name in zip(policies, names, strict=True):
        if not os.path.isfile(source):
            raise ConfigError(f"{source}: there is no such policy file.")
        shutil.copyfile(source, folder / name)


def described(submission: CheckedSubmission) -> str:
    """Return one line that says what a submission holds."""
    seeds = len(submission.card.training.seeds)
    episodes = sum(len(result.actions) for result in submission.results)
    equal = ", ".join(f"{one} and {two}" for one, two in submission.equal_seeds)
    return (
        f"{submission.name}: {seeds} training seed(s), {', '.join(submission.splits)}, {episodes} episodes"
        f"{f'; the same actions in seeds {equal}' if equal else ''}"
    )
