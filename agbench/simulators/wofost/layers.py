"""A layered soil: what its layers hold and conduct, from their curves against suction (pF).

C. Rappoldt, B. Kempen, O. van Kraalingen, A. de Wit: the multi-layer water balance of WOFOST, with
matric flux potentials by five-point Gaussian integration.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.compiled.elementary import exp10
from agbench.errors import ConfigError
from agbench.simulators.field import afgen
from agbench.simulators.field.parameters import read_table
from agbench.simulators.wofost.parameters import TABLES
from agbench.simulators.wofost.soil_parameters import PROFILE
from agbench.simulators.wofost.variables import MOST_LAYERS
from agbench.variables import Floats

CURVES: Final = 4
"""Tables a layer, after those of the crop: moisture and log10 conductivity from pF, pF from
moisture, matric flux potential from pF."""
_LOG_10: Final = 2.302585092994
_POINTS: Final = (0.046910077, 0.2307653449, 0.5, 0.7692346551, 0.953089923)
_WEIGHTS: Final = (0.1184634425, 0.2393143352, 0.2844444444, 0.2393143352, 0.1184634425)
_SATURATED: Final = -1.0  # pF


def read_layers(record: NDArray[Any], tables: list[Floats], profile: Mapping[str, Any], where: str) -> None:
    """Fill the layers of a record and append their curves to `tables`.

    `profile` is a SoilProfileDescription: PFFieldCapacity, PFWiltingPoint, SurfaceConductivity
    [cm d-1] and SoilLayers, each with Thickness [cm], CRAIRC, SMfromPF and CONDfromPF.
    """
    if not profile:
        raise ConfigError(
            f"{where}: layered water needs a SoilProfileDescription; give a soil with a profile, such as "
            "moregon-1, or soil_water 'single'."
        )
    layers = profile.get("SoilLayers")
    if not layers or len(layers) > MOST_LAYERS:
        raise ConfigError(f"{where}: SoilLayers must list 1 to {MOST_LAYERS} layers.")
    if profile.get("GroundWater"):
        raise ConfigError(f"{where}: GroundWater is not modelled; leave it out.")
    field, wilting, conductivity = (
        _number(profile, key, f"{where}: SoilProfileDescription")
        for key in ("PFFieldCapacity", "PFWiltingPoint", "SurfaceConductivity")
    )
    record["LAYERS"] = len(layers)
    record["SURFACE_CONDUCTIVITY"] = conductivity
    kinds: list[tuple[bytes, bytes]] = []
    for i, layer in enumerate(layers):
        place = f"{where}: SoilLayers[{i}]"
        moisture, conducts = (_curve(layer, key, place) for key in ("SMfromPF", "CONDfromPF"))
        tables += [moisture, conducts, _inverse(moisture), _flux_potential(moisture, conducts)]
        record["THICKNESS"][i] = _number(layer, "Thickness", place)
        record["LAYER_SM0"][i] = afgen.afgen(moisture, _SATURATED)
        record["LAYER_SMFCF"][i] = afgen.afgen(moisture, field)
        record["LAYER_SMW"][i] = afgen.afgen(moisture, wilting)
        record["LAYER_CRAIRC"][i] = _number(layer, "CRAIRC", place)
        record["LAYER_COND_FC"][i] = exp10(afgen.afgen(conducts, field))
        curves = (moisture.tobytes(), conducts.tobytes())
        kinds.append(curves)
        record["LAYER_KIND"][i] = kinds.index(curves)
        _check(record, i, place)


def _check(record: NDArray[Any], i: int, place: str) -> None:
    """Refuse a layer whose limits contradict each other."""
    if record["IOX"] == 1.0 and record["IAIRDU"] == 0.0 and record["LAYER_CRAIRC"][i] <= 0.0:
        raise ConfigError(f"{place}: CRAIRC must exceed 0; got {record['LAYER_CRAIRC'][i]}.")
    wilting, field, full = (record[f"LAYER_{n}"][i] for n in ("SMW", "SMFCF", "SM0"))
    if not wilting < field < full:
        raise ConfigError(
            f"{place}: moisture must rise from wilting over field capacity to saturation; got "
            f"{wilting}, {field}, {full}."
        )


def _number(mapping: Mapping[str, Any], key: str, place: str) -> float:
    """Return a number of the profile or of a layer."""
    if key not in mapping:
        raise ConfigError(f"{place}: {key} is missing.")
    return PROFILE[key].read(mapping[key], place)


def _curve(layer: Mapping[str, Any], key: str, place: str) -> Floats:
    """Return a curve against pF that falls all the way."""
    if key not in layer:
        raise ConfigError(f"{place}: {key} is missing.")
    curve = read_table(PROFILE[key], layer[key], place)
    if (np.diff(curve[1]) >= 0.0).any():
        raise ConfigError(f"{place}: {key} must fall with pF; got {curve[1].tolist()}.")
    return curve


def _inverse(moisture: Floats) -> Floats:
    """Return pF from moisture."""
    points = zip(moisture[1, ::-1].tolist(), moisture[0, ::-1].tolist(), strict=True)
    return afgen.build("PFfromSM", [number for point in points for number in point])


def _flux_potential(moisture: Floats, conductivity: Floats) -> Floats:
    """Return the matric flux potential [cm2 d-1] at the pF of the moisture curve."""
    pf = moisture[0].tolist()
    values = [0.0] * len(pf)
    for i in range(len(pf) - 2, -1, -1):
        width = pf[i + 1] - pf[i]
        total = 0.0
        for point, weight in zip(_POINTS, _WEIGHTS, strict=True):
            at = pf[i] + point * width
            total += exp10(afgen.afgen(conductivity, at)) * exp10(at) * _LOG_10 * weight
        values[i] = total * width + values[i + 1]
    points = zip(pf, values, strict=True)
    return afgen.build("MFPfromPF", [number for point in points for number in point])


FIRST_CURVE: Final = len(TABLES)
"""The place of the first curve of the first layer among the tables of a world."""
