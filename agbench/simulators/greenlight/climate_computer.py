"""The climate computer: the rules by which growers' equipment follows set points.

Katzin 2021, Section 7.3, with the choices of GreenLight-Gym 2 as settings: measurements are the inputs,
six controls the outputs. Every switch but the lamps' is a proportional band, smooth between off and on.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from agbench.compiled import entry, kernel
from agbench.compiled.elementary import exp
from agbench.errors import ConfigError, unknown
from agbench.variables import Floats, Variable, VariableTable, finite

MEASURED: Final = VariableTable(
    (
        Variable("tAir", "degC", "temperature of the air"),
        Variable("rh", "%", "relative humidity of the air"),
        Variable("co2_ppm", "ppm", "CO2 of the air"),
        Variable("tOut", "degC", "outdoor temperature"),
        Variable("iGlob", "W m-2", "outdoor global radiation"),
        Variable("dli", "MJ m-2 d-1", "global radiation of the whole day"),
        Variable("isDay", "-", "1 from sunrise to sunset"),
        Variable("isDaySmooth", "-", "day, with smooth dawn and dusk"),
        Variable("hour", "h", "hour of the day"),
        Variable("day", "d", "day of the year, 0 on 1 January"),
    )
)
"""What the rules read, in the order in which the kernel takes it."""

_DEFAULTS: Final[tuple[tuple[str, float, str, str], ...]] = (
    ("tSpDay", 19.5, "degC", "heating set point in the light period"),
    ("tSpNight", 16.5, "degC", "heating set point in the dark"),
    ("tHeatBand", -1.0, "K", "band of the heating"),
    ("heatCorrection", 0.0, "K", "change of the heating set point while lamps burn"),
    ("heatDeadZone", 5.0, "K", "from the heating set point to that of the vents"),
    ("ventHeatPband", 4.0, "K", "band of the vents for heat"),
    ("rhMax", 85.0, "%", "humidity at which vents open"),
    ("ventRhPband", 5.0, "%", "band of the vents for humidity"),
    ("tVentOff", 1.0, "K", "below the heating set point by this, vents close"),
    ("ventColdPband", -1.0, "K", "band of the vents for cold"),
    ("thScrSpDay", 5.0, "degC", "outdoor temperature below which the thermal screen closes by day"),
    ("thScrSpNight", 10.0, "degC", "outdoor temperature below which it closes at night"),
    ("thScrPband", -1.0, "K", "band of the thermal screen for cold"),
    ("thScrDeadZone", 4.0, "K", "above the heating set point by this, the thermal screen opens"),
    ("thScrRh", -2.0, "%", "from rhMax to the humidity at which the thermal screen opens"),
    ("thScrRhPband", 2.0, "%", "band of the thermal screen for humidity"),
    ("screenForBoth", 1.0, "-", "1: the screen opens only for heat and humidity together; 0: for either"),
    ("lampOn", 0.0, "h", "lamps go on"),
    ("lampOff", 18.0, "h", "lamps go off"),
    ("lampDayFirst", -1.0, "d", "day of the year from which lamps are used"),
    ("lampDayLast", 400.0, "d", "day of the year until which lamps are used"),
    ("lampsOffSun", 400.0, "W m-2", "global radiation above which lamps are off"),
    ("lampRadSumLimit", 10.0, "MJ m-2 d-1", "day's radiation above which lamps stay off"),
    ("lampExtraHeat", 2.0, "K", "above the vents' set point by this, lamps go off"),
    ("lampHeatBand", -0.5, "K", "band of the lamps for heat"),
    ("blScrExtraRh", 100.0, "%", "from rhMax to the humidity that lets lamps burn only by day"),
    ("blScrRhPband", -0.5, "%", "band of that humidity"),
    ("useBlScr", 1.0, "-", "1: the blackout screen closes when lamps burn in the dark"),
    ("co2SpDay", 800.0, "ppm", "CO2 set point in the light period"),
    ("co2Band", -100.0, "ppm", "band of the CO2 supply"),
)
SETTINGS: Final = VariableTable(Variable(name, unit, meaning) for name, _, unit, meaning in _DEFAULTS)
"""The thirty settings, under the symbols of GreenLight where it has them."""

BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "degC": (-50.0, 60.0),
    "K": (-100.0, 100.0),
    "%": (-200.0, 200.0),
    "h": (0.0, 24.0),
    "d": (-1.0, 400.0),
    "W m-2": (0.0, 2000.0),
    "MJ m-2 d-1": (0.0, 100.0),
    "ppm": (-10_000.0, 10_000.0),
    "-": (0.0, 1.0),
}
"""Between which values a setting of a unit may lie: wider than any grower's, to catch another unit."""

USUAL: Final[Mapping[str, float]] = {name: value for name, value, _, _ in _DEFAULTS}
"""The settings of GreenLight-Gym 2's rule-based controller."""


def settings_vector(changes: Mapping[str, float], where: str = "rule-based settings") -> Floats:
    """Return the settings, shape (30,): the usual ones with `changes` applied by name."""
    values = dict(USUAL)
    for name, value in changes.items():
        if name not in values:
            raise unknown("setting", name, values, where)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not finite(value):
            raise ConfigError(f"{where}: {name} is {value!r}, not a number in {SETTINGS[name].unit}.")
        low, high = BOUNDS[SETTINGS[name].unit]
        if not low <= value <= high:
            raise ConfigError(
                f"{where}: {name} is {value:g}; it must lie within {low:g} to {high:g} {SETTINGS[name].unit}."
            )
        if name.endswith("and") and value == 0.0:
            raise ConfigError(f"{where}: the band {name} is 0; its sign sets the direction in which it acts.")
        values[name] = float(value)
    return np.array(list(values.values()))


_LN_100 = 4.605170185988092  # the natural logarithm of 100
_RECORD: Final = SETTINGS.record_type()
_SIGNALS: Final = MEASURED.record_type()


@kernel
def proportional(value: float, set_point: float, band: float) -> float:
    """Smooth switch from 0 to 1 as `value` goes from `set_point` to `set_point + band`."""
    exponent = -2.0 / band * _LN_100 * (value - set_point - 0.5 * band)
    return 1.0 / (1.0 + exp(min(exponent, 700.0)))


@kernel
def light_period(hour: float, day: float, radiation_sum: float, settings: Any) -> float:
    """How much the lamps' hours make it day inside [-]: ramps of an hour at both switching times."""
    p = settings
    on, off = p.lampOn, p.lampOff
    if on == off or radiation_sum >= p.lampRadSumLimit:
        return 0.0
    if day < p.lampDayFirst or day > p.lampDayLast:
        return 0.0
    rising = max(0.0, min(1.0, hour - on + 1.0))
    falling = max(0.0, min(1.0, off - hour + 1.0))
    return min(rising, falling) if on < off else max(rising, falling)


@kernel
def lamps_allowed(m: Any, p: Any) -> float:
    """1 in the lamps' hours of a dull moment on a dull day, else 0."""
    on, off = p.lampOn, p.lampOff
    inside = on < m.hour < off if on <= off else (m.hour > on or m.hour < off)
    dull = m.iGlob < p.lampsOffSun and m.dli < p.lampRadSumLimit
    season = p.lampDayFirst <= m.day <= p.lampDayLast
    return 1.0 if inside and dull and season else 0.0


@kernel
def day_inside(m: Any, p: Any) -> float:
    """How much the day's set points are in force [-], 0 to 1: from sunrise, and in the lamps' hours."""
    return max(light_period(m.hour, m.day, m.dli, p), m.isDay)


@kernel
def decide(m: Any, p: Any, u: Floats) -> None:
    """Write the six controls for what is measured (`m`) under the settings (`p`) into `u`."""
    inside = day_inside(m, p)
    lamps = lamps_allowed(m, p)
    heating = inside * p.tSpDay + (1.0 - inside) * p.tSpNight + p.heatCorrection * lamps
    ceiling = heating + p.heatDeadZone
    warm = 1.0 - proportional(m.tAir, heating - p.tVentOff, p.ventColdPband)
    hot = proportional(m.tAir, ceiling, p.ventHeatPband)
    humid = proportional(m.rh, p.rhMax, p.ventRhPband)
    u[0] = proportional(m.tAir, heating, p.tHeatBand)
    u[1] = proportional(m.co2_ppm, inside * p.co2SpDay, p.co2Band)
    u[2] = thermal_screen(m, p, heating, warm)
    u[3] = min(warm, max(hot, humid))
    u[4] = lamps * _lamp_limits(m, p, ceiling, warm)
    u[5] = p.useBlScr * (1.0 - m.isDaySmooth) * u[4]


@kernel
def thermal_screen(m: Any, p: Any, heating: float, warm: float) -> float:
    """Closure of the thermal screen [-]: for cold outside, unless it is too warm or humid inside."""
    set_point = m.isDay * p.thScrSpDay + (1.0 - m.isDay) * p.thScrSpNight
    cold = proportional(m.tOut, set_point, p.thScrPband)
    heat = 1.0 - proportional(m.tAir, heating + p.thScrDeadZone, -p.thScrPband)
    dry = 1.0 - proportional(m.rh, p.rhMax + p.thScrRh, p.thScrRhPband)
    dry = max(dry, 1.0 - warm)
    return min(cold, max(heat, dry) if p.screenForBoth > 0.5 else min(heat, dry))


@kernel
def _lamp_limits(m: Any, p: Any, ceiling: float, warm: float) -> float:
    """The part of the lamps that heat and, under the blackout screen, humidity allow [-]."""
    cool = proportional(m.tAir, ceiling + p.lampExtraHeat, p.lampHeatBand)
    dry = proportional(m.rh, p.rhMax + p.blScrExtraRh, p.blScrRhPband)
    return cool * (m.isDaySmooth + (1.0 - m.isDaySmooth) * max(dry, 1.0 - warm))


@entry
def _control(measured: Floats, settings: Floats, controls: Floats) -> None:
    for i in range(len(measured)):
        m = measured[i].view(_SIGNALS)[0]
        p = settings[i].view(_RECORD)[0]
        decide(m, p, controls[i])


def control(measured: Floats, settings: Floats, controls: Floats) -> None:
    """Write the controls (n, 6 or more) for rows of measurements (n, 10) and settings (n, 30)."""
    _control(measured, settings, controls)


@entry
def _read_day(measured: Floats, settings: Floats, result: Floats) -> None:
    for i in range(len(measured)):
        result[i] = day_inside(measured[i].view(_SIGNALS)[0], settings[i].view(_RECORD)[0])


def read_day_inside(measured: Floats, settings: Floats) -> Floats:
    """Return `day_inside` of rows of measurements (n, 10) and settings (n, 30), shape (n,)."""
    result = np.empty(len(measured))
    _read_day(measured, settings, result)
    return result
