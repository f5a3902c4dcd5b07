"""WOFOST with N, P and K for crops that follow one another on one field, in the setting `sound`.

Sowing chooses a crop: from that day on the row is computed with this crop's parameters and tables. On the day
after a harvest the columns of the crop are cleared, its residues join the soil (`residues.py`), and the field
lies bare until the next sowing. Water and nutrients of the soil, and the sums of what was applied, lost and
harvested since the start, continue. While a crop grows the equations are those of `wofost_npk.py`.
"""

from typing import Any, Final

from agbench.compiled import kernel
from agbench.simulators.wofost import wofost_npk
from agbench.simulators.wofost.day import daily_cycle
from agbench.simulators.wofost.evapotranspiration import evapotranspiration
from agbench.simulators.wofost.residues import count_seed, integrate_residues, leave_residues, residue_rates
from agbench.simulators.wofost.storage_organs import harvest
from agbench.simulators.wofost.variables import (
    FIRST_RATE,
    LEDGER,
    NO_CROP,
    ROTATION_NPK,
    SOIL_NAMES,
    STANDING,
)
from agbench.variables import Floats

VARIABLES: Final = ROTATION_NPK
"""The columns of a row of state."""
_RUNS_ON: Final = SOIL_NAMES | LEDGER | {"DSLR", "RINOLD", "RDOLD"}
_OF_CROP: Final = tuple(
    column for column in range(VARIABLES.column(FIRST_RATE)) if VARIABLES.names[column] not in _RUNS_ON
)


@kernel
def choose(s: Any, inputs: Any, acts: bool) -> int:
    """Return the place of the row's crop among those of its world; the last place is that of an empty field.

    A crop that was harvested yesterday is cleared before a new one is sown.
    """
    if acts and inputs.PLANT >= 0.5 and (s.CROP != STANDING or s.FIN > 0.0):
        s.CROP_NUMBER = float(int(inputs.PLANT + 0.5))
    return max(int(s.CROP_NUMBER) - 1, 0)


@kernel
def start_crop(s: Any, p: Any, tables: Floats, leaves: Floats, today: float) -> None:
    """Sow the crop, and book what its seed brings in."""
    wofost_npk.start_crop(s, p, tables, leaves, today)
    s.CROPS += 1.0
    count_seed(s)


@kernel
def clear(x: Floats, s: Any) -> None:
    """Empty the field: residues join the soil, and nothing of the crop stays."""
    leave_residues(s)
    for column in _OF_CROP:
        x[column] = 0.0
    s.CROP = NO_CROP


@kernel
def soil_rates(x: Floats, s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set the rates of the soil, of residues and of leaching."""
    wofost_npk.soil_rates(x, s, p, tables, w)
    residue_rates(s, p, w.TEMP)


@kernel
def integrate_soil(x: Floats, s: Any, p: Any) -> None:
    """Advance the soil and the residues in it by a day."""
    wofost_npk.integrate_soil(x, s, p)
    integrate_residues(s)


@kernel
def manage(s: Any, p: Any, tables: Floats, inputs: Any, today: float) -> None:
    """Apply irrigation and fertiliser of the day, and harvest.

    A harvest ends the crop. It takes all that is harvestable, nothing of a crop that is incorporated.
    """
    wofost_npk.supply(s, inputs)
    if inputs.HARVEST >= 0.5 and s.DURATION > 0.0 and s.CROP == STANDING:
        if p.INCORPORATED == 0.0:
            harvest(s, 1.0)
            wofost_npk.take_harvest(p, s)
        wofost_npk.end_crop(s)


begin, advance = daily_cycle(
    __name__,
    VARIABLES,
    (start_crop, wofost_npk.crop_rates_with(evapotranspiration), wofost_npk.integrate_crop),
    (wofost_npk.start_soil, soil_rates, integrate_soil),
    manage,
    choose,
    clear,
)
