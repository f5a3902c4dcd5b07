"""Nitrogen in the soil of WOFOST 8.1: a mineralising pool that feeds the available one.

Reads: RNuptake from nitrogen; FERT_N_SUPPLY from the day.
Sets: NAVAIL, NSOIL [kg ha-1]; RNSOIL, RNAVAIL [kg ha-1 d-1].
"""

from typing import Any

from agbench.compiled import kernel

_PLENTY = 100.0  # kg ha-1; available where nitrogen does not limit


@kernel
def start_soil_nitrogen(s: Any, p: Any) -> None:
    """Fill the pools."""
    s.NAVAIL = p.NAVAILI if p.NITROGEN_LIMITED > 0.0 else _PLENTY
    s.NSOIL = p.NSOILBASE


@kernel
def soil_nitrogen_rates(s: Any, p: Any) -> None:
    """Set mineralisation and the change of available nitrogen [kg ha-1 d-1]."""
    if p.NITROGEN_LIMITED > 0.0:
        s.RNSOIL = -max(0.0, min(p.NSOILBASE_FR * p.NSOILBASE, s.NSOIL))
        s.RNAVAIL = s.FERT_N_SUPPLY + p.BG_N_SUPPLY - s.RNuptake - s.RNSOIL


@kernel
def integrate_soil_nitrogen(s: Any) -> None:
    """Advance the pools by a day."""
    s.NSOIL += s.RNSOIL
    s.NAVAIL += s.RNAVAIL
