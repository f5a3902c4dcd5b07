"""Parameters of the tomato crop: photosynthesis, growth, respiration, pruning and harvest.

OPTIONAL marks a value that follows from others.
"""

from math import inf

from agbench.variables import ABOVE_0, OPTIONAL, Parameter

VANTHOOR_91 = "Vanthoor 2011, Table 9.1"
VANTHOOR_92 = "Vanthoor 2011, Table 9.2"
DERIVED = "follows from others: derived.py"
GYM = "van Laatum 2025 (GreenLight-Gym 2)"
SET_GL_PARAMS = "Katzin 2020, setGlParams"
LEAST_CUT = 2.5e4  # mg m-2; cuts follow a smooth curve, in years a trace is taken from so much below a limit

CROP = (
    Parameter("globJtoUmol", "umol J-1", "photons in global radiation", 0, inf, 2.3, VANTHOOR_91),
    Parameter(
        "j25LeafMax",
        "umol m-2 s-1",
        "greatest electron transport per leaf area at 25 degC",
        ABOVE_0,
        inf,
        210.0,
        VANTHOOR_91,
    ),
    Parameter(
        "cGamma", "ppm K-1", "canopy temperature in the CO2 compensation point", 0, inf, 1.7, VANTHOOR_91
    ),
    Parameter("etaCo2AirStom", "-", "CO2 in the stomata relative to the air", ABOVE_0, 1, 0.67, VANTHOOR_91),
    Parameter("eJ", "J mol-1", "activation energy of electron transport", 0, 4e5, 37000.0, VANTHOOR_91),
    Parameter("t25k", "K", "reference temperature of electron transport", 100, 500, 298.15, VANTHOOR_91),
    Parameter("S", "J mol-1 K-1", "entropy term of electron transport", 0, 2000, 710.0, VANTHOOR_91),
    Parameter("H", "J mol-1", "deactivation energy of electron transport", 0, inf, 220000.0, VANTHOOR_91),
    Parameter("theta", "-", "curvature of the light response", ABOVE_0, 1, 0.7, VANTHOOR_91),
    Parameter("alpha", "-", "electrons per absorbed photon", 0, inf, 0.385, VANTHOOR_91),
    Parameter("mCh2o", "mg umol-1", "molar mass of CH2O", ABOVE_0, inf, 0.03, VANTHOOR_91),
    Parameter("mCo2", "mg umol-1", "molar mass of CO2", 0, inf, 0.044, SET_GL_PARAMS),
    Parameter("parJtoUmolSun", "umol J-1", "photons in the PAR of sunlight", 0, inf, 4.6, VANTHOOR_91),
    Parameter(
        "laiMax",
        "m2 m-2",
        "leaf area index above which leaves are pruned",
        0,
        inf,
        3.0,
        "Vanthoor 2011, Table 2.2",
    ),
    Parameter("sla", "m2 mg-1", "specific leaf area", ABOVE_0, inf, 2.66e-5, VANTHOOR_91),
    Parameter("rgr", "s-1", "relative growth rate in maintenance respiration", 0, inf, 3e-6, SET_GL_PARAMS),
    Parameter(
        "cLeafMax", "mg m-2", "leaf mass above which leaves are pruned", LEAST_CUT, inf, OPTIONAL, DERIVED
    ),
    Parameter("cFruitMax", "mg m-2", "fruit mass above which fruit is harvested", LEAST_CUT, inf, 3e6, GYM),
    Parameter("cFruitG", "-", "growth respiration of fruit", 0, 1, 0.27, VANTHOOR_91),
    Parameter("cLeafG", "-", "growth respiration of leaves", 0, 1, 0.28, VANTHOOR_91),
    Parameter("cStemG", "-", "growth respiration of stems", 0, 1, 0.3, VANTHOOR_91),
    Parameter(
        "cRgr", "s", "relative growth rate in maintenance respiration, factor", 0, inf, 2.85e6, VANTHOOR_91
    ),
    Parameter("q10m", "-", "maintenance respiration per 10 K", ABOVE_0, inf, 2.0, VANTHOOR_91),
    Parameter("cFruitM", "s-1", "maintenance respiration of fruit", 0, inf, 1.16e-7, VANTHOOR_91),
    Parameter("cLeafM", "s-1", "maintenance respiration of leaves", 0, inf, 3.47e-7, VANTHOOR_91),
    Parameter("cStemM", "s-1", "maintenance respiration of stems", 0, inf, 1.47e-7, VANTHOOR_91),
    Parameter("rgFruit", "mg m-2 s-1", "potential growth of fruit", 0, inf, 0.328, VANTHOOR_91),
    Parameter("rgLeaf", "mg m-2 s-1", "potential growth of leaves", 0, inf, 0.095, VANTHOOR_91),
    Parameter("rgStem", "mg m-2 s-1", "potential growth of stems", 0, inf, 0.074, VANTHOOR_91),
    Parameter(
        "cBufMax",
        "mg m-2",
        "carbohydrate buffer above which photosynthesis stops",
        0,
        inf,
        20000.0,
        VANTHOOR_91,
    ),
    Parameter(
        "cBufMin", "mg m-2", "carbohydrate buffer below which growth stops", 0, inf, 1000.0, VANTHOOR_91
    ),
    Parameter(
        "tCan24Max", "degC", "daily mean temperature above which growth stops", -100, 100, 24.5, VANTHOOR_92
    ),
    Parameter(
        "tCan24Min", "degC", "daily mean temperature below which growth stops", -100, 100, 15.0, VANTHOOR_92
    ),
    Parameter("tCanMax", "degC", "temperature above which fruit growth stops", -100, 100, 34.0, VANTHOOR_92),
    Parameter("tCanMin", "degC", "temperature below which fruit growth stops", -100, 100, 10.0, VANTHOOR_92),
    Parameter(
        "tEndSum",
        "degC d",
        "temperature sum at which fruit growth is full",
        ABOVE_0,
        inf,
        1035.0,
        VANTHOOR_91,
    ),
    Parameter(
        "tEndSumGrowth", "degC d", "temperature sum at which vegetative growth ends", 0, inf, 1250.0, GYM
    ),
)
