"""Mean dates of the stages of each grape cultivar in eastern Washington: python docs/studies/grape_stages.py.

Generated seasons of the site washington-state (46 N, 120 W, 387 m), after a first winter; beside them what
growers of the Columbia and Yakima Valleys observed, on lower and warmer sites.
"""

import argparse
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

import numpy as np

from agbench.data import catalog
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.world import build_world
from agbench.variables import Floats
from agbench.weather.generator.generate import FIRST_DAY
from agbench.weather.site import site_generator

STAGES: Final = {"DOB": "bud break", "DOL": "bloom", "DOV": "veraison", "DOR": "ripe"}
OBSERVED: Final = {"DOB": ("04-02", "04-30"), "DOL": ("05-14", "06-20"), "DOV": ("07-12", "08-25")}
"""First and last dates in common years: bud break of Chardonnay on 2 (2014), 12 (2017) and 11 April (2019);
bloom of Chardonnay on 14 May (2015, warm) to 7 June (2012, average); veraison of Dolcetto from 12 July on and
of Cabernet Sauvignon from 21 July (2019, 2020) to 3 August (2022): Northwest Wine Report 2012-2022. The last
dates stand for cool years and for sites as high as ours."""
_EPOCH: Final = date(1970, 1, 1)
_YEARS: Final = 3


def stage_days(crops: Sequence[str], site: str, seasons: int) -> dict[str, Floats]:
    """Return the day of the year of each stage, (crops, seasons x years), NaN where it did not come."""
    generator = site_generator(site)
    calendar = CropCalendar(FIRST_DAY, "endodorm", None, "max_duration", _YEARS * 366)
    soil = catalog.soil("washington-1").values
    end = FIRST_DAY + timedelta(days=_YEARS * 365 - 1)
    worlds = [
        build_world(
            "wofost-npk",
            {**soil, **catalog.crop(crop).values},
            generator.season(number, _YEARS),
            calendar,
            FIRST_DAY,
            end,
            limitation="pp",
            crop_type="grape",
            stop_after=end,
        )
        for crop in crops
        for number in range(seasons)
    ]
    simulator = WofostSimulator("wofost-npk", len(worlds), crop_type="grape")
    simulator.reset(worlds)
    simulator.advance(np.zeros((len(worlds), len(simulator.inputs))), 364)
    years = []
    for year in range(FIRST_DAY.year + 1, FIRST_DAY.year + _YEARS):
        simulator.advance(np.zeros((len(worlds), len(simulator.inputs))), 365)
        first = (date(year, 1, 1) - _EPOCH).days
        dates = simulator.state[:, simulator.variables.columns(tuple(STAGES))]
        years.append(np.where(dates >= first, dates - first + 1.0, np.nan))
    days = np.stack(years, axis=1).reshape(len(crops), -1, len(STAGES))
    return {name: days[:, :, i] for i, name in enumerate(STAGES)}


def as_date(day: float) -> str:
    """Return a day of the year as month and day."""
    return f"{date(2001, 1, 1) + timedelta(days=round(day) - 1):%m-%d}"


def row(crop: str, days: dict[str, Floats], i: int) -> str:
    """Return a line: mean and spread of each stage, and the share of years that it comes in."""
    cells = []
    for name in STAGES:
        there = days[name][i][~np.isnan(days[name][i])]
        share = len(there) / days[name].shape[1]
        text = f"{as_date(there.mean())} +-{there.std():2.0f}" if len(there) else "-"
        cells.append(f"{text:>10}" + ("      " if share == 1.0 or not len(there) else f" {share:4.0%} "))
    return f"{crop:26}" + "".join(cells)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seasons", type=int, default=20, help="generated seasons of three years")
    parser.add_argument("--site", default="washington-state", help="a site with a climate")
    options = parser.parse_args()
    crops = [name for name in catalog.names("crop") if catalog.crop(name).crop_type == "grape"]
    days = stage_days(crops, options.site, options.seasons)
    print(f"{'cultivar':26}" + "".join(f"{word:>10}      " for word in STAGES.values()))
    for i, crop in enumerate(crops):
        print(row(crop, days, i))
    for name, (first, last) in OBSERVED.items():
        inside = sum(first <= as_date(np.nanmean(of_crop)) <= last for of_crop in days[name])
        print(f"{STAGES[name]}: observed {first} to {last}; {inside} of {len(crops)} means lie within")


if __name__ == "__main__":
    main()
