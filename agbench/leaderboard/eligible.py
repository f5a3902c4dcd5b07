"""Who takes part in a round: whose policy was run here and gave what was recorded, and looks at no future."""

from typing import Final

from agbench.evaluation import provenance
from agbench.leaderboard.checks.submission import CheckedSubmission
from agbench.leaderboard.verify.verified import Verified

SEEDS_TO_RANK: Final = 5  # of a learned agent


def obstacle(submission: CheckedSubmission, levels: Verified) -> str:
    """Return why a round does not run a submission; empty where it does."""
    card = submission.card
    if card.information == "model":
        return "looks ahead: a bound"
    if card.policy is None:
        return "brings no policy"
    distinct = len(submission.distinct_seeds)
    if card.learned and distinct < SEEDS_TO_RANK:
        given = len(card.training.seeds)
        alike = f" ({given} given, {given - distinct} act like others)" if distinct < given else ""
        return f"{distinct} of {SEEDS_TO_RANK} seeds{alike}"
    if not levels.holds("reproduced", provenance.simulator_hash(submission.task)):
        return "not reproduced" if "reproduced" not in levels.levels else "reproduced with an earlier version"
    return ""
