"""Where work runs: in this process, in several, or in those of a Ray cluster; the results are the same."""

from agbench.running.engines import Engine, engine_of, in_order, mapping
from agbench.running.work import Work

__all__ = ["Engine", "Work", "engine_of", "in_order", "mapping"]
