"""Originality as a figure: how many decisions of a row are those of the most similar other agent.

The same figure of a row's own training seeds tells seeds from one policy that was changed a little each time.

A high share is no proof of copying: sensible policies agree on most days. It is shown with both dates, so
that readers can judge.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from agbench.leaderboard.checks.sampled import same_decisions
from agbench.leaderboard.page.entries import Entry, place_of


class Nearest(NamedTuple):
    """The other agent's row whose decisions are most like a row's, and the share of equal decisions."""

    entry: Entry
    share: float


def most_alike(entry: Entry) -> float | None:
    """Return the share of equal decisions of the two most similar training seeds; None where there is one."""
    samples = [result.sample for result in entry.submission.of_split("test")]
    pairs = [(one, samples[i + 1 :]) for i, one in enumerate(samples[:-1])]
    shares = [same_decisions(np.stack(others), one, entry.task).max() for one, others in pairs]
    return float(max(shares)) if shares else None


def nearest(entries: Sequence[Entry]) -> dict[str, Nearest]:
    """Return, for each submission of a task by its place, the most similar one of another agent.

    Of several training seeds the two most similar ones count.
    """
    samples = [result.sample for entry in entries for result in entry.submission.of_split("test")]
    owners = np.repeat(np.arange(len(entries)), [len(e.submission.of_split("test")) for e in entries])
    agents = np.array([entry.card.agent for entry in entries])
    if len(set(agents.tolist())) < 2:
        return {}
    stacked = np.stack(samples)
    shares = np.full((len(entries), len(entries)), -1.0)
    for i, owner in enumerate(owners[:-1]):  # alike is alike both ways
        equal = same_decisions(stacked[i + 1 :], stacked[i], entries[0].task)
        np.maximum.at(shares[owner], owners[i + 1 :], equal)
    shares = np.maximum(shares, shares.T)
    result: dict[str, Nearest] = {}
    for i, entry in enumerate(entries):
        others = np.where(agents == agents[i], -1.0, shares[i])
        most = int(np.argmax(others))
        result[place_of(entry.card)] = Nearest(entries[most], float(others[most]))
    return result
