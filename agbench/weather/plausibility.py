"""Checks that catch wrong units and swapped columns in daily weather before a crop grows on it."""

from datetime import date, timedelta

import numpy as np

from agbench.errors import WeatherError
from agbench.variables import Booleans, Floats
from agbench.weather.columns import DAILY

_DARK = 1e5  # J m-2 d-1; less than the darkest day of mid-latitudes
_DRY = 0.12  # -; vapour pressure over saturation at TMIN, less than in any desert
_DAMP = 1.1  # -; vapour pressure over saturation at TMAX, which rounding may pass, but no air
_GLARE = 1.05  # -; radiation over that above the atmosphere
_DAZZLED = 0.02  # -; share of days with such a glare from which a unit or a place is wrong
_OVERCAST = (10, 0.03)  # d, -; a share of the radiation above the atmosphere that no cloud leaves for so long
_TWILIGHT = 1e6  # J m-2 d-1; radiation above the atmosphere below which the sun hardly rises
_CLEAREST = ((5, 0.075), (7, 0.095), (14, 0.12), (30, 0.2))
"""Days, and the share of the radiation above the atmosphere that the clearest of so many has everywhere.

It is at least 0.080, 0.110, 0.208 and 0.317 in all such measured spans of 38 series between 13 and 59 degrees
north. The clearest day of nearly all has at most 0.90, a tenth of which is less than 0.095.
"""
_CLOUDBURST = 25.0  # cm d-1; rarer than once a decade outside the tropics
_DOWNPOUR = 2.5  # cm d-1
_OFTEN = 0.1  # -; share of days with a downpour, as in a series whose millimetres pass for cm
_WINDY = ((30, 8.0), (90, 7.0))  # d, m s-1 at 2 m; a mean wind that no field has for so long
_COLUMN = 0.17  # cm hPa-1; water in the air above a vapour pressure, some 2 cm in Dutch summers
_FROST = 6.0  # hPa; air that rains holds no less
_RAINED_OUT = (
    (90, 1.1),
    (360, 0.6),
)  # d, d-1; share of that water that no place sees rained out daily for so long
_VAPORISED = 2.45e6  # J kg-1; energy that a kg of water takes with it
_GROWING = (10.0, 1e7)  # degC, J m-2 d-1; a day on which much evaporates everywhere
_PARCHED = ((30, 0.15), (90, 0.25))
"""Such days, and the share of the radiation that evaporation takes at least in the mean of so many.

Of ten such days it is at least 0.17 in all measured series here, of all such days of a series 0.36.
"""
_DELUGE = 6.0  # times that water; rain of a day that a year has less than five of
_DELUGES = 5.0 / 365.0
_YEAR = 365  # d
_WET = 0.2  # -; share of days with rain, more than where a year may pass without a shower
_SHOWER = 0.05  # cm d-1; less than the wettest day of any year outside deserts
_SWAPPED = 0.5  # -; share of days with TMIN above TMAX from which the columns are swapped
_MEAN_TOLERANCE = 0.5  # K; rounding of TEMP beyond TMIN and TMAX
_HINTS = {
    "IRRAD": "MJ need a factor 1e6, kJ 1000, W m-2 86400",
    "VAP": "kPa need a factor 10, Pa 0.01",
    "RAIN": "mm need a factor 0.1",
    "E0": "mm need a factor 0.1, inches 2.54, m 100",
    "ES0": "mm need a factor 0.1, inches 2.54, m 100",
    "ET0": "mm need a factor 0.1, inches 2.54, m 100",
    "TMIN": "kelvin need 273.15 subtracted",
    "TMAX": "kelvin need 273.15 subtracted",
    "TEMP": "kelvin need 273.15 subtracted",
    "WIND": "km/h need a factor 0.278",
}


def check_plausible(values: Floats, start: date, name: str) -> None:
    """Raise `WeatherError` that names the first implausible day, its value and the unit.

    `values` are (T, len(DAILY)); NaN rows (missing days) pass.
    """
    for variable in DAILY:
        column = values[:, DAILY.column(variable.name)]
        wrong = (column < variable.low) | (column > variable.high)
        limits = f"between {variable.low:g} and {variable.high:g}"
        _refuse(wrong, column, variable.name, limits, start, name)
    _check_temperatures(values, start, name)
    _check_scale(values, start, name)


def _check_temperatures(values: Floats, start: date, name: str) -> None:
    """Catch swapped columns, and a mean beyond both extremes.

    On single days a station's TMIN does exceed its TMAX, because the two are read at other hours.
    """
    low, high, mean = (values[:, DAILY.column(v)] for v in ("TMIN", "TMAX", "TEMP"))
    inverted = low > high
    if inverted.sum() > _SWAPPED * np.isfinite(low).sum():
        i = int(np.argmax(inverted))
        raise WeatherError(
            f"weather {name}: TMIN exceeds TMAX on {inverted.sum()} days, first on"
            f" {start + timedelta(days=i)} ({low[i]:g} and {high[i]:g} degC): the columns seem to bear each"
            " other's names. Exchange them; for a file, by the repair exchange-temperatures."
        )
    outside = (mean < np.fmin(low, high) - _MEAN_TOLERANCE) | (mean > np.fmax(low, high) + _MEAN_TOLERANCE)
    _refuse(outside, mean, "TEMP", "between TMIN and TMAX", start, name)


def _check_scale(values: Floats, start: date, name: str) -> None:
    """Catch units that leave every value inside its bounds: MJ or kJ for J, kPa for hPa, mm for cm."""
    light = values[:, DAILY.column("IRRAD")]
    if np.nanmax(light, initial=0.0) < _DARK:
        _refuse(light > 0.0, light, "IRRAD", "above 1e5 at least once in a series", start, name)
    rain = values[:, DAILY.column("RAIN")]
    present = rain[~np.isnan(rain)]
    if present.size and (present > _DOWNPOUR).mean() > _OFTEN:
        _refuse(rain > _CLOUDBURST, rain, "RAIN", "a cloudburst only where rain is rare", start, name)
    _check_rain_by_vapour(values, start, name)
    _check_showers(present, name)
    _check_evaporation(values, start, name)
    wind = values[:, DAILY.column("WIND")]
    blown = wind[~np.isnan(wind)]
    most = [mean for days, mean in _WINDY if len(blown) >= days]
    if most and blown.mean() > most[-1]:
        limits = f"at most {most[-1]:g} in the mean of {len(blown)} days, which is {blown.mean():.3g}"
        _refuse(wind > most[-1], wind, "WIND", limits, start, name)
    vapour, low = values[:, DAILY.column("VAP")], values[:, DAILY.column("TMIN")]
    ratio = vapour / (6.11 * np.exp(17.27 * low / (low + 237.3)))
    result = ratio[~np.isnan(ratio)]
    if result.size and np.median(result) < _DRY:
        _refuse(ratio < _DRY, vapour, "VAP", "near saturation at TMIN", start, name)
    high = values[:, DAILY.column("TMAX")]
    damp = vapour > _DAMP * 6.11 * np.exp(17.27 * high / (high + 237.3))
    if damp.sum() > _OFTEN * np.isfinite(vapour).sum():
        _refuse(damp, vapour, "VAP", "at most saturation at TMAX", start, name)


def _check_rain_by_vapour(values: Floats, start: date, name: str) -> None:
    """Catch mm taken for cm by what the air can hold: a month's rain is some four times its water.

    The wettest farmed coasts rain 0.4 of the air's water a day in the mean of a year.
    """
    rain, vapour = values[:, DAILY.column("RAIN")], values[:, DAILY.column("VAP")]
    water = _COLUMN * np.maximum(vapour, _FROST)
    known = ~np.isnan(rain + water)
    days = int(known.sum())
    most = [share for many, share in _RAINED_OUT if days >= many]
    if not most:
        return
    share = rain[known].sum() / water[known].sum()
    deluges = rain > _DELUGE * water
    if share <= most[-1] and (days < _RAINED_OUT[-1][0] or deluges.sum() <= _DELUGES * days):
        return
    limits = f"less than {most[-1]:g} of the water in the air a day, {water[known].mean():.2g} cm; it is "
    limits += f"{share:.2g}"
    _refuse(rain == np.nanmax(rain), rain, "RAIN", limits, start, name)


def _check_showers(rain: Floats, name: str) -> None:
    """Catch m taken for cm: rain on many days of a year, and no shower on any of them.

    A desert passes, for it seldom rains there. So does rain in cm that is taken for mm, ten times too little:
    its wettest days are like showers.
    """
    years = len(rain) // _YEAR
    if not years or (rain > 0.0).mean() < _WET:
        return
    wettest = float(np.median(rain[: years * _YEAR].reshape(years, _YEAR).max(axis=1)))
    if wettest < _SHOWER:
        raise WeatherError(
            f"weather {name}: RAIN falls on {100.0 * (rain > 0.0).mean():.0f} % of {len(rain)} days, and the "
            f"wettest day of a year has {wettest:g}; expected {DAILY['RAIN'].unit} (m need a factor 100, "
            f"mm 0.1), in which some day of every such year has more than {_SHOWER:g}."
        )


def _check_evaporation(values: Floats, start: date, name: str) -> None:
    """Catch evaporation in m or inches, and zeros in empty cells, by the energy that the sun brings."""
    light, warmth = (values[:, DAILY.column(v)] for v in ("IRRAD", "TEMP"))
    for variable in ("E0", "ES0", "ET0"):
        column = values[:, DAILY.column(variable)]
        judged = (warmth > _GROWING[0]) & (light > _GROWING[1]) & np.isfinite(column)
        least = [share for days, share in _PARCHED if judged.sum() >= days]
        if not least:
            continue
        share = column[judged].sum() / (0.1 * light[judged].sum() / _VAPORISED)
        if share < least[-1]:
            expected = (
                f"more than {100.0 * least[-1]:g} % of what the sun could evaporate on {judged.sum()} warm "
                f"and bright days; it is {100.0 * share:.2g} %. Leave the column out to have it computed"
            )
            _refuse(judged, column, variable, expected, start, name)


def check_sun(values: Floats, start: date, above: Floats, name: str) -> None:
    """Raise `WeatherError` where the sun often shines brighter than above the atmosphere, or hardly ever.

    `values` are as in `check_plausible`, `above` is the radiation there on each day of a year [J m-2 d-1].
    """
    days = np.datetime64(start) + np.arange(len(values))
    day_of_year = (days - days.astype("datetime64[Y]")).astype(np.int64)
    light = values[:, DAILY.column("IRRAD")]
    most = above[np.minimum(day_of_year, 364)]
    _check_darkness(light, most, start, name)
    _check_clearest(light, most, name)
    bright = light > _GLARE * most + _DARK
    if bright.sum() > _DAZZLED * np.isfinite(light).sum():
        _refuse(bright, light, "IRRAD", "less than above the atmosphere at this latitude", start, name)


def _check_darkness(light: Floats, above: Floats, start: date, name: str) -> None:
    """Catch days without sun, as where empty cells were filled with 0, outside the polar night."""
    days, share = _OVERCAST
    if len(light) < days:
        return
    known = np.isfinite(light)
    shone, possible, present = (
        np.convolve(column, np.ones(days), "valid")
        for column in (np.where(known, light, 0.0), above, known.astype(np.float64))
    )
    dark = (shone < share * possible) & (possible > days * _TWILIGHT) & (present == days)
    expected = (
        f"more than {100.0 * share:g} % of what there is above the atmosphere in any {days} days; where sun"
        " was not measured leave the cell empty"
    )
    _refuse(dark, light, "IRRAD", expected, start, name)


def _check_clearest(light: Floats, above: Floats, name: str) -> None:
    """Refuse days none of which is clear, as those in J cm-2 taken for kJ m-2, ten times too dark."""
    judged = np.isfinite(light) & (above > _TWILIGHT)
    least = [share for days, share in _CLEAREST if judged.sum() >= days]
    if not least:
        return
    clearest = float((light[judged] / above[judged]).max())
    if clearest < least[-1]:
        raise WeatherError(
            f"weather {name}: IRRAD of the clearest of {judged.sum()} days is {100.0 * clearest:.1f} % of "
            f"what there is above the atmosphere; expected {DAILY['IRRAD'].unit} ({_HINTS['IRRAD']}, "
            f"J cm-2 1e4, cal cm-2 41840), which is more than {100.0 * least[-1]:g} % on some of them."
        )


def _refuse(wrong: Booleans, column: Floats, variable: str, expected: str, start: date, name: str) -> None:
    """Raise for the first `wrong` day, if there is one."""
    if not wrong.any():
        return
    i = int(np.argmax(wrong))
    hint = f" ({_HINTS[variable]})" if variable in _HINTS else ""
    raise WeatherError(
        f"weather {name}: {variable} is {column[i]:g} on {start + timedelta(days=i)};"
        f" expected {DAILY[variable].unit}{hint}, {expected}."
    )
