"""PCSE's own models behind the simulator protocol: the independent reference, and `engine: pcse`.

PCSE (de Wit et al. 2019, Agricultural Systems 168) is imported on first use only, because its
import is slow and writes to the home directory.
"""

from agbench.simulators.pcse_reference.run import PcseWorld, run_pcse
from agbench.simulators.pcse_reference.simulator import PcseSimulator

__all__ = ["PcseSimulator", "PcseWorld", "run_pcse"]
