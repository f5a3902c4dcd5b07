"""Checks that catch wrong units and impossible values in greenhouse weather before a simulation."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from agbench.errors import WeatherError
from agbench.variables import Booleans, Floats
from agbench.weather.greenhouse.columns import WEATHER
from agbench.weather.greenhouse.position import unlike_switch
from agbench.weather.greenhouse.sums import other_sum
from agbench.weather.greenhouse.sunlight import DAY, never_bright, too_bright, too_dim

if TYPE_CHECKING:
    import pandas as pd

_DRY: Final = 0.05  # -; share of saturation that the most humid row of any hour exceeds
_DRY_WEEK: Final = (7, 0.15)  # days, and the share that the most humid row of so long exceeds in deserts too
_WET: Final = 1.05  # -; share of saturation that no air exceeds, with room for the errors of sensors
_PERCENT: Final = 105.0  # Pa; vapour that never exceeds it may be relative humidity
_DRY_FROST: Final = 0.3  # -; share of saturation that air so poor in vapour reaches by night, as it is cold
_DRY_MEAN: Final = 0.25  # -; and the share that it has in the mean, in cold deserts too
_WARM_SKY: Final = 5.0  # K; the mean of a day by which no sky is warmer than the air below it
_COLD_SKY: Final = ((1, 40.0), (7, 30.0), (30, 25.0))
"""Days, and by what mean [K] no sky is colder than the air: at Schiphol 29 on a day, 7 over five years."""
_THIN: Final = 500.0  # mg m-3; less CO2 than this has been nowhere near the ground since it was measured
_GUESSES: Final = (  # least value, and what CO2 from there up to the next is in today's air
    (0.0, ""),
    (1e-5, "kg m-3 need a factor 1e6"),
    (0.01, "% need a factor of some 18300 at 20 degC"),
    (0.1, "g m-3 need a factor 1000"),
    (5.0, "mmol m-3 need a factor 44"),
    (25.0, "Pa need a factor of some 18 at 20 degC"),
    (100.0, "ppm need a factor of some 1.83 at 20 degC"),
)
_WINDY: Final = (  # days, and the mean wind [m s-1] at 10 m that no place with greenhouses has for so long
    (1, 20.0),
    (7, 14.0),
    (30, 10.0),
    (90, 9.0),
)
_NEVER_STILL: Final = ("tOut", "tSky", "tSoOut", "wind")  # 0 for a whole day was not measured
_FROM_YEARS: Final = 9.0  # K; the mean of a year by which soil, sheltered by snow, may differ from the air
_ENOUGH: Final = 12  # rows that show a wrong unit: single rows of good series can be off
_DAYLIGHT: Final = 3.0  # W m-2; more than what a pyranometer shows by night
_SLACK: Final = 1e-9  # relative; sums of a day end in another last digit
_HINTS: Final = {
    "iGlob": "a pyranometer's offset at night is 0; kJ m-2 h-1 need a factor 0.278",
    "tOut": "kelvin need 273.15 subtracted; from degF (degF - 32) / 1.8",
    "vpOut": "kPa need a factor 1000, hPa 100",
    "co2Out": "ppm need a factor of some 1.83 at 20 degC",
    "wind": "km/h need a factor 0.278",
    "tSky": "kelvin need 273.15 subtracted",
    "tSoOut": "kelvin need 273.15 subtracted",
    "dli": "J cm-2 need a factor 0.01",
}


def check_plausible(
    values: Floats, name: str, interval: float, moments: "pd.DatetimeIndex | None" = None
) -> None:
    """Raise `WeatherError` that names the first impossible value, its row, unit and bounds.

    `values` are (rows, 10) in the order of the simulator, a row every `interval` [s]; NaN (what is missing)
    passes. Bounds are those of the table of columns, which observation spaces rest on. `moments` are the
    rows' times.
    """
    table = _Table(values, name, moments)
    for variable in WEATHER:
        column = table.column(variable.name)
        slack = _SLACK * max(abs(variable.low), abs(variable.high))
        wrong = (column < variable.low - slack) | (column > variable.high + slack)
        table.refuse(wrong, variable.name, f"between {variable.low:g} and {variable.high:g}")
    _check_zeros(table, interval)
    _check_soil(table, interval)
    _check_sky(table, interval)
    _check_vapour(table, interval)
    _check_co2(table)
    _check_wind(table, interval)
    _check_sun(table, interval)
    _check_switches(table, interval)
    _check_brightness(table, interval)


@dataclass(frozen=True)
class _Table:
    """Weather, and how its rows are named in errors."""

    values: Floats
    name: str
    moments: "pd.DatetimeIndex | None"

    def column(self, variable: str) -> Floats:
        """Return a column, (rows,)."""
        return self.values[:, WEATHER.column(variable)]

    def midnight(self, interval: float) -> int:
        """Return the first row that begins a day by the clock; 0 where the rows' times are not known."""
        if self.moments is None or not len(self.moments):
            return 0
        first = self.moments[0]
        return int((first.normalize() - first).total_seconds() % DAY // interval)

    def refuse(self, wrong: Booleans, variable: str, limits: str, hint: str | None = None) -> None:
        """Raise for the first `wrong` row, if there is one; `hint` guesses the unit that it is in."""
        if not wrong.any():
            return
        i = int(np.argmax(wrong))
        when = f"row {i}" if self.moments is None else f"row {i} ({self.moments[i]})"
        guess = _HINTS.get(variable) if hint is None else hint
        raise WeatherError(
            f"weather {self.name}: {variable} is {self.column(variable)[i]:g} at {when}; expected "
            f"{WEATHER[variable].unit}{f' ({guess})' if guess else ''}, {limits}."
        )


def _check_zeros(table: _Table, interval: float) -> None:
    """Refuse columns of nothing but 0, which were not measured."""
    for name in _NEVER_STILL:
        there = table.column(name)
        zero = there == 0.0
        if len(there) * interval >= DAY and zero.all():
            table.refuse(zero, name, "not 0 in every row, as where it was not measured", "")


def _check_soil(table: _Table, interval: float) -> None:
    """Refuse soil of another place or in degrees Fahrenheit: over a year it is about as warm as the air."""
    warmer = table.column("tSoOut") - table.column("tOut")
    there = warmer[~np.isnan(warmer)]
    if len(there) * interval >= 360 * DAY and abs(there.mean()) > _FROM_YEARS:
        limits = f"within {_FROM_YEARS:g} of tOut in the mean of a year; it differs by {there.mean():.3g}"
        hint = "(degF - 32) / 1.8; kelvin need 273.15 subtracted"
        table.refuse(np.abs(warmer) > _FROM_YEARS, "tSoOut", limits, hint)


def _check_vapour(table: _Table, interval: float) -> None:
    """Refuse kPa, hPa and relative humidity for Pa, and vapour that would condense at once."""
    air, vapour = table.column("tOut"), table.column("vpOut")
    humidity = vapour / (610.78 * np.exp(17.2694 * air / (air + 238.3)))
    wet = humidity > _WET
    if wet.any():
        i = int(np.argmax(wet))
        limits = f"at most the {vapour[i] / humidity[i]:.4g} of saturation at tOut, {air[i]:g} degC"
        table.refuse(
            wet,
            "vpOut",
            limits,
            "hPa taken for kPa are 10 times too much; or are tOut and vpOut of different hours?",
        )
    if len(vapour) < _ENOUGH:
        return
    if not (humidity >= _DRY).any():
        table.refuse(humidity < _DRY, "vpOut", f"some rows above {_DRY:.0%} of saturation")
    if not (vapour > _PERCENT).any():
        percent = "it seems to be relative humidity in %: take that share of saturation at tOut"
        if not (humidity >= _DRY_FROST).any():
            table.refuse(vapour >= 0.0, "vpOut", f"some rows above {_DRY_FROST:.0%} of saturation", percent)
        known = humidity[~np.isnan(humidity)]
        if len(known) and known.mean() < _DRY_MEAN:
            limits = f"in the mean {_DRY_MEAN:.0%} of saturation or more where none is above {_PERCENT:g} Pa"
            table.refuse(vapour >= 0.0, "vpOut", limits, percent)
    days, least = _DRY_WEEK
    if len(vapour) * interval >= days * DAY and not (humidity >= least).any():
        table.refuse(humidity < least, "vpOut", f"some rows above {least:.0%} of saturation at tOut")


def _check_sky(table: _Table, interval: float) -> None:
    """Refuse degrees Fahrenheit, and radiation of the sky: it is somewhat colder than the air."""
    sky, air = table.column("tSky"), table.column("tOut")
    warmer = sky - air
    there = warmer[~np.isnan(warmer)]
    if len(there) * interval >= DAY and there.mean() > _WARM_SKY:
        limits = f"not above tOut by more than {_WARM_SKY:g} in the mean; it is by {there.mean():.3g}"
        table.refuse(warmer > _WARM_SKY, "tSky", limits, "(degF - 32) / 1.8; kelvin need 273.15 subtracted")
    most = [colder for days, colder in _COLD_SKY if len(there) * interval >= days * DAY]
    if most and -there.mean() > most[-1]:
        limits = f"not above tSky by more than {most[-1]:g} in the mean; it is by {-there.mean():.3g}"
        table.refuse(warmer < -most[-1], "tOut", limits, "(degF - 32) / 1.8; or is tSky in another unit?")


def _check_co2(table: _Table) -> None:
    """Refuse CO2 in kg, g or mmol m-3, in Pa and in ppm."""
    co2 = table.column("co2Out")
    there = co2[~np.isnan(co2)]
    middle = float(np.median(there)) if len(there) else _THIN
    if middle < _THIN:
        guess = [hint for least, hint in _GUESSES if middle >= least][-1]
        table.refuse(co2 < _THIN, "co2Out", "some 750 in today's air", guess)


def _check_wind(table: _Table, interval: float) -> None:
    """Refuse wind in km/h: a mean that holds in storms for a day, and nowhere for a month."""
    wind = table.column("wind")
    there = wind[~np.isnan(wind)]
    days = len(there) * interval / DAY
    most = [mean for many, mean in _WINDY if days >= many]
    if most and there.mean() > most[-1]:
        limits = f"a mean of at most {most[-1]:g} over {days:.0f} days; it is {there.mean():.3g}"
        table.refuse(wind > most[-1], "wind", limits)


def _check_sun(table: _Table, interval: float) -> None:
    """Refuse radiation that is too bright or too dim for its days, and sums of days that are not its own."""
    sun, switch = table.column("iGlob"), table.column("isDay")
    wrong = too_bright(sun, interval)
    brighter = wrong & (sun == np.max(sun, where=wrong, initial=-np.inf))
    table.refuse(
        brighter,
        "iGlob",
        "and on no day more than above the atmosphere where a day is as long",
        "kJ m-2 h-1 need a factor 0.278, lux and umol m-2 s-1 of PAR some 0.008 and 0.5",
    )
    dim = too_dim(sun, switch > 0.0 if switch.any() else sun > 0.0, interval)
    table.refuse(
        dim & (sun == np.max(sun, where=dim, initial=-np.inf)),
        "iGlob",
        "brighter than the dullest days as long; this is the brightest row",
        "MJ m-2 h-1 need a factor 278, MJ m-2 d-1 11.6, kW m-2 1000, J cm-2 h-1 2.78",
    )
    other = other_sum(sun, table.column("dli"), interval, table.midnight(interval))
    if other.any():
        i = int(np.argmax(other))
        rows = round(DAY / interval)
        first = min(i // rows, len(sun) // rows - 1) * rows
        total = 1e-6 * interval * sun[first : first + rows].sum()
        table.refuse(
            other,
            "dli",
            f"the sum of iGlob of the 24 hours before, or near the sum of iGlob on that day, {total:.3g}",
            "J cm-2 need a factor 0.01, kWh m-2 3.6, PAR in mol m-2 d-1 some 0.48",
        )


def _check_switches(table: _Table, interval: float) -> None:
    """Refuse switches of the day that are turned round, or of other hours than the sun."""
    sun = table.column("iGlob")
    for name in ("isDay", "isDaySmooth"):
        wrong = unlike_switch(sun, np.round(table.column(name), 3), interval)
        if wrong:
            raise WeatherError(
                f"weather {table.name}: {wrong.replace('isDay', name)}; {name} is 1 from sunrise to sunset "
                "and 0 at night, by the clock of iGlob. Leave isDay and isDaySmooth out and add them by "
                "agbench.weather.daylight.with_daylight(table, latitude, longitude, zone), or shift what is "
                "of another clock."
            )


def _check_brightness(table: _Table, interval: float) -> None:
    """Refuse weeks without hours as bright as they are anywhere, as those in J cm-2 h-1, by long days."""
    sun, switch = table.column("iGlob"), table.column("isDay")
    found = never_bright(sun, switch >= 0.5 if switch.any() else sun > _DAYLIGHT, interval)
    if found is None:
        return
    first, stop, bright, least = found
    rows = np.arange(len(sun))
    span = (rows >= first) & (rows < stop)
    table.refuse(
        span & (sun == np.max(sun, where=span, initial=-np.inf)),
        "iGlob",
        f"in 30 days as long brighter than {least:.0f} for some hours; the third brightest has {bright:.0f}",
        "J cm-2 h-1 need a factor 2.78",
    )
