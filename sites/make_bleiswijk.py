"""Make bleiswijk.parquet from the GreenLight wheel: `python make_bleiswijk.py WHEEL`.

Fetch the wheel with `pip download --no-deps greenlight==2.0.5`.
"""

import hashlib
import sys
import zipfile
from pathlib import Path

import pandas as pd

FILE = "greenlight/models/katzin_2021/input_data/test_data/Bleiswijk_from_20091020.csv"
FIRST = "2009-10-20"
COLUMNS = ["iGlob", "tOut", "vpOut", "co2Out", "wind", "tSky", "tSoOut", "dayRadSum", "isDay", "isDaySmooth"]


def main(wheel: str) -> None:
    """Write the series beside this file and print its SHA-256."""
    with zipfile.ZipFile(wheel) as archive, archive.open(FILE) as file:
        table = pd.read_csv(file, encoding="latin-1", skiprows=[1, 2])
    index = pd.Timestamp(FIRST) + pd.to_timedelta(table["Time"], unit="s")
    out = (
        table[COLUMNS]
        .rename(columns={"dayRadSum": "dli"})
        .astype("float32")
        .set_index(pd.DatetimeIndex(index, name="time"))
    )
    target = Path(__file__).with_name("bleiswijk.parquet")
    out.to_parquet(target, compression="zstd")
    print(hashlib.sha256(target.read_bytes()).hexdigest(), len(out))


if __name__ == "__main__":
    main(sys.argv[1])
