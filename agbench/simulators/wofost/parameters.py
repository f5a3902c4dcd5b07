"""The parameters of the WOFOST models: which each model reads, and how a mapping becomes a record.

Names are PCSE's. Meanings, units and sources stand in the crop and soil files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.errors import ConfigError, did_you_mean
from agbench.simulators.field import afgen
from agbench.simulators.wofost.variables import MOST_LAYERS
from agbench.variables import Floats

_CROP = [
    "CVL",
    "CVO",
    "CVR",
    "CVS",
    "Q10",
    "RML",
    "RMO",
    "RMR",
    "RMS",
    "TBASEM",
    "TEFFMX",
    "TSUMEM",
    "TSUM1",
    "TSUM2",
    "IDSL",
    "DLO",
    "DLC",
    "DVSI",
    "DVSEND",
    "TDWI",
    "SPAN",
    "TBASE",
    "RGRLAI",
    "RDI",
    "RRI",
    "RDMCR",
    "PERDL",
    "CFET",
    "DEPNR",
    "IAIRDU",
    "IOX",
]
_CROP_TABLES = [
    "DTSMTB",
    "EFFTB",
    "KDIFTB",
    "TMPFTB",
    "TMNFTB",
    "RFSETB",
    "FRTB",
    "FLTB",
    "FSTB",
    "FOTB",
    "SLATB",
    "SSATB",
    "RDRRTB",
    "RDRSTB",
    "SPA",
]
_VERNALISATION = ["VERNBASE", "VERNSAT", "VERNDVS"]
_CO2_TABLES = ["CO2AMAXTB", "CO2EFFTB", "CO2TRATB"]
_WATER = ["SMFCF", "SM0", "SMW", "CRAIRC", "RDMSOL"]
_BALANCE = ["SOPE", "KSUB", "IFUNRN", "SSMAX", "SSI", "WAV", "NOTINF", "SMLIM"]
_LAYERED_BALANCE = ["IFUNRN", "NOTINF", "SSI", "SSMAX", "SMLIM", "WAV"]
_CROP81 = [
    "CO2",
    "AMAX_LNB",
    "AMAX_REF",
    "AMAX_SLP",
    "KN",
    "REALLOC_DVS",
    "REALLOC_STEM_FRACTION",
    "REALLOC_LEAF_FRACTION",
    "REALLOC_STEM_RATE",
    "REALLOC_LEAF_RATE",
    "REALLOC_EFFICIENCY",
    "NMAXST_FR",
    "NMAXRT_FR",
    "NMAXSO",
    "NRESIDLV",
    "NRESIDST",
    "NRESIDRT",
    "DVS_N_TRANSL",
    "TCNT",
    "NFIX_FR",
    "RNUPTAKEMAX",
    "RGRLAI_MIN",
]
_CROP_NPK = [
    "CO2",
    "TSUM3",
    "DVSM",
    "NTHRESH",
    "PTHRESH",
    "KTHRESH",
    "NLAI_NPK",
    "NSLA_NPK",
    "NPART",
    "NLUE_NPK",
    "RDRLV_NPK",
    "DVS_NPK_STOP",
    "DVS_NPK_TRANSL",
    "NFIX_FR",
]
_EACH_NUTRIENT = [
    "RxUPTAKEMAX",
    "xMAXRT_FR",
    "xMAXST_FR",
    "xMAXSO",
    "xCRIT_FR",
    "xRESIDLV",
    "xRESIDST",
    "xRESIDRT",
    "TCxT",
    "xSOILBASE",
    "xSOILBASE_FR",
    "xAVAILI",
    "xMAX",
    "BG_x_SUPPLY",
    "RxSOILMAX",
    "RxABSORPTION",
]
_CROP_NPK += [name.replace("x", x) for x in "NPK" for name in _EACH_NUTRIENT]
_TABLES_NPK = [
    "RDRSOB",
    "RDRSOF",
    "RDRROS",
    "RDRRNPK",
    "RNPKRUNOFF",
    "NMAXLV_TB",
    "PMAXLV_TB",
    "KMAXLV_TB",
]
_SOIL_NITROGEN = ["NSOILBASE", "NSOILBASE_FR", "NAVAILI", "BG_N_SUPPLY"]

_CONSTANTS = ["CO2AMAX", "CO2EFF", "CO2TRA"]
"""Factors of the three CO2 tables at the CO2 of the run [-]."""
_SWITCHES = [
    *("SOUND", "WATER_LIMITED", "NITROGEN_LIMITED", "PK_LIMITED", "AGES_AFTER_MATURITY"),
    *("START_EMERGED", "END_EMERGENCE", "END_MATURITY", "END_DEATH"),
    "HARVEST_ENDS",
]
REPAIRS: Final = (
    *("N2", "N5", "N6", "N7", "N8", "N9", "N10", "N11", "N12"),
    *("W1", "W2", "C6", "C9", "P1"),
)
"""Defects of the original (docs/wofost.md) whose repair has a switch; `sound` repairs them all."""
_CALENDAR = ["CROP_START", "CROP_END", "MAX_DURATION", "LAST_DAY", "LAST_EVENT", "EPOCH"]
_CALENDAR += ["PLANT_FIRST", "PLANT_LAST"]

_SCALARS = tuple(
    dict.fromkeys([*_CROP, *_VERNALISATION, *_WATER, *_BALANCE, *_CROP81, *_CROP_NPK, *_SOIL_NITROGEN])
)
TABLES: Final = tuple(dict.fromkeys(["AMAXTB", *_CROP_TABLES, "VERNRTB", "NSLLV_TB", *_TABLES_NPK]))
_LAYER = ["THICKNESS", "LAYER_SM0", "LAYER_SMFCF", "LAYER_SMW", "LAYER_CRAIRC", "LAYER_COND_FC"]
PARAMETERS: Final = np.dtype(
    [(name, np.float64) for name in (*_SCALARS, *_CONSTANTS, *_SWITCHES)]
    + [(f"REPAIR_{name}", np.float64) for name in REPAIRS]
    + [("SURFACE_CONDUCTIVITY", np.float64)]
    + [(name, np.float64, MOST_LAYERS) for name in _LAYER]
    + [("LAYER_KIND", np.int64, MOST_LAYERS), ("LAYERS", np.int64)]
    + [(name, np.int64) for name in _CALENDAR]
)
"""One record a world. Calendar fields count days from the first day of the world; EPOCH is that
first day in days since 1970-01-01."""


@dataclass(frozen=True)
class Requirements:
    """The names of scalars and tables that a model cannot run without."""

    scalars: tuple[str, ...]
    tables: tuple[str, ...]


def requirements(model: str, vernalises: bool, layered: bool = False) -> Requirements:
    """Return what `model` (such as `wofost72-wlp`) reads; `vernalises` where IDSL >= 2."""
    family, _, level = model.partition("-")
    scalars, tables = [*_CROP, *(["RDMSOL"] if layered else _WATER)], [*_CROP_TABLES]
    if layered:
        scalars += _LAYERED_BALANCE
    elif level != "pp":
        scalars += _BALANCE
    if family == "wofost72":
        tables.append("AMAXTB")
    elif family == "wofost81":
        scalars += _CROP81
        tables += [*_CO2_TABLES, "NSLLV_TB", "NMAXLV_TB"]
        if level == "nwlp":
            scalars += _SOIL_NITROGEN
    else:
        scalars += _CROP_NPK
        tables += ["AMAXTB", *_CO2_TABLES, *_TABLES_NPK]
    if vernalises:
        scalars += _VERNALISATION
        tables.append("VERNRTB")
    return Requirements(tuple(scalars), tuple(tables))


def number(name: str, value: Any, where: str) -> float:
    """Return `value` as a finite float; raises `ConfigError` for anything else."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = float("nan")
    if isinstance(value, str) or not np.isfinite(result):
        raise ConfigError(f"{where}: {name} is {value!r}, not a finite number.")
    return result


def pairs(name: str, value: Any, where: str) -> list[float]:
    """Return the flat list of a table with ascending abscissae.

    A scalar stands for a constant. Lists wrapped once more are unwrapped. As in PCSE, one break in
    the ascending sequence is tolerated: a point is kept where its abscissa exceeds that before it.
    """
    if isinstance(value, int | float):
        return [0.0, number(name, value, where), 1.0, float(value)]
    try:
        flat = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ConfigError(
            f"{where}: {name} is {value!r}, not a list x0, y0, x1, y1, ... of numbers."
        ) from None
    flat = flat.ravel() if flat.ndim == 2 and len(flat) == 1 else flat
    if flat.ndim != 1 or flat.size < 4 or flat.size % 2:
        return flat.tolist() if flat.ndim == 1 else list(value)
    ascends = np.diff(flat[0::2]) > 0.0
    if (ascends[1:] != ascends[:-1]).sum() == 1:
        kept = np.repeat(np.concatenate([[True], ascends]), 2)
        flat = flat[kept]
    return flat.tolist()


def collect(
    model: str, given: Mapping[str, Any], where: str = "parameters", layered: bool = False
) -> tuple[NDArray[Any], list[Floats]]:
    """Return the record and the tables (in the order of TABLES) of a mapping of parameters.

    Names that the model does not read are ignored; a missing one raises `ConfigError`.
    """
    if layered:
        given = {**given, **{n: given[f"M{n}"] for n in _LAYERED_BALANCE if f"M{n}" in given}}
    needed = requirements(model, float(given.get("IDSL", 0.0)) >= 2.0, layered)
    _refuse_missing((*needed.scalars, *needed.tables), given, model, where)
    record = np.zeros((), PARAMETERS)
    for name in needed.scalars:
        record[name] = number(name, given[name], where)
    tables = [np.zeros((3, 2)) for _ in TABLES]
    for name in needed.tables:
        if name in TABLES:
            tables[TABLES.index(name)] = afgen.build(name, pairs(name, given[name], where), where)
    _set_co2(record, model, given, where)
    _check_ranges(record, needed, tables, where, layered)
    return record, tables


def _refuse_missing(names: Sequence[str], given: Mapping[str, Any], model: str, where: str) -> None:
    missing = [name for name in names if name not in given]
    if missing:
        hint = did_you_mean(missing[0], given) if len(missing) == 1 else ""
        raise ConfigError(f"{where}: {model} also needs {', '.join(missing)}.{hint}")


def _set_co2(record: NDArray[Any], model: str, given: Mapping[str, Any], where: str) -> None:
    """Set the factors of the CO2 tables; WOFOST 7.2 knows that of transpiration only, if given."""
    known = "CO2" in given and "CO2TRATB" in given
    for constant, table in zip(_CONSTANTS, _CO2_TABLES, strict=True):
        record[constant] = 1.0
        if not model.startswith("wofost72") or (known and constant == "CO2TRA"):
            co2 = number("CO2", given["CO2"], where)
            built = afgen.build(table, pairs(table, given[table], where), where)
            record[constant] = afgen.afgen(built, co2)


_ABOVE_0: Final = ("CVL", "CVO", "CVR", "CVS", "Q10", "SPAN", "KN", "TCNT", "RDI", "RDMSOL", "TSUM1", "TSUM2")
_NOT_BELOW_0: Final = ("SOPE", "KSUB", "WAV", "SSI", "SSMAX", "TDWI", "RRI")
_TABLES_ABOVE_0: Final = ("KDIFTB", "EFFTB")


def _check_ranges(
    record: NDArray[Any], needed: Requirements, tables: Sequence[Floats], where: str, layered: bool
) -> None:
    """Refuse figures of `needed` names that no crop grows with, and by which PCSE divides."""
    if not layered and not record["SMW"] < record["SMFCF"] <= record["SM0"]:
        raise ConfigError(
            f"{where}: soil moisture must rise from SMW over SMFCF to SM0; got "
            f"{record['SMW']}, {record['SMFCF']}, {record['SM0']}."
        )
    breathes = record["IOX"] == 1.0 and record["IAIRDU"] == 0.0
    air = ("CRAIRC",) if breathes else ()  # the air that roots need; read where IOX is 1 and IAIRDU 0
    for name in (n for n in (*_ABOVE_0, *air) if n in needed.scalars):
        if record[name] <= 0.0:
            raise ConfigError(f"{where}: {name} must exceed 0; got {record[name]}.")
    for name in (n for n in _NOT_BELOW_0 if n in needed.scalars):
        if record[name] < 0.0:
            raise ConfigError(f"{where}: {name} must not be negative; got {record[name]}.")
    if not 0.0 <= record["NOTINF"] <= 1.0:
        raise ConfigError(f"{where}: NOTINF is a share of the rain, 0 to 1; got {record['NOTINF']}.")
    for name in (n for n in _TABLES_ABOVE_0 if n in needed.tables):
        ordinates = tables[TABLES.index(name)][1]
        if (ordinates <= 0.0).any():
            raise ConfigError(f"{where}: all of {name} must exceed 0; got {ordinates.min()}.")
