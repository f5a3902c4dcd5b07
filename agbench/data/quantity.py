"""Quantities as text: a number and its unit, such as `7 d`, `2.73 g MJ-1` or `30 mm d-1`."""

import re
from typing import Any

_QUANTITY = re.compile(r"^\s*([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)\s+(\S.*?)\s*$")
_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400}


def split_quantity(value: Any) -> tuple[float, str]:
    """Return number and unit of `2.73 g MJ-1`; a plain number is dimensionless (`-`).

    Raises `ValueError` for anything else.
    """
    if isinstance(value, (bool, int, float)):
        return float(value), "-"
    match = _QUANTITY.match(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{value!r} is not a number with its unit, such as '2.7 g MJ-1'.")
    return float(match[1]), match[2]


def seconds(value: Any) -> int:
    """Return a duration such as `7 d`, `15 min` or `1 h` in seconds, at least 1."""
    units = ", ".join(_SECONDS)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise ValueError(f"{value!r} has no unit; write one of {units}, such as '{value:g} d'.")
    try:
        number, unit = split_quantity(value)
        result = number * _SECONDS[unit]
    except (ValueError, KeyError):
        raise ValueError(f"{value!r} is not a duration such as '7 d' (units: {units}).") from None
    if result < 1 or result != int(result):
        raise ValueError(f"{value!r} must be a whole number of seconds, at least 1.")
    return int(result)


def days(value: Any) -> int:
    """Return a duration in whole days, at least 1."""
    length = seconds(value)
    if length % _SECONDS["d"]:
        raise ValueError(f"{value!r} must be a whole number of days.")
    return length // _SECONDS["d"]
