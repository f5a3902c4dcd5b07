"""Grids of the values that a fit tries: what lies beyond their ends, so that none ends at its best."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agbench.data.quantity import days
from agbench.policies.field.rules import RulesSettings

_BEYOND: Final = (1.25, 1.5, 2.0, 4.0)  # times the largest value
_WITHIN: Final = (0.75, 0.5, 0.25, 0.0)  # times the smallest
_MOST: Final = {"SM": 1.0}  # thresholds that nothing reaches, of contents a volume (cm3 cm-3)
_MOST_OF_OTHERS: Final = 1000.0  # kg ha-1
_GROWING: Final = ("amount", "below", "until")
_LONGER: Final = (7, 14, 21, 63)  # d beyond the longest interval
_YEAR: Final = 365  # d: once a season, which nothing exceeds
_SHORTER: Final = (0.5, 0.25, 0.0)  # times the shortest, but a day at least
_STEPS: Final = {
    "DVS": 0.1,
    "LAI": 1.0,
    "SM": 0.02,
    "TEMP": 1.0,
    "TRANRF": 0.05,
    "day_of_year": 7.0,
    "elapsed": 7.0,
}
"""By how much a bound moves, once and twice; of other observations by a quarter of it."""
_BOUNDS: Final = {
    "DVS": (-0.1, 1.8),
    "LAI": (0.0, 10.0),
    "SM": (0.0, 1.0),
    "TRANRF": (0.0, 1.0),
    "day_of_year": (1.0, 366.0),
    "elapsed": (0.0, 366.0),
}
"""What no bound goes beyond: before the crop stands -0.1 is observed as DVS, and 1.8 is near ripeness."""
_STANDING: Final = (0.0, 1.8)  # DVS, for nitrogen


def widened(settings: RulesSettings, doses: Mapping[str, Sequence[float]]) -> dict[str, list[Any]]:
    """Return `tune` with values beyond each end at which the rules have their value.

    `doses` are those of the menu by input: no amount lies beyond them. Nothing lies below 0, no threshold
    beyond one that nothing reaches, and no interval below a day or beyond a year. Of ranges (`within`) each
    bound that is the smallest or the largest of those tried is moved beyond it by one and two steps; stages
    end before ripeness, those of nitrogen begin when the crop stands. A setting without an effect, as its
    rule gives nothing, keeps its values, and so does a single value.
    """
    return {path: _wider(settings, path, tried, doses) for path, tried in settings.tune.items()}


def _wider(
    settings: RulesSettings, path: str, tried: list[Any], doses: Mapping[str, Sequence[float]]
) -> list[Any]:
    """Return the values of one setting, with some beyond an end at which the rules have theirs."""
    number, _, key = path.partition(".")
    own: Any = settings.rules[int(number)] if number.isdigit() else settings.planned[number]
    if key != "amount" and number.isdigit() and own.amount == 0:
        return tried
    if key == "every":
        return _intervals(own.every, tried)
    if key == "within":
        return [*tried, *_ranges(own.within, own.input if number.isdigit() else number, tried)]
    value = getattr(own, key)
    if key not in _GROWING or len(tried) < 2 or value not in (min(tried), max(tried)):
        return tried
    if key == "amount":
        given = doses.get(own.input, [])
        beyond = [d for d in given if d > value] if value == max(tried) else [d for d in given if d < value]
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


def _intervals(own: str | None, tried: list[Any]) -> list[Any]:
    """Return intervals, with longer or shorter ones where that of a rule is the longest or shortest."""
    lengths = sorted({days(one) for one in tried if one is not None})
    if own is None or len(lengths) < 2 or days(own) not in (lengths[0], lengths[-1]):
        return tried
    value = days(own)
    if value == lengths[-1]:
        beyond = {*(value + longer for longer in _LONGER), _YEAR}
    else:
        beyond = {max(1, int(share * value)) for share in _SHORTER}
    inside = {one for one in beyond if one <= _YEAR} - set(lengths)
    return [f"{length} d" for length in sorted({*lengths, *inside})]


def _ranges(
    own: Mapping[str, tuple[float, float]], input: str, tried: list[Any]
) -> Iterator[dict[str, list[float]]]:
    """Yield ranges beyond those tried, where a bound of a rule's own is the smallest or largest of them."""
    known = [{name: list(pair) for name, pair in ranges.items()} for ranges in tried]
    for name, pair in own.items():
        for end in (0, 1):
            bounds = {ranges[name][end] for ranges in known if name in ranges}
            if len(bounds) < 2 or pair[end] not in (min(bounds), max(bounds)):
                continue
            step = _STEPS.get(name, abs(pair[end]) / 4) * (1 if pair[end] == max(bounds) else -1)
            for moved in (pair[end] + step, pair[end] + 2 * step):
                one = {other: list(given) for other, given in own.items()}
                one[name][end] = round(moved, 4)
                if one not in known and _is_range(name, one[name], input):
                    known.append(one)
                    yield one


def _is_range(name: str, pair: list[float], input: str) -> bool:
    """Return whether a range is one, and inside of what its observation and an input allow."""
    low, high = _STANDING if name == "DVS" and input == "N" else _BOUNDS.get(name, (-1e9, 1e9))
    return low <= pair[0] < pair[1] <= high
