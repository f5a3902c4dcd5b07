"""Far-infrared radiation by hand where the references have none: interlights, anywhere in the canopy."""

import math
from types import SimpleNamespace

import pytest

from agbench.simulators.greenlight.climate.longwave import PIPE_VIEW, longwave
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE, parameter_vector
from agbench.simulators.greenlight.presets import PRESETS
from agbench.simulators.greenlight.variables import CONTROLS, STATES, WEATHER

LIT = {"aIntLamp": 0.02, "epsIntLamp": 0.9, "kIntFir": 1.2}
LAI = 2.5


def fluxes(height):
    """Return the fluxes of a greenhouse at 20 degC whose interlights, of 40 degC, hang at a height."""
    changes = {**PRESETS["katzin_2021"].changes, **LIT, "vIntLampPos": height}
    p = SimpleNamespace(**dict(zip(PARAMETER_TABLE.names, parameter_vector(changes).tolist(), strict=True)))
    x = SimpleNamespace(**dict.fromkeys(STATES.names, 20.0))
    x.tIntLamp = 40.0
    u, d = (SimpleNamespace(**dict.fromkeys(table.names, 0.0)) for table in (CONTROLS, WEATHER))
    d.tSky = 20.0
    return longwave(SimpleNamespace(epsFir=0.84), LAI, x, u, d, p), p


@pytest.mark.parametrize("height", [0.0, 0.25, 0.5, 0.8, 1.0])
def test_interlights_warm_what_is_above_and_below_them(height):
    """`height` is that of the lamps in the canopy, 0 at its foot: so much of the leaves is below them."""
    found, p = fluxes(height)
    above = math.exp(-1.2 * (1 - height) * LAI)  # what passes through the leaves above
    below = math.exp(-1.2 * height * LAI)
    emitted = 0.02 * 0.9 * p.sigma * (313.15**4 - 293.15**4)
    rails = PIPE_VIEW * math.pi * p.lPipe * p.phiPipeE
    assert found.rIntLampCan == pytest.approx(emitted * p.epsCan * (2 - above - below))
    assert found.rIntLampFlr == pytest.approx(emitted * p.epsFlr * (1 - rails) * below)
    assert found.rIntLampPipe == pytest.approx(emitted * p.epsPipe * rails * below)
    assert found.rIntLampLampBelow == pytest.approx(emitted * p.epsLampBottom * above * p.aLamp)
    assert found.rIntLampCovIn == pytest.approx(emitted * 0.84 * above * p.tauLampFir)
    assert found.rIntLampSky == pytest.approx(emitted * p.epsSky * above * p.tauLampFir * p.tauRfFir)
