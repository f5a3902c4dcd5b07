"""The years that a caller gives to replace those of a split."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from agbench.errors import ConfigError


def chosen_years(years: Any) -> list[int]:
    """Return years as plain whole numbers, in their order; NumPy's are whole numbers too.

    Raises `ConfigError` for what is no list of them or an empty one, for an entry that is no whole number of
    four digits, such as text, a fraction or true, and for a year that is there twice.
    """
    try:
        found = None if isinstance(years, (str, bytes, Mapping)) else list(years)
    except TypeError:
        found = None
    if found is None:
        example = f"[{years}]" if str(years).isdigit() else "[1990, 1991]"
        raise ConfigError(f"years must be a list of years, such as {example}; got {years!r}.")
    if not found:
        raise ConfigError("years: the list is empty; name at least one, as in [1990].")
    for year in found:
        whole = isinstance(year, (int, np.integer)) and not isinstance(year, bool)
        if not whole or not 1000 <= year <= 9999:
            raise ConfigError(
                f"years: {year!r} is no year. Write each as a whole number of four digits, without quotes: "
                "[1990, 1991]."
            )
        if found.count(year) > 1:
            raise ConfigError(f"years: {year} is there {found.count(year)} times; name each year once.")
    return [int(year) for year in found]
