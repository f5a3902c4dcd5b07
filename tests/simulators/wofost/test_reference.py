"""The N-P-K model in its published setting against runs of the original."""

import numpy as np
import pytest
from pcse_runs import relative_error
from reference_runs import COMPACT, FULL, compared, load, simulate

FULL_RUNS = sorted(path.stem for path in FULL.glob("*.npz") if path.stem != "wheat_layered")


def as_numbers(column):
    """Return a column as floats; dates as days since 1970-01-01."""
    if column.dtype.kind == "M":
        column = (column - np.datetime64("1970-01-01")).dt.days
    return column.to_numpy(float)


def check(folder, name):
    case, arrays = load(folder, name)
    rows = arrays.get("kept", slice(None))
    ours = simulate(case, arrays, "published").iloc[rows]
    theirs = np.char.replace(arrays["STAGE"], "verasion", "veraison")
    assert ours["STAGE"].fillna("").tolist() == theirs.tolist()
    for variable in compared(case, arrays):
        a, b = as_numbers(ours[variable]), arrays[variable]
        if variable == "FIN":
            a, b = np.nan_to_num(a)[:-1], np.nan_to_num(b)[:-1]  # the last day ends ours, not all of theirs
        assert relative_error(a, b) <= 1e-9, variable


@pytest.mark.parametrize("name", sorted(path.stem for path in COMPACT.glob("*.npz")))
def test_equals_the_original(name):
    check(COMPACT, name)


@pytest.mark.skipif(not FULL_RUNS, reason=f"no full reference runs in {FULL}")
@pytest.mark.parametrize("name", FULL_RUNS)
def test_equals_the_original_on_every_day(name):
    check(FULL, name)
