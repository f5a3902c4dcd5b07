"""The stored runs of WOFOSTGym's engine, and ours through the same world."""

import datetime as dt
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
        if event["type"] == "irrigate":
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
        case["parameters"],
        weather,
        weather.start,
        weather.end,
        CropCalendar.from_mapping({**calendar, "max_duration": values["max_duration"]}),
        events(case),
        setting=setting,
        limitation=case["mode"].lower(),
    )


def compared(arrays: dict[str, Any]) -> list[str]:
    """Return the names of the states and rates to compare."""
    return [name for name in arrays if name not in _UNTOLD and not name.startswith(_OTHER)]
