"""Vineyards to try: a cultivar on a soil, for some years of weather of a site, or of a warmer one."""

import datetime as dt
from dataclasses import replace
from functools import cache

import numpy as np

from agbench.data import catalog
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.world import build_world
from agbench.weather.change import changed
from agbench.weather.daily import DailySeries, derive
from agbench.weather.generator.generate import FIRST_DAY, OBSERVED_ORDER
from agbench.weather.site import site_generator

CULTIVARS = [name for name in catalog.names("crop") if catalog.crop(name).crop_type == "grape"]
TEN_YEARS = 10


@cache
def years(site: str, season: int, count: int, warmth: float = 0.0) -> DailySeries:
    """Return generated weather of a site for some years of 365 days, warmer by so much."""
    generator = site_generator(site)
    rows = generator.observed(season, count)
    columns = {name: rows[:, i] for i, name in enumerate(OBSERVED_ORDER)}
    values = derive(columns, FIRST_DAY, generator.latitude, generator.elevation, generator.angstrom)
    place = (generator.latitude, generator.longitude, generator.elevation)
    series = DailySeries(site, FIRST_DAY, values, *place)
    return changed(series, warmth, 0.0) if warmth else series


def southern(series: DailySeries) -> DailySeries:
    """Return weather moved by half a year, as far south as it was north."""
    return replace(series, values=np.roll(series.values, 182, axis=0), latitude=-series.latitude)


def vineyard(crop: str, series: DailySeries, limitation: str = "pp", start: str = "endodorm", **own: float):
    """Return a world of vines over all of a series, and its parameters; `own` replace those of the crop."""
    given = {**catalog.soil("washington-1").values, **catalog.crop(crop).values, **own}
    days = len(series.values)
    end = series.start + dt.timedelta(days=days - 1)
    calendar = CropCalendar(series.start, start, None, "max_duration", days + 1)
    world = build_world(
        "wofost-npk",
        given,
        series,
        calendar,
        series.start,
        end,
        limitation=limitation,
        crop_type="grape",
        stop_after=end,
    )
    return world, given


class Rows:
    """The columns of a batch of vines by name."""

    def __init__(self, simulator: WofostSimulator):
        self.state = simulator.state.copy()
        self._variables = simulator.variables

    def __getitem__(self, name):
        return self.state[:, self._variables.column(name)]

    def sum(self, *names):
        return sum(self[name] for name in names)


def planted(worlds) -> WofostSimulator:
    """Return a batch of vines on their first day."""
    simulator = WofostSimulator("wofost-npk", len(worlds), crop_type="grape")
    simulator.reset(worlds)
    return simulator


def unmanaged(simulator: WofostSimulator) -> np.ndarray:
    """Return the inputs of a day without any."""
    return np.zeros((simulator.n, len(simulator.inputs)))
