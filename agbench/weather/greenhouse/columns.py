"""The columns of greenhouse weather, in their fixed order, with the bounds of European weather.

`dli` is energy of global radiation, not photons of PAR (mol m-2 d-1, some 2.1 times as much). In tasks it is
the sum of the 24 hours before a row, which is all that a grower can know, or with `episode.dli: day` that of
the row's whole day; a table may have either.
"""

from agbench.variables import Variable, VariableTable

WEATHER = VariableTable(
    (
        Variable("iGlob", "W m-2", "global radiation", 0.0, 1500.0),
        Variable("tOut", "degC", "outdoor temperature", -50.0, 60.0),
        Variable("vpOut", "Pa", "outdoor vapour pressure", 0.0, 1e4),
        Variable("co2Out", "mg m-3", "outdoor CO2", 0.0, 3000.0),
        Variable("wind", "m s-1", "wind speed", 0.0, 60.0),
        Variable("tSky", "degC", "apparent temperature of the sky", -100.0, 60.0),
        Variable("tSoOut", "degC", "temperature of the soil below 2 m", -30.0, 40.0),
        Variable(
            "dli", "MJ m-2 d-1", "sum of iGlob over the past 24 h (over the whole day if so set)", 0.0, 50.0
        ),
        Variable("isDay", "-", "1 from sunrise to sunset", 0.0, 1.0),
        Variable("isDaySmooth", "-", "day, with smooth dawn and dusk", 0.0, 1.0),
    )
)
