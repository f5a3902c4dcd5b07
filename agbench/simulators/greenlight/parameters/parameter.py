"""What a parameter of the greenhouse model is: a value with unit, meaning and source."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """One parameter under the symbol that the GreenLight papers give it."""

    name: str
    value: float
    unit: str
    meaning: str
    source: str
