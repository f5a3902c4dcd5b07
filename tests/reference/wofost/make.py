"""Make the compact reference runs here from the full ones: python make.py <folder of full runs>.

Keeps the weather of every day, all states and rates of every sixteenth day and of the last, stages,
parameters, calendar and events.
"""

import json
import sys
from pathlib import Path

import numpy as np

RUNS = ("wheat_sched", "maize_zero", "wheat_wet", "potato_sched", "wheat_sched_LN", "cowpea_sched")
PERENNIAL = (
    "jujube_zero",
    "jujube_excess",
    "jujube_sched_PP",
    "pear_sched",
    "pear_harvest",
    "pear_dormantstart",
)
GRAPE = ("grape_zero", "grapewa_sched", "grapewa_sched_PP")
UNUSED = ("h_", "snap", "NLV", "LVAGE_oldest", "LV_oldest", "SLA_oldest")


def compact(folder: Path, name: str) -> None:
    """Write one compact run beside this script."""
    here = Path(__file__).parent
    full = dict(np.load(folder / f"{name}.npz"))
    last = len(full["day"]) - 1
    kept = np.unique(np.append(np.arange(0, last, 16), last))
    weather = {key: full[key] for key in full if key.startswith("w_")}
    states = {
        key: values[kept]
        for key, values in full.items()
        if values.dtype.kind == "f" and not key.startswith(("w_", *UNUSED))
    }
    np.savez_compressed(
        here / f"{name}.npz",
        kept=kept,
        day=full["day"],
        STAGE=full["STAGE"][kept],
        weather_names=list(weather),
        weather=np.column_stack(list(weather.values())),
        names=list(states),
        values=np.column_stack(list(states.values())),
    )
    output = json.loads((folder / f"{name}.json").read_text())
    output["parameters"].pop("SoilProfileDescription", None)
    keys = ("name", "crop_model", "mode", "site", "agromanagement", "events", "parameters")
    text = json.dumps({key: output[key] for key in keys}, separators=(",", ":"))
    (here / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    for run in (*RUNS, *PERENNIAL, *GRAPE):
        compact(Path(sys.argv[1]), run)
