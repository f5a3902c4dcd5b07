"""What the WOFOST models read of a crop: parameters and tables under PCSE's names."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Final

from agbench.variables import ABOVE_0, OPTIONAL, Parameter

WOFOST72: Final = "WOFOST 7.2 (de Wit et al. 2020, system description), as in PCSE 6"
WOFOST81: Final = "WOFOST 8.1 (Berghuijs et al. 2024), as in PCSE 6"
WOFOST80: Final = "WOFOST 8.0 of PCSE, as WOFOSTGym has it (Solow et al. 2025)"
NUTRIENTS: Final = {"N": "nitrogen", "P": "phosphorus", "K": "potassium"}

_p = partial(Parameter, part="crop", source=WOFOST72)
_p81 = partial(Parameter, part="crop", source=WOFOST81)
_p80 = partial(Parameter, part="crop", source=WOFOST80)

CROP: Final = (
    _p("CVL", "kg kg-1", "leaves made of assimilates (CH2O)", ABOVE_0, 1),
    _p("CVO", "kg kg-1", "storage organs made of assimilates (CH2O)", ABOVE_0, 1),
    _p("CVR", "kg kg-1", "roots made of assimilates (CH2O)", ABOVE_0, 1),
    _p("CVS", "kg kg-1", "stems made of assimilates (CH2O)", ABOVE_0, 1),
    _p("Q10", "-", "rise of maintenance respiration per 10 degC, as a factor", ABOVE_0, 10),
    _p("RML", "kg kg-1 d-1", "maintenance respiration of leaves (CH2O) at 25 degC", 0, 1),
    _p("RMO", "kg kg-1 d-1", "maintenance respiration of storage organs (CH2O) at 25 degC", 0, 1),
    _p("RMR", "kg kg-1 d-1", "maintenance respiration of roots (CH2O) at 25 degC", 0, 1),
    _p("RMS", "kg kg-1 d-1", "maintenance respiration of stems (CH2O) at 25 degC", 0, 1),
    _p("TBASEM", "degC", "base temperature of emergence", -20, 40),
    _p("TEFFMX", "degC", "maximum effective temperature of emergence", -20, 60),
    _p("TSUMEM", "degC d", "temperature sum from sowing to emergence", 0, 10_000),
    _p("TSUM1", "degC d", "temperature sum from emergence to anthesis", ABOVE_0, 20_000),
    _p("TSUM2", "degC d", "temperature sum from anthesis to maturity", ABOVE_0, 20_000),
    _p("IDSL", "-", "development by temperature 0, and day length 1, and cold 2", 0, 2),
    _p("DLO", "h", "optimal day length of development; -99 without any", -99, 24),
    _p("DLC", "h", "critical day length of development; -99 without any", -99, 24),
    _p("DVSI", "-", "development stage at emergence", 0, 2),
    _p("DVSEND", "-", "development stage at the end", ABOVE_0, 10),
    _p("TDWI", "kg ha-1", "initial dry weight of the crop", 0, 1e5),
    _p("SPAN", "d", "life span of leaves at 35 degC", ABOVE_0, 10_000),
    _p("TBASE", "degC", "base temperature of leaf ageing", -20, 40),
    _p("RGRLAI", "degC-1 d-1", "maximum relative growth of leaf area, juvenile", 0, 1),
    _p("RDI", "cm", "initial rooting depth", ABOVE_0, 1000),
    _p("RRI", "cm d-1", "maximum root elongation", 0, 100),
    _p("RDMCR", "cm", "maximum rooting depth of the crop", ABOVE_0, 1000),
    _p("PERDL", "d-1", "maximum relative death of leaves by drought", 0, 1),
    _p("CFET", "-", "factor on potential transpiration", 0, 10),
    _p("DEPNR", "-", "crop group number of drought tolerance: 1 sensitive to 5 tolerant", 1, 5),
    _p("IAIRDU", "-", "1: air ducts in the roots, so that no oxygen lacks", 0, 1, switch=True),
    _p("IOX", "-", "1: roots may lack oxygen", 0, 1, switch=True),
    _p("DTSMTB", "degC", "daily increase of the temperature sum", 0, 100, of="temperature"),
    _p("EFFTB", "kg ha-1 h-1 per J m-2 s-1", "light use of a leaf", ABOVE_0, 10, of="temperature"),
    _p("KDIFTB", "-", "extinction of diffuse light", ABOVE_0, 2, of="DVS"),
    _p("TMPFTB", "-", "factor of the mean day temperature on assimilation", 0, 1, of="temperature"),
    _p("TMNFTB", "-", "factor of the lowest temperature on assimilation", 0, 1, of="temperature"),
    _p("RFSETB", "-", "factor of senescence on maintenance respiration", 0, 1, of="DVS"),
    _p("FRTB", "-", "share of growth to roots", 0, 1, of="DVS"),
    _p("FLTB", "-", "share of growth above ground to leaves", 0, 1, of="DVS"),
    _p("FSTB", "-", "share of growth above ground to stems", 0, 1, of="DVS"),
    _p("FOTB", "-", "share of growth above ground to storage organs", 0, 1, of="DVS"),
    _p("SLATB", "ha kg-1", "specific leaf area", 0, 1, of="DVS"),
    _p("SSATB", "ha kg-1", "specific stem area", 0, 1, of="DVS"),
    _p("RDRRTB", "d-1", "relative death of roots", 0, 1, of="DVS"),
    _p("RDRSTB", "d-1", "relative death of stems", 0, 1, of="DVS"),
    _p("SPA", "ha kg-1", "specific pod area", 0, 1, of="DVS"),
    _p("VERNBASE", "d", "base vernalisation requirement", 0, 1000, only_if=("IDSL", 2.0)),
    _p("VERNSAT", "d", "saturated vernalisation requirement", 0, 1000, only_if=("IDSL", 2.0)),
    _p("VERNDVS", "-", "development stage at which cold no longer counts", 0, 2, only_if=("IDSL", 2.0)),
    _p("VERNRTB", "d d-1", "rate of vernalisation", 0, 10, of="temperature", only_if=("IDSL", 2.0)),
)
"""What all WOFOST models read."""
AMAX: Final = _p("AMAXTB", "kg ha-1 h-1", "maximum assimilation of a leaf", 0, 1000, of="DVS")
"""Of WOFOST 7.2 and 8.0."""
CO2: Final = (
    Parameter("CO2", "ppm", "CO2 in the air", ABOVE_0, 10_000, source=WOFOST81, part="soil"),
    _p81("CO2AMAXTB", "-", "factor of CO2 on maximum assimilation", 0, 10, of="CO2"),
    _p81("CO2EFFTB", "-", "factor of CO2 on light use", 0, 10, of="CO2"),
    _p81("CO2TRATB", "-", "factor of CO2 on transpiration", 0, 10, of="CO2"),
)
CO2_OPTIONAL: Final = tuple(replace(p, default=OPTIONAL) for p in (CO2[0], CO2[3]))
"""Of WOFOST 7.2; CO2 acts on transpiration only where both are given."""

CROP81: Final = (
    _p81("AMAX_LNB", "kg ha-1", "leaf nitrogen below which there is no assimilation", 0, 100),
    _p81("AMAX_REF", "kg ha-1 h-1", "maximum assimilation of a leaf, however much nitrogen", 0, 1000),
    _p81("AMAX_SLP", "kg kg-1 h-1", "rise of maximum assimilation with leaf nitrogen", 0, 1000),
    _p81("KN", "-", "extinction of nitrogen in the canopy", ABOVE_0, 2),
    _p81("REALLOC_DVS", "-", "development stage from which dry weight moves to storage organs", 0, 10),
    _p81("REALLOC_STEM_FRACTION", "-", "share of stem weight that can move", 0, 1),
    _p81("REALLOC_LEAF_FRACTION", "-", "share of leaf weight that can move", 0, 1),
    _p81("REALLOC_STEM_RATE", "d-1", "relative rate at which stem weight moves", 0, 1),
    _p81("REALLOC_LEAF_RATE", "d-1", "relative rate at which leaf weight moves", 0, 1),
    _p81("REALLOC_EFFICIENCY", "-", "share of the moved weight that arrives", 0, 1),
    _p81("NMAXST_FR", "-", "maximum nitrogen of stems, share of leaves", 0, 5),
    _p81("NMAXRT_FR", "-", "maximum nitrogen of roots, share of leaves", 0, 5),
    _p81("NMAXSO", "kg kg-1", "maximum nitrogen concentration of storage organs", 0, 1),
    _p81("NRESIDLV", "kg kg-1", "residual nitrogen concentration of leaves", 0, 1),
    _p81("NRESIDST", "kg kg-1", "residual nitrogen concentration of stems", 0, 1),
    _p81("NRESIDRT", "kg kg-1", "residual nitrogen concentration of roots", 0, 1),
    _p81("DVS_N_TRANSL", "-", "development stage from which nitrogen moves to storage organs", 0, 10),
    _p81("TCNT", "d", "time coefficient of nitrogen translocation", ABOVE_0, 10_000),
    _p81("NFIX_FR", "-", "share of the nitrogen uptake that is fixed", 0, 1),
    _p81("RNUPTAKEMAX", "kg ha-1 d-1", "maximum nitrogen uptake", 0, 10_000),
    _p81("RGRLAI_MIN", "degC-1 d-1", "relative growth of leaf area under full nitrogen stress", 0, 1),
    _p81("NSLLV_TB", "-", "factor of nitrogen stress on leaf death", 0, 100, of="stress index"),
    _p81("NMAXLV_TB", "kg kg-1", "maximum nitrogen concentration of leaves", 0, 1, of="DVS"),
)
"""What WOFOST 8.1 adds."""


def _nutrient(x: str, word: str) -> tuple[Parameter, ...]:
    """Return what the N-P-K model reads of a crop for one nutrient."""
    return (
        _p80(f"R{x}UPTAKEMAX", "kg ha-1 d-1", f"maximum {word} uptake", 0, 10_000),
        _p80(f"{x}MAXRT_FR", "-", f"maximum {word} of roots, share of leaves", 0, 5),
        _p80(f"{x}MAXST_FR", "-", f"maximum {word} of stems, share of leaves", 0, 5),
        _p80(f"{x}MAXSO", "kg kg-1", f"maximum {word} concentration of storage organs", 0, 1),
        _p80(f"{x}CRIT_FR", "-", f"critical {word}, share of the maximum", 0, 1),
        _p80(f"{x}RESIDLV", "kg kg-1", f"residual {word} concentration of leaves", 0, 1),
        _p80(f"{x}RESIDST", "kg kg-1", f"residual {word} concentration of stems", 0, 1),
        _p80(f"{x}RESIDRT", "kg kg-1", f"residual {word} concentration of roots", 0, 1),
        _p80(f"TC{x}T", "d", f"time coefficient of {word} translocation", ABOVE_0, 10_000),
        _p80(f"{x}MAXLV_TB", "kg kg-1", f"maximum {word} concentration of leaves", 0, 1, of="DVS"),
        _p80(f"{x}THRESH", "kg ha-1", f"available {word} above which a surplus harms", ABOVE_0, 1e6),
    )


CROP_NPK: Final = (
    _p80("TSUM3", "degC d", "temperature sum from maturity to death", 0, 20_000),
    _p80("DVSM", "-", "development stage at maturity", ABOVE_0, 10),
    _p80("NLAI_NPK", "-", "effect of nutrient stress on juvenile leaf area", 0, 100),
    _p80("NSLA_NPK", "-", "effect of nutrient stress on specific leaf area", 0, 100),
    _p80("NPART", "-", "effect of nitrogen stress on leaf partitioning", 0, 100),
    _p80("NLUE_NPK", "-", "effect of nutrient stress on assimilation", 0, 100),
    _p80("RDRLV_NPK", "d-1", "maximum relative death of leaves by nutrient stress", 0, 1),
    _p80("DVS_NPK_STOP", "-", "development stage above which no nutrient is taken up", 0, 10),
    _p80("DVS_NPK_TRANSL", "-", "development stage above which nutrients move", 0, 10),
    _p80("NFIX_FR", "-", "share of the nitrogen uptake that is fixed", 0, 1),
    *(parameter for x, word in NUTRIENTS.items() for parameter in _nutrient(x, word)),
    _p80("RDRSOB", "d-1", "relative death of storage organs", 0, 1, of="DVS"),
    _p80("RDRSOF", "d-1", "relative death of storage organs by frost", 0, 1, of="temperature"),
    _p80("RDRROS", "d-1", "relative death of roots by lack of oxygen", 0, 1, of="RFOS"),
    _p80("RDRRNPK", "d-1", "relative death of roots by surplus", 0, 1, of="surplus over threshold"),
)
"""What the N-P-K model adds."""

_AGED: Final = ("CVL", "CVO", "CVR", "CVS", "RML", "RMO", "RMR", "RMS", "TDWI")
_SHARED_OUT: Final = ("FRTB", "FLTB", "FSTB", "FOTB")
AGE: Final = "AGE"


def by_age(crop: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """Return these parameters for a crop of several years: some of them become tables of its age."""
    return tuple(
        replace(p, of=AGE) if p.name in _AGED else replace(p, by=AGE) if p.name in _SHARED_OUT else p
        for p in crop
    )


_RYAN: Final = "Ryan 1991, Ecol. Appl. 1, 157-167: 0.0106 mol mol-1 N h-1 at 20 degC; wood with 0.08 % N"
_VERGUTZ: Final = "Vergutz et al. 2012, Ecol. Monogr. 82, 205-220: global mean"
_OLIVEIRA: Final = "Oliveira, Priestley 1988, Hort. Rev. 10, 403-430: carbohydrate reserves of fruit trees"
_tree = partial(Parameter, part="crop")
TREE: Final = (
    _tree("WWDTB", "kg ha-1", "wood at the start", 0, 1e6, 500.0, "1,500 nursery trees of 0.33 kg", AGE),
    _tree("COVTB", "-", "share of the ground under trees", ABOVE_0, 1, 1.0, "a closed canopy", AGE),
    _tree("FBEARTB", "-", "share of fruit growth that trees bear", 0, 1, 1.0, "bearing from the start", AGE),
    _tree("RMWD", "kg kg-1 d-1", "maintenance respiration of wood (CH2O) at 25 degC", 0, 1, 0.0006, _RYAN),
    _tree("RDRWD", "d-1", "relative death of wood", 0, 1, 5.5e-5, "assumption: 2 % a year"),
    _tree("LIGNFR", "-", "share of the shoots of a year that turn to wood", 0, 1, 1.0, "no shoot is shed"),
    _tree("RESMAX", "kg kg-1", "most reserves (CH2O) in wood and roots", 0, 1, 0.1, _OLIVEIRA),
    _tree("RESFR", "-", "share of assimilates to reserves while fruit grows", 0, 1, 0.15, "assumption"),
    _tree("BUDFR", "kg kg-1", "first organs of a year over the wood", 0, 1, 0.01, "assumption"),
    _tree("RESMOB", "degC-1 d-1", "relative use of reserves to leaf-out", 0, 1, 0.005, "assumption"),
    _tree("RESDVS", "-", "stage up to which reserves are used for growth", 0, 2, 0.3, "assumption: leaf-out"),
    _tree("NRESORB", "-", "share of leaf nitrogen taken back at leaf fall", 0, 1, 0.621, _VERGUTZ),
    _tree("PRESORB", "-", "share of leaf phosphorus taken back at leaf fall", 0, 1, 0.649, _VERGUTZ),
    _tree("KRESORB", "-", "share of leaf potassium taken back at leaf fall", 0, 1, 0.701, _VERGUTZ),
)
"""What the setting `sound` reads of a tree, and the original does not have."""

CROP_PERENNIAL: Final = (
    *(p for p in by_age(CROP) if p.name in _AGED),
    _p80("AGEI", "-", "age at the start of the crop in years", 0, 200),
    _p80("DTBEM", "d", "warm days in a row that end rest", 0, 365),
    _p80("DORM", "d", "days without development that bring dormancy on", 1, 1000),
    _p80("DORMCD", "d", "least length of dormancy", 0, 1000),
    _p80("DCYCLEMAX", "d", "greatest length of a growth cycle", 1, 1000),
    _p80("MLDORM", "h", "day length below which the crop goes dormant", 0, 24),
    *TREE,
)
"""What a perennial crop adds, and what of it depends on age."""
