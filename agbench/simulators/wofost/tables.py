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
    """Return `value` held between `low` and `high`."""
    if value < low:
        return low
    if value < high:
        return value
    return high
