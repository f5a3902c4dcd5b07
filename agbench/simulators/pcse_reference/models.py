"""The models that PCSE runs: configuration, variables, and translation of events."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agbench.errors import unknown

Event = Callable[[float, float], dict[str, float]]
Parameters = Mapping[str, Any]


@dataclass(frozen=True)
class PcseModel:
    """One model of PCSE.

    `events` maps a signal of PCSE to the function that turns (amount, efficiency) into its
    arguments; `variables` are all states and rates it can report, None for those of the compiled
    model; `theirs` are PCSE's names for columns that are called otherwise here.
    """

    config: str
    variables: tuple[str, ...] | None
    events: Mapping[str, Event]
    prepare: Callable[[Parameters], Parameters] = dict
    theirs: Mapping[str, str] = field(default_factory=dict)


def nitrogen_grams(amount: float, recovery: float) -> dict[str, float]:
    """Return the arguments of LINTUL-3's `apply_n` [g m-2, -] for an `amount` in kg ha-1."""
    return {"amount": amount / 10.0, "recovery": recovery}


def nitrogen_kilograms(amount: float, recovery: float) -> dict[str, float]:
    """Return the arguments of WOFOST 8.1's `apply_n` [kg ha-1, -]."""
    return {"N_amount": amount, "N_recovery": recovery}


def irrigation_depth(amount: float, efficiency: float) -> dict[str, float]:
    """Return the arguments of `irrigate` [cm, -]."""
    return {"amount": amount, "efficiency": efficiency}


def _supply_by_rtmin(parameters: Parameters) -> Parameters:
    """Let RTMIN be the daily nitrogen supply, which PCSE's model calls RNMIN."""
    if "RTMIN" not in parameters:
        return parameters
    return {**parameters, "RNMIN": parameters["RTMIN"]}


_PHENOLOGY = "STAGE DVS TSUM TSUME DTSUME DTSUM DVR VERN VERNR VERNFAC"
_CROP = (
    "LAI ANLV ANST ANRT ANSO NUPTT NLOSSL NLOSSR WLVG WLVD WST WSO WRT ROOTD TGROWTH WDRT CUMPAR"
    " TNSOIL TAGBM NNI PEVAP PTRAN TRAN TRANRF RROOTD"
)
_SOIL = "WA WC TRUNOF TTRAN TEVAP TDRAIN TRAIN TEXPLO TIRRIG"
_LINTUL3 = tuple(f"{_PHENOLOGY} {_CROP} {_SOIL}".split())

_WOFOST = {
    "wofost72-pp": "Wofost72_PP.conf",
    "wofost72-wlp": "Wofost72_WLP_CWB.conf",
    "wofost81-pp": "Wofost81_PP.conf",
    "wofost81-wlp": "Wofost81_WLP_CWB.conf",
    "wofost81-nwlp": "Wofost81_NWLP_CWB_CNB.conf",
    "wofost81-wlp-layered": "Wofost81_WLP_MLWB.conf",
    "wofost81-nwlp-layered": "Wofost81_NWLP_MLWB_CNB.conf",
}
_WOFOST_EVENTS: Mapping[str, Event] = {"apply_n": nitrogen_kilograms, "irrigate": irrigation_depth}

MODELS: Mapping[str, PcseModel] = {
    "lintul3": PcseModel("Lintul3.conf", _LINTUL3, {"apply_n": nitrogen_grams}),
    "lintul3-wheat": PcseModel(
        str(Path(__file__).with_name("lintul3_wheat.conf")),
        (*_LINTUL3, "NRF", "GRF", "NUPAG"),
        {"apply_n": nitrogen_grams, "irrigate": irrigation_depth},
        _supply_by_rtmin,
    ),
    **{
        name: PcseModel(config, None, _WOFOST_EVENTS, theirs={"WC": "W", "WART": "WDRT"})
        for name, config in _WOFOST.items()
    },
}


def name_of(model: str, soil_water: str) -> str:
    """Return the name in `MODELS` of a model on a soil with a `single` layer or a `layered` one."""
    return f"{model}-layered" if soil_water == "layered" else model


def find_model(name: str) -> PcseModel:
    """Return a model by its name in AgBench."""
    if name not in MODELS:
        raise unknown("model of the pcse engine", name, MODELS)
    return MODELS[name]
