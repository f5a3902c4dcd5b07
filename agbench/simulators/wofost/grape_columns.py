"""The columns of grape vines: phenology, cold hardiness, frost."""

from typing import Final

from agbench.simulators.wofost.columns import parse

ENDODORMANT: Final = 8.0
ECODORMANT: Final = 9.0
BUD_BREAK: Final = 10.0
FLOWERING: Final = 11.0
VERAISON: Final = 12.0
RIPE: Final = 13.0

STAGES_GRAPE: Final = ("endodorm", "ecodorm", "budbreak", "flowering", "veraison", "ripe")
"""Words for the stages, from ENDODORMANT on."""

DATES_GRAPE: Final = ("DOB", "DOL", "DOV", "DOR", "DOC", "DOLF", "DON", "DOPB")
ANNUAL_ONLY: Final = frozenset(
    ("DOS", "DOE", "DOA", "DOM", "DOV", "VERN", "ISVERNALISED", "VERN_FORCED", "VERNR", "VERNFAC")
)
"""Columns of annual crops that grape vines do not have, or have with another meaning."""
TREES_ONLY: Final = frozenset(("DATBE", "DSNG", "DSD", "DCYCLE", "RDEM"))
"""Columns of perennial crops that grape vines do not have."""

STATES_GRAPE = parse("""
    PHENOLOGY | - | 0 ecodormancy, 1 bud break, 2 bloom, 3 veraison, 4 ripe, 5 endodormancy
    CSUM | - | chilling units | 0 1e4
    DOB | date | day of the last bud break
    DOL | date | day of the last bloom
    DOV | date | day of the last veraison
    DOR | date | day on which the fruit was last ripe
    DOC | date | day on which the buds last closed: chilling begins
    DOLF | date | day on which the leaves last fell (sound setting)
    DON | date | day on which chilling last ended endodormancy
    DOPB | date | day of bud break that hardiness predicts
    DHSUM | degC d | warmth in ecodormancy
    DCSUM | degC d | cold in dormancy | -2e4 0
    HC | degC | temperature that kills half of the closed buds, or of the green shoots | -60 0
    LTE50 | degC | HC to two decimals | -60 0
    PREDBB | degC | HC on the day of bud break that it predicts, 0 without one | -60 0
    BUDS_CLOSED | - | 1 from the short days of autumn until bud break (sound setting) | 0 1
    BUDS_ALIVE | - | share of the closed buds that frost has left | 0 1
    SHOOTS_ALIVE | - | share of this year's shoots that frost has left, as buds and since | 0 1
    FROST_DAMAGE | - | shares of buds and shoots that frost has killed, summed over the years | 0 1e3
""")
RATES_GRAPE = parse("""
    DCU | d-1 | chilling of the day
    DHR | degC d-1 | warmth of the day above the base of dormancy | 0 100
    DCR | degC d-1 | cold of the day below the base of dormancy | -100 0
    DACC | degC d-1 | softening of buds | -100 100
    ACC | degC d-1 | hardening of buds | -100 100
    HCR | degC d-1 | change of hardiness | -100 100
    FROST_KILL | d-1 | share of the living buds, or of the green shoots, that frost kills
    FROST_LEAVES | d-1 | share of the leaves that frost kills
""")
MEMORY_GRAPE = parse("""
    CHILLING_ON | - | 1 while cold counts as chilling (published setting)
    HCY | degC | HC of the day before | -100 0
    FROST_WORST | - | the largest share that one frost has killed since the buds closed or broke | 0 1
""")
CHANGED_GRAPE = parse("""
    STAGE | - | 0 no crop, 8 endodorm, 9 ecodorm, 10 budbreak, 11 flowering, 12 veraison, 13 ripe | 0 20
    DVS | - | development stage: 0 bud break, 1 bloom, 2 veraison, 3 ripe | -0.2 10
    TSUM | degC d | heat units since bud break
    TSUME | degC d | heat units of ecodormancy
    DTSUM | degC | heat units of the day
    DTSUME | degC | heat units of the day in ecodormancy
    DSLV3 | kg ha-1 d-1 | death of leaves by frost (sound setting)
""")
