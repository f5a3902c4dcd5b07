"""The leaderboard: submissions made, checked, replayed, reproduced and scored."""

from agbench.leaderboard.checks.submission import CheckedSubmission, check
from agbench.leaderboard.submitting import submit
from agbench.leaderboard.verify.replaying import replay

__all__ = ["CheckedSubmission", "check", "replay", "submit"]
