"""Reading AFGEN tables inside the kernels, by their place in the tables of a world."""

from typing import Final

from agbench.compiled import kernel
from agbench.simulators.wofost.parameters import TABLES
from agbench.variables import Floats

AMAXTB: Final = TABLES.index("AMAXTB")
DTSMTB: Final = TABLES.index("DTSMTB")
EFFTB: Final = TABLES.index("EFFTB")
FLTB: Final = TABLES.index("FLTB")
FOTB: Final = TABLES.index("FOTB")
FRTB: Final = TABLES.index("FRTB")
FSTB: Final = TABLES.index("FSTB")
KDIFTB: Final = TABLES.index("KDIFTB")
NMAXLV_TB: Final = TABLES.index("NMAXLV_TB")
KMAXLV_TB: Final = TABLES.index("KMAXLV_TB")
PMAXLV_TB: Final = TABLES.index("PMAXLV_TB")
NSLLV_TB: Final = TABLES.index("NSLLV_TB")
RDRRNPK: Final = TABLES.index("RDRRNPK")
RDRROS: Final = TABLES.index("RDRROS")
RDRRTB: Final = TABLES.index("RDRRTB")
RDRSOB: Final = TABLES.index("RDRSOB")
RDRSOF: Final = TABLES.index("RDRSOF")
RDRSTB: Final = TABLES.index("RDRSTB")
RFSETB: Final = TABLES.index("RFSETB")
RNPKRUNOFF: Final = TABLES.index("RNPKRUNOFF")
SLATB: Final = TABLES.index("SLATB")
SPA: Final = TABLES.index("SPA")
SSATB: Final = TABLES.index("SSATB")
TMNFTB: Final = TABLES.index("TMNFTB")
TMPFTB: Final = TABLES.index("TMPFTB")
VERNRTB: Final = TABLES.index("VERNRTB")

CVL: Final = TABLES.index("CVL")
CVO: Final = TABLES.index("CVO")
CVR: Final = TABLES.index("CVR")
CVS: Final = TABLES.index("CVS")
RML: Final = TABLES.index("RML")
RMO: Final = TABLES.index("RMO")
RMR: Final = TABLES.index("RMR")
RMS: Final = TABLES.index("RMS")
TDWI: Final = TABLES.index("TDWI")
COVTB: Final = TABLES.index("COVTB")
FBEARTB: Final = TABLES.index("FBEARTB")
WWDTB: Final = TABLES.index("WWDTB")
"""From CVL on, tables of age; those of annual crops are empty."""


@kernel
def table(tables: Floats, which: int, x: float) -> float:
    """Return the value of table `which` at `x`, constant beyond its ends.

    `tables` is (len(TABLES), 3, width): abscissae, ordinates, slopes, the last point repeated.
    """
    last = tables.shape[2] - 1
    if x <= tables[which, 0, 0]:
        return tables[which, 1, 0]
    if x >= tables[which, 0, last]:
        return tables[which, 1, last]
    i = 0
    while tables[which, 0, i + 1] < x:
        i += 1
    return tables[which, 1, i] + tables[which, 2, i] * (x - tables[which, 0, i])


@kernel
def limit(low: float, high: float, value: float) -> float:
    """Return `value`, or the nearer of `low` and `high` where it lies beyond them."""
    if value < low:
        return low
    if value < high:
        return value
    return high


@kernel
def table_by(tables: Floats, family: int, a: float, x: float) -> float:
    """Return the value at `x` of a family of tables at `a`, constant beyond all ends.

    Table `family` has the values of a and the places of their curves; between two values of a the
    curves are interpolated point by point.
    """
    last = tables.shape[2] - 1
    if a <= tables[family, 0, 0]:
        return table(tables, int(tables[family, 1, 0]), x)
    if a >= tables[family, 0, last]:
        return table(tables, int(tables[family, 1, last]), x)
    i = 0
    while tables[family, 0, i + 1] < a:
        i += 1
    low, high = int(tables[family, 1, i]), int(tables[family, 1, i + 1])
    width, part = tables[family, 0, i + 1] - tables[family, 0, i], a - tables[family, 0, i]
    j = 0
    while j < last and tables[low, 0, j + 1] < x:
        j += 1
    start = _between(tables[low, 1, j], tables[high, 1, j], width, part)
    if x <= tables[low, 0, 0] or j == last:
        return start
    end = _between(tables[low, 1, j + 1], tables[high, 1, j + 1], width, part)
    return start + (end - start) / (tables[low, 0, j + 1] - tables[low, 0, j]) * (x - tables[low, 0, j])


@kernel
def _between(first: float, second: float, width: float, part: float) -> float:
    return first + (second - first) / width * part
