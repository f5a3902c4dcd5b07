"""Reports: one HTML file that shows a result, a training run or a dataset, with nothing to load beside it."""

from agbench.reporting.writing import report

__all__ = ["report"]
