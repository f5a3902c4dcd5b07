"""The `agbench` command: one verb a file, each a thin call into the library."""

from agbench.cli.app import main

__all__ = ["main"]
