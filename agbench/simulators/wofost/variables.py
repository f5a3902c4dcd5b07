"""The columns of the WOFOST models: states, the rates of the current day, bookkeeping.

Names are those of WOFOST in PCSE 6; where the models differ, each table has its own. Dates are days
since 1970-01-01, -1 while the event has not come.
"""

from typing import Final

import numpy as np

from agbench.simulators.wofost.columns import parse
from agbench.simulators.wofost.grape_columns import (
    ANNUAL_ONLY,
    CHANGED_GRAPE,
    MEMORY_GRAPE,
    RATES_GRAPE,
    STAGES_GRAPE,
    STATES_GRAPE,
    TREES_ONLY,
)
from agbench.simulators.wofost.nitrogen_columns import MEMORY81, RATES81, STATES81
from agbench.simulators.wofost.npk_columns import (
    MEMORY_NPK,
    NUTRIENT_RATES,
    NUTRIENT_STATES,
    NUTRIENTS,
    RATES_NPK,
    STATES_NPK,
)
from agbench.simulators.wofost.perennial_columns import (
    INPUTS_PERENNIAL,
    MEMORY_PERENNIAL,
    RATES_PERENNIAL,
    STAGE_PERENNIAL,
    STATES_PERENNIAL,
)
from agbench.variables import Variable, VariableTable

EMERGING: Final = 1.0
VEGETATIVE: Final = 2.0
REPRODUCTIVE: Final = 3.0
MATURE: Final = 4.0
DEAD: Final = 5.0
DORMANT: Final = 6.0
SOWING: Final = 7.0
_TREES = ("", "emerging", "vegetative", "reproductive", "mature", "dead", "dormant", "sowing")
STAGES: Final = (*_TREES, *STAGES_GRAPE)

NO_CROP: Final = 0.0
STANDING: Final = 1.0
REMOVED: Final = 2.0


_PHENOLOGY = parse("""
    STAGE | - | 0 no crop, 1 emerging, 2 vegetative, 3 reproductive, 4 mature, 5 dead
    DVS | - | development stage: 0 emergence, 1 anthesis, 2 maturity | -0.2 10
    TSUM | degC d | temperature sum since emergence
    TSUME | degC d | temperature sum from sowing to emergence
    VERN | d | vernalisation state
    ISVERNALISED | - | 1 once the vernalisation requirement is met
    DOS | date | day of sowing
    DOE | date | day of emergence
    DOA | date | day of anthesis
    DOM | date | day of maturity
    DOH | date | day of harvest
    DOV | date | day on which the vernalisation requirement was met
""")
_PHENOLOGY_RATES = parse("""
    DTSUME | degC | increase of TSUME
    DTSUM | degC | increase of TSUM
    DVR | d-1 | development rate
    VERNR | d d-1 | vernalisation rate
    VERNFAC | - | reduction of development by lack of vernalisation
""")
_CROP = parse("""
    TAGP | kg ha-1 | above-ground dry weight, living and dead
    GASST | kg ha-1 | gross assimilation since the start (CH2O) | 0 1e6
    MREST | kg ha-1 | maintenance respiration since the start (CH2O) | 0 1e6
    CTRAT | cm | transpiration of the crop since its start
    CEVST | cm | soil evaporation under the crop since its start
    HI | - | harvest index TWSO / TAGP, known once the crop is gone, -1 without growth | -1 1
    FR | - | share of growth that goes to roots
    FL | - | share of above-ground growth that goes to leaves
    FS | - | share of above-ground growth that goes to stems
    FO | - | share of above-ground growth that goes to storage organs
    RD | cm | rooting depth
    RDM | cm | greatest rooting depth
    WRT | kg ha-1 | living roots
    DWRT | kg ha-1 | dead roots
    TWRT | kg ha-1 | roots, living and dead
    WST | kg ha-1 | living stems
    DWST | kg ha-1 | dead stems
    TWST | kg ha-1 | stems, living and dead
    SAI | ha ha-1 | stem area index
    WSO | kg ha-1 | living storage organs
    DWSO | kg ha-1 | dead storage organs
    TWSO | kg ha-1 | storage organs, living and dead
    PAI | ha ha-1 | pod area index
    LAIEM | ha ha-1 | leaf area index at emergence
    LASUM | ha ha-1 | area of the living leaves
    LAIEXP | ha ha-1 | leaf area index of exponential growth | 0 1e9
    LAIMAX | ha ha-1 | greatest LAI so far
    LAI | ha ha-1 | area of leaves, stems and pods
    WLV | kg ha-1 | living leaves
    DWLV | kg ha-1 | dead leaves
    TWLV | kg ha-1 | leaves, living and dead
    IDWST | d | days with drought stress
    IDOST | d | days with oxygen stress
""")
_CROP_RATES = parse("""
    PGASS | kg ha-1 d-1 | potential gross assimilation (CH2O)
    GASS | kg ha-1 d-1 | gross assimilation (CH2O)
    PMRES | kg ha-1 d-1 | potential maintenance respiration (CH2O)
    MRES | kg ha-1 d-1 | maintenance respiration (CH2O)
    ASRC | kg ha-1 d-1 | assimilates for growth (CH2O)
    DMI | kg ha-1 d-1 | growth of dry weight
    ADMI | kg ha-1 d-1 | growth of dry weight above ground
    EVWMX | cm d-1 | evaporation of a water surface under the canopy
    EVSMX | cm d-1 | evaporation of a wet soil under the canopy
    TRAMX | cm d-1 | transpiration without stress
    TRA | cm d-1 | transpiration
    RFWS | - | reduction of transpiration by drought
    RFOS | - | reduction of transpiration by lack of oxygen
    RFTRA | - | reduction of transpiration, RFWS x RFOS
    IDWS | - | 1 on a day with drought stress
    IDOS | - | 1 on a day with oxygen stress
    RR | cm d-1 | growth of the rooting depth
    GRRT | kg ha-1 d-1 | growth of roots
    DRRT | kg ha-1 d-1 | death of roots
    GWRT | kg ha-1 d-1 | net change of living roots
    GRST | kg ha-1 d-1 | growth of stems
    DRST | kg ha-1 d-1 | death of stems
    GWST | kg ha-1 d-1 | net change of living stems
    GRSO | kg ha-1 d-1 | growth of storage organs
    DRSO | kg ha-1 d-1 | death of storage organs
    GWSO | kg ha-1 d-1 | net change of living storage organs
    GRLV | kg ha-1 d-1 | growth of leaves
    DSLV1 | kg ha-1 d-1 | death of leaves by drought
    DSLV2 | kg ha-1 d-1 | death of leaves by shading
    DSLV3 | kg ha-1 d-1 | death of leaves by frost (none in these models)
    DSLV | kg ha-1 d-1 | death of leaves by stress
    DALV | kg ha-1 d-1 | death of leaves by age
    DRLV | kg ha-1 d-1 | death of leaves
    SLAT | ha kg-1 | specific area of the leaves that grow today
    FYSAGE | d d-1 | physiological ageing of leaves
    GLAIEX | ha ha-1 d-1 | growth of leaf area that temperature allows
    GLASOL | ha ha-1 d-1 | growth of leaf area that assimilates allow
""")
_WATER = parse("""
    SM | cm3 cm-3 | soil moisture of the root zone
    SS | cm | water on the soil surface
    SSI | cm | initial water on the soil surface
    WC | cm | water in the root zone
    WI | cm | initial water in the root zone
    WLOW | cm | water below the roots, down to the rootable depth
    WLOWI | cm | initial water below the roots
    WWLOW | cm | water down to the rootable depth
    WTRAT | cm | transpiration since the start
    EVST | cm | soil evaporation since the start
    EVWT | cm | evaporation of surface water since the start
    TSR | cm | surface runoff since the start
    RAINT | cm | rain since the start
    WART | cm | water that came within reach of the growing roots since the start
    TOTINF | cm | infiltration since the start
    TOTIRR | cm | effective irrigation since the start
    PERCT | cm | percolation out of the root zone since the start
    LOSST | cm | loss to the deep subsoil since the start
    DSOS | d | days of oxygen shortage in a row
""")
_WATER_RATES = parse("""
    EVS | cm d-1 | soil evaporation
    EVW | cm d-1 | evaporation of surface water
    WTRA | cm d-1 | transpiration
    RIN | cm d-1 | infiltration
    RIRR | cm d-1 | effective irrigation
    PERC | cm d-1 | percolation out of the root zone
    LOSS | cm d-1 | loss to the deep subsoil
    DW | cm d-1 | change of the water in the root zone
    DWLOW | cm d-1 | change of the water below the roots
    DTSR | cm d-1 | surface runoff
    DSS | cm d-1 | change of the water on the surface
    DRAINT | cm d-1 | rain
""")
_MEMORY = parse("""
    CROP | - | 0 no crop yet, 1 a crop stands, 2 the crop is gone
    IN_CROP | - | 1 between crop start and crop finish
    FIN | - | 1 on the last day of the crop
    GROWING | - | 1 on a day on which the crop assimilates
    DURATION | d | days since the crop started
    LEAF_FIRST | - | place of the oldest leaf class | 0 1e5
    LEAF_COUNT | - | number of leaf classes | 0 1e5
    ASSIMILATION_DAYS | d | days on which the crop has assimilated
    VERN_FORCED | - | 1 where development overtook vernalisation
    DSLR | d | days since the last rain
    RINOLD | cm d-1 | infiltration of the day before (potential production: rain)
    RDOLD | cm | rooting depth at the last redistribution of water
""")

VARIABLES72: Final = VariableTable(
    [*_PHENOLOGY, *_CROP, *_WATER, *_MEMORY, *_PHENOLOGY_RATES, *_CROP_RATES, *_WATER_RATES]
)
_LAYERED = parse("""
    WBOT | cm | water out of reach of the roots
    WAVUPP | cm | available water in the root zone
    WAVLOW | cm | available water below the roots
    WAVBOT | cm | available water out of reach of the roots
    BOTTOMFLOWT | cm | loss through the bottom since the start
    RDMOLD | cm | rootable depth at the last sum over layers
""")
_LAYERED_RATES = parse("BOTTOMFLOW | cm d-1 | loss through the bottom")
MOST_LAYERS: Final = 10
_LAYERS = [
    Variable(f"{name}_{i}", unit, f"{meaning} {i}", *bounds)
    for name, unit, meaning, bounds, more in (
        ("SM", "cm3 cm-3", "moisture of layer", (0.0, 1.0), 0),
        ("WC", "cm", "water in layer", (0.0, 300.0), 0),
        ("TRALY", "cm d-1", "transpiration from layer", (0.0, 10.0), 0),
        ("DWC", "cm d-1", "change of water in layer", (-300.0, 300.0), 0),
        ("FLOW", "cm d-1", "flow into layer", (-300.0, 300.0), 1),
        ("FLOWMX", "cm d-1", "greatest flow into layer", (-300.0, 1e6), 1),
    )
    for i in range(1, MOST_LAYERS + more + 1)
]
"""Columns by layer, from the top; they come first, so that all models have them in one place."""

VARIABLES81: Final = VariableTable(
    [
        *(*_PHENOLOGY, *_CROP, *_WATER, *STATES81, *_MEMORY, *MEMORY81),
        *(*_PHENOLOGY_RATES, *_CROP_RATES, *_WATER_RATES, *RATES81),
    ]
)
VARIABLES_NPK: Final = VariableTable(
    [
        *(*_PHENOLOGY, *_CROP, *_WATER, *STATES_NPK, *NUTRIENT_STATES, *_MEMORY, *MEMORY_NPK),
        *(*_PHENOLOGY_RATES, *_CROP_RATES, *_WATER_RATES, *RATES_NPK),
        *NUTRIENT_RATES,
    ]
)
_ROTATION = [
    *parse("""
    CROP_NUMBER | - | number of the crop that stands or was the last to stand, 0 before the first | 0 100
    CROPS | - | crops sown since the start | 0 1e3
    NDRAINED | kg ha-1 | nitrogen leached with water that drained since the start
    """),
    *(
        variable
        for x, word in zip(NUTRIENTS, ("nitrogen", "phosphorus", "potassium"), strict=True)
        for variable in parse(f"""
    RESIDUE_{x} | kg ha-1 | {word} in the residues of crops
    {x}RELEASED | kg ha-1 | {word} that residues released since the start
    {x}SOWN | kg ha-1 | {word} brought in with seed since the start""")
    ),
]
_ROTATION_RATES = parse("""
    RNDRAINED | kg ha-1 d-1 | nitrogen leached with water that drains
    RNRELEASED | kg ha-1 d-1 | nitrogen that residues release
    RPRELEASED | kg ha-1 d-1 | phosphorus that residues release
    RKRELEASED | kg ha-1 d-1 | potassium that residues release
""")
ROTATION_NPK: Final = VariableTable([*_ROTATION, *VARIABLES_NPK, *_ROTATION_RATES])
"""The columns of a rotation come before and after those of its crops, which keep their order."""
LAYERED81: Final = VariableTable([*_LAYERS, *_LAYERED, *VARIABLES81, *_LAYERED_RATES])
LAYERED_NPK: Final = VariableTable([*_LAYERS, *_LAYERED, *VARIABLES_NPK, *_LAYERED_RATES])
LEDGER: Final = frozenset(
    ["HARVESTED", "NFIXTOTAL", *(f"{x}{what}" for x in NUTRIENTS for what in ("HARVESTED", "UPTAKETOTAL"))]
)
"""Columns of crops that add up over a rotation."""
FIRST_RATE: Final = "DTSUME"
"""The first column that holds a rate; those from here on are set to zero every day."""


def _extended(
    table: VariableTable, states: list[Variable], rates: list[Variable], changed: list[Variable]
) -> VariableTable:
    """Return a table with more states and rates, and with other descriptions of the `changed` columns."""
    anew = {v.name: v for v in changed}
    columns = [anew.get(v.name, v) for v in table]
    first = table.column(FIRST_RATE)
    return VariableTable([*columns[:first], *states, *columns[first:], *rates])


_PERENNIAL = ([*STATES_PERENNIAL, *MEMORY_PERENNIAL], RATES_PERENNIAL, STAGE_PERENNIAL)
VARIABLES_PERENNIAL: Final = _extended(VARIABLES_NPK, *_PERENNIAL)
LAYERED_PERENNIAL: Final = _extended(LAYERED_NPK, *_PERENNIAL)


def _of_grapes(table: VariableTable) -> VariableTable:
    """Return the columns of grape vines, given those of annual crops."""
    of_trees = ([v for v in part if v.name not in TREES_ONLY] for part in (STATES_PERENNIAL, RATES_PERENNIAL))
    states, rates = of_trees
    return _extended(
        VariableTable([v for v in table if v.name not in ANNUAL_ONLY]),
        [*states, *STATES_GRAPE, *MEMORY_PERENNIAL, *MEMORY_GRAPE],
        [*rates, *RATES_GRAPE],
        CHANGED_GRAPE,
    )


VARIABLES_GRAPE: Final = _of_grapes(VARIABLES_NPK)
LAYERED_GRAPE: Final = _of_grapes(LAYERED_NPK)

INPUTS: Final = VariableTable(
    parse("""
    N | kg ha-1 | nitrogen applied on the first day of the step | 0 1e4
    P | kg ha-1 | phosphorus applied on the first day of the step | 0 1e4
    K | kg ha-1 | potassium applied on the first day of the step | 0 1e4
    IRRIG | cm | irrigation applied on the first day of the step | 0 1e3
    HARVEST | - | share of the harvestable storage organs taken on the first day | 0 1
    PLANT | - | number of the crop, 1 of a single one, sown on an empty field on the first day | 0 20
    """)
)
_OF_TREES = {v.name: v for v in INPUTS_PERENNIAL}
INPUTS_OF: Final = {
    "annual": INPUTS,
    **dict.fromkeys(
        ("perennial", "grape"),
        VariableTable([*(v for v in INPUTS if v.name not in _OF_TREES), *_OF_TREES.values()]),
    ),
}
"""The inputs by crop type; those that fertilise and irrigate come first."""
_ARRIVING = ("N_EFF", "P_EFF", "K_EFF", "IRRIG_EFF")
MANAGEMENT_OF: Final = {
    crop_type: np.dtype([(name, np.float64) for name in (*inputs.names, *_ARRIVING)])
    for crop_type, inputs in INPUTS_OF.items()
}
"""Management of a day by crop type: gross amounts, and those that reach the soil."""

_SOIL_NAMES = {
    v.name for v in (*_WATER, *_WATER_RATES, *STATES_NPK[4:], *_LAYERED, *_LAYERED_RATES, *_LAYERS)
} | {
    *(v.name for v in (*_ROTATION, *_ROTATION_RATES)),
    *("NSOIL", "NAVAIL", "RNSOIL", "RNAVAIL", "FERT_N_SUPPLY"),
    *(f"{x}{pool}" for x in NUTRIENTS for pool in ("SOIL", "AVAIL", "SPILLED", "LEACHED", "SUPPLIED")),
    *(f"R{x}{rate}" for x in NUTRIENTS for rate in ("SOIL", "AVAIL", "SUBSOIL")),
    *(name.replace("x", x) for x in NUTRIENTS for name in ("SURFACE_x", "TOTx", "TOTx_RUNOFF")),
    *(name.replace("x", x) for x in NUTRIENTS for name in ("FERT_x_SUPPLY", "RRUNOFF_x")),
}
RATE_NAMES: Final = frozenset(
    (
        *(v.name for v in (*_PHENOLOGY_RATES, *_CROP_RATES, *_WATER_RATES, *RATES81)),
        *(v.name for v in (*RATES_NPK, *NUTRIENT_RATES, *_LAYERED_RATES, *RATES_PERENNIAL, *RATES_GRAPE)),
        *(v.name for v in _ROTATION_RATES),
        *(v.name for v in _LAYERS if v.unit == "cm d-1"),
    )
)
"""Columns that hold the rates of the day."""
MEMORY_NAMES: Final = frozenset(
    v.name for v in (*_MEMORY, *MEMORY81, *MEMORY_NPK, *MEMORY_PERENNIAL, *MEMORY_GRAPE)
)
"""Columns that only carry the simulation to its next day."""
SOIL_NAMES: Final = frozenset(_SOIL_NAMES)
"""Columns of the soil, which exist with or without a crop."""
