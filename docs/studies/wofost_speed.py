"""Days a second of the WOFOST kernels and of PCSE's models: python docs/studies/wofost_speed.py.

Prints a line for PCSE, the kernel alone and simulators of 1 and 256 rows, each with its ratio to PCSE.
Takes some seconds.
"""

import argparse
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from agbench.data import catalog
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.simulator import WofostSimulator
from agbench.simulators.wofost.world import build_world
from agbench.weather.site import site_series

_START, _END = date(1984, 2, 1), date(1984, 10, 1)
_REPEATS = 5
_ROWS = 256


@dataclass(frozen=True)
class Speed:
    """Simulated days a second of one way to run a model."""

    what: str
    days_a_second: float


def best(run: Callable[[], int], repeats: int = _REPEATS) -> float:
    """Return the greatest number of days a second over some repeats of `run`, which counts them."""
    rates = []
    for _ in range(repeats):
        started = time.perf_counter()
        days = run()
        rates.append(days / (time.perf_counter() - started))
    return max(rates)


def _world(parameters: dict[str, Any]) -> Any:
    calendar = CropCalendar(_START, "sowing", None, "max_duration", 365)
    series = site_series("wageningen")
    return build_world("wofost-npk", parameters, series, calendar, _START, _END)


def kernel(rows: int = _ROWS) -> Speed:
    """Return the speed of the N-P-K model, water-limited, whole seasons in one call."""
    world = _world({**catalog.soil("oregon-1").values, **catalog.crop("wheat-1").values})
    simulator = WofostSimulator("wofost-npk", rows)
    inputs = np.zeros((rows, len(simulator.inputs)))

    def run() -> int:
        simulator.reset([world] * rows)
        simulator.advance(inputs, 1_000)
        return int(simulator.elapsed.sum())

    run()
    return Speed(f"wofost-npk, {rows} rows, a season a call", best(run))


def steps(rows: int) -> Speed:
    """Return the speed of the N-P-K model stepped day by day."""
    world = _world({**catalog.soil("oregon-1").values, **catalog.crop("wheat-1").values})
    simulator = WofostSimulator("wofost-npk", rows)
    inputs = np.zeros((rows, len(simulator.inputs)))

    def run() -> int:
        simulator.reset([world] * rows)
        while not simulator.finished.all():
            simulator.advance(inputs, 1)
        return int(simulator.elapsed.sum())

    run()
    return Speed(f"wofost-npk, {rows} rows, a day a call", best(run))


def pcse_nearest() -> Speed:
    """Return the speed of the nearest model of PCSE 6: WOFOST 7.2, water-limited."""
    logging.disable(logging.CRITICAL)
    from pcse.base import ParameterProvider
    from pcse.models import Wofost72_WLP_CWB

    from agbench.simulators.pcse_reference.stepping import SeriesProvider

    parameters = {**catalog.soil("oregon-1").values, **catalog.crop("wheat-1").values, "SPA": 0.0}
    weather = SeriesProvider(site_series("wageningen"), _START, _END)
    calendar = {
        "crop_name": "wheat",
        "variety_name": "wheat-1",
        "crop_start_date": _START,
        "crop_start_type": "sowing",
        "crop_end_date": _END,
        "crop_end_type": "harvest",
        "max_duration": 365,
    }
    field = {"CropCalendar": calendar, "TimedEvents": None, "StateEvents": None}

    def run() -> int:
        provider = ParameterProvider(cropdata=parameters)
        engine = Wofost72_WLP_CWB(provider, weather, [{_START: field}])
        engine.run_till_terminate()
        return int((engine.day - _START).days)

    return Speed("PCSE 6, WOFOST 7.2 water-limited", best(run, 3))


def main() -> None:
    """Print the speeds and their ratios to PCSE."""
    reference = pcse_nearest()
    for speed in (reference, kernel(), steps(1), steps(256)):
        ratio = speed.days_a_second / reference.days_a_second
        print(f"{speed.what:45s} {speed.days_a_second:12,.0f} days/s  {ratio:8,.0f} x")


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    main()
