"""The stored runs of WOFOSTGym's engine, and ours through the same world."""

import datetime as dt
import itertools
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.simulate import simulate_wofost
from agbench.weather.daily import DAILY, DailySeries, derive

_TESTS = Path(__file__).parents[2]
COMPACT = _TESTS / "reference" / "wofost"
FULL = Path(os.environ.get("AGBENCH_REFERENCE", _TESTS.parents[1] / "shared")) / "reference/wofost"
_UNTOLD = {"DOF", "HI", "IDOST", "IDWST", "WBALRT", "WBALTT", "DATBE", "RDEM", "DOP", "STAGE"}
_OF_TREES = {"DCYCLE", "DSNG", "DSD"}  # 0 on all days of a vine
_RESTING = ("DATBE", "RDEM")  # of perennial crops alone
_OTHER = ("h_", "w_", "snap", "NLV", "LVAGE_", "LV_", "SLA_", "day", "kept")


@cache
def load(folder: Path, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what is told about a run, and its arrays."""
    case = json.loads((folder / f"{name}.json").read_text())
    arrays = dict(np.load(folder / f"{name}.npz"))
    for names, values in (("weather_names", "weather"), ("names", "values")):
        if names in arrays:
            columns = arrays.pop(values).T
            arrays.update(zip(arrays.pop(names).tolist(), columns, strict=True))
    return case, arrays


def series(case: dict[str, Any], arrays: dict[str, Any]) -> DailySeries:
    """Return the weather of a run, as stored."""
    start = dt.date(1970, 1, 1) + dt.timedelta(days=int(arrays["day"][0]))
    place = case["site"]
    columns = {n: arrays[f"w_{n}"] for n in DAILY.names if f"w_{n}" in arrays}
    values = derive(columns, start, place["latitude"], place["elevation"])
    return DailySeries(case["name"], start, values, place["latitude"], place["longitude"], place["elevation"])


def events(case: dict[str, Any]) -> list[Any]:
    """Return the events; one sent after the row of a day acts in that of the next."""
    result: list[Any] = []
    for event in case["events"]:
        day = dt.date.fromisoformat(event["date"]) + dt.timedelta(days=1)
        if event["type"] == "harvest":
            result.append((day, "harvest", event["efficiency"]))
        elif event["type"] == "irrigate":
            result.append((day, "irrigate", event["amount"], event["efficiency"]))
        else:
            amounts = [event["amount"] if event["type"][-1] == x else 0.0 for x in "NPK"]
            result.append((day, "apply_npk", amounts, event["recovery"]))
    return result


def simulate(case: dict[str, Any], arrays: dict[str, Any], setting: str) -> pd.DataFrame:
    """Return our run through the world of a stored one."""
    values = case["agromanagement"]["CropCalendar"]
    keys = ("start_date", "start_type", "end_date", "end_type")
    calendar = {f"crop_{key}": values[f"crop_{key}"] for key in keys}
    weather = series(case, arrays)
    return simulate_wofost(
        "wofost-npk",
        {name: _read(value) for name, value in case["parameters"].items()},
        weather,
        weather.start,
        weather.end,
        CropCalendar.from_mapping({**calendar, "max_duration": values["max_duration"]}),
        [event for event in events(case) if event[0] <= weather.end],
        setting=setting,
        limitation=case["mode"].lower(),
        crop_type=case.get("crop_model", "annual"),
    )


def _read(value: Any) -> Any:
    """Return a table as the original reads it: without points whose abscissa is not above the one before.

    Pear has two points at 0 in RDRRTB and RDRSTB, which ours would refuse (defect P3).
    """
    if not isinstance(value, list) or len(value) < 4 or isinstance(value[1], list):
        return value
    points = list(zip(value[::2], value[1::2], strict=True))
    kept = [points[0], *(b for a, b in itertools.pairwise(points) if b[0] > a[0])]
    return [number for point in kept for number in point]


def compared(text: dict[str, Any], arrays: dict[str, Any]) -> list[str]:
    """Return the names of the states and rates to compare."""
    untold = _UNTOLD - set(_RESTING) if text.get("crop_model") == "perennial" else _UNTOLD
    if text.get("crop_model") == "grape":
        untold = untold | _OF_TREES
    return [name for name in arrays if name not in untold and not name.startswith(_OTHER)]
