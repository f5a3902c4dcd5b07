"""Stems: weight and area.

Reads: FS, FR from partitioning; ADMI from growth; DVS from phenology.
Sets: WST, TWST, DWST [kg ha-1]; SAI [ha ha-1]; GRST, DRST, GWST [kg ha-1 d-1].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.simulators.wofost.tables import RDRSTB, SSATB, table
from agbench.variables import Floats


@kernel
def start_stems(s: Any, weight: float, tables: Floats) -> None:
    """Give the stems their share of the initial `weight` [kg ha-1]."""
    s.WST = weight * (1.0 - s.FR) * s.FS
    s.TWST = s.WST
    s.SAI = s.WST * table(tables, SSATB, s.DVS)


@kernel
def stem_rates(s: Any, tables: Floats, moved: float) -> None:
    """Set growth and death of stems [kg ha-1 d-1]; `moved` leaves them for storage organs."""
    s.GRST = s.ADMI * s.FS
    s.DRST = table(tables, RDRSTB, s.DVS) * s.WST
    s.GWST = s.GRST - s.DRST - moved


@kernel
def integrate_stems(s: Any, tables: Floats) -> None:
    """Advance stems by a day."""
    s.WST += s.GWST
    s.DWST += s.DRST
    s.TWST = s.WST + s.DWST
    integrate_stem_area(s, tables)


@kernel
def integrate_stem_area(s: Any, tables: Floats) -> None:
    """Set the area of the stems by their weight and stage."""
    s.SAI = s.WST * table(tables, SSATB, s.DVS)
