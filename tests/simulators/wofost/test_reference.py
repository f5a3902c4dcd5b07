"""The N-P-K model in its published setting against runs of the original."""

import numpy as np
import pytest
from pcse_runs import relative_error
from reference_runs import COMPACT, FULL, compared, load, simulate

FULL_RUNS = sorted(
    path.stem
    for path in FULL.glob("*.npz")
    if not path.stem.startswith(("jujube", "pear", "grape")) and path.stem != "wheat_layered"
)


def check(folder, name):
    text, arrays = load(folder, name)
    rows = arrays.get("kept", slice(None))
    ours = simulate(text, arrays, "published").iloc[rows]
    assert ours["STAGE"].fillna("").tolist() == arrays["STAGE"].tolist()
    for variable in compared(arrays):
        a, b = ours[variable].to_numpy(float), arrays[variable]
        if variable == "FIN":
            a, b = np.nan_to_num(a), np.nan_to_num(b)
        assert relative_error(a, b) <= 1e-9, variable


@pytest.mark.parametrize("name", sorted(path.stem for path in COMPACT.glob("*.npz")))
def test_equals_the_original(name):
    check(COMPACT, name)


@pytest.mark.skipif(not FULL_RUNS, reason=f"no full reference runs in {FULL}")
@pytest.mark.parametrize("name", FULL_RUNS)
def test_equals_the_original_on_every_day(name):
    check(FULL, name)
