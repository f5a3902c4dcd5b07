"""Make a task for every annual crop from one template: python packaging/make_crop_tasks.py.

`tasks/CROP-inputs-v1.yaml` and `baselines/CROP-inputs-v1/feeding.yaml` come from the two files in
`packaging/crop-tasks/`; `agbench fit CROP-inputs-v1 feeding` then tunes the expert. Wheat and maize
have tasks of their own.
"""

from pathlib import Path
from string import Template

SPRING = {"start": "03-15", "end": "10-31", "warming": "0.0"}
WARM = {"start": "04-15", "end": "12-15", "warming": "6.0"}
HOT = {"start": "04-15", "end": "12-15", "warming": "10.0"}
CANE = {
    "start": "01-01",
    "end": "12-31",
    "warming": "14.0",
    "product": "TWST",
    "organs": "stems",
}
CROPS = {
    "barley": SPRING,
    "cassava": HOT,
    "chickpea": WARM,
    "cotton": HOT,
    "cowpea": WARM,
    "fababean": SPRING,
    "groundnut": WARM,
    "millet": WARM,
    "mungbean": WARM,
    "pigeonpea": HOT,
    "potato": SPRING | {"start": "04-01"},
    "rapeseed": SPRING,
    "rice": HOT,
    "seed-onion": SPRING,
    "sorghum": WARM,
    "soybean": SPRING | {"start": "04-15"},
    "sugarbeet": SPRING | {"end": "11-30"},
    "sugarcane": CANE,
    "sunflower": SPRING | {"start": "04-15", "end": "11-30"},
    "sweetpotato": HOT,
    "tobacco": WARM | {"start_type": "emergence"},
}
"""Season and warming of Wageningen's temperatures with which each crop ripens, or nearly so."""
DEFAULTS = {"start_type": "sowing", "product": "WSO", "organs": "storage organs"}


def main() -> None:
    """Write the files of all crops."""
    root = Path(__file__).parents[1]
    templates = Path(__file__).parent / "crop-tasks"
    for crop, own in CROPS.items():
        given = DEFAULTS | own | {"crop": crop, "words": crop.replace("-", " ")}
        task = f"{crop}-inputs-v1"
        folder = root / "baselines" / task
        folder.mkdir(parents=True, exist_ok=True)
        for template, path in (
            ("task.yaml", root / "tasks" / f"{task}.yaml"),
            ("feeding.yaml", folder / "feeding.yaml"),
        ):
            text = (templates / template).read_text("utf-8")
            path.write_text(Template(text).substitute(given), "utf-8")


if __name__ == "__main__":
    main()
