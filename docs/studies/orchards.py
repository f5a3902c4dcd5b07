"""Orchards of jujube and pear: balances over ten years, yields by year and age, pruning, speed.

python docs/studies/orchards.py [rows] writes docs/figures/orchards.png and prints the rest; `rows` is the
number of random managements of ten years for each crop (500).
"""

import sys
import time
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.figure import Figure

from agbench.data import catalog
from agbench.plotting import SERIES, printed, tidy
from agbench.simulators.field.calendar import CropCalendar
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
SEASONS: Final = 4  # of generated weather
_PRUNED: Final = 0.12  # of the wood, each winter
_CUTS: Final = (0.0, 0.06, 0.12, 0.2)
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


def yields(
    crop: str, sites: Sequence[str], limitation: str, years: int = 15, age: int = 0, pruned: float = _PRUNED
) -> Floats:
    """Return the fresh harvest of each year (years, sites) [t ha-1], mean of generated seasons.

    Fruit is picked when ripe, or on 5 October; a share `pruned` of the wood is cut each 15 December. Where
    nutrients and water limit, trees get 180 N, 60 P, 180 K kg ha-1 a year and water whenever a quarter of
    what they can take up is gone.
    """
    worlds = [orchard(crop, site, years, k, limitation, age) for site in sites for k in range(1, SEASONS + 1)]
    simulator = WofostSimulator("wofost-npk", len(worlds), crop_type="perennial")
    simulator.reset(worlds)
    column = simulator.variables.column
    picked = np.zeros((years + 1, simulator.n))
    for t in range(1, int(worlds[0].parameters["LAST_DAY"]) + 1):
        today = _START + timedelta(days=t)
        simulator.advance(_work(simulator, worlds, today, limitation == "lnpkw", pruned), 1)
        picked[today.year - _START.year + 1] = simulator.state[:, column("HARVESTED")]
    tonnes = np.diff(picked, axis=0) / 1000.0 * FRESH[crop]
    return tonnes.reshape(years, len(sites), SEASONS).mean(axis=2)


def _work(
    simulator: WofostSimulator, worlds: Sequence[WofostWorld], today: date, fed: bool, pruned: float
) -> Floats:
    """Return what is done on a day, (rows, inputs)."""
    column, state = simulator.variables.column, simulator.state
    inputs = np.zeros((simulator.n, len(simulator.inputs)))
    late = (today.month, today.day) == (10, 5)
    ripe = (state[:, column("DVS")] >= 2.0) & (state[:, column("WSO")] > 0.0)
    inputs[:, simulator.inputs.column("HARVEST")] = np.where(ripe | late, 1.0, 0.0)
    if (today.month, today.day) == (12, 15):
        inputs[:, simulator.inputs.column("PRUNE")] = pruned
    if fed and today.month in (4, 5, 6) and today.day == 1:
        inputs[:, simulator.inputs.columns(("N", "P", "K"))] = 60.0, 20.0, 60.0
    if fed and 3 <= today.month <= 10:
        least = np.array([0.25 * w.parameters["SMW"] + 0.75 * w.parameters["SMFCF"] for w in worlds])
        inputs[:, simulator.inputs.column("IRRIG")] = np.where(state[:, column("SM")] < least, 4.0, 0.0)
    return inputs


def draw() -> None:
    """Print and draw the yields by year after planting, and print what pruning does to them."""
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    for axis, crop in zip(figure.subplots(1, 2), CROPS, strict=True):
        axis.axhspan(*PLAUSIBLE[crop], color="0.92")
        for limitation, style in (("pp", "-"), ("lnpkw", ":")):
            tonnes = yields(crop, SITES, limitation)
            for i, (site, colour) in enumerate(zip(SITES, SERIES, strict=False)):
                label = f"{site}, {limitation}"
                axis.plot(np.arange(len(tonnes)), tonnes[:, i], style, color=colour, marker=".", label=label)
                print(f"{crop:9} {label:18} age 0-14:", " ".join(f"{t:5.1f}" for t in tonnes[:, i]))
        axis.set(title=crop, xlabel="age of the trees (years)", ylabel=f"fresh fruit ({printed('t ha-1')})")
        axis.set_ylim(bottom=0.0)
        tidy(axis)
    axis.legend(fontsize=6)
    figure.savefig(_FIGURE, dpi=120)
    print(f"wrote {_FIGURE.name}")


def prune() -> None:
    """Print the yields of older trees at Lodi by how much of their wood is cut each winter."""
    for crop in CROPS:
        for limitation in ("pp", "lnpkw"):
            tonnes = [yields(crop, ["lodi"], limitation, 20, pruned=cut)[10:].mean() for cut in _CUTS]
            text = ", ".join(f"{cut:.0%} {t:.1f}" for cut, t in zip(_CUTS, tonnes, strict=True))
            print(f"{crop:9} lodi {limitation:6} age 10-19, mean by share cut [t ha-1]: {text}")


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
    prune()
