"""The `agbench` command: one file for each subcommand, a thin layer over the library."""

from agbench.cli.app import main

__all__ = ["main"]
