"""Detection of copies: what is bit-equal to another agent's is refused.

There are two rules. A policy may not have exactly the numbers of another agent's policy. And not all results
on `test` may have exactly the actions of one other agent's. The actions of a task's own references are
excluded for who brings a policy: any policy may take the same ones. What is only similar is not refused but
shown as a figure on the page (`agbench.leaderboard.page.originality`).
"""

from dataclasses import dataclass

from agbench.data.task import Task
from agbench.leaderboard.checks.agents import is_reference
from agbench.leaderboard.checks.policy_identity import identities, own_policy
from agbench.leaderboard.checks.recorded import Budget, digest_of
from agbench.leaderboard.checks.rows import MERGED, BoardRow, Rows
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.checks.task_limits import expected_episodes
from agbench.untrusted.folder import read_folder
from agbench.untrusted.refusal import RefusedError

_CLAIM = "If it is yours, see 'Claims' in docs/leaderboard.md."


@dataclass(frozen=True)
class _EarlierRow:
    """What a row on the board does on `test`, and its policies by identity.

    `actions` has the digest of each result's; `reference` says whether the row is a task's own.
    """

    row: BoardRow
    reference: bool
    actions: frozenset[str]
    policies: set[str]


class CopyIndex:
    """The behaviour and policies on a board; those of a task are read on first use."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._by_task: dict[str, list[_EarlierRow]] = {}

    def refuse_copy(self, submission: CheckedSubmission) -> None:
        """Raise `RefusedError` where a policy, or all test results, are bit for bit another agent's."""
        card = submission.card
        own = self._rows.standing(submission)
        if is_reference(card, submission.task) or own == MERGED:
            return
        earlier = self._of_task(submission.task)
        others = [k for k in earlier if k.row.standing <= own and k.row.agent != card.agent]
        for name, identity in identities(card, submission.task, submission.policies).items():
            for other in others:
                if identity in other.policies:
                    text = f"exactly the same policy as one of {other.row.agent}. {_CLAIM}"
                    raise RefusedError(name, "", text)
        _refuse_actions(submission, others)

    def _of_task(self, task: Task) -> list[_EarlierRow]:
        if task.task not in self._by_task:
            rows = [row for row in self._rows.all if row.task == task.task]
            self._by_task[task.task] = [result for row in rows if (result := _read(row, task, self._rows))]
        return self._by_task[task.task]


def _refuse_actions(submission: CheckedSubmission, earlier: list[_EarlierRow]) -> None:
    """Refuse the actions of another agent; those of a reference are anybody's who brings a policy."""
    ours = {result.behaviour.digest for result in submission.of_split("test")}
    if own_policy(submission.card):
        ours -= {digest for other in earlier if other.reference for digest in other.actions}
    for other in earlier:
        if ours and ours <= other.actions:
            raise RefusedError(
                "test", "actions", f"all results have exactly the actions of {other.row.agent}. {_CLAIM}"
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
        actions = frozenset(digest_of(files, folder, task, episodes, budget) for folder in folders)
        policies = {n.removeprefix("policy/"): c for n, c in files.items() if n.startswith("policy/")}
        own = set(identities(card, task, policies).values())
        return _EarlierRow(row, is_reference(card, task), actions, own) if actions else None
    except RefusedError:
        return None
