"""Yields of vines by their age, from planting on: python docs/studies/grape_yields.py.

Ten years at Lodi, 4 seasons of weather; fruit is harvested on 10 October. Without limits, and with 60 N,
30 P, 60 K [kg ha-1] and 30 cm of water a year; and the largest gap of each balance over all days [kg ha-1].
Draws docs/figures/vineyards.png.
"""

from datetime import timedelta
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from agbench.data import catalog
from agbench.plotting import SERIES, printed, tidy
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.world import WofostWorld, build_world
from agbench.variables import Floats
from agbench.weather.daily import DailySeries, derive
from agbench.weather.generator.generate import FIRST_DAY, OBSERVED_ORDER
from agbench.weather.site import site_generator

YEARS: Final = 10
SEASONS: Final = 4
CULTIVARS: Final = ("chardonnay", "merlot", "riesling", "tempranillo")
HARVEST: Final = 282  # day of the year, from 0
FED: Final = {120: (30.0, 15.0, 30.0, 5.0), 165: (30.0, 15.0, 30.0, 5.0)}
"""N, P, K [kg ha-1] and water [cm] by day of the year; more water on WATERED."""
WATERED: Final = (150, 180, 195, 210)
DRY_MATTER: Final = 0.22  # kg kg-1 of ripe berries (Keller 2020, The Science of Grapevines)
PLAUSIBLE: Final = (5.0, 15.0)  # t ha-1, fresh, of bearing vines: 2 to 7 short tons an acre (assumption)
FULL: Final = 5.0
"""The year of full production: Aegerter and Folwell (1996), Washington State University EB1823."""
_FIGURE: Final = Path(__file__).parents[1] / "figures" / "vineyards.png"


def weather(season: int) -> DailySeries:
    """Return ten years of 365 generated days."""
    generator = site_generator("lodi")
    rows = generator.observed(season, YEARS)
    columns = {name: rows[:, i] for i, name in enumerate(OBSERVED_ORDER)}
    values = derive(columns, FIRST_DAY, generator.latitude, generator.elevation, generator.angstrom)
    return DailySeries(
        "lodi", FIRST_DAY, values, generator.latitude, generator.longitude, generator.elevation
    )


def world(crop: str, season: int, limitation: str) -> WofostWorld:
    """Return young vines on the first day of ten years."""
    series = weather(season)
    end = FIRST_DAY + timedelta(days=len(series.values) - 1)
    return build_world(
        "wofost-npk",
        {**catalog.soil("washington-1").values, **catalog.crop(f"grape-{crop}").values},
        series,
        CropCalendar(FIRST_DAY, "endodorm", None, "max_duration", len(series.values) + 1),
        FIRST_DAY,
        end,
        limitation=limitation,
        crop_type="grape",
        stop_after=end,
    )


def inputs(simulator: WofostSimulator, day: int, fed: bool) -> Floats:
    """Return the inputs of a day of the year."""
    result = np.zeros((simulator.n, len(simulator.inputs)))
    columns = simulator.inputs.columns(("N", "P", "K", "IRRIG"))
    if fed and day in FED:
        result[:, columns] = FED[day]
    if fed and day in WATERED:
        result[:, simulator.inputs.column("IRRIG")] = 5.0
    if day == HARVEST:
        result[:, simulator.inputs.column("HARVEST")] = 1.0
    return result


def gaps(simulator: WofostSimulator) -> list[float]:
    """Return the largest gaps of biomass, carbon, N, P and K since the start [kg ha-1]."""

    def total(*names: str) -> Floats:
        columns = simulator.variables.columns(names)
        return np.asarray(simulator.state[:, columns].sum(axis=1))

    organs = ("TWLV", "TWST", "TWSO", "TWRT", "WWD", "DWWD", "HARVESTED", "PRUNED")
    found = [total(*organs) - total("GROWNT")]
    found.append(total("GASST", "RESPLANTED") - total("MREST", "COSTT", "WRES", "RESLOST"))
    for x in "NPK":
        stores = [f"{x}AMOUNT{o}" for o in ("LV", "ST", "RT", "SO", "WD")]
        stores += [f"{x}lossesTotal", f"{x}HARVESTED", f"{x}PRUNED"]
        sources = [f"{x}UPTAKETOTAL", f"{x}PLANTED", *(["NFIXTOTAL"] if x == "N" else [])]
        found.append(total(*stores) - total(*sources))
    return [float(abs(gap).max()) for gap in found]


def ten_years(limitation: str, fed: bool) -> tuple[Floats, Floats]:
    """Return the dry fruit of each year (YEARS, cultivars, seasons) [kg ha-1], and the largest gaps."""
    simulator = WofostSimulator("wofost-npk", len(CULTIVARS) * SEASONS, crop_type="grape")
    simulator.reset([world(crop, season, limitation) for crop in CULTIVARS for season in range(SEASONS)])
    harvested = simulator.variables.column("HARVESTED")
    yields, before, worst = [], np.zeros(simulator.n), np.zeros(5)
    for t in range(1, 365 * YEARS):
        simulator.advance(inputs(simulator, t % 365, fed), 1)
        worst = np.maximum(worst, gaps(simulator))
        if t % 365 == HARVEST:
            yields.append(simulator.state[:, harvested] - before)
            before = simulator.state[:, harvested].copy()
    return np.array(yields).reshape(YEARS, len(CULTIVARS), SEASONS), worst


def draw(axis: Axes, title: str, tonnes: Floats) -> None:
    """Draw the fresh fruit [t ha-1] of each year and cultivar, (YEARS, cultivars, seasons)."""
    axis.axhspan(*PLAUSIBLE, color="0.92")
    axis.axvline(FULL, color="0.6", linewidth=0.8, linestyle="--")
    years = np.arange(1, YEARS + 1)
    for i, (cultivar, colour) in enumerate(zip(CULTIVARS, SERIES, strict=False)):
        low, mean, high = (f(tonnes[:, i], axis=1) for f in (np.min, np.mean, np.max))
        axis.plot(years, mean, color=colour, marker=".", label=cultivar)
        axis.fill_between(years, low, high, color=colour, alpha=0.12, linewidth=0)
    axis.set(title=title, xlabel="year from planting", ylabel=f"fresh fruit ({printed('t ha-1')})")
    axis.set_ylim(0.0, 20.0)
    tidy(axis)


def main() -> None:
    """Print the tables and draw them."""
    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    cases = (("no limits", "pp", False), ("fed and watered", "lnpkw", True))
    for axis, (title, limitation, fed) in zip(figure.subplots(1, 2), cases, strict=True):
        yields, worst = ten_years(limitation, fed)
        draw(axis, title, yields / DRY_MATTER / 1000.0)
        print(f"{title}: fresh fruit [t ha-1] by year from planting, mean of {SEASONS} seasons")
        print("  year        " + "".join(f"{year:7d}" for year in range(1, YEARS + 1)))
        for i, crop in enumerate(CULTIVARS):
            fresh = yields[:, i].mean(axis=1) / DRY_MATTER / 1000.0
            print(f"  {crop:12}" + "".join(f"{value:7.1f}" for value in fresh))
        words = ("biomass", "carbon", "N", "P", "K")
        print("  largest gaps: " + ", ".join(f"{w} {g:.1e}" for w, g in zip(words, worst, strict=True)))
    axis.legend(fontsize=6)
    figure.savefig(_FIGURE, dpi=120)
    print(f"wrote {_FIGURE.name}")


if __name__ == "__main__":
    main()
