"""The columns of daily weather, in PCSE's units."""

from typing import Final

from agbench.variables import Variable, VariableTable

DAILY: Final = VariableTable(
    [
        Variable("IRRAD", "J m-2 d-1", "global radiation", 0, 40e6),
        Variable("TMIN", "degC", "lowest air temperature", -60, 60),
        Variable("TMAX", "degC", "highest air temperature", -60, 60),
        Variable("TEMP", "degC", "mean air temperature", -60, 60),
        Variable("VAP", "hPa", "mean vapour pressure", 0, 80),
        Variable("WIND", "m s-1", "mean wind speed 2 m above ground", 0, 60),
        Variable("RAIN", "cm d-1", "precipitation", 0, 200),
        Variable("E0", "cm d-1", "potential evaporation of open water (Penman)", 0, 2.5),
        Variable("ES0", "cm d-1", "potential evaporation of bare wet soil (Penman)", 0, 2.5),
        Variable("ET0", "cm d-1", "evapotranspiration of reference grass (FAO 56)", 0, 2.5),
        Variable("DAYLP", "h", "day length, sun above 4 degrees below the horizon", 0, 24),
    ]
)
OBSERVED: Final = ("IRRAD", "TMIN", "TMAX", "VAP", "WIND", "RAIN")
"""What a station measures; the other columns can be derived from these and the place."""

EVAPORATION: Final = ("E0", "ES0", "ET0")
