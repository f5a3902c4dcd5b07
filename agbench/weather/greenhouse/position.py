"""Whether a table's radiation follows the sun: that of its switches, and that of its place by its clock."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from agbench.errors import WeatherError
from agbench.variables import Booleans, Floats, number_of
from agbench.weather.greenhouse.columns import WEATHER
from agbench.weather.greenhouse.sun import noon, top_of_atmosphere
from agbench.weather.greenhouse.sunlight import DAY, whole_days

if TYPE_CHECKING:
    import pandas as pd

_SUN, _IS_DAY = WEATHER.columns(["iGlob", "isDay"])
_MOST: Final = (90.0, 180.0, 14.0)  # degrees north and east, hours ahead of UTC
_DARK: Final = 0.5  # W m-2; less is no daylight
_FEW: Final = 3  # days; fewer have dawns and dusks of their own
_AT_NIGHT: Final = (0.3, 0.12)  # share of radiation while isDay is 0 that a few days, and more, may have
_NO_SUN: Final = (0.16, 0.08)  # share of the rows with isDay at 1 that may be dark
_TWILIGHT: Final = 75 * 60  # s about sunrise and sunset, for which a clock in summer time may be off
_BELOW: Final = 0.03  # share of radiation from below the horizon
_OFF: Final = (
    (1, 3.0),
    (3, 2.0),
    (7, 1.5),
)  # days, and the hours that the middle of their light may be from noon
_GLARE: Final = 1.05  # radiation of a day over that above the atmosphere
_CLEAREST: Final = (
    (5, 0.07),
    (7, 0.085),
    (20, 0.25),
    (25, 0.285),
    (30, 0.33),
)  # days, and what the 6th clearest hour has of what is above the atmosphere
_PLACE_OF_HOUR: Final = 6
_HOURS_A_DAY: Final = 3  # with the sun above `_LOW_SUN`; fewer say little
_LOW_SUN: Final = 100.0  # W m-2 above the atmosphere; below it an hour says nothing
_DAZZLED: Final = 0.02  # share of days with such a glare from which a unit or a place is wrong
_CLOCK: Final = "Are rows by another clock (a zone, UTC, the end of the hour), or is the place another one?"


@dataclass(frozen=True)
class Position:
    """Where and by which clock a table was measured: degrees north and east, hours ahead of UTC."""

    latitude: float
    longitude: float
    zone: float

    def __str__(self) -> str:
        north, east = ("N" if self.latitude >= 0 else "S"), ("E" if self.longitude >= 0 else "W")
        where = f"{abs(self.latitude):.2f} {north} {abs(self.longitude):.2f} {east}"
        return f"{where}, clock UTC{self.zone:+g}"


def position_of(frame: "pd.DataFrame") -> Position | None:
    """Return what a table says of its place: `attrs` lat, lon and zone, or the time zone of its index.

    Raises `WeatherError` for what is no number, or no place on Earth, also where the rest is missing.
    """
    attrs: dict[Any, Any] = frame.attrs
    zone = attrs.get("zone")
    if zone is None and getattr(frame.index, "tz", None) is not None and len(frame):
        zone = frame.index[0].utcoffset().total_seconds() / 3600.0
    given: list[Any] = [attrs.get("lat"), attrs.get("lon"), zone]
    numbers = _numbers([0.0 if value is None else value for value in given], given)
    return None if any(value is None for value in given) else Position(*numbers)


def position(latitude: Any, longitude: Any, zone: Any) -> Position:
    """Return a position as given; raises `WeatherError` for what is no number, or no place on Earth."""
    given = [latitude, longitude, zone]
    return Position(*_numbers(given, given))


def _numbers(values: list[Any], given: list[Any]) -> list[float]:
    """Return latitude, longitude and zone as numbers; errors show what was `given`."""
    try:
        numbers = [number_of(value) for value in values]
    except (TypeError, ValueError):
        numbers = [np.nan]
    if not all(abs(number) <= most for number, most in zip(numbers, _MOST, strict=False)):
        raise WeatherError(
            f"weather: lat, lon and zone are {given}. Give degrees north and east and hours ahead of UTC, as "
            "51.97, 5.66 and 1."
        )
    return numbers


def unlike_switch(sun: Floats, switch: Floats, interval: float) -> str:
    """Return what is wrong with `isDay` beside radiation [W m-2]; nothing where they agree, or a day lacks.

    A column of zeros is one that was left out.
    """
    days = whole_days(sun, interval)
    if days is None or not switch.any():
        return ""
    sun, switch = sun[: days.size], switch[: days.size]
    known = ~np.isnan(sun + switch)
    sun, switch = sun[known], switch[known]
    enough = int(len(days) >= _FEW)
    if sun.sum() > len(sun):  # 1 W m-2 in the mean, more than polar twilight
        night = float(sun[switch == 0.0].sum() / sun.sum())
        if night > _AT_NIGHT[enough]:
            return f"{night:.0%} of iGlob falls while isDay is 0"
    lit = switch == 1.0
    dark = float((sun[lit] <= _DARK).mean()) if lit.any() else 0.0
    if dark > _NO_SUN[enough]:
        return f"iGlob is 0 in {dark:.0%} of the rows with isDay 1"
    return ""


def check_position(values: Floats, begin: datetime, interval: float, place: Position, name: str) -> None:
    """Raise `WeatherError` where radiation does not follow the sun of a place by its clock.

    `values` are (rows, 10) from `begin` on, a row every `interval` [s]. Refused are radiation from below the
    horizon, a middle of the radiation hours from the sun's highest stand, and many days brighter than above
    the atmosphere. Summer time, an hour, passes.
    """
    sun = values[:, _SUN]
    days = whole_days(sun, interval)
    if days is None or not np.nansum(sun) > len(sun):
        return
    top, since_noon = _sky(len(sun), begin, interval, place)
    bright = np.nan_to_num(sun)
    most = [hours for many, hours in _OFF if len(days) >= many][-1]
    turn = np.exp(1j * np.pi / 12.0 * since_noon) @ bright
    off = float(np.angle(turn) * 12.0 / np.pi)
    if abs(off) > most and abs(turn) > 0.1 * bright.sum():
        _refuse(
            name, place, f"the middle of iGlob comes {abs(off):.1f} h {'after' if off > 0 else 'before'} noon"
        )
    below = float(bright[_night(top, interval)].sum() / bright.sum())
    if below > _BELOW:
        _refuse(name, place, f"{below:.0%} of iGlob falls while the sun is below the horizon")
    above = whole_days(top, interval)
    assert above is not None
    with np.errstate(invalid="ignore"):
        glare = days.mean(axis=1) > _GLARE * above.mean(axis=1) + 1.0
    if glare.sum() > _DAZZLED * len(days):
        many = f"on {int(glare.sum())} of {len(days)} days iGlob exceeds what reaches the atmosphere"
        _refuse(name, place, many)
    _check_clearest(sun, top, interval, place, name)


def _check_clearest(sun: Floats, top: Floats, interval: float, place: Position, name: str) -> None:
    """Refuse weeks without hours of sun, as those in J cm-2 h-1, and days without, as at a tenth of it.

    The sixth clearest hour has at least 0.47 of what is above the atmosphere in all spans of 20 days of
    Schiphol and Bleiswijk, and 0.54 of 30 days. In daily weather of 38 series as it is brought to five
    minutes it has 0.27 and 0.35, and 0.081 and 0.097 of 5 and 7 days. The first may be reflections from
    clouds about a low sun.
    """
    rows = max(1, round(3600 / interval))
    limits = [(days, share) for days, share in _CLEAREST if len(sun) * interval >= days * DAY]
    if not limits:
        return
    enough, least = limits[-1]
    shone, possible = (
        column[: len(column) // rows * rows].reshape(-1, rows).mean(axis=1) for column in (sun, top)
    )
    judged = (possible > _LOW_SUN) & ~np.isnan(shone)
    if judged.sum() < _HOURS_A_DAY * enough:
        return
    clearest = float(np.sort(shone[judged] / possible[judged])[-_PLACE_OF_HOUR])
    if clearest < least:
        _refuse(
            name,
            place,
            f"its clearest hours have {clearest:.0%} of what is above the atmosphere, less than {least:.0%},",
            "Is iGlob in another unit than W m-2 (J cm-2 h-1 need a factor 2.78), or is the place another?",
        )


def _sky(count: int, begin: datetime, interval: float, place: Position) -> tuple[Floats, Floats]:
    """Return radiation above the atmosphere [W m-2], and the time since noon [h], of each row."""
    steps = round(DAY / interval)
    first = (begin.hour * 3600 + begin.minute * 60 + begin.second) / interval
    many = -(-(count + round(first)) // steps)
    start = np.datetime64(begin.date())
    dates = start + np.arange(many)
    days = ((dates - dates.astype("datetime64[Y]")).astype(np.float64)) + 1.0
    top = top_of_atmosphere(place.latitude, place.longitude, place.zone, days, steps).ravel()
    noons = np.array([noon(place.longitude, day, place.zone) for day in days]).repeat(steps)
    hours = np.tile((np.arange(steps) + 0.5) * 24.0 / steps, many) - noons
    rows = slice(round(first), round(first) + count)
    return top[rows], hours[rows]


def _night(top: Floats, interval: float) -> Booleans:
    """Return the rows that are further from daylight than twilight."""
    width = int(_TWILIGHT // interval)
    lit = np.convolve(top > 0.0, np.ones(2 * width + 1), "same") > 0.0
    return ~lit


def _refuse(name: str, place: Position, what: str, question: str = _CLOCK) -> None:
    raise WeatherError(f"weather {name}: {what} at {place}. {question}")
