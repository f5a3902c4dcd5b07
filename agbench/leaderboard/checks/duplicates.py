"""Detection of copies: a submission may not be a copy of another agent's.

There are two rules. A policy may not equal another agent's policy. And fewer than half of the results on
`test` may have the same actions as another agent. The actions of a task's own references are excluded:
any policy may take the same ones.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from agbench.data.task import Task
from agbench.leaderboard.checks.agents import is_reference
from agbench.leaderboard.checks.policy_identity import identities, own_policy
from agbench.leaderboard.checks.recorded import Budget, RecordedActions, fingerprint, same_actions
from agbench.leaderboard.checks.results import expected_episodes
from agbench.leaderboard.checks.rows import MERGED, BoardRow, Rows
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.untrusted.folder import read_folder
from agbench.untrusted.refusal import RefusedError
from agbench.variables import Floats


@dataclass(frozen=True)
class _EarlierRow:
    """What a row on the board does on `test`, and its policies by identity.

    `actions` has a fingerprint a result, (results, numbers); `reference` says whether the row is a task's
    own.
    """

    row: BoardRow
    reference: bool
    actions: Floats
    policies: set[str]


class CopyIndex:
    """The behaviour and policies on a board; those of a task are read on first use."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._by_task: dict[str, list[_EarlierRow]] = {}

    def refuse_copy(self, submission: CheckedSubmission) -> None:
        """Raise `RefusedError` where half of the test results, or a policy, are another agent's."""
        card = submission.card
        own = self._rows.standing(submission)
        if is_reference(card, submission.task) or own == MERGED:
            return
        earlier = self._of_task(submission.task)
        others = [k for k in earlier if k.row.standing <= own and k.row.agent != card.agent]
        for name, identity in identities(card, submission.task, submission.policies).items():
            for other in others:
                if identity in other.policies:
                    raise RefusedError(name, "", f"exactly the same policy as one of {other.row.agent}.")
        _refuse_actions(submission, others)

    def _of_task(self, task: Task) -> list[_EarlierRow]:
        if task.task not in self._by_task:
            rows = [row for row in self._rows.all if row.task == task.task]
            self._by_task[task.task] = [result for row in rows if (result := _read(row, task, self._rows))]
        return self._by_task[task.task]


def _refuse_actions(submission: CheckedSubmission, earlier: list[_EarlierRow]) -> None:
    """Refuse the actions of another agent; those of a reference are anybody's who brings a policy."""
    if not earlier:
        return
    ours = [result.fingerprint for result in submission.of_split("test")]
    owners = np.repeat(np.arange(len(earlier)), [len(k.actions) for k in earlier])
    theirs = np.concatenate([k.actions for k in earlier])
    shared: Counter[str] = Counter()
    for results in ours:
        same = [earlier[i] for i in np.unique(owners[same_actions(theirs, results)])]
        if not (own_policy(submission.card) and any(k.reference for k in same)):
            shared.update({k.row.agent for k in same})
    for agent, count in sorted(shared.items()):
        if 2 * count >= len(ours):
            raise RefusedError(
                "test", "actions", f"{count} of {len(ours)} results have exactly the same actions as {agent}."
            )


def _read(row: BoardRow, task: Task, rows: Rows) -> _EarlierRow | None:
    """Return what a row does and with which policies; None where it is unsound."""
    card = rows.card(row)
    if card is None:
        return None
    try:
        files = read_folder(row.folder)
        episodes = len(expected_episodes(task, "test"))
        budget = Budget()
        folders = sorted({name.rpartition("/")[0] for name in files if name.startswith("test/")})
        actions = [
            fingerprint(RecordedActions(files, folder, task, episodes, budget), task) for folder in folders
        ]
        policies = {n.removeprefix("policy/"): c for n, c in files.items() if n.startswith("policy/")}
        own = set(identities(card, task, policies).values())
        return _EarlierRow(row, is_reference(card, task), np.array(actions), own) if actions else None
    except RefusedError:
        return None
