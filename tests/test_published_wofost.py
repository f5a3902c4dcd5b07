"""The numbers of the original: greatest WSO of 1984, without action and potential.

The weather is NASA POWER's, one file a point as stored by `numpy.savez` with PCSE's columns; name
their folder in AGBENCH_POWER to run this.
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import agbench

FOLDER = Path(os.environ.get("AGBENCH_POWER", "."))
COLUMNS = ["IRRAD", "TMIN", "TMAX", "TEMP", "VAP", "WIND", "RAIN", "E0", "ES0", "ET0"]
WEST, PRAIRIE = "nasapower_lat+50.00_lon+005.00", "nasapower_lat+44.00_lon-099.00"
SEASONS = {
    "wheat-1": (WEST, "02-01", 1629, 9987),
    "barley-1": (WEST, "02-01", 705, 8789),
    "maize-1": (PRAIRIE, "04-01", 792, 6910),
}


@pytest.mark.parametrize("crop", SEASONS)
def test_the_published_setting_gives_the_original_s_numbers(crop):
    place, start, no_action, potential = SEASONS[crop]
    if not (FOLDER / f"{place}.npz").is_file():
        pytest.skip(f"no {place}.npz; its folder is named by AGBENCH_POWER")
    with np.load(FOLDER / f"{place}.npz") as stored:
        table = pd.DataFrame({name: stored[name] for name in COLUMNS}, index=stored["date"])
        table = table.asfreq("D").interpolate()
        table.attrs = {name: float(stored[name]) for name in ("lat", "lon", "elev")}
    found = [
        agbench.simulate(
            "wofost-npk",
            crop=crop,
            soil="oregon-1",
            weather=table,
            start=f"1984-{start}",
            end="1984-10-01",
            limitation=limitation,
            setting="published",
            calendar={
                "crop_start_date": f"1984-{start}",
                "crop_start_type": "sowing",
                "crop_end_type": "max_duration",
            },
        )["WSO"].max()
        for limitation in ("lnpkw", "pp")
    ]
    assert [round(value) for value in found] == [no_action, potential]
