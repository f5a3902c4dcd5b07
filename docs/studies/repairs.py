"""What each repair of `wofost-npk` alone does to yield: python docs/studies/repairs.py.

Four cases, each the mean of ten years at Wageningen; all else as the original computes it.
Prints a table in Markdown, a row a repair. Takes some 15 seconds.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import numpy as np

from agbench.data import catalog
from agbench.simulators.field import events
from agbench.simulators.field.calendar import CropCalendar
from agbench.simulators.wofost.parameters import REPAIRS
from agbench.simulators.wofost.simulate import daily_management, run
from agbench.simulators.wofost.variants import find
from agbench.simulators.wofost.world import build_world
from agbench.weather.site import site_series

YEARS: Final = tuple(range(1976, 1986))
TABLES: Final = {"C7": "SPA", "C8": "RDRSOF", "C8b": "RDRSOB", "P4": "RDRROS"}
"""The repaired tables of figures, by the defect."""

_END: Final = "10-01"  # of every season: three weeks or more of field losses
_RECOVERY: Final = 0.7
_FED: Final = tuple(
    (day, *dose)
    for day in ("05-01", "05-25", "06-20")
    for dose in (("apply_npk", (40.0, 20.0, 40.0)), ("irrigate", 3.0))
)
"""Days and doses: N, P, K [kg ha-1] and water [cm], three times."""


@dataclass(frozen=True)
class Case:
    """A season that all repairs are tried on."""

    name: str
    words: str
    crop: str
    soil: str
    start: str
    limitation: str
    doses: tuple[Any, ...] = ()


CASES: Final = (
    Case("A", "wheat without inputs", "wheat-1", "oregon-1", "03-15", "lnpkw"),
    Case("B", "wheat with 3 x 40 N, 20 P, 40 K and 3 cm", "wheat-1", "oregon-1", "03-15", "lnpkw", _FED),
    Case("C", "maize with the same", "maize-1", "oregon-1", "04-15", "lnpkw", _FED),
    Case("D", "potential wheat on oregon-2", "wheat-1", "oregon-2", "03-15", "pp"),
)


def final_weight(
    case: Case,
    repairs: Sequence[str] = (),
    tables: Sequence[str] = (),
    setting: str = "published",
    years: Sequence[int] = YEARS,
) -> float:
    """Return the mean final WSO [kg ha-1] with these repairs of equations and of tables, and no others.

    With the setting `sound` all equations are repaired; N1, of two events on a day, is `adds`.
    """
    crop = catalog.crop(case.crop)
    repaired = {TABLES[name]: crop.values[TABLES[name]] for name in tables}
    parameters = {**catalog.soil(case.soil).values, **crop.published_values, **repaired}
    return float(np.mean([_weight(case, parameters, repairs, setting, year) for year in years]))


def _weight(
    case: Case, parameters: Mapping[str, Any], repairs: Sequence[str], setting: str, year: int
) -> float:
    start, end = (date.fromisoformat(f"{year}-{day}") for day in (case.start, _END))
    calendar = CropCalendar(start, "sowing", None, "max_duration", 365)
    world = build_world(
        "wofost-npk",
        parameters,
        site_series("wageningen"),
        calendar,
        start,
        end,
        setting=setting,
        limitation=case.limitation,
    )
    for name in repairs:
        if name in REPAIRS:
            world.parameters[f"REPAIR_{name}"] = 1.0
    planned = [(f"{year}-{day}", kind, amount, _RECOVERY) for day, kind, amount in case.doses]
    parsed = events.parse(planned, find(world.model).events, world.model, start, end)
    adds = setting == "sound" or "N1" in repairs
    management = daily_management(parsed, start, (end - start).days + 1, adds)
    weights = run(world, management)["WSO"].dropna()
    return float(weights.iloc[-1])


def effects(years: Sequence[int] = YEARS) -> Iterator[tuple[str, list[float]]]:
    """Yield a name and the weights of the cases: the two baselines, then what each repair changes."""
    everything = tuple(TABLES)
    original = [final_weight(case, years=years) for case in CASES]
    yield "published", original
    for name in TABLES:
        yield name, _changes(original, [final_weight(case, (), (name,), years=years) for case in CASES])
    figures = [final_weight(case, (), everything, years=years) for case in CASES]
    yield "published, repaired figures", figures
    for name in ("N1", *REPAIRS):
        yield (
            name,
            _changes(figures, [final_weight(case, (name,), everything, years=years) for case in CASES]),
        )
    yield "sound", [final_weight(case, (), everything, "sound", years) for case in CASES]


def _changes(before: Sequence[float], after: Sequence[float]) -> list[float]:
    return [b - a for a, b in zip(before, after, strict=True)]


def table(years: Sequence[int] = YEARS) -> Iterator[str]:
    """Return the lines of the table in Markdown; a dash is no change of half a kilogram."""
    yield f"| | {' | '.join(f'{case.name}: {case.words}' for case in CASES)} |"
    yield "|---" * (1 + len(CASES)) + "|"
    for name, values in effects(years):
        whole = name.startswith(("published", "sound"))
        shown = (f"{v:,.0f}" if whole else "-" if abs(v) < 0.5 else f"{v:+,.0f}" for v in values)
        yield f"| {name} | {' | '.join(shown)} |"


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    for line in table():
        print(line, flush=True)
