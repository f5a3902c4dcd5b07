"""Columns written as text: `NAME | unit | meaning`, with bounds by unit."""

from agbench.variables import Variable

_BOUNDS = {
    "kg ha-1": (-1e3, 2e5),
    "kg ha-1 d-1": (-5e3, 5e3),
    "cm": (-1e3, 2e3),
    "cm d-1": (-100.0, 200.0),
    "cm3 cm-3": (0.0, 1.0),
    "ha ha-1": (0.0, 100.0),
    "ha ha-1 d-1": (0.0, 100.0),
    "ha kg-1": (0.0, 1.0),
    "degC d": (0.0, 2e4),
    "degC": (0.0, 100.0),
    "d": (-1.0, 1e4),
    "d-1": (0.0, 10.0),
    "d d-1": (0.0, 10.0),
    "-": (0.0, 10.0),
    "date": (-1.0, 1e5),
}
"""Physical bounds by unit; a line of a table may give its own."""


def parse(text: str) -> list[Variable]:
    """Return the variables of lines `NAME | unit | meaning`, with or without `| low high`."""
    variables = []
    for line in text.strip().splitlines():
        name, unit, meaning, *own = (part.strip() for part in line.split("|"))
        low, high = map(float, own[0].split()) if own else _BOUNDS[unit]
        variables.append(Variable(name, unit, meaning, low, high))
    return variables
