"""Who did the same before: a submission may not be a copy of another agent's."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from agbench.leaderboard import board as places
from agbench.leaderboard.checking import CheckedSubmission
from agbench.leaderboard.results import digest_of, parts
from agbench.untrusted.arrays import Limits, read_npz
from agbench.untrusted.folder import read_folder
from agbench.untrusted.refusal import RefusedError

_LIMITS = Limits(members=100_000)


class Known:
    """The behaviour and policies on a board, by digest; built once a task, when first asked for."""

    def __init__(self, board: Path) -> None:
        self._board = board
        self._by_task: dict[str, dict[str, set[str]]] = {}

    def refuse_copy(self, submission: CheckedSubmission) -> None:
        """Raise `RefusedError` where half of the test results, or a policy, are another agent's."""
        known = self._of_task(submission.card.task)
        ours = [result.digest for result in submission.of_split("test")]
        for name, digest in submission.card.files.items():
            for agent in known.get(digest, set()) - {submission.card.agent}:
                if name.startswith("policy/"):
                    raise RefusedError(name, "", f"the very same file as one of {agent}.")
        shared = Counter(agent for digest in ours for agent in known.get(digest, ()))
        for agent, count in sorted(shared.items()):
            if agent != submission.card.agent and 2 * count >= len(ours):
                raise RefusedError(
                    "test",
                    "actions",
                    f"{count} of {len(ours)} results took the very same actions as {agent}.",
                )

    def _of_task(self, task: str) -> dict[str, set[str]]:
        if task not in self._by_task:
            found: dict[str, set[str]] = defaultdict(set)
            for folder in places.submissions(self._board):
                if folder.parts[-3] == task:
                    for digest in _digests(folder):
                        found[digest].add(folder.parts[-2])
            self._by_task[task] = dict(found)
        return self._by_task[task]


def _digests(folder: Path) -> set[str]:
    """Return the digests of a submission's test actions and policies; none where it is unsound."""
    try:
        files = read_folder(folder)
        folders = {name.rpartition("/")[0] for name in files if name.startswith("test/")}
        policies = {sha256(c).hexdigest() for name, c in files.items() if name.startswith("policy/")}
        return policies | {_digest(files, test) for test in folders}
    except RefusedError:
        return set()


def _digest(files: Mapping[str, bytes], folder: str) -> str:
    """Return the digest of all actions of a result."""
    arrays: dict[str, Any] = {}
    for part in parts(files, folder):
        arrays |= read_npz(files[f"{folder}/{part}"], f"{folder}/{part}", _LIMITS)
    return digest_of([arrays[key] for key in sorted(arrays)])
