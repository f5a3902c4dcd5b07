"""Make a task for every annual crop from one template: python tasks/crop_tasks/make.py.

`tasks/CROP-inputs-v1.yaml` and the expert and the oracle in `baselines/CROP-inputs-v1/` come from the
files in `tasks/crop_tasks/`; `agbench fit CROP-inputs-v1 feeding` then tunes the expert, and a tuned one
is left alone. Wheat and maize have tasks of their own.
"""

from pathlib import Path
from string import Template

MEASURED = {
    "site": "wageningen",
    "train": "{years: odd 1976-1999, leaving_out: [1991]}",
    "test": "{years: even 1976-1999, leaving_out: [1990]}",
}
GENERATED = {"train": "{generated: [0, 999]}", "test": "{generated: [1000, 1019]}"}
SPRING = MEASURED | {"start": "03-15", "end": "10-31"}
NIGER = GENERATED | {"site": "niger", "start": "06-15", "end": "11-30"}
SICHUAN = GENERATED | {"site": "sichuan", "start": "04-15", "end": "11-30"}
NEW_MEXICO = GENERATED | {"site": "new-mexico"}
CROPS = {
    "barley": SPRING,
    "cassava": NIGER | {"start": "06-01", "end": "05-31"},
    "chickpea": GENERATED | {"site": "rhone", "start": "03-15", "end": "10-31"},
    "cotton": NEW_MEXICO | {"start": "04-01", "end": "11-30"},
    "cowpea": NIGER,
    "fababean": SPRING,
    "groundnut": NEW_MEXICO | {"start": "05-01", "end": "10-31"},
    "millet": NIGER,
    "mungbean": SICHUAN | {"start": "05-15", "end": "10-31"},
    "pigeonpea": NIGER,
    "potato": SPRING | {"start": "04-01"},
    "rapeseed": SPRING,
    "rice": SICHUAN,
    "seed-onion": SPRING,
    "sorghum": NIGER,
    "soybean": SPRING | {"start": "04-15"},
    "sugarbeet": SPRING | {"end": "11-30"},
    "sugarcane": NIGER | {"start": "02-01", "end": "01-31", "product": "TWST", "organs": "stems"},
    "sunflower": SPRING | {"start": "04-15", "end": "11-30"},
    "sweetpotato": SICHUAN,
    "tobacco": SICHUAN | {"start_type": "emergence"},
}
"""Where each crop is grown, and a season there in which it ripens.

Niger: sown with the rains of June; cane and cassava stand for a year, watered. Sichuan: rice, sweet
potato and tobacco from April to autumn. New Mexico: irrigated cotton and groundnuts of the
valleys. Rhone: chickpeas sown in spring.
"""
DEFAULTS = {"start_type": "sowing", "product": "WSO", "organs": "storage organs"}


def main() -> None:
    """Write the files of all crops."""
    root = Path(__file__).parents[2]
    templates = Path(__file__).parent
    for crop, own in CROPS.items():
        given = DEFAULTS | own | {"crop": crop, "words": crop.replace("-", " ")}
        task = f"{crop}-inputs-v1"
        folder = root / "baselines" / task
        folder.mkdir(parents=True, exist_ok=True)
        for template, path in (
            ("task.yaml", root / "tasks" / f"{task}.yaml"),
            ("feeding.yaml", folder / "feeding.yaml"),
            ("evolved.yaml", folder / "evolved.yaml"),
        ):
            if path.parent == folder and path.exists():
                continue
            text = (templates / template).read_text("utf-8")
            path.write_text(Template(text).substitute(given), "utf-8")


if __name__ == "__main__":
    main()
