"""How fast `agbench.simulate_many` is: seasons a CPU second, in a batch and one by one.

$ python docs/studies/simulate_many_speed.py
"""

import time

import agbench
from agbench.simulation import many

FIELD = {"crop": "maize-2", "soil": "arable-sand", "site": "netherlands"}
MODEL = "wofost-npk"
YEARS = range(1985, 2015)
CELLS = 40


def main():
    """Print the figures."""
    cases = [
        {
            "start": f"{year}-04-15",
            "SMW": 0.05 + 0.0005 * cell,
            "calendar": {"crop_start_date": f"{year}-04-15"},
        }
        for cell in range(CELLS)
        for year in YEARS
    ]
    agbench.simulate_many(MODEL, cases[:2], variables=["TWSO"], **FIELD)  # compiled before it is timed
    began = time.process_time()
    agbench.simulate_many(MODEL, cases, variables=["TWSO"], **FIELD)
    whole = time.process_time() - began
    began = time.process_time()
    for one in cases[:60]:
        given = {key: one[key] for key in ("start", "calendar")}
        agbench.simulate(MODEL, **given, **FIELD)
    alone = (time.process_time() - began) / 60 * len(cases)
    preparation = many._Preparation(MODEL, FIELD)
    began = time.process_time()
    prepared = [preparation.case(number, one) for number, one in enumerate(cases)]
    prepare = time.process_time() - began
    began = time.process_time()
    for one in prepared:
        one.model.world(one.season.setup)
    worlds = time.process_time() - began
    print(f"{len(cases)} seasons of {MODEL}: {len(cases) / whole:,.0f} a CPU second in the batch")
    print(f"    {len(cases) / alone:,.0f} a CPU second by agbench.simulate, one by one")
    print(f"    {prepare / whole:.0%} of the time prepares cases, {worlds / whole:.0%} builds worlds")


if __name__ == "__main__":
    main()
