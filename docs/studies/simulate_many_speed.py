"""How fast `agbench.simulate_many` is: yearly yields of many cells, beside the kernel alone and PCSE.

$ python docs/studies/simulate_many_speed.py        (10,000 cells, 30 years; another number behind it)

Cells differ in their wilting point and field capacity. All times are CPU seconds of one process.
"""

import resource
import sys
import time

import numpy as np

import agbench
from agbench.simulators.field.simulator import DailySimulator

MODEL = "wofost72-wlp"
FIELD = {"crop": "grain-maize-201-wofost72", "soil": "ec3", "site": "netherlands"}
YEARS = range(1985, 2015)
ALONE = 20  # seasons that PCSE and `agbench.simulate` run


def season(year):
    """Return the dates of a season."""
    calendar = {"crop_start_date": f"{year}-04-15", "crop_start_type": "sowing", "max_duration": 220}
    return {"start": f"{year}-04-15", "calendar": calendar}


def cells(count):
    """Yield the parameters of cells."""
    for share in np.linspace(0.0, 1.0, count).tolist():
        yield {"SMW": 0.08 + 0.04 * share, "SMFCF": 0.28 + 0.08 * share}


def timed(work):
    """Return what work returns, and the CPU seconds that it takes."""
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def main():
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    cases = [{**season(year), **own} for own in cells(count) for year in YEARS]
    agbench.simulate_many(MODEL, cases[:2], variables=["TWSO"], **FIELD)  # compiled before it is timed
    inner = DailySimulator.seasons
    kernel = 0.0

    def seasons(self, *arguments):
        nonlocal kernel
        began = time.process_time()
        inner(self, *arguments)
        kernel += time.process_time() - began

    DailySimulator.seasons = seasons
    began = time.perf_counter()
    table, whole = timed(lambda: agbench.simulate_many(MODEL, cases, variables=["TWSO"], **FIELD))
    clock = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(cases):,} cell-years of {MODEL}: {whole:.1f} CPU s, {clock:.1f} s by the clock, {peak:,.0f} MB"
    )
    print(f"    {len(cases) / whole:,.0f} a CPU second; the kernel has {kernel / whole:.0%} of it")
    for engine in ("compiled", "pcse"):
        given = {"crop": FIELD["crop"], "soil": FIELD["soil"], "site": FIELD["site"], "engine": engine}
        years = [season(year) for year in YEARS][:ALONE]
        _, alone = timed(
            lambda given=given, years=years: [agbench.simulate(MODEL, **y, **given) for y in years]
        )
        rate = ALONE / alone
        print(
            f"    one by one, {engine}: {rate:,.1f} a CPU second; the batch has "
            f"{len(cases) / whole / rate:,.0f} times that"
        )
    print(f"    mean yield {table['TWSO'].mean():,.0f} kg ha-1")


if __name__ == "__main__":
    main()
