"""Tracks: how an agent came to its decisions. Each track has ranks of its own; an agent may be in two."""

from typing import Final

from agbench.data.submission import Submission

BUDGET: Final = 100_000
"""The most environment steps of training, each seed's, of the budgeted track."""

TRACKS: Final = {
    "online-rl": "reinforcement learning that plays the environment",
    "imitation": "learned from the decisions of others",
    "offline-rl": "reinforcement learning on a dataset, which its card names by its SHA-256",
    "budgeted": f"reinforcement learning within {BUDGET:,} environment steps a training seed",
    "planning": "decides by playing a model ahead; its time a decision is shown",
    "rules": "written or tuned by people, calendars too",
}
_OF_METHODS: Final = {
    "rl": "online-rl",
    "il": "imitation",
    "offline-rl": "offline-rl",
    "mpc": "planning",
    "rule": "rules",
}


def tracks(card: Submission) -> tuple[str, ...]:
    """Return the tracks of a submission; none for an oracle, which is a bound.

    The budget counts steps in the environment: who also learned from a dataset had more than these.
    """
    if card.method not in _OF_METHODS:
        return ()
    own = _OF_METHODS[card.method]
    steps = None if card.training.dataset is not None else card.training.steps
    budgeted = own == "online-rl" and steps is not None and steps <= BUDGET
    return (own, "budgeted") if budgeted else (own,)
