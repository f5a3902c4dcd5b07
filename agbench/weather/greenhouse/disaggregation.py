"""Daily weather turned into greenhouse weather every five minutes, sums and extremes kept.

Radiation: the sine of solar height, bent by a thick atmosphere, times cloud noise, scaled to the
day's sum. Temperature: a sine by day and an exponential decay at night through TMIN and TMAX
(Parton and Logan 1981, Agricultural Meteorology 23, 205-216). Vapour: constant over the day, capped
at saturation, its mean kept. Wind: a daily course. Sky: clear-sky emissivity of Brutsaert (1975,
Water Resources Research 11, 742-744), clouds after Monteith and Unsworth (2013, Principles of
Environmental Physics, Equation 5.32). Soil: the annual wave of the air, damped and delayed.

By the clock of a zone, noon is the sun's, and radiation stays below the top of the atmosphere, its excess
moved to the rest of the day. Without a zone every day has its noon at 12 h and no limit.
"""

import math
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import numpy as np

from agbench.compiled import entry, kernel
from agbench.compiled.elementary import atan2, cos, exp, pow, sin
from agbench.errors import WeatherError
from agbench.variables import Floats
from agbench.weather.astronomy import angot_radiation, day_length, sine_amplitude, sine_offset
from agbench.weather.columns import DAILY
from agbench.weather.daily import DailySeries
from agbench.weather.draws import standard_normal
from agbench.weather.greenhouse.sun import RISE, noon, normal_radiation, spread, time_above, write_top

DAY: Final = 86400  # s
CO2_PPM: Final = 400.0  # outdoors, round the year 2015
CLEAR = 0.75  # -; transmission of a cloudless sky (FAO 56, Equation 37)
OVERCAST = 0.2  # -; transmission below which the sky is all cloud
EXTINCTION = 0.14  # -; bends the course of radiation over a clear day
NOISE = 0.45  # -; greatest standard deviation of the logarithm of cloud noise
NOISE_MEMORY = 0.9  # -; of cloud noise from one step of five minutes to the next
TMAX_LAG = 1.5  # h after solar noon (Parton and Logan 1981)
DECAY = 2.2  # -; of temperature over a night (Parton and Logan 1981)
WIND_COURSE = 0.35  # -; relative amplitude of the wind's daily course, highest at 15 h
DAMPING_DEPTH = 2.2  # m, of the annual wave in moist soil (Monteith and Unsworth 2013)
SOIL_DEPTH = 2.0  # m
AMPLITUDE: Final = 0.14  # K per degree of latitude, of the annual wave where less than a year is known
WARMEST: Final = 205.0  # d; then too, north of the equator (Wageningen's 24 years: 7.6 K, day 203)
ZERO = 273.15  # K


def disaggregate(
    series: DailySeries,
    start: date,
    days: int,
    generator: np.random.Generator | None = None,
    interval: int = 300,
    zone: float | None = None,
) -> Floats:
    """Return greenhouse weather (rows, 10) of some `days` from `start`, a row every `interval` [s].

    `generator` draws the clouds; without one the sky is as even as the day's sum allows. The day
    before and after shape the nights where the series has them. With a `zone` the rows follow the clock
    that is so many hours ahead of UTC; without one they follow the sun, not limited by the atmosphere's top.
    """
    plan = Days.of(series, start, days, interval, zone)
    steps = DAY // interval
    noise = np.zeros(days * steps) if generator is None else standard_normal(generator, days * steps)
    return plan.rows(0, days, noise, 0.0)[0]


@dataclass(frozen=True, eq=False)
class Days:
    """What five-minute weather of some days is made from."""

    daily: Floats
    """(days + 2, 5): radiation, lowest and highest temperature, vapour, wind; begins a day before."""
    first: float
    """Number of the first day in its year, 1 on 1 January."""
    sun: Floats
    """Latitude, longitude, and the zone of the clock."""
    by_clock: bool
    soil: Floats
    interval: int

    @classmethod
    def of(cls, series: DailySeries, start: date, days: int, interval: int, zone: float | None) -> "Days":
        """Return some `days` of a series from `start`; see `disaggregate`."""
        if DAY % interval:
            raise WeatherError(f"weather {series.name}: {interval} s does not divide a day.")
        last = start + timedelta(days=days - 1)
        rows = series.window(start, last)
        columns = [DAILY.column(name) for name in ("IRRAD", "TMIN", "TMAX", "VAP", "WIND")]
        daily = np.ascontiguousarray(
            np.vstack([_beside(series, start, -1, rows), rows, _beside(series, last, 1, rows)])
        )
        sun = np.array([series.latitude, series.longitude, zone or 0.0])
        first = float(start.timetuple().tm_yday)
        return cls(daily[:, columns].copy(), first, sun, zone is not None, _wave_of(series), interval)

    def rows(self, first: int, days: int, noise: Floats, cloud: float) -> tuple[Floats, float]:
        """Return the rows of some `days` from day `first` on, and the state of the cloud noise after.

        `noise` are a normal number a row, `cloud` is the state of the cloud noise before.
        """
        result = np.empty((len(noise), 10))
        part = self.daily[first : first + days + 2]
        number = self.first + first
        cloud = _disaggregate(
            part, number, self.sun, self.by_clock, noise, self.interval, self.soil, cloud, result
        )
        return result, cloud


def _beside(series: DailySeries, day: date, step: int, rows: Floats) -> Floats:
    """Return the day before or after a window; its own first or last day where there is none."""
    other = day + timedelta(days=step)
    if series.start <= other <= series.end and not series.missing(other, other):
        return series.window(other, other)
    return rows[:1] if step < 0 else rows[-1:]


def _wave_of(series: DailySeries) -> Floats:
    """Return the annual course of a series' air temperature; see `annual_wave`."""
    present = ~np.isnan(series.values[:, 0])
    air = series.values[present, DAILY.column("TEMP")]
    days = np.datetime64(series.start) + np.flatnonzero(present)
    number = (days - days.astype("datetime64[Y]").astype("datetime64[D]")).astype(np.float64)
    return annual_wave(air, number, series.latitude)


def annual_wave(air: Floats, number: Floats, latitude: float) -> Floats:
    """Return mean [degC], amplitude [K] and warmest day of the annual course of daily temperatures `air`.

    `number` are the days of the year, 0 on 1 January.
    """
    angle = 2.0 * np.pi * number / 365.25
    if len(air) < 360:
        warmest = WARMEST if latitude >= 0.0 else (WARMEST + 182.0) % 365.0
        amplitude = AMPLITUDE * abs(latitude)
        wave = amplitude * cos(2.0 * np.pi * (number - warmest) / 365.25)
        return np.array([air.mean() - wave.mean(), amplitude, warmest])
    mean, cosine, sine = _least_squares([np.ones_like(angle), cos(angle), sin(angle)], air)
    size = math.sqrt(cosine * cosine + sine * sine)
    return np.array([mean, size, atan2(sine, cosine) / (2.0 * math.pi) * 365.25])


def _least_squares(basis: list[Floats], values: Floats) -> list[float]:
    """Return the weights of a few nearly orthogonal columns that come nearest to the values.

    By the normal equations, for a library of linear algebra sums in an order that depends on the processor.
    """
    rows = [[float((a * b).sum()) for b in (*basis, values)] for a in basis]
    for i, pivot in enumerate(rows):
        for row in rows[i + 1 :]:
            share = row[i] / pivot[i]
            row[:] = [x - share * y for x, y in zip(row, pivot, strict=True)]
    result = [0.0] * len(rows)
    for i in reversed(range(len(rows))):
        rest = rows[i][-1]
        for k in range(i + 1, len(rows)):
            rest -= rows[i][k] * result[k]
        result[i] = rest / rows[i][i]
    return result


@entry
def _disaggregate(
    daily: Floats,
    first: float,
    sun: Floats,
    by_clock: bool,
    noise: Floats,
    interval: int,
    soil: Floats,
    cloud: float,
    out: Floats,
) -> float:
    """Fill `out` (rows, 10) from `daily` (days + 2, 5), which begins and ends one day outside.

    `sun` are latitude, longitude and the clock's zone, `cloud` the state of the cloud noise before; returns
    its state after.
    """
    steps = DAY // interval
    latitude = sun[0]
    top, shape = np.empty(steps), np.empty(steps)
    for i in range(1, len(daily) - 1):
        number = (first + i - 2.0) % 365.0 + 1.0
        part = out[(i - 1) * steps : i * steps]
        irradiation = daily[i, 0]
        drawn = noise[(i - 1) * steps : i * steps]
        if by_clock:
            middle = noon(sun[1], number, sun[2])
            light = time_above(latitude, number, RISE)
            write_top(latitude, number, -middle, 24.0, top)
            cloud = _radiation_below(part, irradiation, latitude, number, drawn, cloud, top, shape)
        else:
            middle = 12.0
            light = day_length(latitude, number, 0.0)
            cloud = _radiation(part, irradiation, latitude, number, drawn, cloud)
        most = 2.0 * (11.9 - abs(middle - 12.0))  # h; sunrise and sunset lie within the clock's day
        length = min(max(light, 4.0), 20.0, most)
        _temperature(part, daily, i, length, middle)
        _vapour(part, 100.0 * daily[i, 3])
        clear = _clearness(irradiation, latitude, number)
        sunrise, sunset = middle - 0.5 * length, middle + 0.5 * length
        for k in range(steps):
            hour = 24.0 * k / steps
            part[k, 5] = sky_temperature(part[k, 1], part[k, 2], clear)
            part[k, 3] = outdoor_co2(part[k, 1])
            part[k, 4] = daily[i, 4] * (
                1.0 + WIND_COURSE * sin(2.0 * math.pi * (hour - 9.0 - (middle - 12.0)) / 24.0)
            )
            part[k, 6] = soil_temperature(number + hour / 24.0, soil)
            part[k, 7] = irradiation * 1e-6
            _daylight(part[k], hour, sunrise, sunset)
    return cloud


@kernel
def _clearness(irradiation: float, latitude: float, day: float) -> float:
    """Share of cloudless sky [-], from the day's radiation [J m-2 d-1]."""
    above = angot_radiation(latitude, day)
    if above <= 0.0:
        return 0.5
    return min(max((irradiation / above - OVERCAST) / (CLEAR - OVERCAST), 0.0), 1.0)


@kernel
def _radiation(
    part: Floats, irradiation: float, latitude: float, day: float, noise: Floats, cloud: float
) -> float:
    """Write a day's global radiation [W m-2]; return the state of the cloud noise."""
    steps = len(part)
    offset, swing = sine_offset(latitude, day), sine_amplitude(latitude, day)
    clear = _clearness(irradiation, latitude, day)
    spread = NOISE * 4.0 * clear * (1.0 - clear)
    total = 0.0
    for k in range(steps):
        cloud = NOISE_MEMORY * cloud + math.sqrt(1.0 - NOISE_MEMORY * NOISE_MEMORY) * noise[k]
        height = offset - swing * cos(2.0 * math.pi * (k + 0.5) / steps)
        part[k, 0] = 0.0
        if height > 0.0:
            part[k, 0] = height * exp(-EXTINCTION / (height + 0.05) + spread * min(max(cloud, -1.5), 1.5))
        total += part[k, 0]
    for k in range(steps):
        share = part[k, 0] / total if total > 0.0 else 1.0 / steps
        part[k, 0] = share * irradiation * steps / DAY
    return cloud


@kernel
def _radiation_below(
    part: Floats,
    irradiation: float,
    latitude: float,
    day: float,
    noise: Floats,
    cloud: float,
    top: Floats,
    shape: Floats,
) -> float:
    """Write a day's global radiation [W m-2], below that above the atmosphere; return the cloud noise."""
    steps = len(part)
    above = normal_radiation(day)
    clear = _clearness(irradiation, latitude, day)
    spread_of_clouds = NOISE * 4.0 * clear * (1.0 - clear)
    for k in range(steps):
        cloud = NOISE_MEMORY * cloud + math.sqrt(1.0 - NOISE_MEMORY * NOISE_MEMORY) * noise[k]
        thickness = -EXTINCTION / (top[k] / above + 0.05)
        shape[k] = top[k] * exp(thickness + spread_of_clouds * min(max(cloud, -1.5), 1.5))
    spread(irradiation * steps / DAY, shape, top, part[:, 0])
    return cloud


@kernel
def decay(start: float, end: float, share: float) -> float:
    """Temperature after a `share` of the time of its exponential decay from `start` to `end`."""
    return end + (start - end) * (exp(-DECAY * share) - exp(-DECAY)) / (1.0 - exp(-DECAY))


@kernel
def _at_sunset(low: float, high: float, length: float) -> float:
    """Temperature at sunset on the day's sine [degC]."""
    return low + (high - low) * sin(math.pi * length / (length + 2.0 * TMAX_LAG))


@kernel
def _at_midnight(daily: Floats, i: int, length: float, middle: float) -> float:
    """Temperature at the end of day i: on the way to the next minimum, within both days' ranges."""
    evening = _at_sunset(daily[i, 1], daily[i, 2], length)
    share = (24.0 - middle - 0.5 * length) / (24.0 - length)
    target = decay(evening, daily[i + 1, 1], share)
    low, high = max(daily[i, 1], daily[i + 1, 1]), min(daily[i, 2], daily[i + 1, 2])
    result: float = min(max(target, low), max(high, low))
    return result


@kernel
def _temperature(part: Floats, daily: Floats, i: int, length: float, middle: float) -> None:
    """Write a day's air temperature [degC]: TMIN at sunrise, TMAX after noon at `middle`, both exactly."""
    steps = len(part)
    low, high = daily[i, 1], daily[i, 2]
    sunrise, sunset = middle - 0.5 * length, middle + 0.5 * length
    before, after = _at_midnight(daily, i - 1, length, middle), _at_midnight(daily, i, length, middle)
    evening = _at_sunset(low, high, length)
    coldest = round(sunrise / 24.0 * steps)
    warmest = round((middle + TMAX_LAG) / 24.0 * steps)
    for k in range(steps):
        hour = 24.0 * k / steps
        if hour < sunrise:
            value = decay(before, low, hour / sunrise)
        elif hour < sunset:
            value = low + (high - low) * sin(math.pi * (hour - sunrise) / (length + 2.0 * TMAX_LAG))
        else:
            value = decay(evening, after, (hour - sunset) / (24.0 - sunset))
        part[k, 1] = min(max(value, low), high)
    part[coldest, 1] = low
    part[warmest, 1] = high


@kernel
def saturation(temperature: float) -> float:
    """Vapour pressure of saturated air [Pa] at `temperature` [degC] (as in the greenhouse model)."""
    return 610.78 * exp(17.2694 * temperature / (temperature + 238.3))


@kernel
def _vapour(part: Floats, mean: float) -> None:
    """Write a day's vapour pressure [Pa]: level, capped at saturation, with the day's `mean`."""
    steps = len(part)
    low, high = 0.0, 0.0
    for k in range(steps):
        part[k, 2] = saturation(part[k, 1])
        high = max(high, part[k, 2])
    for _ in range(60):
        level = 0.5 * (low + high)
        total = 0.0
        for k in range(steps):
            total += min(level, part[k, 2])
        if total < mean * steps:
            low = level
        else:
            high = level
    for k in range(steps):
        part[k, 2] = min(high, part[k, 2])


@kernel
def outdoor_co2(air: float) -> float:
    """Density of the CO2 outdoors [mg m-3] at an air temperature [degC] (ideal gas)."""
    return CO2_PPM * 101325.0 * 44.01e-3 / (8.3144598 * (air + ZERO))


@kernel
def sky_temperature(air: float, vapour: float, clear: float) -> float:
    """Apparent temperature of the sky [degC] from temperature [degC], vapour pressure [Pa] and clouds."""
    kelvin = air + ZERO
    emissivity = 1.24 * pow(0.01 * vapour / kelvin, 1.0 / 7.0)
    clouds = 1.0 - clear
    emissivity = min((1.0 - 0.84 * clouds) * emissivity + 0.84 * clouds, 1.0)
    return kelvin * math.sqrt(math.sqrt(emissivity)) - ZERO


@kernel
def soil_temperature(day: float, wave: Floats) -> float:
    """Temperature of the soil 2 m deep [degC] from the annual wave of the air."""
    lag = SOIL_DEPTH / DAMPING_DEPTH
    angle = 2.0 * math.pi * (day - 1.0 - wave[2]) / 365.25 - lag
    result: float = wave[0] + wave[1] * exp(-lag) * cos(angle)
    return result


@kernel
def _daylight(row: Floats, hour: float, sunrise: float, sunset: float) -> None:
    """Write the day switches: a ramp of an hour at sunrise and sunset, and its smooth form."""
    day = min(max(min(hour - sunrise, sunset - hour) + 0.5, 0.0), 1.0)
    row[8] = day
    row[9] = day if day in (0.0, 1.0) else 1.0 / (1.0 + exp(-10.0 * (day - 0.5)))
