"""Make nasapower_days.json: `python make_nasapower_days.py FOLDER`, the folder of sites/make_nasapower.py.

Some days of three points as NASAPowerWeatherDataProvider of PCSE 6 turned the answers of NASA POWER into its
own columns and units, evapotranspiration computed by PCSE.
"""

import json
import sys
from pathlib import Path

import numpy as np

POINTS = {
    "netherlands": "nasapower_lat+52.00_lon+005.00.npz",
    "niger": "nasapower_lat+13.00_lon+004.00.npz",
    "oregon": "nasapower_lat+44.00_lon-123.00.npz",
}
COLUMNS = ("IRRAD", "TMIN", "TMAX", "TEMP", "VAP", "WIND", "RAIN", "E0", "ES0", "ET0")
EVERY = 1499  # days


def main(folder: Path) -> None:
    """Write the days of all points."""
    result = {}
    for site, file in POINTS.items():
        with np.load(folder / file) as archive:
            rows = slice(0, 14_900, EVERY)
            days = {"date": archive["date"][rows].astype(str).tolist()}
            result[site] = days | {name: archive[name][rows].tolist() for name in COLUMNS}
    text = json.dumps(result, indent=1).replace("\n   ", " ").replace("\n  ]", "]")
    Path(__file__).with_name("nasapower_days.json").write_text(text + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
