"""PCSE's own WOFOST, every state and rate of every day as a table: the independent reference."""

import datetime as dt
import json
import logging
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pcse.models
from pcse.base import ParameterProvider, SimulationObject, WeatherDataContainer, WeatherDataProvider
from pcse.input import CABOWeatherDataProvider

from agbench.weather.daily import DAILY, DailySeries

logging.disable(logging.CRITICAL)

REFERENCE = Path(__file__).parents[2] / "reference" / "wofost"
MODELS = {
    "wofost72-pp": "Wofost72_PP",
    "wofost72-wlp": "Wofost72_WLP_CWB",
    "wofost81-pp": "Wofost81_PP",
    "wofost81-wlp": "Wofost81_WLP_CWB",
    "wofost81-nwlp": "Wofost81_NWLP_CWB_CNB",
}
LAYERED = {"wofost81-wlp": "Wofost81_WLP_MLWB", "wofost81-nwlp": "Wofost81_NWLP_MLWB_CNB"}
SOIL = {
    "SMFCF": 0.3, "SM0": 0.4, "SMW": 0.1, "CRAIRC": 0.06, "SOPE": 10.0, "KSUB": 10.0,
    "RDMSOL": 120.0, "IFUNRN": 0.0, "SSMAX": 0.0, "SSI": 0.0, "WAV": 10.0, "NOTINF": 0.0,
    "SMLIM": 0.4, "NSOILBASE": 60.0, "NSOILBASE_FR": 0.025, "NAVAILI": 20.0, "BG_N_SUPPLY": 0.05,
    "CO2": 360.0,
}  # fmt: skip


NO_REALLOCATION = {
    "REALLOC_DVS": 2.0, "REALLOC_STEM_FRACTION": 0.0, "REALLOC_LEAF_FRACTION": 0.0,
    "REALLOC_STEM_RATE": 0.0, "REALLOC_LEAF_RATE": 0.0, "REALLOC_EFFICIENCY": 0.0,
}  # fmt: skip
"""For the crops of WOFOST 8.1 that are published without these parameters."""


@cache
def crops(version: str) -> dict[str, Any]:
    """Return the stored crop parameters of WOFOST `version` ("72" or "81") by crop and variety."""
    stored = json.loads((REFERENCE / f"crops{version}.json").read_text())
    return {
        f"{crop}/{variety}": {**entry["shared"], **own}
        for crop, entry in stored["crops"].items()
        for variety, own in entry["varieties"].items()
    }


@cache
def wageningen() -> DailySeries:
    """Return the CABO weather of Wageningen that PCSE ships, 1976 to 1989, as PCSE reads it."""
    folder = Path(pcse.__file__).parent / "tests" / "test_data"
    reader = CABOWeatherDataProvider("NL1", str(folder))
    first, last = dt.date(1976, 1, 1), dt.date(1989, 12, 31)
    days = [first + dt.timedelta(days=i) for i in range((last - first).days + 1)]
    values = np.full((len(days), len(DAILY)), np.nan)
    for i, day in enumerate(days):
        w = reader(day)
        mean = (w.TMIN + w.TMAX) / 2.0
        values[i] = [getattr(w, n, mean if n == "TEMP" else 0.0) for n in DAILY.names]
    photoperiod = [pcse.util.daylength(day, reader.latitude) for day in days]
    values[:, DAILY.column("DAYLP")] = photoperiod
    return DailySeries("NL1", first, values, reader.latitude, reader.longitude, reader.elevation)


class _Weather(WeatherDataProvider):
    """A series behind PCSE's interface."""

    def __init__(self, series: DailySeries, start: dt.date, end: dt.date) -> None:
        super().__init__()
        self.latitude, self.longitude = series.latitude, series.longitude
        self.elevation = series.elevation
        place = {"LAT": series.latitude, "LON": series.longitude, "ELEV": series.elevation}
        for i in range((end - start).days + 1):
            day = start + dt.timedelta(days=i)
            row = series.values[(day - series.start).days]
            names = dict(zip(DAILY.names, map(float, row), strict=True))
            names.pop("DAYLP")
            self._store_WeatherDataContainer(WeatherDataContainer(DAY=day, **place, **names), day)


def _collect(part: SimulationObject, row: dict[str, Any]) -> None:
    for holder in (part.states, part.rates):
        if holder is not None:
            for name in holder._valid_vars:
                row.setdefault(name, getattr(holder, name))
    for child in part.subSimObjects:
        _collect(child, row)


def _row(model: Any) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for part in (model.soil, model.crop):
        if part is not None:
            _collect(part, row)
    return row


def run_pcse(
    model: str,
    parameters: Mapping[str, Any],
    series: DailySeries,
    start: dt.date,
    calendar: Mapping[str, Any],
    events: Sequence[tuple[dt.date, str, float, float]] = (),
    end: dt.date | None = None,
    layered: bool = False,
) -> pd.DataFrame:
    """Return a run of PCSE, a row a day, all states and rates; NaN without a crop."""
    provider = ParameterProvider(cropdata=dict(parameters))
    timed = [
        {"event_signal": kind, "name": kind, "comment": "", "events_table": [{day: _arguments(kind, *r)}]}
        for day, kind, *r in events
    ]
    named = {"crop_name": "crop", "variety_name": "variety", **calendar}
    campaign = {start: {"CropCalendar": named, "TimedEvents": timed or None, "StateEvents": None}}
    agro = [campaign] if end is None else [campaign, {end: None}]
    last = end or calendar["crop_end_date"] or start + dt.timedelta(days=500)
    engine = getattr(pcse.models, (LAYERED if layered else MODELS)[model])(
        provider, _Weather(series, start, last), agro
    )
    rows = [_row(engine)]
    original = engine._finish_cropsimulation

    def finish(day: dt.date) -> None:
        rows.append(_row(engine))
        original(day)

    engine._finish_cropsimulation = finish
    days = [start]
    while not engine.flag_terminate:
        before = len(rows)
        engine.run(days=1)
        if len(rows) == before:
            rows.append(_row(engine))
        days.append(engine.day)
    return pd.DataFrame(rows, index=pd.DatetimeIndex(days, name="day"))


def _arguments(kind: str, amount: float, share: float) -> dict[str, float]:
    if kind == "irrigate":
        return {"amount": amount, "efficiency": share}
    return {"N_amount": amount, "N_recovery": share}


_UNTOLD = {"HI", "IDOST", "IDWST", "WBALRT", "WBALTT", "DOF", "FINISH_TYPE", "LV", "SLA", "LVAGE"}
"""Names that PCSE fills only when the object is removed, and leaf classes."""
_UNUSED = {"PGASS", "NtranslocatableLV", "NtranslocatableST", "NtranslocatableRT", "Ntranslocatable"}
_ABSENT = {"PF", "TRALY", "RLV_REALLOCATED", "RST_REALLOCATED"}
"""Names that are set nowhere in PCSE, or not to a number."""


_REMAINDERS = ("ndemand", "nuptake", "ntranslocation")


def worst(ours: pd.DataFrame, theirs: pd.DataFrame) -> tuple[float, str]:
    """Return the greatest relative difference over all shared columns and days, and its column."""
    assert len(ours) == len(theirs)
    days = _comparable(ours["WLV"].to_numpy(float), theirs["WLV"].to_numpy(dtype=float))
    ours, theirs = ours.iloc[:days], theirs.iloc[:days]
    errors = {}
    for name in set(theirs.columns) - _UNTOLD - _UNUSED - _ABSENT:
        if name not in ours:
            assert not theirs[name].fillna(0.0).any(), name
            continue
        a, b = ours[name], theirs[name]
        if name == "STAGE":
            assert a.fillna("").tolist() == b.fillna("").tolist()
        elif name in ("DOS", "DOE", "DOA", "DOM", "DOV"):
            assert pd.to_datetime(b).equals(a), name
        elif name != "DOH":
            least = 1e-4 if name.lower().lstrip("r").startswith(_REMAINDERS) else 1e-6
            errors[name] = relative_error(a.to_numpy(float), b.to_numpy(dtype=float), least)
    name = max(errors, key=lambda n: errors[n])
    return errors[name], name


def _comparable(ours: Any, theirs: Any) -> int:
    """Return the number of days before rounding decides whether there are leaves.

    Where the last leaves die, 1e-15 kg or nothing is left, and the nitrogen that such leaves may lose
    depends on which: PCSE divides by their mass.
    """
    least = 1e-12 * np.nanmax(theirs, initial=0.0)
    doubtful = ((ours > 0.0) != (theirs > 0.0)) & (ours < least) & (theirs < least)
    result = np.flatnonzero(doubtful & ~np.isnan(ours))
    return int(result[0]) if len(result) else len(ours)


def relative_error(a: Any, b: Any, floor: float = 1e-6) -> float:
    """Return the greatest |a - b| relative to |b|; infinite where only one of them is NaN.

    What is less than the share `floor` of the season's greatest is measured by that: a difference of
    equal numbers leaves 0 or 1e-16 by how exp was rounded, and ours is not the C library's that PCSE
    calls. Demand, uptake and translocation of nitrogen want a greater floor: they are what remains of
    amounts a hundred times their size.
    """
    if (np.isnan(a) != np.isnan(b)).any():
        return float("inf")
    size = np.abs(b)
    least = max(1e-12, floor * np.nanmax(size, initial=0.0))
    return float(np.nanmax(np.abs(a - b) / np.maximum(size, least), initial=0.0))
