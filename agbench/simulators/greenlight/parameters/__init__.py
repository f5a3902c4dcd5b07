"""The 208 parameters of the greenhouse model: their table, limits, and what follows from them."""
