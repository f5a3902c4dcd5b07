"""Model-predictive control of a greenhouse: the oracle that knows the equations and the weather."""

from agbench.policies.greenhouse.mpc.policy import Predictive
from agbench.policies.greenhouse.mpc.settings import PredictiveSettings

__all__ = ["Predictive", "PredictiveSettings"]
