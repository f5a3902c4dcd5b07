"""The parameters of LINTUL-3: names, units, meanings, bounds, sources, and how a mapping is read."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from agbench.errors import ConfigError
from agbench.simulators.field import afgen
from agbench.simulators.field.parameters import read as read_parameters
from agbench.simulators.field.shares import SHARES_OF_ALL, wrong_shares
from agbench.variables import Floats, Parameter, ParameterTable

_SHIBU: Final = "Shibu et al. 2010 (LINTUL-3), as in PCSE 6"
_KALLENBERG: Final = "Kallenberg et al. 2023 (CropGym)"
_COLD: Final = ("IDSL", 2.0)


def _of(part: str, source: str, *parameters: Parameter) -> tuple[Parameter, ...]:
    """Return parameters with the part of the model that they describe and their source."""
    return tuple(replace(parameter, part=part, source=source) for parameter in parameters)


_CROP: Final = _of(
    "crop",
    _SHIBU,
    Parameter("DVSI", "-", "development stage at emergence", 0, 2),
    Parameter("DVSDR", "-", "development stage above which roots die", 0, 3),
    Parameter("DVSNLT", "-", "development stage above which no nitrogen is taken up", 0, 3),
    Parameter("DVSNT", "-", "development stage above which nitrogen moves to the grain", 0, 3),
    Parameter("DVSEND", "-", "development stage at the end", 0.1, 2.5),
    Parameter("FNTRT", "-", "nitrogen translocated from roots, share of leaves and stems", 0, 5),
    Parameter("FRNX", "-", "critical nitrogen, share of the maximum", 0, 1),
    Parameter("K", "m2 m-2", "light extinction", 0, 2),
    Parameter("LAICR", "m2 m-2", "leaf area index above which leaves shade each other to death", 0.01, 20),
    Parameter("LRNR", "-", "maximum nitrogen of roots, share of leaves", 0, 2),
    Parameter("LSNR", "-", "maximum nitrogen of stems, share of leaves", 0, 2),
    Parameter("LUE", "g MJ-1", "light use efficiency, per MJ of PAR", 0, 20),
    Parameter("NLAI", "-", "effect of nitrogen stress on juvenile leaf area", 0, 20),
    Parameter("NLUE", "-", "effect of nitrogen stress on light use", 0, 20),
    Parameter("NMAXSO", "g g-1", "maximum nitrogen concentration of storage organs", 0, 1),
    Parameter("NPART", "-", "effect of nitrogen stress on leaf partitioning", 0, 20),
    Parameter("NSLA", "-", "effect of nitrogen stress on specific leaf area", 0, 20),
    Parameter("RDRNS", "d-1", "relative death of leaves by nitrogen stress", 0, 1),
    Parameter("RDRRT", "d-1", "relative death of roots", 0, 1),
    Parameter("RDRSHM", "d-1", "maximum relative death of leaves by shading", 0, 1),
    Parameter("RGRL", "degC-1 d-1", "relative growth of leaf area, juvenile", 0, 1),
    Parameter("RNFLV", "g g-1", "residual nitrogen concentration of leaves", 0, 1),
    Parameter("RNFRT", "g g-1", "residual nitrogen concentration of roots", 0, 1),
    Parameter("RNFST", "g g-1", "residual nitrogen concentration of stems", 0, 1),
    Parameter("ROOTDM", "m", "maximum rooting depth", 0, 10),
    Parameter("RRDMAX", "m d-1", "maximum root elongation", 0, 1),
    Parameter("SLAC", "m2 g-1", "specific leaf area", 0, 1),
    Parameter("TBASE", "degC", "base temperature of juvenile leaf growth", -20, 40),
    Parameter("TCNT", "d", "time coefficient of nitrogen translocation", 0.01, 1000),
    Parameter("TRANCO", "mm d-1", "transpiration constant: drought tolerance", 0.01, 1000),
    Parameter("TSUMAG", "degC d", "temperature sum at which leaves begin to age", 0, 10_000),
    Parameter("TSUMEM", "degC d", "temperature sum from sowing to emergence", 0, 5_000, 0.0),
    Parameter("TBASEM", "degC", "base temperature of emergence", -20, 40, 0.0),
    Parameter("TEFFMX", "degC", "maximum effective temperature of emergence", -20, 60, 0.0),
    Parameter("TSUM1", "degC d", "temperature sum from emergence to anthesis", 1, 10_000),
    Parameter("TSUM2", "degC d", "temperature sum from anthesis to maturity", 1, 10_000),
    Parameter("IDSL", "-", "development by temperature 0, and day length 1, and cold 2", 0, 2, 0.0),
    Parameter("DLO", "h", "optimal day length", -99, 24, 0.0),
    Parameter("DLC", "h", "critical day length", -99, 24, 0.0),
    Parameter("VERNSAT", "d", "saturated vernalisation requirement", 0, 500, 0.0),
    Parameter("VERNBASE", "d", "base vernalisation requirement", 0, 500, 0.0),
    Parameter("VERNDVS", "-", "development stage at which vernalisation counts as met", 0, 2, 0.0),
    Parameter("NFRLVI", "g g-1", "initial nitrogen concentration of leaves", 0, 1),
    Parameter("NFRRTI", "g g-1", "initial nitrogen concentration of roots", 0, 1),
    Parameter("NFRSTI", "g g-1", "initial nitrogen concentration of stems", 0, 1),
    Parameter("WLVGI", "g m-2", "initial leaf weight", 0, 10_000),
    Parameter("WSTI", "g m-2", "initial stem weight", 0, 10_000),
    Parameter("WRTLI", "g m-2", "initial root weight", 0, 10_000),
    Parameter("WSOI", "g m-2", "initial storage organ weight", 0, 10_000),
    Parameter("ROOTDI", "m", "initial rooting depth", 0.001, 10),
)
_SOIL: Final = _of(
    "soil",
    _SHIBU,
    Parameter("WCAD", "m3 m-3", "water content, air dry", 0, 1),
    Parameter("WCWP", "m3 m-3", "water content at wilting point", 0, 1),
    Parameter("WCFC", "m3 m-3", "water content at field capacity", 0, 1),
    Parameter("WCWET", "m3 m-3", "water content above which roots lack oxygen", 0, 1),
    Parameter("WCST", "m3 m-3", "water content at saturation", 0, 1),
    Parameter("DRATE", "mm d-1", "maximum drainage", 0, 10_000),
)
_SITE: Final = _of(
    "soil",
    _SHIBU,
    Parameter("WCI", "m3 m-3", "initial water content", 0, 1),
    Parameter("WCSUBS", "m3 m-3", "water content of the subsoil", 0, 1),
    Parameter("WMFAC", "-", "1: water managed to saturation, 0: to field capacity", 0, 1, switch=True),
    Parameter("IRRIGF", "-", "1: the model irrigates by itself", 0, 1, switch=True),
    Parameter("RNMIN", "g m-2 d-1", "nitrogen mineralised in the soil", 0, 100),
)
_WHEAT: Final = (
    *_of(
        "soil",
        _KALLENBERG,
        Parameter("RTMIN", "g m-2 d-1", "net mineralisation, constant over the season", 0, 100),
        Parameter("TNSOILI", "g m-2", "mineral nitrogen in the soil at the start", 0, 10_000),
    ),
    *_of(
        "crop",
        _KALLENBERG,
        Parameter("FRTRL", "-", "share of stem weight that development moves to the grain", 0, 1),
    ),
)
_TABLES: Final = _of(
    "crop",
    _SHIBU,
    Parameter("FLVTB", "-", "share of shoot and root growth to leaves", 0, 1, of="DVS"),
    Parameter("FRTTB", "-", "share of growth to roots", 0, 1, of="DVS"),
    Parameter("FSOTB", "-", "share of growth to storage organs", 0, 1, of="DVS"),
    Parameter("FSTTB", "-", "share of growth to stems", 0, 1, of="DVS"),
    Parameter("NMXLV", "g g-1", "maximum nitrogen concentration of leaves", 0, 1, of="DVS"),
    Parameter("RDRT", "d-1", "relative death of ageing leaves", 0, 1, of="temperature"),
    Parameter("SLACF", "-", "correction of specific leaf area", 0, 10, of="DVS"),
    Parameter("DTSMTB", "degC d-1", "increase of the temperature sum", 0, 100, of="temperature"),
    Parameter("VERNRTB", "d d-1", "rate of vernalisation", 0, 1, of="temperature", only_if=_COLD),
)
FLVTB, FRTTB, FSOTB, FSTTB, NMXLV, RDRT, SLACF, DTSMTB, VERNRTB = range(len(_TABLES))

_DERIVED = ("LAII", "TNSOILI", "FRTRL", "SOUND")
RECORD: Final = np.dtype(
    [(p.name, np.float64) for p in (*_CROP, *_SOIL, *_SITE)] + [(n, np.float64) for n in _DERIVED]
)
"""One world's parameters as the kernels read them."""


@cache
def parameters(model: str) -> ParameterTable:
    """Return the parameters that `lintul3` or `lintul3-wheat` reads."""
    if model == "lintul3":
        return ParameterTable((*_CROP, *_SOIL, *_SITE, *_TABLES))
    site = [p for p in _SITE if p.name != "RNMIN"]
    return ParameterTable((*_CROP, *_SOIL, *site, *_WHEAT, *_TABLES))


def read(
    model: str, mapping: Mapping[str, Any], setting: str = "sound"
) -> tuple[np.ndarray[Any, Any], list[Floats]]:
    """Return a parameter record and the tables (in the order of their numbers) from a plain mapping.

    Names that the model does not read are passed over, because one mapping may serve several
    models. Raises `ConfigError` for a missing, mistyped or implausible parameter.
    """
    values, built = read_parameters(parameters(model), mapping, model, model)
    check_rules(values, {"": model}, built)
    if "RTMIN" in values:
        values["RNMIN"] = values.pop("RTMIN")
    tables = [built.get(p.name, np.zeros((3, 2))) for p in _TABLES]
    record = np.zeros((), dtype=RECORD)
    for name, value in values.items():
        record[name] = value
    correction = float(afgen.afgen(tables[SLACF], values["DVSI"]))
    record["LAII"] = values["WLVGI"] * (values["SLAC"] * correction)
    record["SOUND"] = float(setting == "sound")
    return record, tables


def check_rules(
    values: Mapping[str, float], where: Mapping[str, str], tables: Mapping[str, Floats] = MappingProxyType({})
) -> None:
    """Raise `ConfigError` where numbers or tables contradict each other; those that are absent do not.

    `where` says where the parts of the model are read from, as for `require`.
    """
    shares = wrong_shares(tables, SHARES_OF_ALL)
    of_shares = [] if shares is None else [("crop", shares)]
    for part, wrong in [*_contradictions(values), *of_shares]:
        if part in where or "" in where:
            raise ConfigError(f"{where.get(part, where.get(''))}: {wrong}")


def _contradictions(values: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Yield what contradicts among parameters, and in which part."""
    order = ("WCAD", "WCWP", "WCFC", "WCST")
    if values.keys() >= {*order, "WCWET"}:
        contents = [values[name] for name in order]
        if any(a >= b for a, b in itertools.pairwise(contents[1:])) or contents[0] > contents[1]:
            listed = ", ".join(f"{n} {v:g}" for n, v in zip(order, contents, strict=True))
            yield "soil", f"water contents must ascend, {' < '.join(order)}; got {listed}."
        if not values["WCWP"] < values["WCWET"] < values["WCST"]:
            yield "soil", f"WCWET must lie between WCWP and WCST; got {values['WCWET']:g}."
    if values.get("WLVGI", 1.0) + values.get("WSTI", 0.0) <= 0.0:
        yield "crop", "a crop needs leaves or stems: WLVGI and WSTI are both 0."
    development = values.get("IDSL", 0.0)
    longest, critical = values.get("DLO", 0.0), values.get("DLC", 0.0)
    if development >= 1.0 and longest <= critical:
        yield "crop", f"IDSL {development:g} needs DLO > DLC; got {longest:g} and {critical:g} h."
    saturated, base = values.get("VERNSAT", 0.0), values.get("VERNBASE", 0.0)
    if development >= 2.0 and saturated <= base:
        yield "crop", f"IDSL 2 needs VERNSAT > VERNBASE; got {saturated:g} and {base:g} d."


def check_emergence(model: str, record: np.ndarray[Any, Any]) -> None:
    """Raise `ConfigError` where a sown crop could never emerge."""
    if record["TSUMEM"] <= 0.0:
        raise ConfigError(
            f"{model}: a crop that starts by sowing needs TSUMEM [degC d] > 0 (and TEFFMX > "
            "TBASEM); without them let it start by emergence."
        )
    if record["TEFFMX"] <= record["TBASEM"]:
        raise ConfigError(
            f"{model}: a crop that starts by sowing needs TEFFMX > TBASEM to emerge; got "
            f"{float(record['TEFFMX']):g} and {float(record['TBASEM']):g} degC."
        )
