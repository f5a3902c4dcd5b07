"""Orchards of ten years under random management, and the balances that hold in them."""

import datetime as dt
from functools import cache

import numpy as np

from agbench.data import catalog
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.variables import INPUTS_OF, VARIABLES_PERENNIAL
from agbench.simulators.wofost.world import LIMITATIONS, build_world
from agbench.weather.site import site_generator

TREES = ("jujube-1", "pear-1")
SOILS = ("oregon-1", "oregon-2", "oregon-3", "china-1", "china-2")
INPUTS = INPUTS_OF["perennial"]
START = dt.date(2001, 1, 1)
PLACES = ("lodi", "rhone", "new-mexico", "wageningen", "niger", "saerheim")
ORGANS = ("LV", "ST", "RT", "SO", "WD")
MOST = np.array([40.0, 40.0, 40.0, 4.0, 1.0, 1.0, 0.6])
OFTEN = np.array([0.03, 0.03, 0.03, 0.1, 0.02, 0.0, 0.01])


@cache
def weather(place, number, years):
    """Return generated weather of some years."""
    return site_generator(place).season(number, years)


def orchard(crop="jujube-1", place="lodi", years=10, soil="oregon-1", number=1, setting="sound", **changes):
    """Return the world of an orchard from 2001 on, and its parameters."""
    read = catalog.crop(crop)
    values = read.values if setting == "sound" else read.published_values
    choices = {name: changes.pop(name) for name in ("limitation", "soil_water") if name in changes}
    start_type = changes.pop("start_type", "sowing")
    given = {**catalog.soil(soil).values, **values, **changes}
    end = dt.date(2000 + years, 12, 31)
    calendar = CropCalendar(START, start_type, None, "max_duration", 10_000)
    world = build_world(
        "wofost-npk",
        given,
        weather(place, number, years),
        calendar,
        START,
        end,
        setting=setting,
        crop_type="perennial",
        **choices,
    )
    return world, given


def random_orchard(rng, years=10):
    """Return the world of an orchard drawn at random, and its parameters."""
    return orchard(
        str(rng.choice(TREES)),
        str(rng.choice(PLACES)),
        years,
        str(rng.choice(SOILS)),
        int(rng.integers(5)),
        limitation=str(rng.choice(LIMITATIONS)),
        start_type=str(rng.choice(["sowing", "dormant", "emergence"])),
        AGEI=float(rng.integers(0, 12)),
        WAV=float(rng.choice([1.0, 10.0, 40.0])),
    )


def random_inputs(rng, n):
    """Return a day's inputs (n, 7): now and then nutrients, water, a harvest, a cut, rarely new trees."""
    inputs = np.where(rng.random((n, 7)) < OFTEN, rng.random((n, 7)) * MOST, 0.0)
    inputs[:, 5] = rng.random(n) < 0.0005
    return inputs


class Row:
    """A batch's columns by name."""

    def __init__(self, state):
        self.state = state.copy()

    def __getitem__(self, name):
        return self.state[:, VARIABLES_PERENNIAL.column(name)]

    def sum(self, *names):
        """Return the sum of some columns."""
        return sum(self[name] for name in names)


def biomass_gap(now):
    """Return the dry weight formed and planted that is nowhere [kg ha-1]."""
    there = now.sum(*(f"W{o}" for o in ORGANS), *(f"DW{o}" for o in ORGANS), "HARVESTED", "PRUNED")
    return now["GROWNT"] - there


def carbohydrate_gap(now):
    """Return the assimilates that were neither respired nor used nor stored [kg CH2O ha-1]."""
    return now.sum("GASST", "RESPLANTED") - now.sum("WRES", "RESLOST", "MREST", "COSTT")


def nutrient_gap(now, x):
    """Return the nutrient taken up, fixed and planted that is nowhere [kg ha-1]."""
    there = now.sum(*(f"{x}AMOUNT{o}" for o in ORGANS), f"{x}lossesTotal", f"{x}HARVESTED", f"{x}PRUNED")
    return now.sum(f"{x}UPTAKETOTAL", f"{x}PLANTED", *(["NFIXTOTAL"] if x == "N" else [])) - there


def soil_gap(now, given, x, days):
    """Return what the balance of a nutrient in the soil leaves unexplained [kg ha-1]."""
    brought = given[f"{x}SOILBASE"] + given[f"{x}AVAILI"] + given[f"BG_{x}_SUPPLY"] * days
    brought = brought + now[f"TOT{x}"] + now[f"{x}SUPPLIED"]
    there = now.sum(f"SURFACE_{x}", f"{x}SOIL", f"{x}AVAIL", f"FERT_{x}_SUPPLY")
    gone = now.sum(f"TOT{x}_RUNOFF", f"{x}LEACHED", f"{x}SPILLED", f"{x}UPTAKETOTAL")
    return brought - there - gone
