"""LINTUL-3: a light-use-efficiency crop model with water and nitrogen, in two variants.

`lintul3` is the model of Shibu et al. (2010) as PCSE 6 runs it; `lintul3-wheat` is the winter wheat
variant of CropGym (Kallenberg et al. 2023). One module a process; `day.py` puts them in order.

References: M.E. Shibu, P.A. Leffelaar, H. van Keulen, P.K. Aggarwal (2010), LINTUL3, a simulation
model for nitrogen-limited situations: application to rice, Eur. J. Agron. 32, 255-271. M.G.J.
Kallenberg, H. Overweg, R. van Bree, I.N. Athanasiadis (2023), Nitrogen management with
Reinforcement Learning and crop growth models, Environmental Data Science 2, e34.
"""

from agbench.simulators.lintul3.simulator import Lintul3Simulator
from agbench.simulators.lintul3.variables import INPUTS, VARIABLES
from agbench.simulators.lintul3.world import Lintul3World, build_world

__all__ = ["INPUTS", "VARIABLES", "Lintul3Simulator", "Lintul3World", "build_world"]
