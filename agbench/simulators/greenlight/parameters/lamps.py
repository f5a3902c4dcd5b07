"""Parameters of grow pipes, lamps and interlights, leakage, and what accounts for the harvest.

OPTIONAL marks a value that follows from others.
"""

from math import inf

from agbench.variables import ABOVE_0, OPTIONAL, Parameter

KATZIN_T1 = "Katzin 2020, Table 1"
KATZIN_T2 = "Katzin 2020, Table 2 (LED)"
KATZIN_T76 = "Katzin 2021, Table 7.6"
DERIVED = "follows from others: derived.py"
GYM = "van Laatum 2025 (GreenLight-Gym 2)"

LAMPS = (
    Parameter("epsGroPipe", "-", "far-infrared emissivity of the grow pipes", 0, 1, 0.0, GYM),
    Parameter("lGroPipe", "m m-2", "length of the grow pipes", ABOVE_0, inf, 1.655, KATZIN_T1),
    Parameter("phiGroPipeE", "m", "outer diameter of the grow pipes", 0, inf, 0.035, KATZIN_T1),
    Parameter("phiGroPipeI", "m", "inner diameter of the grow pipes", 0, inf, 0.0338, KATZIN_T1),
    Parameter("aGroPipe", "m2 m-2", "surface of the grow pipes", 0, 100, OPTIONAL, DERIVED),
    Parameter("pBoilGro", "W", "capacity of the boiler for the grow pipes", 0, inf, 0.0, GYM),
    Parameter("capGroPipe", "J K-1 m-2", "heat capacity of the grow pipes", ABOVE_0, inf, OPTIONAL, DERIVED),
    Parameter("thetaLampMax", "W m-2", "electrical power of the lamps", 0, 1000, 116.0, KATZIN_T2),
    Parameter("heatCorrection", "degC", "correction of the set point while lamps burn", -50, 50, 0.0, GYM),
    Parameter("etaLampPar", "-", "PAR from the lamps' electricity", 0, 1, 0.31, KATZIN_T2),
    Parameter("etaLampNir", "-", "NIR from the lamps' electricity", 0, 1, 0.02, KATZIN_T2),
    Parameter("tauLampPar", "-", "PAR transmission of the lamp layer", 0, 1, 0.95, KATZIN_T2),
    Parameter("tauLampNir", "-", "NIR transmission of the lamp layer", 0, 1, 0.95, KATZIN_T2),
    Parameter("tauLampFir", "-", "far-infrared transmission of the lamp layer", 0, 1, 0.95, KATZIN_T2),
    Parameter("rhoLampPar", "-", "PAR reflection of the lamp layer", 0, 1, 0.0, KATZIN_T2),
    Parameter("rhoLampNir", "-", "NIR reflection of the lamp layer", 0, 1, 0.0, KATZIN_T2),
    Parameter("aLamp", "m2 m-2", "surface of the lamps", 0, inf, 0.05, KATZIN_T2),
    Parameter("epsLampTop", "-", "far-infrared emissivity of the lamps' upper side", 0, 1, 0.88, KATZIN_T2),
    Parameter(
        "epsLampBottom", "-", "far-infrared emissivity of the lamps' lower side", 0, 1, 0.88, KATZIN_T2
    ),
    Parameter("capLamp", "J K-1 m-2", "heat capacity of the lamps", ABOVE_0, inf, 10.0, KATZIN_T2),
    Parameter("cHecLampAir", "W m-2 K-1", "heat exchange between lamps and air", 0, inf, 2.3, KATZIN_T2),
    Parameter("etaLampCool", "-", "lamp heat removed by active cooling", 0, 1, 0.63, KATZIN_T2),
    Parameter("zetaLampPar", "umol J-1", "photons in the PAR of the lamps", 0, inf, 5.2, KATZIN_T2),
    Parameter("intLamps", "-", "whether interlights are there", 0, 1, 0.0, GYM),
    Parameter(
        "vIntLampPos", "-", "height of the interlights in the canopy, 0 foot to 1 top", 0, 1, 0.5, KATZIN_T76
    ),
    Parameter("fIntLampDown", "-", "part of the interlights' light going down", 0, 1, 0.5, KATZIN_T76),
    Parameter("capIntLamp", "J K-1 m-2", "heat capacity of the interlights", ABOVE_0, inf, 10.0, KATZIN_T76),
    Parameter("etaIntLampPar", "-", "PAR from the interlights' electricity", 0, 1, 0.0, GYM),
    Parameter("etaIntLampNir", "-", "NIR from the interlights' electricity", 0, 1, 0.0, GYM),
    Parameter("aIntLamp", "m2 m-2", "surface of the interlights", 0, 10, 0.0, KATZIN_T76),
    Parameter("epsIntLamp", "-", "far-infrared emissivity of the interlights", 0, 1, 0.0, GYM),
    Parameter("thetaIntLampMax", "W m-2", "electrical power of the interlights", 0, 1000, 0.0, KATZIN_T76),
    Parameter("zetaIntLampPar", "umol J-1", "photons in the PAR of the interlights", 0, 20, 0.0, GYM),
    Parameter("cHecIntLampAir", "W m-2 K-1", "heat exchange between interlights and air", 0, 1000, 0.0, GYM),
    Parameter(
        "tauIntLampFir", "-", "far-infrared transmission of the interlight layer", 0, 1, 1.0, KATZIN_T76
    ),
    Parameter("k1IntPar", "-", "extinction of the interlights' PAR", 0, inf, 1.4, KATZIN_T76),
    Parameter(
        "k2IntPar", "-", "extinction of the interlights' PAR reflected by the floor", 0, inf, 1.4, KATZIN_T76
    ),
    Parameter("kIntNir", "-", "extinction of the interlights' NIR", 0, inf, 0.54, KATZIN_T76),
    Parameter("kIntFir", "-", "extinction of the interlights' far-infrared", 0, inf, 1.88, KATZIN_T76),
    Parameter(
        "cLeakTop", "-", "part of the leakage that leaves from above the screens", 0, 1, 0.9, KATZIN_T1
    ),
    Parameter(
        "minWind",
        "m s-1",
        "wind speed below which leakage is constant",
        0,
        inf,
        0.25,
        "Vanthoor 2011, Equation 8.71",
    ),
    Parameter("dmfm", "kg kg-1", "dry matter in fresh fruit", 0, 1, 0.0627, GYM),
    Parameter("eps", "-", "small number of the original's code", 0, inf, 1e-6, GYM),
)
