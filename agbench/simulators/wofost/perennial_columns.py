"""The columns and inputs that a crop of several years adds to those of the N-P-K model."""

from agbench.simulators.wofost.columns import parse
from agbench.simulators.wofost.npk_columns import ELEMENTS, NUTRIENTS

STATES_PERENNIAL = parse(
    """
    AGE | - | age in years | 0 1000
    DATBE | d | warm days in a row of a crop at rest
    DSNG | d | days in a row without development
    DSD | d | days of dormancy
    DCYCLE | d | days of the growth cycle
    WWD | kg ha-1 | living wood: trunk, branches, coarse roots (sound setting)
    DWWD | kg ha-1 | dead wood since the start (sound setting)
    WRES | kg ha-1 | reserves in wood and roots (CH2O; sound setting)
    PRUNED | kg ha-1 | dry weight cut and cleared since the start (sound setting) | 0 1e6
    GROWNT | kg ha-1 | dry weight formed and planted since the start (sound setting) | 0 1e6
    COSTT | kg ha-1 | assimilates spent on growth since the start (CH2O; sound setting) | 0 1e6
    RESPLANTED | kg ha-1 | reserves planted since the start (CH2O; sound setting) | 0 1e6
    RESLOST | kg ha-1 | reserves cut and cleared since the start (CH2O; sound setting) | 0 1e6
    """.rstrip()
    + "".join(
        f"""
    {x}AMOUNTWD | kg ha-1 | {word} in wood (sound setting)
    {x}PRUNED | kg ha-1 | {word} cut and cleared since the start (sound setting)
    {x}PLANTED | kg ha-1 | {word} planted since the start (sound setting)"""
        for x, word in ((x, ELEMENTS[x]) for x in NUTRIENTS)
    )
)
RATES_PERENNIAL = parse(
    """
    RDEM | d d-1 | 1 on a warm day of a crop at rest
    DRWD | kg ha-1 d-1 | death of wood
    RRESIN | kg ha-1 d-1 | assimilates that become reserves (CH2O)
    RRESOUT | kg ha-1 d-1 | reserves that are respired or used for growth (CH2O)
    """.rstrip()
    + "".join(
        f"""
    R{x}REMOB | kg ha-1 d-1 | {word} that wood hands over to growing organs
    R{x}DEATHWD | kg ha-1 d-1 | {word} lost with dead wood"""
        for x, word in ((x, ELEMENTS[x]) for x in NUTRIENTS)
    )
)
MEMORY_PERENNIAL = parse(
    """
    DAY_LENGTH | h | photoperiod of the day whose rates are integrated | 0 24
    SHORTENING | - | 1 while days become shorter
    AUTUMN | - | 1 from the first day of autumn with leaves on
    PICKED | - | share of the fruit of the year that has been picked | 0 1
    HWSO_BEFORE | kg ha-1 | harvestable weight before the integration of the day
    HWSO_GAIN | kg ha-1 | what integration adds to it
    """.rstrip()
    + "\n"
    + "\n".join(
        f"TMIN_{i} | degC | least temperature, assimilation day {i} from the last | -100 100"
        for i in range(1, 8)
    )
)
STAGE_PERENNIAL = parse("""
    STAGE | - | 0 no crop, 1 emerging, 2 vegetative, 3 reproductive, 4 mature, 5 dead, 6 dormant, 7 sowing
""")
INPUTS_PERENNIAL = parse("""
    PLANT | - | from 0.5 on the trees are cleared and young ones planted on the first day | 0 1
    PRUNE | - | share of the wood that is cut on the first day, if the crop is at rest | 0 1
""")
