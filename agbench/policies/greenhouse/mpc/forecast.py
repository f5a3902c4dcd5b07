"""The controller's forecast of the weather: the true weather, or a forecast with errors."""

from dataclasses import replace

import numpy as np

from agbench.envs.greenhouse.worlds import GreenhouseWorld
from agbench.policies.greenhouse.mpc.settings import INTERVAL, ForecastSettings
from agbench.simulators.greenlight.smooth import saturation_pressure
from agbench.simulators.greenlight.variables import WEATHER
from agbench.variables import Floats

_DAY = 86_400 // INTERVAL  # steps
_SUN, _OUT, _VAPOUR, _SKY = WEATHER.columns(["iGlob", "tOut", "vpOut", "tSky"])


def forecast_of(
    world: GreenhouseWorld, now: int, ahead: int, spec: ForecastSettings, generator: np.random.Generator
) -> GreenhouseWorld:
    """Return the world as forecast at step `now` for `ahead` steps; the weather in force is known.

    Errors are random walks that reach their standard deviation after a day: radiation is multiplied,
    temperatures of air and sky are shifted together, vapour is held below saturation.
    """
    if spec.radiation == 0.0 and spec.temperature == 0.0:
        return world
    weather = np.array(world.weather[:])
    rows = slice(now, min(now + ahead, len(weather)))
    length = rows.stop - rows.start
    sun, warmth = (_walk(length, generator) for _ in range(2))
    weather[rows, _SUN] *= np.maximum(1.0 + spec.radiation * sun, 0.0)
    weather[rows, _OUT] += spec.temperature * warmth
    weather[rows, _SKY] += spec.temperature * warmth
    saturated = [float(saturation_pressure(t)) for t in weather[rows, _OUT]]
    weather[rows, _VAPOUR] = np.minimum(weather[rows, _VAPOUR], saturated)
    return replace(world, weather=weather)


def _walk(steps: int, generator: np.random.Generator) -> Floats:
    """Return a random walk from 0 with variance 1 after a day, (steps,)."""
    walk: Floats = np.cumsum(generator.standard_normal(steps)) / np.sqrt(_DAY)
    return walk - walk[:1]
