"""The parameters of LINTUL-3: names, units, meanings, ranges, and how a mapping of them is read."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from agbench.errors import ConfigError, did_you_mean
from agbench.simulators.field import afgen
from agbench.variables import Floats


@dataclass(frozen=True)
class Parameter:
    """A scalar parameter: name, unit, meaning, range, and a default where it may be left out."""

    name: str
    unit: str
    meaning: str
    low: float = 0.0
    high: float = 1e4
    default: float | None = None


CROP: Final = (
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
SOIL: Final = (
    Parameter("WCAD", "m3 m-3", "water content, air dry", 0, 1),
    Parameter("WCWP", "m3 m-3", "water content at wilting point", 0, 1),
    Parameter("WCFC", "m3 m-3", "water content at field capacity", 0, 1),
    Parameter("WCWET", "m3 m-3", "water content above which roots lack oxygen", 0, 1),
    Parameter("WCST", "m3 m-3", "water content at saturation", 0, 1),
    Parameter("DRATE", "mm d-1", "maximum drainage", 0, 10_000),
)
SITE: Final = (
    Parameter("WCI", "m3 m-3", "initial water content", 0, 1),
    Parameter("WCSUBS", "m3 m-3", "water content of the subsoil", 0, 1),
    Parameter("WMFAC", "-", "1: water managed to saturation, 0: to field capacity", 0, 1),
    Parameter("IRRIGF", "-", "1: the model irrigates by itself", 0, 1),
    Parameter("RNMIN", "g m-2 d-1", "nitrogen mineralised in the soil", 0, 100),
)
WHEAT: Final = (
    Parameter("RTMIN", "g m-2 d-1", "net mineralisation, constant over the season", 0, 100),
    Parameter("TNSOILI", "g m-2", "mineral nitrogen in the soil at the start", 0, 10_000),
    Parameter("FRTRL", "-", "share of stem weight that development moves to the grain", 0, 1),
)
TABLES: Final = {
    "FLVTB": "share of shoot and root growth to leaves, by DVS [-]",
    "FRTTB": "share of growth to roots, by DVS [-]",
    "FSOTB": "share of growth to storage organs, by DVS [-]",
    "FSTTB": "share of growth to stems, by DVS [-]",
    "NMXLV": "maximum nitrogen concentration of leaves, by DVS [g g-1]",
    "RDRT": "relative death of ageing leaves, by temperature [d-1]",
    "SLACF": "correction of specific leaf area, by DVS [-]",
    "DTSMTB": "increase of the temperature sum, by temperature [degC d-1]",
    "VERNRTB": "rate of vernalisation, by temperature [d d-1]; needed where IDSL is 2",
}
FLVTB, FRTTB, FSOTB, FSTTB, NMXLV, RDRT, SLACF, DTSMTB, VERNRTB = range(len(TABLES))

_DERIVED = ("LAII", "TNSOILI", "FRTRL", "SOUND")
RECORD: Final = np.dtype(
    [(p.name, np.float64) for p in (*CROP, *SOIL, *SITE)] + [(n, np.float64) for n in _DERIVED]
)
"""One world's parameters as the kernels read them."""


def read(
    model: str, parameters: Mapping[str, Any], setting: str = "sound"
) -> tuple[np.ndarray[Any, Any], list[Floats]]:
    """Return a parameter record and the tables (in the order of `TABLES`) from a plain mapping.

    Names that the model does not know are passed over, because one mapping may serve several
    models. Raises `ConfigError` for a missing, mistyped or implausible parameter.
    """
    wheat = model == "lintul3-wheat"
    scalars: Iterable[Parameter] = (*CROP, *SOIL, *SITE)
    if wheat:
        scalars = [p for p in (*scalars, *WHEAT) if p.name != "RNMIN"]
    values = {p.name: _scalar(model, p, parameters) for p in scalars}
    if wheat:
        values["RNMIN"] = values.pop("RTMIN")
    tables = [_table(model, name, parameters, values["IDSL"]) for name in TABLES]
    _check(model, values)
    record = np.zeros((), dtype=RECORD)
    for name, value in values.items():
        record[name] = value
    correction = float(afgen.afgen(tables[SLACF], values["DVSI"]))
    record["LAII"] = values["WLVGI"] * (values["SLAC"] * correction)
    record["SOUND"] = float(setting == "sound")
    return record, tables


def _scalar(model: str, parameter: Parameter, given: Mapping[str, Any]) -> float:
    """Return one parameter's value, checked for type and range."""
    name = parameter.name
    if name not in given:
        if parameter.default is not None:
            return parameter.default
        raise ConfigError(
            f"{model}: the parameter {name} [{parameter.unit}] ({parameter.meaning}) is missing "
            f"from crop, soil and site.{_misspelt(name, given)}"
        )
    value = given[name]
    if not isinstance(value, (int, float, bool, np.number, np.bool_)):
        raise ConfigError(f"{model}: {name} must be a number [{parameter.unit}]; got {value!r}.")
    value = float(value)
    if not parameter.low <= value <= parameter.high:
        raise ConfigError(
            f"{model}: {name} = {value:g} {parameter.unit} lies outside "
            f"{parameter.low:g} to {parameter.high:g} ({parameter.meaning})."
        )
    return value


def _table(model: str, name: str, given: Mapping[str, Any], idsl: float) -> Floats:
    """Return one AFGEN table; VERNRTB may be absent where vernalisation plays no part."""
    if name not in given:
        if name == "VERNRTB" and idsl < 2.0:
            return np.zeros((3, 2))
        raise ConfigError(
            f"{model}: the table {name} ({TABLES[name]}) is missing from crop, soil and site."
            f"{_misspelt(name, given)}"
        )
    return afgen.build(name, given[name], where=model)


def _misspelt(name: str, given: Mapping[str, Any]) -> str:
    """Return a hint where a given name, unknown to the model, resembles the missing one."""
    known = {p.name for p in (*CROP, *SOIL, *SITE, *WHEAT)} | set(TABLES)
    strange = [key for key in given if key not in known]
    hint = did_you_mean(name, strange) if strange else ""
    return hint.replace("Did you mean", "Is it") if "Did you mean" in hint else ""


def _check(model: str, values: Mapping[str, float]) -> None:
    """Raise `ConfigError` where parameters contradict each other."""
    order = ("WCAD", "WCWP", "WCFC", "WCST")
    contents = [values[name] for name in order]
    if any(a >= b for a, b in itertools.pairwise(contents[1:])) or contents[0] > contents[1]:
        said = ", ".join(f"{n} {v:g}" for n, v in zip(order, contents, strict=True))
        raise ConfigError(f"{model}: water contents must ascend, {' < '.join(order)}; got {said}.")
    if not values["WCWP"] < values["WCWET"] < values["WCST"]:
        raise ConfigError(f"{model}: WCWET must lie between WCWP and WCST; got {values['WCWET']:g}.")
    if values["WLVGI"] + values["WSTI"] <= 0.0:
        raise ConfigError(f"{model}: a crop needs leaves or stems: WLVGI and WSTI are both 0.")
    if values["IDSL"] >= 1.0 and values["DLO"] <= values["DLC"]:
        raise ConfigError(
            f"{model}: IDSL {values['IDSL']:g} needs DLO > DLC; got {values['DLO']:g} and "
            f"{values['DLC']:g} h."
        )
    if values["IDSL"] >= 2.0 and values["VERNSAT"] <= values["VERNBASE"]:
        raise ConfigError(
            f"{model}: IDSL 2 needs VERNSAT > VERNBASE; got {values['VERNSAT']:g} and "
            f"{values['VERNBASE']:g} d."
        )


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
