"""The columns that a crop of several years adds to those of the N-P-K model."""

from agbench.simulators.wofost.columns import parse

STATES_PERENNIAL = parse("""
    AGE | - | age in years | 0 1000
    DATBE | d | warm days in a row of a crop at rest
    DSNG | d | days in a row without development
    DSD | d | days of dormancy
    DCYCLE | d | days of the growth cycle
""")
RATES_PERENNIAL = parse("RDEM | d d-1 | 1 on a warm day of a crop at rest")
MEMORY_PERENNIAL = parse(
    """
    DAY_LENGTH | h | photoperiod of the day whose rates are integrated | 0 24
    HWSO_BEFORE | kg ha-1 | harvestable weight before the integration of the day
    HWSO_GAIN | kg ha-1 | what integration adds to it
    """
    + "\n".join(
        f"TMIN_{i} | degC | least temperature, assimilation day {i} from the last | -100 100"
        for i in range(1, 8)
    )
)
STAGE_PERENNIAL = parse("""
    STAGE | - | 0 no crop, 1 emerging, 2 vegetative, 3 reproductive, 4 mature, 5 dead, 6 dormant, 7 sowing
""")
