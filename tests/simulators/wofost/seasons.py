"""Random seasons of the N-P-K model: any crop, soil, place, start and management."""

import datetime as dt
from dataclasses import replace
from functools import cache

import numpy as np
from pcse_runs import wageningen

from agbench.data import catalog
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.world import LIMITATIONS, build_world
from agbench.weather.daily import DAILY, DailySeries, derive

CROPS = [
    name
    for name in catalog.names("crop")
    if "wofost-npk" in (text := catalog.find("crop", name).read_text("utf-8")) and "crop_type:" not in text
]
"""Annual crops of the N-P-K model, by the text of their files: to read all takes seconds (test_data.py)."""
SOILS = [
    name
    for name in catalog.names("soil")
    if "RNPKRUNOFF" in catalog.soil(name).tables and catalog.soil(name).profile is None
]
WARMTH = (0.0, 6.0, 14.0)  # degC added to Wageningen's temperatures
DAYS = 300


@cache
def weather(warmth: float) -> DailySeries:
    """Return Wageningen's weather, warmer, with the evaporation that goes with it."""
    cool = wageningen()
    columns = {
        name: cool.values[:, DAILY.column(name)].copy()
        for name in ("IRRAD", "TMIN", "TMAX", "VAP", "WIND", "RAIN")
    }
    columns["TMIN"] += warmth
    columns["TMAX"] += warmth
    values = derive(columns, cool.start, cool.latitude, cool.elevation)
    return replace(cool, name=f"warmer by {warmth}", values=values)


@cache
def parameters(crop: str, soil: str, setting: str = "sound"):
    """Return merged parameters of a crop and a soil."""
    read = catalog.crop(crop)
    values = read.values if setting == "sound" else read.published_values
    return {**catalog.soil(soil).values, **values}


def random_world(
    rng: np.random.Generator, crop: str, limitation: str, setting: str = "sound", soil: str | None = None
):
    """Return a world drawn at random but for crop, limitation and a named soil, and its parameters."""
    extremes = {
        "SSMAX": float(rng.choice([0.0, 0.0, 2.0])),
        "IFUNRN": float(rng.integers(2)),
        "NOTINF": float(rng.choice([0.0, 0.3])),
        "WAV": float(rng.choice([1.0, 10.0, 40.0])),
    }
    values = {**parameters(crop, soil or str(rng.choice(SOILS)), setting), **extremes}
    start = dt.date(int(rng.integers(1976, 1988)), int(rng.integers(1, 13)), 1)
    end = start + dt.timedelta(days=DAYS)
    calendar = CropCalendar(
        start + dt.timedelta(days=int(rng.integers(0, 20))),
        str(rng.choice(["sowing", "emergence"])),
        None,
        str(rng.choice(["maturity", "death", "max_duration"])),
        int(rng.integers(60, 365)),
    )
    world = build_world(
        "wofost-npk",
        values,
        weather(float(rng.choice(WARMTH))),
        calendar,
        start,
        end,
        setting=setting,
        limitation=limitation,
        stop_after=end,
    )
    return world, values


def random_management(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return a day's inputs (n, 6): now and then up to 40 kg ha-1, 4 cm of water, or a harvest; no sowing."""
    most = np.array([40.0, 40.0, 40.0, 4.0, 1.0, 0.0])
    often = np.array([0.1, 0.1, 0.1, 0.1, 0.01, 0.0])
    return np.where(rng.random((n, 6)) < often, rng.random((n, 6)) * most, 0.0)


def random_limitation(rng: np.random.Generator) -> str:
    """Return one of the six limitation modes."""
    return str(rng.choice(LIMITATIONS))


def beyond_ponded(before, now):
    """Return what a day's open water is said to evaporate beyond what was ponded [cm].

    Where more than 1 cm is ponded it evaporates at the rate of open water, though a very dry day may take
    more than there is. EVWT, and so WBALTT, counts all of it; the water on the surface ends at 0 in `sound`.
    """
    brought = sum(now[name] - before[name] for name in ("RAINT", "TOTIRR"))
    taken = sum(now[name] - before[name] for name in ("EVWT", "TOTINF"))
    return np.where(before["EVW"] > 1.0, np.maximum(0.0, taken - brought - before["SS"]), 0.0)
