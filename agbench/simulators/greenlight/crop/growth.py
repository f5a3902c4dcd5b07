"""The tomato crop: from the buffer to leaves, stems and fruit, respiration, pruning and harvest.

Vanthoor 2011, Chapter 9 (simplified: one fruit pool); Katzin 2021, Equations 7.43 to 7.45. All
fluxes in mg CH2O m-2 s-1 unless stated.

Reads: cBuf, tCan24, cLeaf, cFruit, tCan, cStem, tCanSum from states.
Sets: mcBufFruit, mcBufLeaf, mcBufStem, mcBufAir, mcLeafAir, mcStemAir, mcFruitAir, mcLeafHar,
    mcFruitHar [mg m-2 s-1].
"""

from types import SimpleNamespace
from typing import Any

import casadi

from agbench.simulators.greenlight.presets import CutRule, Structure
from agbench.simulators.greenlight.smooth import logistic

CUT_WIDTH = 1e4  # mg m-2, range over which pruning and harvest start (Section 9.7.2)


def growth(x: SimpleNamespace, p: SimpleNamespace) -> SimpleNamespace:
    """Flow from the buffer into fruit, leaves and stems (Eq. 9.24-9.28, B.2, B.3 and B.6)."""
    supply = logistic(5e-3 * (x.cBuf - p.cBufMin))
    day = logistic(1.1587 * (x.tCan24 - p.tCan24Min)) * logistic(-1.3904 * (x.tCan24 - p.tCan24Max))
    now = logistic(0.869 * (x.tCan - p.tCanMin)) * logistic(-0.5793 * (x.tCan - p.tCanMax))
    common = supply * day * (0.047 * x.tCan24 + 0.06)
    return SimpleNamespace(
        mcBufFruit=common * now * fruit_development(x.tCanSum / p.tEndSum) * p.rgFruit,
        mcBufLeaf=common * p.rgLeaf,
        mcBufStem=common * p.rgStem,
    )


def fruit_development(progress: Any) -> Any:
    """Part of potential fruit growth [-], rising from 0 to 1 with the temperature sum (B.6)."""
    late = progress - 1
    begun = 0.5 * (progress + casadi.sqrt(progress**2 + 1e-4))
    return begun - 0.5 * (late + casadi.sqrt(late**2 + 1e-4))


def respiration(flows: SimpleNamespace, x: SimpleNamespace, p: SimpleNamespace) -> SimpleNamespace:
    """Growth and maintenance respiration (Eq. 9.43-9.45)."""
    warmth = casadi.exp(0.1 * casadi.log(p.q10m) * (x.tCan24 - 25))
    rate = (1 - casadi.exp(-p.cRgr * p.rgr)) * warmth
    return SimpleNamespace(
        mcBufAir=p.cLeafG * flows.mcBufLeaf + p.cStemG * flows.mcBufStem + p.cFruitG * flows.mcBufFruit,
        mcLeafAir=rate * x.cLeaf * p.cLeafM,
        mcStemAir=rate * x.cStem * p.cStemM,
        mcFruitAir=rate * x.cFruit * p.cFruitM,
    )


def removal(structure: Structure, x: SimpleNamespace, p: SimpleNamespace) -> SimpleNamespace:
    """Leaf pruning and fruit harvest (Eq. 9.47 and 7.45; Katzin 2020, Equation A45)."""

    def cut(rule: CutRule, mass: Any, limit: Any, most: float) -> Any:
        if rule == "threshold":
            return casadi.fmax(mass - limit, 0)
        if rule == "tanh":
            return most * (1 + casadi.tanh(structure.cut_log / CUT_WIDTH * (mass - limit))) / 2
        return most * logistic(2 * structure.cut_log / CUT_WIDTH * (mass - limit))

    return SimpleNamespace(
        mcLeafHar=cut(structure.pruning, x.cLeaf, p.cLeafMax, structure.pruning_rate),
        mcFruitHar=cut(structure.harvest, x.cFruit, p.cFruitMax, structure.harvest_rate),
    )
