"""Published greenhouses as parameter changes, and the few choices in which the codes differ."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from agbench.errors import ConfigError, unknown

CutRule = Literal["logistic", "tanh", "threshold"]
Extremes = Literal["sound", "published"]


@dataclass(frozen=True)
class Structure:
    """Choices that change an equation and not a parameter."""

    heat_exponent: float = 0.33
    """Exponent of the temperature difference in free convection at screens, cover and floor."""
    pruning: CutRule = "logistic"
    harvest: CutRule = "logistic"
    """How mass above its limit is taken off: `logistic`, at a smoothly rising rate; `tanh`, the same as
    GreenLight-Gym 2 writes it, 0 far below the limit to the last digit; `threshold`, [1/s] the excess."""
    pruning_rate: float = 1e5
    """Greatest rate of pruning [mg m-2 s-1] of the logistic rule."""
    harvest_rate: float = 5e4
    """Greatest rate of harvest [mg m-2 s-1] of the logistic rule."""
    cut_log: float = 4.605170185988092  # the natural logarithm of 100
    """The ln 100 in the width of the logistic rule; one code rounds it."""
    extremes: Extremes = "sound"
    """The crop where its equations leave their meaning: with few leaves in the cold, and short of CO2.
    `published`: as they stand. The compensation point falls below 0, on the way to which photosynthesis
    divides by 0; with less CO2 than that point it gains again; leaves without mass store no heat. `sound`:
    none of that, and else the same equations."""
    blackout_dries: bool = False
    """Whether the blackout screen may give vapour off to the air below it."""
    offset: float = 0.0
    """Small number that one code adds under roots and powers."""
    vapour_constant: float = 18 / 8314
    """Molar mass of water over the gas constant in vapour flows [kg K J-1]."""
    vapour_kelvin: float = 273.15
    """Zero Celsius in vapour flows [K]; one code holds it in single precision."""
    smoothing: float = 1.0
    """Times the range about zero in which roots are smoothed; above 1 only to plan with derivatives."""


@dataclass(frozen=True)
class Preset:
    """A greenhouse: parameters that differ from the table, and the structure."""

    structure: Structure
    changes: Mapping[str, float] = field(default_factory=dict)


_GYM_STRUCTURE = Structure(
    heat_exponent=1 / 3,
    pruning_rate=5e4,
    cut_log=4.6052,
    blackout_dries=True,
    offset=1e-10,
    vapour_constant=0.002165,
    vapour_kelvin=273.149993896484375,
)
_INTERLIGHTS = {  # Katzin 2021, Table 7.6; thetaIntLampMax stays 0: none are installed
    "etaIntLampPar": 0.55,
    "etaIntLampNir": 0.02,
    "epsIntLamp": 0.88,
    "zetaIntLampPar": 5.41,
    "cHecIntLampAir": 2.3,
}
_KATZIN_2020 = {
    **_INTERLIGHTS,
    "tauThScrNir": 0.6,  # Vanthoor 2011, Table 8.2
    "pBoil": 18000.0,  # Katzin 2020, evaluateEnergyUseLed
    "pBoilGro": 18000.0,  # Katzin 2020, setParamsBleiswijk2010
    "epsGroPipe": 0.88,  # Katzin 2020, setParamsBleiswijk2010
    "cFruitMax": 3e5,  # Katzin 2021, page 246
    "hSideRoof": 1.0,  # Vanthoor 2011, Table 8.2
}
_KATZIN_2021 = {
    **_INTERLIGHTS,
    # Katzin 2021, Table 4.2
    "psi": 22.0,
    "aFlr": 4e4,
    "aCov": 4.84e4,
    "hAir": 6.3,
    "hGh": 6.9,
    "aRoof": 4676.0,
    "hVent": 1.3,
    "cLeakage": 1e-4,
    "lPipe": 1.25,
    "pBoil": 1.2e7,
    "phiExtCo2": 205600.0,
    # Vanthoor 2011, Table 8.2 (Netherlands)
    "cHecIn": 1.86,
    "cDgh": 0.75,
    "cWgh": 0.09,
    "tauRfNir": 0.85,
    "tauRfPar": 0.85,
    "tauThScrNir": 0.6,
    "tauThScrPar": 0.6,
    "kThScr": 5e-5,
    "phiPipeI": 0.047,
    "hSideRoof": 1.0,
    # Katzin 2021, Section 7.4
    "kBlScr": 5e-5,
    "cFruitMax": 3e5,
    # Katzin 2021, Tables 4.3 and 7.6
    "thetaLampMax": 200 / 3,
    "aLamp": 0.02,
    "tauLampPar": 0.98,
    "tauLampNir": 0.98,
    "tauLampFir": 0.98,
    "etaLampPar": 0.55,
    "zetaLampPar": 5.4,
    "etaLampCool": 0.0,
    "cLeakTop": 0.5,
}
_HPS_2020 = {  # Katzin 2020, Table 2 (HPS)
    "thetaLampMax": 110.0,
    "aLamp": 0.03,
    "tauLampPar": 0.97,
    "tauLampNir": 0.97,
    "tauLampFir": 0.97,
    "etaLampPar": 0.36,
    "etaLampNir": 0.22,
    "epsLampTop": 0.1,
    "epsLampBottom": 0.9,
    "etaLampCool": 0.0,
    "capLamp": 100.0,
    "cHecLampAir": 0.09,
    "zetaLampPar": 5.0,
}
_HPS_2021 = {  # Katzin 2021, Tables 4.3 and 7.6 (HPS)
    "thetaLampMax": 200 / 1.8,
    "etaLampPar": 1.8 / 4.9,
    "etaLampNir": 0.22,
    "epsLampTop": 0.1,
    "epsLampBottom": 0.9,
    "capLamp": 100.0,
    "cHecLampAir": 0.09,
    "zetaLampPar": 4.9,
}
_STRUCTURE_2020 = Structure(pruning="threshold", harvest="threshold")

PRESETS = {
    "gym": Preset(_GYM_STRUCTURE),
    "gym_hps": Preset(_GYM_STRUCTURE, _HPS_2020),
    "katzin_2020": Preset(_STRUCTURE_2020, _KATZIN_2020),
    "katzin_2020_hps": Preset(_STRUCTURE_2020, {**_KATZIN_2020, **_HPS_2020}),
    "katzin_2021": Preset(Structure(), _KATZIN_2021),
    "katzin_2021_hps": Preset(Structure(), {**_KATZIN_2021, **_HPS_2021}),
}
"""By name: GreenLight-Gym 2's LED compartment, Katzin's compartment of 2020 and his 4 ha greenhouse
of 2021; each also with high-pressure sodium lamps."""


def preset(
    name: str | Preset, structure: Mapping[str, Any] | None = None, where: str = "greenlight: structure"
) -> Preset:
    """Return a published greenhouse by name, with other choices of structure if any are given.

    Errors begin with `where`, which a choice follows after a dot.

    Raises:
        UnknownNameError: for a greenhouse or a choice that does not exist.
        ConfigError: for a choice that is set to what it cannot be.
    """
    if not isinstance(name, Preset):
        if not isinstance(name, str) or name not in PRESETS:
            raise unknown("greenlight preset", name, PRESETS)
        name = PRESETS[name]
    if not structure:
        return name
    for key, value in structure.items():
        _check_choice(key, value, where)
    return replace(name, structure=replace(name.structure, **structure))


def _check_choice(key: str, value: Any, where: str) -> None:
    """Refuse a choice of structure that does not exist, or its value."""
    usual = {f.name: f.default for f in fields(Structure)}
    if key not in usual:
        raise unknown("choice of structure", key, usual, where)
    if isinstance(usual[key], str):
        choices = get_args(Extremes if key == "extremes" else CutRule)
        fits, expected = value in choices, f"one of {', '.join(choices)}"
    elif isinstance(usual[key], bool):
        fits, expected = isinstance(value, bool), "true or false"
    else:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fits, expected = number and 0.0 <= value < math.inf, "a finite number, 0 or more"
    if not fits:
        raise ConfigError(f"{where}.{key} is {value!r}; it must be {expected}.")
