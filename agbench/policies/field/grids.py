"""Grids of the values that a fit tries: what lies beyond their ends, so that none ends at its best."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agbench.policies.field.rules import RulesSettings

_BEYOND: Final = (1.25, 1.5, 2.0, 4.0)  # times the largest value
_WITHIN: Final = (0.75, 0.5, 0.25, 0.0)  # times the smallest
_MOST: Final = {"SM": 1.0}  # thresholds that nothing reaches, of contents a volume (cm3 cm-3)
_MOST_OF_OTHERS: Final = 1000.0  # kg ha-1
_GROWING: Final = ("amount", "below", "until")


def widened(settings: RulesSettings, doses: Mapping[str, Sequence[float]]) -> dict[str, list[Any]]:
    """Return `tune` with values beyond each end at which the rules have their value.

    `doses` are those of the menu by input: no amount lies beyond them. Nothing lies below 0, and no
    threshold beyond one that nothing reaches. A setting without an effect, as its rule gives nothing, keeps
    its values, and so do a single value and choices that are no numbers.
    """
    return {path: _wider(settings, path, tried, doses) for path, tried in settings.tune.items()}


def _wider(
    settings: RulesSettings, path: str, tried: list[Any], doses: Mapping[str, Sequence[float]]
) -> list[Any]:
    """Return the values of one setting, with some beyond an end at which the rules have theirs."""
    number, _, key = path.partition(".")
    own: Any = settings.rules[int(number)] if number.isdigit() else settings.planned[number]
    value = getattr(own, key)
    if key not in _GROWING or len(tried) < 2 or value not in (min(tried), max(tried)):
        return tried
    if key == "amount":
        given = doses.get(own.input, [])
        beyond = [d for d in given if d > value] if value == max(tried) else [d for d in given if d < value]
    elif number.isdigit() and own.amount == 0:
        return tried
    elif value == max(tried):
        beyond = _larger(value, _MOST.get(own.when, _MOST_OF_OTHERS) if key == "below" else None)
    else:
        beyond = [round(share * value, 4) for share in _WITHIN]
    return sorted({*tried, *beyond})


def _larger(value: float, most: float | None) -> list[float]:
    """Return values beyond the largest, up to one that nothing reaches, where there is such a one."""
    beyond = [round(share * value, 4) for share in _BEYOND]
    if most is None:
        return beyond
    return [*(one for one in beyond if one < most), most] if value < most else []
