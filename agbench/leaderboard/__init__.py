"""The leaderboard: submissions made, checked, replayed, reproduced and scored."""

from agbench.leaderboard.checking import CheckedSubmission, check
from agbench.leaderboard.making import submit
from agbench.leaderboard.replaying import replay

__all__ = ["CheckedSubmission", "check", "replay", "submit"]
