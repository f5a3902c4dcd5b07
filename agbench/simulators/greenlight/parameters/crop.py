"""Parameters of the tomato crop: photosynthesis, growth, respiration, pruning and harvest.

NaN marks a value that follows from others.
"""

import math

from agbench.simulators.greenlight.parameters.parameter import Parameter

VANTHOOR_91 = "Vanthoor 2011, Table 9.1"
VANTHOOR_92 = "Vanthoor 2011, Table 9.2"
DERIVED = "follows from others: derived.py"
GYM = "van Laatum 2025 (GreenLight-Gym 2)"
SET_GL_PARAMS = "Katzin 2020, setGlParams"

CROP = (
    Parameter("globJtoUmol", 2.3, "umol J-1", "photons in global radiation", VANTHOOR_91),
    Parameter(
        "j25LeafMax",
        210.0,
        "umol m-2 s-1",
        "greatest electron transport per leaf area at 25 degC",
        VANTHOOR_91,
    ),
    Parameter("cGamma", 1.7, "ppm K-1", "canopy temperature in the CO2 compensation point", VANTHOOR_91),
    Parameter("etaCo2AirStom", 0.67, "-", "CO2 in the stomata relative to the air", VANTHOOR_91),
    Parameter("eJ", 37000.0, "J mol-1", "activation energy of electron transport", VANTHOOR_91),
    Parameter("t25k", 298.15, "K", "reference temperature of electron transport", VANTHOOR_91),
    Parameter("S", 710.0, "J mol-1 K-1", "entropy term of electron transport", VANTHOOR_91),
    Parameter("H", 220000.0, "J mol-1", "deactivation energy of electron transport", VANTHOOR_91),
    Parameter("theta", 0.7, "-", "curvature of the light response", VANTHOOR_91),
    Parameter("alpha", 0.385, "-", "electrons per absorbed photon", VANTHOOR_91),
    Parameter("mCh2o", 0.03, "mg umol-1", "molar mass of CH2O", VANTHOOR_91),
    Parameter("mCo2", 0.044, "mg umol-1", "molar mass of CO2", SET_GL_PARAMS),
    Parameter("parJtoUmolSun", 4.6, "umol J-1", "photons in the PAR of sunlight", VANTHOOR_91),
    Parameter(
        "laiMax",
        3.0,
        "m2 m-2",
        "leaf area index above which leaves are pruned",
        "Vanthoor 2011, Table 2.2",
    ),
    Parameter("sla", 2.66e-5, "m2 mg-1", "specific leaf area", VANTHOOR_91),
    Parameter("rgr", 3e-6, "s-1", "relative growth rate in maintenance respiration", SET_GL_PARAMS),
    Parameter("cLeafMax", math.nan, "mg m-2", "leaf mass above which leaves are pruned", DERIVED),
    Parameter("cFruitMax", 3e6, "mg m-2", "fruit mass above which fruit is harvested", GYM),
    Parameter("cFruitG", 0.27, "-", "growth respiration of fruit", VANTHOOR_91),
    Parameter("cLeafG", 0.28, "-", "growth respiration of leaves", VANTHOOR_91),
    Parameter("cStemG", 0.3, "-", "growth respiration of stems", VANTHOOR_91),
    Parameter("cRgr", 2.85e6, "s", "relative growth rate in maintenance respiration, factor", VANTHOOR_91),
    Parameter("q10m", 2.0, "-", "maintenance respiration per 10 K", VANTHOOR_91),
    Parameter("cFruitM", 1.16e-7, "s-1", "maintenance respiration of fruit", VANTHOOR_91),
    Parameter("cLeafM", 3.47e-7, "s-1", "maintenance respiration of leaves", VANTHOOR_91),
    Parameter("cStemM", 1.47e-7, "s-1", "maintenance respiration of stems", VANTHOOR_91),
    Parameter("rgFruit", 0.328, "mg m-2 s-1", "potential growth of fruit", VANTHOOR_91),
    Parameter("rgLeaf", 0.095, "mg m-2 s-1", "potential growth of leaves", VANTHOOR_91),
    Parameter("rgStem", 0.074, "mg m-2 s-1", "potential growth of stems", VANTHOOR_91),
    Parameter(
        "cBufMax",
        20000.0,
        "mg m-2",
        "carbohydrate buffer above which photosynthesis stops",
        VANTHOOR_91,
    ),
    Parameter("cBufMin", 1000.0, "mg m-2", "carbohydrate buffer below which growth stops", VANTHOOR_91),
    Parameter("tCan24Max", 24.5, "degC", "daily mean temperature above which growth stops", VANTHOOR_92),
    Parameter("tCan24Min", 15.0, "degC", "daily mean temperature below which growth stops", VANTHOOR_92),
    Parameter("tCanMax", 34.0, "degC", "temperature above which fruit growth stops", VANTHOOR_92),
    Parameter("tCanMin", 10.0, "degC", "temperature below which fruit growth stops", VANTHOOR_92),
    Parameter("tEndSum", 1035.0, "degC d", "temperature sum at which fruit growth is full", VANTHOOR_91),
    Parameter("tEndSumGrowth", 1250.0, "degC d", "temperature sum at which vegetative growth ends", GYM),
)
