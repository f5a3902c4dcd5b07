"""The fluxes of energy, vapour and CO2 between the parts of the greenhouse."""
