"""Policies: the protocol, the experts written by hand, the oracles, and how any of them is loaded."""

from agbench.policies.base import Planner, Policy
from agbench.policies.registry import load_policy

__all__ = ["Planner", "Policy", "load_policy"]
