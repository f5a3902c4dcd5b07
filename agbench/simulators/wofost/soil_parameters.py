"""What the WOFOST models read of a soil and of what it holds at the start, under PCSE's names."""

from functools import partial
from typing import Final

from agbench.simulators.wofost.crop_parameters import NUTRIENTS, WOFOST72, WOFOST80, WOFOST81
from agbench.variables import ABOVE_0, Parameter, ParameterTable

_p = partial(Parameter, part="soil", source=WOFOST72)

ROOTABLE: Final = _p("RDMSOL", "cm", "rootable depth of the soil", ABOVE_0, 1000)
WATER: Final = (
    _p("SMFCF", "cm3 cm-3", "moisture at field capacity", 0, 1),
    _p("SM0", "cm3 cm-3", "moisture at saturation", 0, 1),
    _p("SMW", "cm3 cm-3", "moisture at wilting point", 0, 1),
    _p("CRAIRC", "cm3 cm-3", "air that roots need", 0, 1),
    ROOTABLE,
)
"""What a soil with a single layer holds; layers have curves instead."""
PERCOLATION: Final = (
    _p("SOPE", "cm d-1", "maximum percolation out of the root zone", 0, 10_000),
    _p("KSUB", "cm d-1", "maximum percolation into the subsoil", 0, 10_000),
)
"""What the water balance of a single layer adds."""
BALANCE: Final = (
    _p("IFUNRN", "-", "1: less of a heavier rain infiltrates", 0, 1, switch=True),
    _p("SSMAX", "cm", "most water that the surface stores", 0, 1000),
    _p("SSI", "cm", "water on the surface at the start", 0, 1000),
    _p("WAV", "cm", "available water in the soil at the start", 0, 1000),
    _p("NOTINF", "-", "share of the rain that does not infiltrate", 0, 1),
    _p("SMLIM", "cm3 cm-3", "most moisture of the first root zone at the start", 0, 1),
)
"""What every water balance reads."""


def _pool(x: str, word: str, source: str) -> tuple[Parameter, ...]:
    """Return the mineral pools of one nutrient."""
    p = partial(Parameter, part="soil", source=source)
    return (
        p(f"{x}SOILBASE", "kg ha-1", f"{word} in the soil that becomes available over the season", 0, 1e6),
        p(f"{x}SOILBASE_FR", "d-1", f"share of it that becomes available a day ({word})", 0, 1),
        p(f"{x}AVAILI", "kg ha-1", f"available {word} at the start", 0, 1e6),
        p(f"BG_{x}_SUPPLY", "kg ha-1 d-1", f"{word} from the air", 0, 10_000),
    )


def _surface(x: str, word: str) -> tuple[Parameter, ...]:
    """Return what the N-P-K model adds for one nutrient: the pool on the surface."""
    p = partial(Parameter, part="soil", source=WOFOST80)
    return (
        p(f"{x}MAX", "kg ha-1", f"most available {word} that the soil holds", 0, 1e6),
        p(f"R{x}SOILMAX", "kg ha-1 d-1", f"most {word} that leaves the surface for the soil", 0, 1e6),
        p(f"R{x}ABSORPTION", "d-1", f"share of the {word} on the surface that enters the soil", 0, 1),
    )


NITROGEN81: Final = _pool("N", "nitrogen", WOFOST81)
NUTRIENTS80: Final = (
    *(p for x, word in NUTRIENTS.items() for p in (*_pool(x, word, WOFOST80), *_surface(x, word))),
    Parameter(
        "RNPKRUNOFF",
        "d-1",
        "share of the nutrients on the surface that runs off",
        0,
        1,
        source=WOFOST80,
        of="runoff",
        part="soil",
    ),
)

_JANSSEN: Final = (
    "Yang and Janssen (2000), European Journal of Soil Science 51, 517-529: 1.2 yr-1 in the first year at"
    " 9 degC, between straw and green matter"
)
_WASHED: Final = "ours: potassium is not bound in organic matter and is washed out within weeks"
_SWAT: Final = "Neitsch et al. (2011), SWAT theoretical documentation 2009, section 4:2.1"
ROTATION: Final = (
    *(
        Parameter(
            f"{x}RESIDUE_FR",
            "d-1",
            f"share of the {word} in residues that they release a day at 9 degC",
            0,
            1,
            default=0.05 if x == "K" else 0.0033,
            source=_WASHED if x == "K" else _JANSSEN,
            part="soil",
        )
        for x, word in NUTRIENTS.items()
    ),
    Parameter(
        "NDRAIN_SHARE",
        "-",
        "nitrogen in the water that drains, over that of the mobile water of the soil",
        0,
        1,
        default=1.0,
        source=_SWAT,
        part="soil",
    ),
    Parameter(
        "ANION_EXCLUSION",
        "-",
        "share of the pores from which nitrate is excluded",
        0,
        0.95,
        default=0.5,
        source=_SWAT,
        part="soil",
    ),
)
"""Parameters of residues and of leaching with drainage, for rotations."""

PROFILE: Final = ParameterTable(
    (
        _p("PFFieldCapacity", "pF", "suction at field capacity", 0, 7),
        _p("PFWiltingPoint", "pF", "suction at wilting point", 0, 7),
        _p("SurfaceConductivity", "cm d-1", "most water that enters the top layer", 0, 10_000),
        _p("Thickness", "cm", "thickness of a layer", 5, 250),
        _p("CRAIRC", "cm3 cm-3", "air that roots need", 0, 1),
        _p("SMfromPF", "cm3 cm-3", "moisture of a layer", 0, 1, of="pF"),
        _p("CONDfromPF", "log10(cm d-1)", "conductivity of a layer", -100, 100, of="pF"),
    )
)
"""A SoilProfileDescription: the profile, and each of its layers."""
