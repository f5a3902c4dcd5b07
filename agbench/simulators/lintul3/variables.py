"""The columns of a LINTUL-3 simulation: states, the rates of the current day, bookkeeping."""

from typing import Final

from agbench.variables import Variable, VariableTable

NO_CROP: Final = 0.0
EMERGING: Final = 1.0
VEGETATIVE: Final = 2.0
REPRODUCTIVE: Final = 3.0
MATURE: Final = 4.0

_PHENOLOGY = [
    Variable("STAGE", "-", "0 no crop, 1 emerging, 2 vegetative, 3 reproductive, 4 mature", 0, 4),
    Variable("DVS", "-", "development stage: 0 emergence, 1 anthesis, 2 maturity", -0.1, 2.5),
    Variable("TSUM", "degC d", "temperature sum since emergence", 0, 10_000),
    Variable("TSUME", "degC d", "temperature sum since sowing, until emergence", 0, 10_000),
    Variable("VERN", "d", "vernalisation state", 0, 1_000),
    Variable("VERNALISED", "-", "1 once the vernalisation requirement is met", 0, 1),
]
_CROP = [
    Variable("LAI", "m2 m-2", "leaf area index", -10, 30),
    Variable("ANLV", "g m-2", "nitrogen in leaves", -10, 300),
    Variable("ANST", "g m-2", "nitrogen in stems", -10, 300),
    Variable("ANRT", "g m-2", "nitrogen in roots", -10, 300),
    Variable("ANSO", "g m-2", "nitrogen in storage organs", -10, 300),
    Variable("NUPTT", "g m-2", "nitrogen taken up since the start", 0, 300),
    Variable("NLOSSL", "g m-2", "nitrogen lost with dead leaves", 0, 300),
    Variable("NLOSSR", "g m-2", "nitrogen lost with dead roots", 0, 300),
    Variable("WLVG", "g m-2", "dry weight of living leaves", 0, 10_000),
    Variable("WLVD", "g m-2", "dry weight of dead leaves", 0, 10_000),
    Variable("WST", "g m-2", "dry weight of stems", -10, 10_000),
    Variable("WSO", "g m-2", "dry weight of storage organs (grain)", 0, 10_000),
    Variable("WRT", "g m-2", "dry weight of living roots", 0, 10_000),
    Variable("ROOTD", "m", "rooting depth", 0, 10),
    Variable("TGROWTH", "g m-2", "biomass grown since the start, above and below ground", 0, 20_000),
    Variable("WDRT", "g m-2", "dry weight of dead roots", 0, 10_000),
    Variable("CUMPAR", "MJ m-2", "photosynthetically active radiation since the start", 0, 20_000),
    Variable("TNSOIL", "g m-2", "mineral nitrogen in the soil", 0, 10_000),
    Variable("TAGBM", "g m-2", "above-ground biomass, living and dead", -10, 20_000),
    Variable("NUPAG", "g m-2", "nitrogen in leaves, stems and storage organs", -10, 300),
]
_SOIL = [
    Variable("WA", "mm", "water in the rooted soil", 0, 10_000),
    Variable("WC", "m3 m-3", "water content of the rooted soil; irrigation may flood it", 0, 10),
    Variable("TRUNOF", "mm", "runoff since the start", 0, 100_000),
    Variable("TTRAN", "mm", "transpiration since the start", 0, 100_000),
    Variable("TEVAP", "mm", "soil evaporation since the start", 0, 100_000),
    Variable("TDRAIN", "mm", "drainage since the start", 0, 100_000),
    Variable("TRAIN", "mm", "rain since the start", 0, 100_000),
    Variable("TEXPLO", "mm", "water found by the growing roots since the start", 0, 100_000),
    Variable("TIRRIG", "mm", "irrigation since the start", 0, 100_000),
]
_REPORTED_RATES = [
    Variable("PEVAP", "mm d-1", "potential soil evaporation", 0, 100),
    Variable("PTRAN", "mm d-1", "potential transpiration", 0, 100),
    Variable("TRAN", "mm d-1", "transpiration", 0, 100),
    Variable("TRANRF", "-", "transpiration over potential transpiration: water stress", 0, 1),
    Variable("RROOTD", "m d-1", "root elongation", 0, 1),
    Variable("DTSUME", "degC", "increase of TSUME", 0, 100),
    Variable("DTSUM", "degC", "increase of TSUM", 0, 100),
    Variable("DVR", "d-1", "development rate", 0, 2.5),
    Variable("VERNR", "-", "increase of VERN", 0, 10),
    Variable("VERNFAC", "-", "reduction of development by lack of vernalisation", 0, 1),
    Variable("NNI", "-", "nitrogen nutrition index", 0, 1),
    Variable("NRF", "-", "growth reduction by nitrogen stress", 0, 1),
    Variable("GRF", "-", "growth reduction: the smaller of TRANRF and NRF", 0, 1),
]
_GROWING = "LAI ANLV ANST ANRT ANSO NUPTT NLOSSL NLOSSR WLVG WLVD WST WSO WRT TGROWTH WDRT CUMPAR TNSOIL"
_WATER = "WA TRUNOF TTRAN TEVAP TDRAIN TRAIN TEXPLO TIRRIG"
_UNITS = {v.name: v.unit for v in (*_CROP, *_SOIL)}
_RATES = [
    Variable(f"r{name}", f"{_UNITS[name]} d-1", f"rate of change of {name}", -10_000, 10_000)
    for name in f"{_GROWING} {_WATER}".split()
]
_BOOKKEEPING = [
    Variable("DSLR", "d", "days since the last rain", 0, 10_000),
    Variable("FERTNS", "g m-2", "effective fertiliser that awaits its day", 0, 10_000),
    Variable("DURATION", "d", "days since the crop started", 0, 10_000),
]

STATES: Final = frozenset(v.name for v in (*_PHENOLOGY[1:], *_CROP, *_SOIL))
"""What the rates of a day are computed from, but for the stage."""

RATES: Final = frozenset(v.name for v in (*_REPORTED_RATES, *_RATES))
MEMORY: Final = frozenset(v.name for v in _BOOKKEEPING)
VARIABLES: Final = VariableTable([*_PHENOLOGY, *_CROP, *_SOIL, *_REPORTED_RATES, *_RATES, *_BOOKKEEPING])
CROP_NAMES: Final = tuple(
    v.name
    for v in (*_PHENOLOGY, *_CROP, *_REPORTED_RATES, *_RATES)
    if v.name.removeprefix("r") not in _WATER.split()
)
"""The columns that say nothing while there is no crop."""

INPUTS: Final = VariableTable(
    [
        Variable("N", "kg ha-1", "nitrogen applied on the first day of the step", 0, 10_000),
        Variable("IRRIG", "cm", "irrigation applied on the first day of the step", 0, 1_000),
    ]
)
