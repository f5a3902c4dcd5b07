"""Parameters of grow pipes, lamps and interlights, leakage, and what accounts for the harvest.

NaN marks a value that follows from others.
"""

import math

from agbench.simulators.greenlight.parameters.parameter import Parameter

KATZIN_T1 = "Katzin 2020, Table 1"
KATZIN_T2 = "Katzin 2020, Table 2 (LED)"
KATZIN_T76 = "Katzin 2021, Table 7.6"
DERIVED = "follows from others: derived.py"
GYM = "van Laatum 2025 (GreenLight-Gym 2)"

LAMPS = (
    Parameter("epsGroPipe", 0.0, "-", "far-infrared emissivity of the grow pipes", GYM),
    Parameter("lGroPipe", 1.655, "m m-2", "length of the grow pipes", KATZIN_T1),
    Parameter("phiGroPipeE", 0.035, "m", "outer diameter of the grow pipes", KATZIN_T1),
    Parameter("phiGroPipeI", 0.0338, "m", "inner diameter of the grow pipes", KATZIN_T1),
    Parameter("aGroPipe", math.nan, "m2 m-2", "surface of the grow pipes", DERIVED),
    Parameter("pBoilGro", 0.0, "W", "capacity of the boiler for the grow pipes", GYM),
    Parameter("capGroPipe", math.nan, "J K-1 m-2", "heat capacity of the grow pipes", DERIVED),
    Parameter("thetaLampMax", 116.0, "W m-2", "electrical power of the lamps", KATZIN_T2),
    Parameter("heatCorrection", 0.0, "degC", "correction of the set point while lamps burn", GYM),
    Parameter("etaLampPar", 0.31, "-", "PAR from the lamps' electricity", KATZIN_T2),
    Parameter("etaLampNir", 0.02, "-", "NIR from the lamps' electricity", KATZIN_T2),
    Parameter("tauLampPar", 0.95, "-", "PAR transmission of the lamp layer", KATZIN_T2),
    Parameter("tauLampNir", 0.95, "-", "NIR transmission of the lamp layer", KATZIN_T2),
    Parameter("tauLampFir", 0.95, "-", "far-infrared transmission of the lamp layer", KATZIN_T2),
    Parameter("rhoLampPar", 0.0, "-", "PAR reflection of the lamp layer", KATZIN_T2),
    Parameter("rhoLampNir", 0.0, "-", "NIR reflection of the lamp layer", KATZIN_T2),
    Parameter("aLamp", 0.05, "m2 m-2", "surface of the lamps", KATZIN_T2),
    Parameter("epsLampTop", 0.88, "-", "far-infrared emissivity of the lamps' upper side", KATZIN_T2),
    Parameter("epsLampBottom", 0.88, "-", "far-infrared emissivity of the lamps' lower side", KATZIN_T2),
    Parameter("capLamp", 10.0, "J K-1 m-2", "heat capacity of the lamps", KATZIN_T2),
    Parameter("cHecLampAir", 2.3, "W m-2 K-1", "heat exchange between lamps and air", KATZIN_T2),
    Parameter("etaLampCool", 0.63, "-", "lamp heat removed by active cooling", KATZIN_T2),
    Parameter("zetaLampPar", 5.2, "umol J-1", "photons in the PAR of the lamps", KATZIN_T2),
    Parameter("intLamps", 0.0, "-", "whether interlights are there", GYM),
    Parameter(
        "vIntLampPos",
        0.5,
        "-",
        "depth of the interlights in the canopy, 0 top to 1 bottom",
        KATZIN_T76,
    ),
    Parameter("fIntLampDown", 0.5, "-", "part of the interlights' light going down", KATZIN_T76),
    Parameter("capIntLamp", 10.0, "J K-1 m-2", "heat capacity of the interlights", KATZIN_T76),
    Parameter("etaIntLampPar", 0.0, "-", "PAR from the interlights' electricity", GYM),
    Parameter("etaIntLampNir", 0.0, "-", "NIR from the interlights' electricity", GYM),
    Parameter("aIntLamp", 0.0, "m2 m-2", "surface of the interlights", KATZIN_T76),
    Parameter("epsIntLamp", 0.0, "-", "far-infrared emissivity of the interlights", GYM),
    Parameter("thetaIntLampMax", 0.0, "W m-2", "electrical power of the interlights", KATZIN_T76),
    Parameter("zetaIntLampPar", 0.0, "umol J-1", "photons in the PAR of the interlights", GYM),
    Parameter("cHecIntLampAir", 0.0, "W m-2 K-1", "heat exchange between interlights and air", GYM),
    Parameter("tauIntLampFir", 1.0, "-", "far-infrared transmission of the interlight layer", KATZIN_T76),
    Parameter("k1IntPar", 1.4, "-", "extinction of the interlights' PAR", KATZIN_T76),
    Parameter(
        "k2IntPar",
        1.4,
        "-",
        "extinction of the interlights' PAR reflected by the floor",
        KATZIN_T76,
    ),
    Parameter("kIntNir", 0.54, "-", "extinction of the interlights' NIR", KATZIN_T76),
    Parameter("kIntFir", 1.88, "-", "extinction of the interlights' far-infrared", KATZIN_T76),
    Parameter("cLeakTop", 0.9, "-", "part of the leakage that leaves from above the screens", KATZIN_T1),
    Parameter(
        "minWind",
        0.25,
        "m s-1",
        "wind speed below which leakage is constant",
        "Vanthoor 2011, Equation 8.71",
    ),
    Parameter("dmfm", 0.0627, "kg kg-1", "dry matter in fresh fruit", GYM),
    Parameter("eps", 1e-6, "-", "small number of the original's code", GYM),
)
