"""Parameters of the greenhouse and its climate: nature, construction, screens, floor, pipe rails.

Values are those of the LED compartment of Katzin 2020 as GreenLight-Gym 2 sets them; `presets.py`
states what differs elsewhere. OPTIONAL marks a value that follows from others.
"""

from math import inf

from agbench.variables import ABOVE_0, OPTIONAL, Parameter

VANTHOOR_81 = "Vanthoor 2011, Table 8.1"
VANTHOOR_82 = "Vanthoor 2011, Table 8.2 (Netherlands)"
KATZIN_T1 = "Katzin 2020, Table 1"
KATZIN_T2 = "Katzin 2020, Table 2 (LED)"
DERIVED = "follows from others: derived.py"
GYM = "van Laatum 2025 (GreenLight-Gym 2)"

CLIMATE = (
    Parameter(
        "alfaLeafAir", "W m-2 K-1", "convective heat exchange between leaf and air", 0, inf, 5.0, VANTHOOR_81
    ),
    Parameter("L", "J kg-1", "latent heat of evaporation of water", ABOVE_0, inf, 2.45e6, VANTHOOR_81),
    Parameter("sigma", "W m-2 K-4", "Stefan-Boltzmann constant", 1e-8, 1e-7, 5.67e-8, VANTHOOR_81),
    Parameter("epsCan", "-", "far-infrared emissivity of the canopy", 0, 1, 1.0, VANTHOOR_81),
    Parameter("epsSky", "-", "far-infrared emissivity of the sky", 0, 1, 1.0, VANTHOOR_81),
    Parameter("etaGlobNir", "-", "near-infrared part of global radiation", 0, 1, 0.5, VANTHOOR_81),
    Parameter(
        "etaGlobPar", "-", "photosynthetically active part of global radiation", 0, 1, 0.5, VANTHOOR_81
    ),
    Parameter(
        "etaMgPpm", "ppm mg-1 m3", "CO2 from density to ppm, for the stomata", 0, inf, 0.554, VANTHOOR_81
    ),
    Parameter(
        "etaRoofThr", "-", "share of roof vents above which side vents do not count", 0, 1, 0.9, VANTHOOR_81
    ),
    Parameter("rhoAir0", "kg m-3", "density of air at sea level", ABOVE_0, inf, 1.2, VANTHOOR_81),
    Parameter("rhoCanPar", "-", "PAR reflection of the canopy", 0, 1, 0.07, VANTHOOR_81),
    Parameter("rhoCanNir", "-", "NIR reflection of the canopy", 0, 1, 0.35, VANTHOOR_81),
    Parameter("rhoSteel", "kg m-3", "density of steel", 0, inf, 7850.0, VANTHOOR_81),
    Parameter("rhoWater", "kg m-3", "density of water", 0, inf, 1000.0, VANTHOOR_81),
    Parameter("gammaPsych", "Pa K-1", "psychrometric constant", ABOVE_0, inf, 65.8, VANTHOOR_81),
    Parameter("omega", "s-1", "yearly frequency of the soil temperature", 0, inf, 1.99e-7, VANTHOOR_81),
    Parameter("capLeaf", "J K-1 m-2", "heat capacity per leaf area", ABOVE_0, inf, 1200.0, VANTHOOR_81),
    Parameter("cEvap1", "W m-2", "radiation in stomatal resistance, first", 0, inf, 4.3, VANTHOOR_81),
    Parameter("cEvap2", "W m-2", "radiation in stomatal resistance, second", ABOVE_0, inf, 0.54, VANTHOOR_81),
    Parameter("cEvap3Day", "ppm-2", "CO2 in stomatal resistance by day", 0, inf, 6.1e-7, VANTHOOR_81),
    Parameter("cEvap3Night", "ppm-2", "CO2 in stomatal resistance by night", 0, inf, 1.1e-11, VANTHOOR_81),
    Parameter(
        "cEvap4Day", "Pa-2", "vapour deficit in stomatal resistance by day", 0, inf, 4.3e-6, VANTHOOR_81
    ),
    Parameter(
        "cEvap4Night", "Pa-2", "vapour deficit in stomatal resistance by night", 0, inf, 5.2e-6, VANTHOOR_81
    ),
    Parameter("cPAir", "J K-1 kg-1", "specific heat of air", ABOVE_0, inf, 1000.0, VANTHOOR_81),
    Parameter("cPSteel", "J K-1 kg-1", "specific heat of steel", 0, inf, 640.0, VANTHOOR_81),
    Parameter("cPWater", "J K-1 kg-1", "specific heat of water", 0, inf, 4180.0, VANTHOOR_81),
    Parameter("g", "m s-2", "acceleration of gravity", 1, 100, 9.81, VANTHOOR_81),
    Parameter("hSo1", "m", "thickness of soil layer 1", ABOVE_0, inf, 0.04, VANTHOOR_81),
    Parameter("hSo2", "m", "thickness of soil layer 2", ABOVE_0, inf, 0.08, VANTHOOR_81),
    Parameter("hSo3", "m", "thickness of soil layer 3", ABOVE_0, inf, 0.16, VANTHOOR_81),
    Parameter("hSo4", "m", "thickness of soil layer 4", ABOVE_0, inf, 0.32, VANTHOOR_81),
    Parameter("hSo5", "m", "thickness of soil layer 5", ABOVE_0, inf, 0.64, VANTHOOR_81),
    Parameter("k1Par", "-", "extinction of PAR coming from above", 0, inf, 0.7, VANTHOOR_81),
    Parameter("k2Par", "-", "extinction of PAR reflected by the floor", 0, inf, 0.7, VANTHOOR_81),
    Parameter("kNir", "-", "extinction of NIR", 0, inf, 0.27, VANTHOOR_81),
    Parameter("kFir", "-", "extinction of far-infrared", 0, inf, 0.94, VANTHOOR_81),
    Parameter("mAir", "kg kmol-1", "molar mass of air", ABOVE_0, inf, 28.96, VANTHOOR_81),
    Parameter("hSoOut", "m", "thickness of the soil below, at tSoOut", 0, inf, 1.28, "assumed"),
    Parameter("mWater", "kg kmol-1", "molar mass of water", ABOVE_0, inf, 18.0, VANTHOOR_81),
    Parameter("R", "J kmol-1 K-1", "molar gas constant", 4000, 16000, 8314.0, VANTHOOR_81),
    Parameter(
        "rCanSp", "W m-2", "radiation at which stomata change from night to day", 0, inf, 5.0, VANTHOOR_81
    ),
    Parameter("rB", "s m-1", "boundary layer resistance of the canopy", 0, inf, 275.0, VANTHOOR_81),
    Parameter("rSMin", "s m-1", "least stomatal resistance", 0, inf, 82.0, VANTHOOR_81),
    Parameter("sRsSlope", "m2 W-1", "slope of the change from night to day", -100, 100, -1.0, VANTHOOR_81),
    Parameter("etaGlobAir", "-", "global radiation absorbed by the construction", 0, 1, 0.1, VANTHOOR_82),
    Parameter("psi", "deg", "slope of the cover", 0, 85, 23.0, KATZIN_T1),
    Parameter("aFlr", "m2", "floor area", ABOVE_0, inf, 144.0, KATZIN_T1),
    Parameter("aCov", "m2", "cover area, side walls included", 0, inf, 216.6, KATZIN_T1),
    Parameter("hAir", "m", "height of the air below the screens", ABOVE_0, inf, 5.7, KATZIN_T1),
    Parameter("hGh", "m", "mean height of the greenhouse", 0, inf, 6.2, KATZIN_T1),
    Parameter("cHecIn", "W m-2 K-1", "heat exchange between air and inner cover", 0, inf, 3.5, KATZIN_T1),
    Parameter(
        "cHecOut1",
        "W m-2 K-1",
        "heat exchange between cover and outside, at no wind",
        0,
        inf,
        2.8,
        VANTHOOR_82,
    ),
    Parameter(
        "cHecOut2", "J m-3 K-1", "heat exchange between cover and outside, by wind", 0, inf, 1.2, VANTHOOR_82
    ),
    Parameter("cHecOut3", "-", "exponent of the wind speed in that exchange", 0, 3, 1.0, VANTHOOR_82),
    Parameter("hElevation", "m", "height above sea level", -500, 9000, 0.0, VANTHOOR_82),
    Parameter("aRoof", "m2", "largest area of the roof vents", 0, inf, 52.2, KATZIN_T1),
    Parameter("hVent", "m", "height of a roof vent", 0, inf, 0.87, KATZIN_T1),
    Parameter("etaInsScr", "-", "reduction of ventilation by insect screens", 0, 1, 1.0, VANTHOOR_82),
    Parameter("aSide", "m2", "largest area of the side vents", 0, inf, 0.0, VANTHOOR_82),
    Parameter("cDgh", "-", "discharge coefficient of the vents", 0, inf, 0.35, KATZIN_T1),
    Parameter("cLeakage", "-", "leakage coefficient", 0, inf, 3e-5, KATZIN_T1),
    Parameter("cWgh", "-", "wind pressure coefficient of the vents", 0, inf, 0.02, KATZIN_T1),
    Parameter("hSideRoof", "m", "height between side and roof vents", 0, 100, 0.0, GYM),
    Parameter("epsRfFir", "-", "far-infrared emissivity of the roof", 0, 1, 0.85, VANTHOOR_82),
    Parameter("rhoRf", "kg m-3", "density of the roof", ABOVE_0, inf, 2600.0, VANTHOOR_82),
    Parameter("rhoRfNir", "-", "NIR reflection of the roof", 0, 1, 0.13, VANTHOOR_82),
    Parameter("rhoRfPar", "-", "PAR reflection of the roof", 0, 1, 0.13, VANTHOOR_82),
    Parameter("rhoRfFir", "-", "far-infrared reflection of the roof", 0, 1, 0.15, VANTHOOR_82),
    Parameter("tauRfNir", "-", "NIR transmission of the roof", 0, 1, 0.57, KATZIN_T1),
    Parameter("tauRfPar", "-", "PAR transmission of the roof", 0, 1, 0.57, KATZIN_T1),
    Parameter("tauRfFir", "-", "far-infrared transmission of the roof", 0, 1, 0.0, VANTHOOR_82),
    Parameter("lambdaRf", "W m-1 K-1", "heat conductivity of the roof", 0, inf, 1.05, VANTHOOR_82),
    Parameter("cPRf", "J K-1 kg-1", "specific heat of the roof", ABOVE_0, inf, 840.0, VANTHOOR_82),
    Parameter("hRf", "m", "thickness of the roof", ABOVE_0, inf, 4e-3, VANTHOOR_82),
    Parameter("epsThScrFir", "-", "far-infrared emissivity of the thermal screen", 0, 1, 0.67, VANTHOOR_82),
    Parameter("rhoThScr", "kg m-3", "density of the thermal screen", ABOVE_0, inf, 200.0, VANTHOOR_82),
    Parameter("rhoThScrNir", "-", "NIR reflection of the thermal screen", 0, 1, 0.35, VANTHOOR_82),
    Parameter("rhoThScrPar", "-", "PAR reflection of the thermal screen", 0, 1, 0.35, VANTHOOR_82),
    Parameter("rhoThScrFir", "-", "far-infrared reflection of the thermal screen", 0, 1, 0.18, VANTHOOR_82),
    Parameter("tauThScrNir", "-", "NIR transmission of the thermal screen", 0, 1, 0.75, GYM),
    Parameter("tauThScrPar", "-", "PAR transmission of the thermal screen", 0, 1, 0.75, KATZIN_T1),
    Parameter("tauThScrFir", "-", "far-infrared transmission of the thermal screen", 0, 1, 0.15, VANTHOOR_82),
    Parameter(
        "cPThScr", "J kg-1 K-1", "specific heat of the thermal screen", ABOVE_0, inf, 1800.0, VANTHOOR_82
    ),
    Parameter("hThScr", "m", "thickness of the thermal screen", ABOVE_0, inf, 3.5e-4, VANTHOOR_82),
    Parameter("kThScr", "m3 m-2 K-0.66 s-1", "air flow through the thermal screen", 0, inf, 5e-4, KATZIN_T1),
    Parameter("epsBlScrFir", "-", "far-infrared emissivity of the blackout screen", 0, 1, 0.67, KATZIN_T2),
    Parameter("rhoBlScr", "kg m-3", "density of the blackout screen", ABOVE_0, inf, 200.0, KATZIN_T2),
    Parameter("rhoBlScrNir", "-", "NIR reflection of the blackout screen", 0, 1, 0.35, KATZIN_T2),
    Parameter("rhoBlScrPar", "-", "PAR reflection of the blackout screen", 0, 1, 0.35, KATZIN_T2),
    Parameter("tauBlScrNir", "-", "NIR transmission of the blackout screen", 0, 1, 0.01, KATZIN_T2),
    Parameter("tauBlScrPar", "-", "PAR transmission of the blackout screen", 0, 1, 0.01, KATZIN_T1),
    Parameter("tauBlScrFir", "-", "far-infrared transmission of the blackout screen", 0, 1, 0.7, KATZIN_T2),
    Parameter(
        "cPBlScr", "J kg-1 K-1", "specific heat of the blackout screen", ABOVE_0, inf, 1800.0, KATZIN_T2
    ),
    Parameter("hBlScr", "m", "thickness of the blackout screen", ABOVE_0, inf, 3.5e-4, KATZIN_T2),
    Parameter("kBlScr", "m3 m-2 K-0.66 s-1", "air flow through the blackout screen", 0, inf, 5e-4, KATZIN_T1),
    Parameter("epsFlr", "-", "far-infrared emissivity of the floor", 0, 1, 1.0, VANTHOOR_82),
    Parameter("rhoFlr", "kg m-3", "density of the floor", ABOVE_0, inf, 2300.0, VANTHOOR_82),
    Parameter("rhoFlrNir", "-", "NIR reflection of the floor", 0, 1, 0.5, VANTHOOR_82),
    Parameter("rhoFlrPar", "-", "PAR reflection of the floor", 0, 1, 0.65, VANTHOOR_82),
    Parameter("lambdaFlr", "W m-1 K-1", "heat conductivity of the floor", 0, inf, 1.7, VANTHOOR_82),
    Parameter("cPFlr", "J kg-1 K-1", "specific heat of the floor", ABOVE_0, inf, 880.0, VANTHOOR_82),
    Parameter("hFlr", "m", "thickness of the floor", ABOVE_0, inf, 0.02, VANTHOOR_82),
    Parameter("rhoCpSo", "J m-3 K-1", "heat capacity of the soil", ABOVE_0, inf, 1.73e6, VANTHOOR_82),
    Parameter("lambdaSo", "W m-1 K-1", "heat conductivity of the soil", 0, inf, 0.85, VANTHOOR_82),
    Parameter("epsPipe", "-", "far-infrared emissivity of the pipe rails", 0, 1, 0.88, VANTHOOR_82),
    Parameter("phiPipeE", "m", "outer diameter of the pipe rails", 0, inf, 0.051, KATZIN_T1),
    Parameter("phiPipeI", "m", "inner diameter of the pipe rails", 0, inf, 0.04875, KATZIN_T1),
    Parameter("lPipe", "m m-2", "length of the pipe rails", ABOVE_0, inf, 1.3375, KATZIN_T1),
    Parameter("pBoil", "W", "capacity of the boiler for the pipe rails", 0, inf, 18720.0, GYM),
    Parameter("phiExtCo2", "mg s-1", "capacity of the CO2 supply", 0, inf, 720.0, KATZIN_T1),
    Parameter("capPipe", "J K-1 m-2", "heat capacity of the pipe rails", ABOVE_0, inf, OPTIONAL, DERIVED),
    Parameter(
        "rhoAirCap",
        "kg m-3",
        "density of air at this height above sea level",
        ABOVE_0,
        inf,
        OPTIONAL,
        DERIVED,
    ),
    Parameter(
        "capAir", "J K-1 m-2", "heat capacity of the air below the screens", ABOVE_0, inf, OPTIONAL, DERIVED
    ),
    Parameter("capFlr", "J K-1 m-2", "heat capacity of the floor", ABOVE_0, inf, OPTIONAL, DERIVED),
    Parameter("capSo1", "J K-1 m-2", "heat capacity of soil layer 1", ABOVE_0, inf, OPTIONAL, DERIVED),
    Parameter("capSo2", "J K-1 m-2", "heat capacity of soil layer 2", ABOVE_0, inf, OPTIONAL, DERIVED),
    Parameter("capSo3", "J K-1 m-2", "heat capacity of soil layer 3", ABOVE_0, inf, OPTIONAL, DERIVED),
    Parameter("capSo4", "J K-1 m-2", "heat capacity of soil layer 4", ABOVE_0, inf, OPTIONAL, DERIVED),
    Parameter("capSo5", "J K-1 m-2", "heat capacity of soil layer 5", ABOVE_0, inf, OPTIONAL, DERIVED),
    Parameter(
        "capThScr", "J K-1 m-2", "heat capacity of the thermal screen", ABOVE_0, inf, OPTIONAL, DERIVED
    ),
    Parameter(
        "capTop", "J K-1 m-2", "heat capacity of the air above the screens", ABOVE_0, inf, OPTIONAL, DERIVED
    ),
    Parameter(
        "capBlScr", "J K-1 m-2", "heat capacity of the blackout screen", ABOVE_0, inf, OPTIONAL, DERIVED
    ),
    Parameter("capCo2Air", "m", "CO2 capacity of the air below the screens", ABOVE_0, inf, OPTIONAL, DERIVED),
    Parameter("capCo2Top", "m", "CO2 capacity of the air above the screens", ABOVE_0, inf, OPTIONAL, DERIVED),
    Parameter("aPipe", "m2 m-2", "surface of the pipe rails", 0, 100, OPTIONAL, DERIVED),
    Parameter("fCanFlr", "-", "view of the floor from the canopy", 0, 1, OPTIONAL, DERIVED),
    Parameter(
        "pressure", "Pa", "air pressure at this height above sea level", ABOVE_0, inf, OPTIONAL, DERIVED
    ),
    Parameter("energyContentGas", "MJ m-3", "energy content of natural gas", 0, inf, 31.65, GYM),
)
