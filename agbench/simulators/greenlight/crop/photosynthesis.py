"""Photosynthesis of the canopy: electron transport, CO2 in the stomata, and the full buffer.

Vanthoor 2011, Equations 9.10 to 9.23; Katzin 2021, Equation 7.27.

Reads: tCan, co2Air, tAir, cBuf from states.
Sets: mcAirBuf [mg m-2 s-1].
"""

from types import SimpleNamespace
from typing import Any

import casadi

from agbench.simulators.greenlight.presets import Structure
from agbench.simulators.greenlight.smooth import logistic

GAS_CONSTANT = 8.3144598  # J mol-1 K-1
STANDARD_PRESSURE = 101325.0  # Pa
CO2_MOLAR_MASS = 44.01e-3  # kg mol-1
BUFFER_SLOPE = 5e-4  # m2 mg-1, smooth stop of photosynthesis at a full buffer (Section 9.7.2)

LEAST_COMPENSATION = 0.2  # ppm, so that there is always CO2 left to divide by
LEAST_LAYERS = 0.01  # m2 m-2 of leaves


def co2_in_ppm(density: Any, temperature: Any) -> Any:
    """CO2 concentration [ppm] of a density [mg m-3] at a temperature [degC] (ideal gas)."""
    molar = 1e-6 * density / CO2_MOLAR_MASS
    return 1e6 * GAS_CONSTANT * (temperature + 273.15) * molar / STANDARD_PRESSURE


def electron_transport(par: Any, lai: Any, offset: float, x: SimpleNamespace, p: SimpleNamespace) -> Any:
    """Electron transport [umol m-2 s-1] by absorbed PAR [umol m-2 s-1] (Eq. 9.14-9.16)."""
    gas = 1e-3 * p.R
    kelvin = x.tCan + 273.15
    activation = casadi.exp(p.eJ * (kelvin - p.t25k) / (gas * kelvin * p.t25k))
    reference = 1 + casadi.exp((p.S * p.t25k - p.H) / (gas * p.t25k))
    heat = 1 + casadi.exp((p.S * kelvin - p.H) / (gas * kelvin))
    potential = lai * p.j25LeafMax * activation * reference / heat
    return curve(potential, p.alpha * par, p.theta, offset)


def curve(potential: Any, light: Any, curvature: Any, offset: float) -> Any:
    """Smaller root of curvature J^2 - (potential + light) J + potential light = 0."""
    both = potential + light
    root = casadi.sqrt(both**2 - 4 * curvature * potential * light + offset)
    return (both - root) / (2 * curvature)


def compensation_point(structure: Structure, lai: Any, x: SimpleNamespace, p: SimpleNamespace) -> Any:
    """CO2 concentration in the stomata [ppm] at which a canopy gains nothing (Eq. 9.22 and 9.23).

    Vanthoor fitted it to canopies: with more leaves it depends less on the temperature, about 20 degC. The
    line is never steeper than that of `LEAST_LAYERS`, and it ends at `LEAST_COMPENSATION`. As `published`
    it has neither limit, and in the cold `photosynthesis` divides by 0.
    """
    if structure.extremes == "published":
        return p.cGamma * x.tCan / lai + 20 * p.cGamma * (1 - 1 / lai)
    layers = casadi.fmax(lai, LEAST_LAYERS)
    line = p.cGamma * x.tCan / layers + 20 * p.cGamma * (1 - 1 / layers)
    return casadi.fmax(line, LEAST_COMPENSATION)


def photosynthesis(structure: Structure, par: Any, lai: Any, x: SimpleNamespace, p: SimpleNamespace) -> Any:
    """Net assimilation into the buffer [mg CH2O m-2 s-1] (Eq. 9.10-9.13 and 9.21-9.23).

    Below the compensation point the published canopy gains again, as both gross and respired are negative,
    without end as CO2 runs out. But `published`, it gains nothing there.
    """
    transport = electron_transport(par, lai, structure.offset, x, p)
    stomata = p.etaCo2AirStom * co2_in_ppm(x.co2Air, x.tAir)
    compensation = compensation_point(structure, lai, x, p)
    surplus = stomata - compensation
    if structure.extremes == "sound":
        surplus = casadi.fmax(surplus, 0)
    gross = transport * surplus / (4 * (stomata + 2 * compensation))
    respired = gross * compensation / stomata
    open_buffer = logistic(-BUFFER_SLOPE * (x.cBuf - p.cBufMax))
    return p.mCh2o * open_buffer * (gross - respired)
