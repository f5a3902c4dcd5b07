"""Evaluations: the fixed protocol, the runner, results on disk, statistics and figures."""

from agbench.evaluation.result import Result
from agbench.evaluation.runner import evaluate, replay

__all__ = ["Result", "evaluate", "replay"]
