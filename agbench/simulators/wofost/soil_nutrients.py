"""Nitrogen, phosphorus and potassium in the soil: on the surface, in the base pool, available.

Solow, Saisubramanian and Fern (2025), WOFOSTGym. Fertiliser lies on the surface, from where it is
absorbed into the available pool or runs off; the base pool mineralises into the available one.

What the cap of the available pool or an unlimited supply takes away or adds is booked.

Reads: DTSR from water balance; RxUPTAKE from nutrients.
Sets: SURFACE_x, xSOIL, xAVAIL, TOTx, xSPILLED, TOTx_RUNOFF, xSUPPLIED, xLEACHED [kg ha-1];
    FERT_x_SUPPLY, RRUNOFF_x, RxSUBSOIL, RxSOIL, RxAVAIL [kg ha-1 d-1] (x: N, P, K).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from agbench.compiled import kernel
from agbench.simulators.wofost.repairs import repaired, unchanged
from agbench.simulators.wofost.tables import RNPKRUNOFF, table
from agbench.variables import Floats


class SoilNutrient(NamedTuple):
    """The kernels of one nutrient in the soil."""

    start: Callable[..., None]
    fertilise: Callable[..., None]
    rates: Callable[..., None]
    integrate: Callable[..., None]


def soil_nutrient(x: str) -> SoilNutrient:
    """Return the kernels of nutrient `x`: N, P or K."""
    limiting = "NITROGEN_LIMITED" if x == "N" else "PK_LIMITED"
    surface, base, available = f"SURFACE_{x}", f"{x}SOIL", f"{x}AVAIL"
    applied, run_off = f"TOT{x}", f"TOT{x}_RUNOFF"
    spilled, leached, supplied = f"{x}SPILLED", f"{x}LEACHED", f"{x}SUPPLIED"
    supply, runoff, absorbed = f"FERT_{x}_SUPPLY", f"RRUNOFF_{x}", f"R{x}SUBSOIL"
    base_change, available_change = f"R{x}SOIL", f"R{x}AVAIL"
    uptake, gross, effective = f"R{x}UPTAKE", x, f"{x}_EFF"
    base_start, release = f"{x}SOILBASE", f"{x}SOILBASE_FR"
    available_start, cap, background = f"{x}AVAILI", f"{x}MAX", f"BG_{x}_SUPPLY"
    most_absorbed, absorption = f"R{x}SOILMAX", f"R{x}ABSORPTION"

    @kernel
    def fill(p: Any, s: Any) -> None:
        if p[limiting] == 0.0:
            s[supplied] = p[cap] - p[available_start]
            s[available] = p[cap]

    fill_unlimited = repaired("N6", published=unchanged, sound=fill)

    @kernel
    def first_amount(p: Any, s: Any) -> float:
        return p[base_start]

    @kernel
    def present_amount(p: Any, s: Any) -> float:
        return s[base]

    releasing = repaired("N12", published=first_amount, sound=present_amount)

    @kernel
    def scale_to_surface(p: Any, s: Any) -> None:
        if s[runoff] + s[absorbed] > s[surface]:
            scale = s[surface] / (s[runoff] + s[absorbed])
            s[runoff] *= scale
            s[absorbed] = s[surface] - s[runoff]

    share_surface = repaired("N2", published=unchanged, sound=scale_to_surface)

    @kernel
    def end_at_zero(p: Any, s: Any) -> None:
        s[surface] = max(s[surface], 0.0)

    keep_surface = repaired("N2", published=unchanged, sound=end_at_zero)

    @kernel
    def runoff_where_pk_limit(p: Any, s: Any) -> float:
        return s[runoff] if p.PK_LIMITED > 0.0 else 0.0

    @kernel
    def runoff_always(p: Any, s: Any) -> float:
        return s[runoff]

    counted_runoff = repaired("N5", published=runoff_where_pk_limit, sound=runoff_always)

    @kernel
    def start(s: Any, p: Any) -> None:
        """Fill the pools."""
        s[base] = p[base_start]
        s[available] = p[available_start]
        fill_unlimited(p, s)

    @kernel
    def fertilise(s: Any, inputs: Any) -> None:
        """Bring the fertiliser of the day to the surface."""
        s[applied] += inputs[gross]
        s[spilled] += inputs[gross] - inputs[effective]
        s[supply] = inputs[effective]

    @kernel
    def rates(s: Any, p: Any, runoff_share: float) -> None:
        """Set the flows between the pools [kg ha-1 d-1]; `runoff_share` of the surface runs off."""
        s[runoff] = s[surface] * runoff_share
        s[absorbed] = min(p[most_absorbed], s[surface] * p[absorption])
        released = p[release] * releasing(p, s)
        share_surface(p, s)
        s[base_change] = -max(0.0, min(released, s[base]))
        s[available_change] = s[absorbed] + p[background] - s[uptake] - s[base_change]

    @kernel
    def integrate(s: Any, p: Any) -> None:
        """Advance the pools by a day."""
        lost = counted_runoff(p, s)
        s[surface] += s[supply] - s[absorbed] - lost
        keep_surface(p, s)
        s[run_off] += lost
        s[base] += s[base_change]
        s[available] += s[available_change]
        if p[limiting] == 0.0:
            s[supplied] += p[cap] - s[available]
            s[available] = p[cap]
        elif s[available] > p[cap]:
            s[leached] += s[available] - p[cap]
            s[available] = p[cap]

    return SoilNutrient(start, fertilise, rates, integrate)


_start_n, _fertilise_n, _rates_n, _integrate_n = soil_nutrient("N")
_start_p, _fertilise_p, _rates_p, _integrate_p = soil_nutrient("P")
_start_k, _fertilise_k, _rates_k, _integrate_k = soil_nutrient("K")


@kernel
def start_soil_nutrients(s: Any, p: Any) -> None:
    """Fill the pools of the three nutrients."""
    _start_n(s, p)
    _start_p(s, p)
    _start_k(s, p)


@kernel
def fertilise(s: Any, inputs: Any) -> None:
    """Bring the fertiliser of the day to the surface."""
    _fertilise_n(s, inputs)
    _fertilise_p(s, inputs)
    _fertilise_k(s, inputs)


@kernel
def soil_nutrient_rates(s: Any, p: Any, tables: Floats) -> None:
    """Set the flows of the three nutrients; the runoff of water is already that of today."""
    share = table(tables, RNPKRUNOFF, s.DTSR)
    _rates_n(s, p, share)
    _rates_p(s, p, share)
    _rates_k(s, p, share)


@kernel
def integrate_soil_nutrients(s: Any, p: Any) -> None:
    """Advance the pools of the three nutrients by a day."""
    _integrate_n(s, p)
    _integrate_p(s, p)
    _integrate_k(s, p)
