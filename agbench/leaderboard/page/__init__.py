"""The page: a static site and Markdown tables of a board, and a server to look at it."""

from agbench.leaderboard.page.building import Built, build

__all__ = ["Built", "build"]
