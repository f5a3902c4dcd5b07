"""The fluxes of climate and crop by name: what the rates of the states are made of.

Most names say what flows from where to where, as in Vanthoor 2011: `hAirThScr` is heat from the air to the
thermal screen. Per m2 of floor; a flux is negative where it runs the other way.
"""

import re
from typing import Final

from agbench.variables import Variable, VariableTable

_BODIES: Final = {
    "Air": "the air below the screens",
    "Top": "the air above the screens",
    "Out": "the outdoor air",
    "Can": "the canopy",
    "CovIn": "the inside of the cover",
    "CovE": "the outside of the cover",
    "ThScr": "the thermal screen",
    "BlScr": "the blackout screen",
    "Flr": "the floor",
    "Pipe": "the pipe rails",
    "GroPipe": "the grow pipes",
    "Lamp": "the lamps",
    "LampBelow": "the lower side of the lamps",
    "IntLamp": "the interlights",
    "Sky": "the sky",
    "SoOut": "the deep soil",
    **{f"So{i}": f"soil layer {i}" for i in range(1, 6)},
}
_KINDS: Final = {
    "r": ("W m-2", "far-infrared radiation"),
    "h": ("W m-2", "heat"),
    "mv": ("kg m-2 s-1", "vapour"),
    "mc": ("mg m-2 s-1", "CO2"),
}
_BODY: Final = "|".join(sorted(_BODIES, key=len, reverse=True))
_BETWEEN: Final = re.compile(rf"(r|h|mv|mc)({_BODY})({_BODY})")


def _between(name: str) -> Variable:
    """Return a flux whose name says what flows between which two bodies."""
    parts = _BETWEEN.fullmatch(name)
    if parts is None:
        raise ValueError(f"{name} is no name of a flux between two bodies.")
    kind, first, second = parts.groups()
    unit, what = _KINDS[kind]
    return Variable(name, unit, f"{what} from {_BODIES[first]} to {_BODIES[second]}")


def _all_between(names: str) -> list[Variable]:
    return [_between(name) for name in names.split()]


def _heat(name: str, meaning: str) -> Variable:
    return Variable(name, "W m-2", meaning)


def _carbon(name: str, meaning: str) -> Variable:
    return Variable(name, "mg m-2 s-1", meaning)


FLUXES: Final = VariableTable(
    (
        Variable("fVentRoof", "m3 m-2 s-1", "air through roof vents, and leaks above the screens"),
        Variable("fVentSide", "m3 m-2 s-1", "air through leaks below the screens"),
        Variable("fScr", "m3 m-2 s-1", "air through the screens"),
        _heat("rParSunCan", "PAR of the sun that the canopy absorbs"),
        _heat("rNirSunCan", "near-infrared radiation of the sun that the canopy absorbs"),
        _heat("rParSunFlr", "PAR of the sun that the floor absorbs"),
        _heat("rNirSunFlr", "near-infrared radiation of the sun that the floor absorbs"),
        _heat("rGlobSunAir", "radiation of the sun that parts of the greenhouse absorb and give to the air"),
        _heat("rGlobSunCovE", "radiation of the sun that the cover absorbs"),
        _heat("rCanSun", "radiation of the sun above the canopy"),
        _heat("qLampIn", "electricity of the lamps"),
        _heat("rCanLamp", "radiation of the lamps above the canopy"),
        _heat("rLampAir", "light of the lamps that neither canopy nor floor absorbs: it heats the air"),
        _heat("rParLampCan", "PAR of the lamps that the canopy absorbs"),
        _heat("rNirLampCan", "near-infrared radiation of the lamps that the canopy absorbs"),
        _heat("rParLampFlr", "PAR of the lamps that the floor absorbs"),
        _heat("rNirLampFlr", "near-infrared radiation of the lamps that the floor absorbs"),
        _heat("qIntLampIn", "electricity of the interlights"),
        _heat("rCanIntLamp", "radiation of the interlights within the canopy"),
        _heat(
            "rIntLampAir", "light of the interlights that neither canopy nor floor absorbs: it heats the air"
        ),
        _heat("rParIntLampCan", "PAR of the interlights that the canopy absorbs"),
        _heat("rNirIntLampCan", "near-infrared radiation of the interlights that the canopy absorbs"),
        _heat("rParIntLampFlr", "PAR of the interlights that the floor absorbs"),
        _heat("rNirIntLampFlr", "near-infrared radiation of the interlights that the floor absorbs"),
        *_all_between(
            "rCanFlr rPipeFlr rPipeCan rGroPipeCan rLampBelowCan rLampBelowPipe rLampBelowFlr"
            " rIntLampLampBelow rIntLampCan rIntLampPipe rIntLampFlr rCanBlScr rCanThScr rCanCovIn rCanSky"
            " rPipeBlScr rPipeThScr rPipeCovIn rPipeSky rFlrBlScr rFlrThScr rFlrCovIn rFlrSky rLampBlScr"
            " rLampThScr rLampCovIn rLampSky rIntLampBlScr rIntLampThScr rIntLampCovIn rIntLampSky"
            " rBlScrThScr rBlScrCovIn rBlScrSky rThScrCovIn rThScrSky rCovESky"
        ),
        *_all_between(
            "hCanAir hAirFlr hAirThScr hAirBlScr hAirOut hAirTop hThScrTop hBlScrTop hTopCovIn hTopOut"
            " hCovInCovE hCovEOut hPipeAir hGroPipeAir hLampAir hIntLampAir"
        ),
        _heat("hLampCool", "heat that active cooling takes from the lamps"),
        _heat("hBoilPipe", "heat of the boiler to the pipe rails"),
        _heat("hBoilGroPipe", "heat of the boiler to the grow pipes"),
        *_all_between("hFlrSo1 hSo1So2 hSo2So3 hSo3So4 hSo4So5 hSo5SoOut"),
        *_all_between("mvAirThScr mvAirBlScr mvTopCovIn mvAirTop mvTopOut mvAirOut"),
        Variable("mvCanAir", "kg m-2 s-1", "transpiration of the canopy"),
        _carbon("mcExtAir", "CO2 supplied"),
        *_all_between("mcAirTop mcTopOut mcAirOut"),
        _carbon("mcAirCan", "CO2 that the canopy takes up, less what it respires"),
        _carbon("mcAirBuf", "photosynthesis: carbohydrates (CH2O) into the buffer"),
        _carbon("mcBufFruit", "carbohydrates (CH2O) from the buffer to fruit"),
        _carbon("mcBufLeaf", "carbohydrates (CH2O) from the buffer to leaves"),
        _carbon("mcBufStem", "carbohydrates (CH2O) from the buffer to stems"),
        _carbon("mcBufAir", "growth respiration (CH2O)"),
        _carbon("mcLeafAir", "maintenance respiration of leaves (CH2O)"),
        _carbon("mcStemAir", "maintenance respiration of stems (CH2O)"),
        _carbon("mcFruitAir", "maintenance respiration of fruit (CH2O)"),
        _carbon("mcLeafHar", "carbohydrates (CH2O) in pruned leaves"),
        _carbon("mcFruitHar", "carbohydrates (CH2O) in harvested fruit"),
        Variable("lai", "m2 m-2", "leaf area index"),
        Variable("capCan", "J K-1 m-2", "heat capacity of the canopy"),
        Variable("capCov", "J K-1 m-2", "heat capacity of the inner, and of the outer, tenth of the cover"),
    )
)
"""Every flux that `agbench.simulators.greenlight.model.fluxes` computes, and two quantities beside them."""
