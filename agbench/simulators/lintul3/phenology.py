"""Phenology: temperature, day length and vernalisation carry the crop from sowing to maturity.

The phenology of WOFOST (van Diepen et al. 1989; Supit et al. 1994), which PCSE's LINTUL-3 uses.

Reads: TEMP, DAYLP from weather.
Sets: VERNR, VERNFAC, VERNALISED, DVS, STAGE [-]; DTSUME, DTSUM [degC]; DVR [d-1]; VERN [d]; TSUME, TSUM
    [degC d].
"""

from typing import Any

from agbench.compiled import kernel
from agbench.simulators.field.afgen import afgen
from agbench.simulators.lintul3.parameters import DTSMTB, VERNRTB
from agbench.simulators.lintul3.variables import EMERGING, MATURE, REPRODUCTIVE, VEGETATIVE
from agbench.variables import Floats


@kernel
def limit(low: float, high: float, value: float) -> float:
    """Return `value` held between `low` and `high`."""
    return min(max(value, low), high)


@kernel
def day_length_reduction(day_length: float, p: Any) -> float:
    """Return the reduction of development by short days [-], 1 where IDSL < 1."""
    if p.IDSL < 1.0:
        return 1.0
    return limit(0.0, 1.0, (day_length - p.DLC) / (p.DLO - p.DLC))


@kernel
def vernalisation_rate(s: Any, p: Any, tables: Floats, temperature: float) -> None:
    """Set VERNR [d d-1] and VERNFAC [-] (Lewis, Christenson and Wallace; IDSL = 2)."""
    s.VERNR = 0.0
    s.VERNFAC = 1.0
    if s.VERNALISED == 0.0 and s.DVS < p.VERNDVS:
        s.VERNR = afgen(tables[VERNRTB], temperature)
        s.VERNFAC = limit(0.0, 1.0, (s.VERN - p.VERNBASE) / (p.VERNSAT - p.VERNBASE))


@kernel
def development_rates(s: Any, p: Any, tables: Floats, w: Any) -> None:
    """Set DTSUME, DTSUM [degC d-1] and DVR [d-1] of the day."""
    s.DTSUME = 0.0
    s.DTSUM = 0.0
    s.DVR = 0.0
    if s.STAGE == EMERGING:
        s.DTSUME = limit(0.0, p.TEFFMX - p.TBASEM, w.TEMP - p.TBASEM)
        s.DVR = 0.1 * s.DTSUME / p.TSUMEM
    elif s.STAGE == VEGETATIVE:
        s.VERNFAC = 1.0
        if p.IDSL >= 2.0:
            vernalisation_rate(s, p, tables, w.TEMP)
        s.DTSUM = afgen(tables[DTSMTB], w.TEMP) * s.VERNFAC * day_length_reduction(w.DAYLP, p)
        s.DVR = s.DTSUM / p.TSUM1
    elif s.STAGE == REPRODUCTIVE:
        s.DTSUM = afgen(tables[DTSMTB], w.TEMP)
        s.DVR = s.DTSUM / p.TSUM2


@kernel
def integrate_vernalisation(s: Any, p: Any) -> None:
    """Advance VERN by a day; beyond VERNDVS the requirement counts as met."""
    forced = s.VERNALISED == 0.0 and s.DVS >= p.VERNDVS
    s.VERN += s.VERNR
    s.VERNALISED = 1.0 if s.VERN >= p.VERNSAT or forced or s.VERNALISED == 1.0 else 0.0


@kernel
def integrate_phenology(s: Any, p: Any) -> bool:
    """Advance development by a day; return whether maturity was reached on it."""
    if p.IDSL >= 2.0 and s.STAGE == VEGETATIVE:
        integrate_vernalisation(s, p)
    s.TSUME += s.DTSUME
    s.DVS += s.DVR
    s.TSUM += s.DTSUM
    if s.STAGE == EMERGING and s.DVS >= 0.0:
        s.STAGE = VEGETATIVE
        s.DVS = 0.0
    elif s.STAGE == VEGETATIVE and s.DVS >= 1.0:
        s.STAGE = REPRODUCTIVE
        s.DVS = 1.0
    elif s.STAGE == REPRODUCTIVE and s.DVS >= p.DVSEND:
        s.STAGE = MATURE
        s.DVS = p.DVSEND
        return True
    return False
