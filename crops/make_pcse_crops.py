"""Make the crops of WOFOST 7.2 and 8.1 from their figures: python crops/make_pcse_crops.py <figures>.

`<figures>` holds crops/wofost72.json and crops/wofost81.json: the parameters of A. de Wit's
WOFOST_crop_parameters by crop and variety, as PCSE reads them. One file a variety, numbers as they are. A
variety that lacks what its models need, which is printed, has no file.
"""

import json
import sys
from pathlib import Path
from typing import Any

from make_wofost_crops import quantity, table, unwrapped

from agbench.data.field import Crop
from agbench.data.reading import read_file
from agbench.errors import ConfigError
from agbench.simulation.parameters import check_crop
from agbench.simulators.wofost.parameters import parameters

MODELS = {
    "72": ("7.2", ["wofost72-pp", "wofost72-wlp"]),
    "81": ("8.1", ["wofost81-pp", "wofost81-wlp", "wofost81-nwlp"]),
}


def stem(variety: str) -> str:
    """Return a variety's name as files have it."""
    return variety.lower().replace("_", "-")


def text(crop: str, variety: str, given: dict[str, Any], version: str, branch: str, models: list[str]) -> str:
    """Return the file of a variety."""
    name = f"{stem(variety)}-wofost{branch}"
    words = variety.replace("_", " ")
    kind = crop.replace("_", " ")
    declared = {p.name: p for model in models for p in parameters(model) if p.part == "crop"}
    scalars, tables = [], []
    for key in sorted(declared.keys() & given.keys()):
        parameter, value = declared[key], unwrapped(given[key])
        if value is None:  # the source has the name and no number
            continue
        if parameter.of and isinstance(value, list):
            tables.append(f"    {table(parameter, value)}")
        else:
            scalars.append(f"    {quantity(parameter, value)}")
    head = [
        f"crop: {name}",
        f"summary: {words} ({kind}) of WOFOST {version}.",
        f'source: "A. de Wit, WOFOST_crop_parameters, branch wofost{branch}; licence: EUPL"',
        f"models: [{', '.join(models)}]",
    ]
    return "\n".join([*head, "parameters:", *scalars, "tables:", *tables]) + "\n"


def main() -> None:
    """Write all files."""
    folder = Path(__file__).parent
    for branch, (version, models) in MODELS.items():
        crops = json.loads((Path(sys.argv[1]) / f"crops/wofost{branch}.json").read_text())["crops"]
        for crop, entry in crops.items():
            for variety, own in entry["varieties"].items():
                content = text(crop, variety, {**entry["shared"], **own}, version, branch, models)
                path = folder / f"{stem(variety)}-wofost{branch}.yaml"
                path.write_text(content)
                try:
                    check_crop(read_file(Crop, path), path.name)
                except ConfigError as error:
                    path.unlink()
                    print(f"left out: {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
