"""Versions of agents: which comes after which, and the newest of each."""

import re
from collections.abc import Iterable

from agbench.leaderboard.checks.submission import CheckedSubmission


def natural(version: str) -> list[tuple[int, int, str]]:
    """Return what orders versions as people do: 1.9 before 1.10."""
    parts = re.findall(r"\d+|\D+", version)
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]


def newest(rows: Iterable[CheckedSubmission]) -> list[CheckedSubmission]:
    """Return the newest version of each agent of a task."""
    result: dict[tuple[str, str], CheckedSubmission] = {}
    for row in rows:
        key = row.card.task, row.card.agent
        if key not in result or natural(row.card.version) > natural(result[key].card.version):
            result[key] = row
    return list(result.values())
