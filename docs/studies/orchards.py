"""Orchards of jujube and pear: balances over ten years, yields by year and age, speed.

python docs/studies/orchards.py [rows] writes docs/figures/orchards.png and prints the rest; `rows` is the
number of random managements of ten years for each crop (500).
"""

import sys
import time
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure

from agbench.data import catalog
from agbench.simulators.field import events
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.simulate import daily_management, run
from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.world import LIMITATIONS, WofostWorld, build_world
from agbench.variables import Floats
from agbench.weather.site import site_generator

CROPS: Final = ("jujube-1", "pear-1")
SITES: Final = ("lodi", "rhone", "new-mexico")
FRESH: Final = {"jujube-1": 1.0 / 0.22, "pear-1": 1.0 / 0.16}
"""Fresh over dry weight: 78 and 84 % water (USDA FoodData Central: jujube, raw; pears, raw)."""
PLAUSIBLE: Final = {"jujube-1": (5.0, 15.0), "pear-1": (20.0, 40.0)}  # t ha-1, fresh
_START: Final = date(2001, 1, 1)
_ORGANS: Final = ("LV", "ST", "RT", "SO", "WD")
_PRUNED: Final = 0.12  # of the wood, each winter
_MOST: Final = np.array([40.0, 40.0, 40.0, 4.0, 1.0, 1.0, 0.6])
_OFTEN: Final = np.array([0.03, 0.03, 0.03, 0.1, 0.02, 0.0005, 0.01])
_FIGURE: Final = Path(__file__).parents[1] / "figures" / "orchards.png"


def orchard(
    crop: str, site: str, years: int, season: int = 1, limitation: str = "pp", age: int = 0
) -> WofostWorld:
    """Return the world of an orchard in generated weather."""
    given = {**catalog.soil("oregon-1").values, **catalog.crop(crop).values, "AGEI": float(age)}
    end = date(_START.year + years - 1, 12, 31)
    calendar = CropCalendar(_START, "sowing", None, "max_duration", 20_000)
    weather = site_generator(site).season(season, years)
    chosen = {"limitation": limitation, "crop_type": "perennial"}
    return build_world("wofost-npk", given, weather, calendar, _START, end, **chosen)  # type: ignore[arg-type]


def yields(crop: str, site: str, limitation: str, years: int = 15, age: int = 0) -> Floats:
    """Return the fresh harvest of each year [t ha-1] of trees pruned each winter and picked in October.

    Where nutrients and water limit, trees get 180 N, 60 P, 180 K kg ha-1 and 60 cm of water a year.
    """
    done: list[Any] = []
    for year in range(_START.year, _START.year + years):
        done += [(date(year, 10, 5), "harvest", 1.0), (date(year, 12, 15), "prune", _PRUNED)]
        if limitation == "lnpkw":
            done += [(date(year, month, 1), "apply_npk", (60.0, 20.0, 60.0)) for month in (4, 5, 6)]
            done += [
                (date(year, month, day), "irrigate", 4.0) for month in range(5, 10) for day in (1, 11, 21)
            ]
    world = orchard(crop, site, years, limitation=limitation, age=age)
    days = int(world.parameters["LAST_DAY"]) + 1
    parsed = events.parse(
        done, ("harvest", "prune", "apply_npk", "irrigate"), crop, _START, date(2000 + years, 12, 31)
    )
    table = run(world, daily_management(parsed, _START, days, True, "perennial"))
    total = table["HARVESTED"].groupby(table.index.year).last().to_numpy()
    return np.diff(total, prepend=0.0) / 1000.0 * FRESH[crop]


def draw() -> None:
    """Print and draw the yields by year after planting, and those of established trees."""
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    axes = figure.subplots(1, 2)
    for axis, crop in zip(axes, CROPS, strict=True):
        axis.axhspan(*PLAUSIBLE[crop], color="0.92")
        for site in SITES:
            for limitation, style in (("pp", "-"), ("lnpkw", ":")):
                tonnes = yields(crop, site, limitation)
                axis.plot(np.arange(len(tonnes)), tonnes, style, marker=".", label=f"{site}, {limitation}")
                print(f"{crop:9} {site:11} {limitation:6} age 0-14:", " ".join(f"{t:.1f}" for t in tonnes))
            old = yields(crop, site, "pp", 5, age=10)
            print(f"{crop:9} {site:11} pp     age 10-14:", " ".join(f"{t:.1f}" for t in old))
        axis.set(title=crop, xlabel="age of the trees [years]", ylabel="fresh fruit [t ha-1]")
    axes[1].legend(fontsize=6)
    figure.savefig(_FIGURE, dpi=120)
    print(f"wrote {_FIGURE.name}")


def gaps(simulator: WofostSimulator) -> dict[str, float]:
    """Return what each balance of the trees leaves unexplained [kg ha-1; water in cm], the largest row."""
    column, state = simulator.variables.column, simulator.state

    def of(*names: str) -> Floats:
        return np.sum([state[:, column(n)] for n in names], axis=0)

    result = {
        "biomass": of("GROWNT")
        - of(*(f"W{o}" for o in _ORGANS), *(f"DW{o}" for o in _ORGANS), "HARVESTED", "PRUNED"),
        "CH2O": of("GASST", "RESPLANTED") - of("WRES", "RESLOST", "MREST", "COSTT"),
        "water": of("WBALTT"),
    }
    for x in "NPK":
        kept = of(*(f"{x}AMOUNT{o}" for o in _ORGANS), f"{x}lossesTotal", f"{x}HARVESTED", f"{x}PRUNED")
        result[x] = of(f"{x}UPTAKETOTAL", f"{x}PLANTED", *(["NFIXTOTAL"] if x == "N" else [])) - kept
    return {name: float(abs(gap).max()) for name, gap in result.items()}


def close(crop: str, rows: int) -> None:
    """Print the largest gaps of random managements of ten years, and whether all stays finite."""
    rng = np.random.default_rng(2026)
    worlds = [
        orchard(crop, str(rng.choice(SITES)), 10, int(rng.integers(5)), str(rng.choice(LIMITATIONS)), age)
        for age in range(10)
    ]
    simulator = WofostSimulator("wofost-npk", rows, crop_type="perennial")
    simulator.reset([worlds[i % len(worlds)] for i in range(rows)])
    weights = simulator.variables.columns(
        [*(f"W{o}" for o in _ORGANS), "WRES", *(f"{x}AMOUNT{o}" for x in "NPK" for o in _ORGANS)]
    )
    largest: dict[str, float] = {}
    least = 0.0
    while not simulator.finished.all():
        inputs = np.where(rng.random((rows, 7)) < _OFTEN, rng.random((rows, 7)) * _MOST, 0.0)
        simulator.advance(inputs, 5)
        assert np.isfinite(simulator.state).all()
        least = min(least, float(simulator.state[:, weights].min()))
        for name, gap in gaps(simulator).items():
            largest[name] = max(gap, largest.get(name, 0.0))
    text = ", ".join(f"{name} {gap:.1e}" for name, gap in largest.items())
    print(f"{crop}: {rows} random managements of ten years: finite, least pool {least:.1e}; gaps {text}")


def speed() -> None:
    """Print the kernel's time for three years of jujube in daily steps."""
    world = orchard("jujube-1", "lodi", 3, limitation="lnpkw", age=6)
    simulator = WofostSimulator("wofost-npk", 1, crop_type="perennial")
    inputs, best = np.zeros((1, 7)), np.inf
    for _ in range(20):
        simulator.reset([world])
        started = time.perf_counter()
        simulator.advance(inputs, 1094)
        best = min(best, time.perf_counter() - started)
    print(f"three years of jujube, 1,095 daily steps of the kernel: {1e3 * best:.2f} ms")


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    speed()
    for name in CROPS:
        close(name, number)
    draw()
