"""Submitting trained agents by their folders: these say all but whose they are."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from agbench.data.reading import load_file
from agbench.errors import ResultError
from agbench.evaluation.references import REPORTED

RECORD: Final = "training.yaml"
_POLICY: Final = "policy.npz"
_SAME: Final = ("task", "algorithm", "method")
"""What the seeds of one agent have in common."""


class Trainings(NamedTuple):
    """What the folders of an agent's trainings give to its submission, seed by seed."""

    results: list[Path]
    policies: list[Path]
    seeds: list[int]
    method: str
    steps: int
    """Environment steps of the training that took most."""
    dataset: dict[str, str] | None
    """The named dataset that they learned from, and its SHA-256; None where there is none."""

    def stated(self, card: Mapping[str, Any]) -> dict[str, Any]:
        """Return a card with what the trainings say, where it does not say it itself."""
        learned = {} if self.dataset is None else {"dataset": self.dataset}
        training = {"steps": self.steps, **learned, **card.get("training", {})}
        return {"method": self.method, **card, "training": training, "policy": {"format": "mlp"}}


def of_trainings(folders: Sequence[Path]) -> Trainings | None:
    """Return what trainings give to a submission; None where no folder is one of a training.

    Raises `ResultError` where only some are, one is not finished, or they are not seeds of one agent.
    """
    made = [folder for folder in folders if (folder / RECORD).is_file()]
    other = [folder for folder in folders if folder not in made]
    if not made:
        return None
    if other:
        raise ResultError(
            f"{other[0]} holds no finished training ({RECORD}), and {made[0]} does. Name finished "
            "trainings, or results alone."
        )
    records = [_record(folder) for folder in made]
    _check_alike(made, records)
    results = [folder / split for split in REPORTED for folder in made if (folder / split).is_dir()]
    return Trainings(
        results,
        [folder / _POLICY for folder in made],
        [int(record["seed"]) for record in records],
        str(records[0]["method"]),
        max(int(record["environment_steps"]) for record in records),
        _dataset(records),
    )


def _dataset(records: Sequence[Mapping[str, Any]]) -> dict[str, str] | None:
    """Return the named dataset of all trainings, as a card names it; None where they have none in common."""
    shown = [record.get("demonstrations") for record in records]
    found = [(one.get("recipe"), one.get("content")) for one in shown if isinstance(one, Mapping)]
    if len(found) < len(shown) or len(set(found)) > 1 or None in found[0]:
        return None
    return {"name": str(found[0][0]), "sha256": str(found[0][1])}


def _record(folder: Path) -> dict[str, Any]:
    """Return the record of a training, which has all that a submission needs."""
    record = load_file(folder / RECORD)
    needed = (*_SAME, "seed", "environment_steps")
    lacking = [key for key in needed if not isinstance(record, dict) or key not in record]
    if lacking:
        raise ResultError(f"{folder / RECORD} lacks {', '.join(lacking)}: agbench train writes it.")
    if not (folder / _POLICY).is_file():
        raise ResultError(f"{folder} lacks {_POLICY}, the policy of its training.")
    found: dict[str, Any] = record
    return found


def _check_alike(folders: Sequence[Path], records: Sequence[dict[str, Any]]) -> None:
    """Refuse trainings that are not the seeds of one agent, each once."""
    for i, (folder, record) in enumerate(zip(folders, records, strict=True)):
        for key in _SAME:
            if record[key] != records[0][key]:
                raise ResultError(
                    f"{folder} has {key} {record[key]}, {folders[0]} has {records[0][key]}: a submission "
                    "holds the seeds of one agent."
                )
        for earlier, before in zip(folders[:i], records[:i], strict=True):
            if record["seed"] == before["seed"]:
                raise ResultError(f"{folder} and {earlier} are both of seed {record['seed']}.")
