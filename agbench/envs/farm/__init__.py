"""Farms: many fields under one weather, and who decides for them."""
