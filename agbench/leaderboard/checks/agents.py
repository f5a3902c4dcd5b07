"""Names of agents: some are reserved, and a new version needs the authors of the earlier ones.

Names that differ only in case are one name: on some disks they are one folder. Those that look alike are one
name for all but its authors.
"""

import re
from functools import lru_cache
from typing import Final

from agbench.data.submission import Submission, SubmittedPolicy
from agbench.data.task import Task
from agbench.evaluation import references
from agbench.evaluation.references import ROLES
from agbench.leaderboard.board import CARD
from agbench.leaderboard.checks.rows import MERGED, BoardRow, Rows
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.untrusted.refusal import RefusedError

AUTHORS: Final = ["The AgBench authors"]
CONTACT: Final = "the issue tracker of AgBench"
_LOOKS_LIKE: Final = str.maketrans("0134578i", "oleastbl")
_NUMBER: Final = re.compile(r"(?:[._-]*v)?[0-9._-]+$")
_SIGNS: Final = re.compile(r"(?<![0-9])[._-]+|[._-]+(?![0-9])")
_BETWEEN_DIGITS: Final = re.compile(r"[._-]+")
_REMEDY: Final = "choose another name for the agent, or ask the maintainers"


def is_reserved(agent: str) -> bool:
    """Return whether a name is, or looks like, that of the tasks' own references.

    Case counts as little as digits in the place of letters, marks between them and a number at the end:
    `Expert`, `0racle`, `fl00r`, `ex-pert`, `expert.1`, `oracle-v2`.
    """
    name = agent.casefold()
    looks = (one.translate(_LOOKS_LIKE) for one in (name, _NUMBER.sub("", name)))
    plain = {"".join(c for c in one if c.isalnum()) for one in looks}
    return not plain.isdisjoint(role.translate(_LOOKS_LIKE) for role in ROLES)


def is_reference(card: Submission, task: Task) -> bool:
    """Return whether a row is a task's own reference as the first rows have it: its policy, our authors."""
    for role in ROLES:
        name = references.policy_name(task, role)
        if card.agent == role and name is not None:
            own = SubmittedPolicy(format="rule", name=name)
            return (card.authors, card.contact, card.policy) == (AUTHORS, CONTACT, own)
    return False


def refuse_taken(submission: CheckedSubmission, rows: Rows, official: bool = True) -> None:
    """Raise `RefusedError` where the name of a submission's agent or version is not for it.

    What was merged stays. `official`: whether the tasks' own references may be among the rows.
    """
    if rows.standing(submission) == MERGED:
        return
    card = submission.card
    if is_reserved(card.agent) and not (official and is_reference(card, submission.task)):
        raise RefusedError(CARD, "agent", f"{card.agent!r} is the name of a task's own reference; {_REMEDY}.")
    for row in rows.others(submission):
        _refuse_case(card, row)
        if _looks(row.agent) == _looks(card.agent):
            _refuse_other_authors(card, row, rows)


@lru_cache(maxsize=4096)
def _looks(agent: str) -> str:
    """Return what a name looks like: `pp0_1`, `p-p-o.1` and `ppo1` as `ppol`; `1.1` is not `11`."""
    plain = _BETWEEN_DIGITS.sub("-", _SIGNS.sub("", agent))
    return plain.casefold().translate(_LOOKS_LIKE)


def _refuse_case(card: Submission, row: BoardRow) -> None:
    """Refuse a name that differs from another's only in its case."""
    if row.agent != card.agent:
        if row.agent.casefold() == card.agent.casefold():
            raise RefusedError(CARD, "agent", f"differs from {row.agent} only in its case; {_REMEDY}.")
    elif row.task == card.task and row.version.casefold() == card.version.casefold():
        raise RefusedError(CARD, "version", f"differs from {row.version} only in its case.")


def _refuse_other_authors(card: Submission, row: BoardRow, rows: Rows) -> None:
    """Refuse a row under the name, or one that looks like it, of an agent that others made."""
    there = rows.card(row)
    if there is None:
        return
    for field in ("authors", "contact"):
        if _identity(there, field) != _identity(card, field):
            alike = "" if row.agent == card.agent else f" and looks like {card.agent}"
            raise RefusedError(
                CARD, field, f"not those of {row.name}, which is on the board{alike}; {_REMEDY}."
            )


def _identity(card: Submission, field: str) -> object:
    return set(card.authors) if field == "authors" else card.contact
