"""Make a task for every annual crop from one template: python tasks/crop_tasks/make.py [--experts].

`tasks/CROP-inputs-v1.yaml` and the expert and the oracle in `baselines/CROP-inputs-v1/` come from the
files in `tasks/crop_tasks/`; `agbench fit CROP-inputs-v1 advisor` then tunes the expert, and a tuned one
is left alone, unless `--experts` asks for new ones. A blind calendar (`agbench fit CROP-inputs-v1
blind-calendar --kind calendar`) becomes a reference as soon as its file is there.
"""

import math
import sys
from datetime import date
from pathlib import Path
from string import Template
from typing import Any, Final

import yaml

LAST: Final = 2023
"""The last year of which all measured series have all seasons."""
TEST_SEASONS: Final = 30

HOLLAND = {"site": "netherlands", "train_sites": "netherlands, brabant, limburg", "shift": "belgium"}
SPRING = HOLLAND | {"start": "03-15", "end": "10-31"}
RHONE = {"site": "rhone"}
CANAL = {"water": "canal"}
NEW_MEXICO = CANAL | {"site": "new-mexico"}
SAHEL = CANAL | {"site": "niger", "start": "06-15", "end": "11-30", "soil": "tropical-loam"}
SICHUAN = CANAL | {"site": "sichuan", "start": "04-15", "end": "11-30", "soil": "tropical-loam"}
SAND = {"soil": "arable-sand"}
HOT = {"shift": "new-mexico"}
ROOTS = {"fed_until": "1.6"}
CROPS = {
    "barley": SPRING | SAND,
    "cassava": SAHEL | ROOTS | {"start": "06-01", "end": "05-31", "shift": "new-mexico"},
    "chickpea": CANAL | {"site": "washington-state", "start": "03-15", "end": "10-31", "shift": "volga"},
    "cotton": NEW_MEXICO | {"start": "04-15", "end": "11-15", "shift": "niger"},
    "cowpea": SAHEL | {"shift": "sichuan"},
    "fababean": SPRING | SAND,
    "groundnut": NEW_MEXICO | {"start": "05-01", "end": "10-31", "shift": "sichuan"},
    "maize": RHONE | SAND | {"start": "05-01", "end": "11-15", "shift": "south-dakota", "variety": "maize-2"},
    "millet": SAHEL | HOT,
    "mungbean": SICHUAN | {"start": "05-15", "end": "10-31", "shift": "new-mexico"},
    "pigeonpea": SAHEL | {"start": "06-01", "shift": "new-mexico"},
    "potato": SPRING | ROOTS | SAND | {"start": "04-15"},
    "rapeseed": HOLLAND
    | SAND
    | {"start": "01-01", "start_type": "emergence", "end": "08-31", "words": "winter rapeseed"},
    "rice": SICHUAN | HOT,
    "seed-onion": SPRING | ROOTS | SAND | {"start": "03-25"},
    "sorghum": SAHEL | HOT,
    "soybean": RHONE | SAND | {"start": "05-01", "end": "10-31", "shift": "south-dakota"},
    "sugarbeet": SPRING | ROOTS | {"start": "04-01", "end": "11-15", "shift": "rhone"},
    "sugarcane": SAHEL
    | ROOTS
    | {"start": "06-01", "end": "05-31", "product": "TWST", "organs": "stems"}
    | HOT,
    "sunflower": RHONE | {"start": "04-15", "end": "10-31", "shift": "volga"},
    "sweetpotato": SICHUAN | ROOTS | HOT,
    "tobacco": SICHUAN | {"start_type": "emergence", "shift": "new-mexico"},
    "wheat": HOLLAND | SAND | {"start": "10-15", "end": "09-15", "words": "winter wheat"},
}
"""Where each crop is grown, and a season there in which it ripens.

Niger: sown with the rains of June; cane and cassava stand for a year, watered. Sichuan: rice, sweet
potato and tobacco from April to autumn. New Mexico: irrigated cotton and groundnuts of the
valleys. Rhone: maize, soybeans and sunflowers. Washington: chickpeas. wheat-1 needs 49 days of cold and is
sown in October; rapeseed-1 needs 70 and stands in the field on 1 January, as winter crops do in WOFOST's own
calendars. Roots of cassava and stems of cane are taken on the last day, ripe or not. The models kill no crop
by frost.
"""
DEFAULTS = {
    "start_type": "sowing",
    "product": "WSO",
    "organs": "storage organs",
    "soil": "arable-loam",
    "water": "pumped",
    "fed_until": "1.0",
}
_WATER: Final = {"arable-loam": (0.104, 0.3), "arable-sand": (0.05, 0.17), "tropical-loam": (0.099, 0.272)}
"""Moisture of the soils at wilting point and at field capacity."""


def main(anew: bool) -> None:
    """Write the files of all crops; experts that are there only if they are wanted `anew`."""
    root = Path(__file__).parents[2]
    templates = Path(__file__).parent
    prices = yaml.safe_load((templates / "prices.yaml").read_text("utf-8"))
    prose = yaml.safe_load((templates / "prose.yaml").read_text("utf-8"))
    for crop, own in CROPS.items():
        task = f"{crop}-inputs-v1"
        folder = root / "baselines" / task
        folder.mkdir(parents=True, exist_ok=True)
        values = {"words": crop.replace("-", " "), "variety": f"{crop}-1"} | DEFAULTS | own
        values |= (
            {"crop": crop}
            | prose[crop]
            | _prices(prices, crop, values["water"])
            | _splits(values)
            | _moistures(values["soil"])
        )
        dearest = _dearest((templates / "task.yaml").read_text("utf-8"), values)
        values["worst"] = f"{-dearest * _weeks(values):.1f}"
        values["blind"] = "blind: blind-calendar, " if (folder / "blind-calendar.yaml").exists() else ""
        for template, path in (
            ("task.yaml", root / "tasks" / f"{task}.yaml"),
            ("advisor.yaml", folder / "advisor.yaml"),
            ("evolved.yaml", folder / "evolved.yaml"),
        ):
            if path.parent == folder and path.exists() and not anew:
                continue
            text = (templates / template).read_text("utf-8")
            path.write_text(Template(text).substitute(values), "utf-8")


def _prices(prices: dict[str, Any], crop: str, water: str) -> dict[str, str]:
    """Return the price of a kg of a crop's dry matter, where it is from, and those of the inputs."""
    inputs = {name: str(value) for name, value in prices["inputs"].items()}
    inputs["IRRIG"] = str(prices["water"][water])
    if crop in prices["world"]:
        world, dry, share = (prices["world"][crop][key] for key in ("world", "dry", "share"))
        price = world / dry * share / prices["dollars"]
        source = f"{world:g} USD at {dry:.0%} dry matter, {share:.0%} of it; "
        source += f"World Bank Pink Sheet {prices['year']}"
    else:
        fresh, dry = prices["chosen"][crop]["fresh"], prices["chosen"][crop]["dry"]
        price, source = (
            fresh / dry,
            f"{fresh:g} EUR at {dry:.0%} dry matter, of the order of farm gates (chosen)",
        )
    return inputs | {"price": f"{price:.3f}", "price_source": source}


def _crosses(values: dict[str, Any]) -> bool:
    return bool(values["end"] <= values["start"])


def _splits(values: dict[str, Any]) -> dict[str, str]:
    """Return years and places of the splits; a season belongs to the year that it starts in."""
    last = LAST - 1 if _crosses(values) else LAST
    first = last - TEST_SEASONS + 1
    return {
        "before": str(first - 1),
        "first": str(first),
        "last": str(last),
        "train_sites": values.get("train_sites", values["site"]),
    }


def _moistures(soil: str) -> dict[str, str]:
    """Return the moistures at which the expert waters: half, and 70 %, of what plants can use is gone."""
    wilting, capacity = _WATER[soil]

    def left(*shares: float) -> list[float]:
        return [round(wilting + share * (capacity - wilting), 3) for share in shares]

    return {
        "dry": str(left(0.5)[0]),
        "very_dry": str(left(0.3)[0]),
        "planned_grid": str([0.0, *left(0.3, 0.5, 0.7, 0.8, 0.9), 1.0]),
        "dry_grid": str(left(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)),
        "very_dry_grid": str(left(0.05, 0.1, 0.2, 0.3, 0.4, 0.5)),
    }


def _dearest(template: str, values: dict[str, Any]) -> float:
    """Return the cost of the dearest dose of the template of a task [EUR ha-1]."""
    task = yaml.safe_load(Template(template).substitute(values, worst="0.0", blind=""))
    prices = task["reward"]["prices"]
    return float(max(prices[name] * doses[-1] for name, doses in task["action"]["doses"].items()))


def _weeks(values: dict[str, Any]) -> int:
    """Return the number of decisions of a season."""
    start = date.fromisoformat(f"2003-{values['start']}")
    end = date.fromisoformat(f"{2004 if _crosses(values) else 2003}-{values['end']}")
    return math.ceil((end - start).days / 7)


if __name__ == "__main__":
    main(anew="--experts" in sys.argv[1:])
