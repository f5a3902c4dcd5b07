"""The original's greatest yields beside ours: python docs/studies/published.py FOLDER.

FOLDER holds the daily weather of NASA POWER, one file a point as `numpy.savez` stores it, with
PCSE's columns under their names, `date`, `lat`, `lon` and `elev`. Prints a table in Markdown, a row a season.
Takes about a minute.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

import agbench
from agbench.errors import WeatherError

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS: Final = ("IRRAD", "TMIN", "TMAX", "TEMP", "VAP", "WIND", "RAIN", "E0", "ES0", "ET0")


@dataclass(frozen=True)
class Season:
    """A season of the original's calendars, and its greatest WSO [kg ha-1]: no action, potential."""

    crop: str
    soil: str
    latitude: float
    longitude: float
    start: str
    end: str
    no_action: int
    potential: int

    @property
    def file(self) -> str:
        """The name of the weather file of its place."""
        return f"nasapower_lat{self.latitude:+06.2f}_lon{self.longitude:+07.2f}.npz"


SEASONS: Final = (
    Season("wheat-1", "oregon-1", 50.0, 5.0, "1984-02-01", "1984-10-01", 1629, 9987),
    Season("barley-1", "oregon-3", 50.0, 5.0, "1984-02-01", "1984-10-01", 705, 8789),
    Season("maize-1", "oregon-1", 44.0, -99.0, "1984-04-01", "1984-10-01", 792, 6910),
    Season("potato-1", "oregon-3", 50.0, 5.0, "2010-01-01", "2010-12-01", 86, 12761),
    Season("sunflower-1", "oregon-1", 40.0, 5.0, "1984-02-01", "1984-10-01", 5, 4364),
)
"""Crops, soils, places, days and years as the original's calendars have them: 1984, for potato 2010."""


def weather(folder: Path, season: Season) -> "pd.DataFrame":
    """Return the weather of a season's place; the few days without a value lie between their neighbours."""
    import pandas as pd

    path = folder / season.file
    if not path.is_file():
        raise WeatherError(f"there is no weather file {path}.")
    with np.load(path) as stored:
        table = pd.DataFrame({name: stored[name] for name in _COLUMNS}, index=stored["date"])
        table = table.asfreq("D").interpolate()
        table.attrs = {name: float(stored[name]) for name in ("lat", "lon", "elev")}
    return table


def greatest_weights(season: Season, table: "pd.DataFrame", setting: str) -> tuple[float, float]:
    """Return the greatest WSO [kg ha-1] of a season without any action, and of potential production."""
    calendar = {
        "crop_start_date": season.start,
        "crop_start_type": "sowing",
        "crop_end_type": "max_duration",
        "max_duration": 365,
    }
    result = [
        agbench.simulate(
            "wofost-npk",
            crop=season.crop,
            soil=season.soil,
            weather=table,
            start=season.start,
            end=season.end,
            limitation=limitation,
            setting=setting,
            calendar=calendar,
        )["WSO"].max()
        for limitation in ("lnpkw", "pp")
    ]
    return float(result[0]), float(result[1])


def table(folder: Path) -> Iterator[str]:
    """Return the lines of the table in Markdown; a season without weather says so."""
    yield "| crop, soil, place, season | original: no action / potential | `published` | `sound` |"
    yield "|---|---|---|---|"
    for season in SEASONS:
        place = f"{season.latitude:g} N, {abs(season.longitude):g} {'E' if season.longitude >= 0 else 'W'}"
        what = f"{season.crop}, {season.soil}, {place}, {season.start} to {season.end}"
        published = f"{season.no_action:,} / {season.potential:,}"
        if not (folder / season.file).is_file():
            yield f"| {what} | {published} | no weather at hand | |"
            continue
        series = weather(folder, season)
        pairs = [greatest_weights(season, series, setting) for setting in ("published", "sound")]
        ours = " | ".join(f"{none:,.0f} / {potential:,.0f}" for none, potential in pairs)
        yield f"| {what} | {published} | {ours} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the weather, a file a point")
    print(*table(parser.parse_args().folder), sep="\n")
