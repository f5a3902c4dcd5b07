"""Daily weather: the series type, its readers, and the evapotranspiration derived from it."""
