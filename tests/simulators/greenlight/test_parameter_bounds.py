"""Every parameter at each of its bounds: the greenhouse runs, and no state leaves its bounds."""

import math
from dataclasses import replace

import numpy as np
import pytest
from greenlight_reference import compact

from agbench.errors import ConfigError
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE, parameter_vector
from agbench.simulators.greenlight.presets import PRESETS
from agbench.simulators.greenlight.simulator import GreenLightSimulator
from agbench.simulators.greenlight.variables import STATES
from agbench.simulators.greenlight.world import greenlight_world

ALONE = {  # at this bound it does not fit the others
    *(("laiMax", 0.0), ("sla", 2.66e-3), ("hAir", 570.0), ("hGh", 0.0), ("rhoAirCap", 1e10)),
    *(("phiPipeE", 0.0), ("phiPipeE", 5.1), ("phiPipeI", 4.875), ("lPipe", 0.013375), ("lPipe", 133.75)),
    *(("phiGroPipeE", 0.0), ("phiGroPipeI", 3.38), ("aFlr", 1.44), ("aPipe", 0.0)),
    *(("thetaIntLampMax", 1000.0), ("etaLampPar", 1.0), ("etaLampNir", 1.0), ("etaLampCool", 1.0)),
}
CONTROLS = np.array([[1, 1, 1, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0]], float)


def test_every_parameter_has_bounds_but_for_what_grows_with_the_greenhouse():
    unbounded = {p.name for p in PARAMETER_TABLE if math.isinf(p.low) or math.isinf(p.high)}
    assert unbounded == {"aFlr", "aCov", "aRoof", "aSide", "pBoil", "pBoilGro", "phiExtCo2"}
    for preset in PRESETS.values():
        parameter_vector(preset.changes)


@pytest.mark.slow_except("gym")
@pytest.mark.parametrize("name", ["gym", "katzin_2021_hps"])
def test_a_greenhouse_runs_with_each_parameter_at_a_bound(name):
    preset, weather = PRESETS[name], compact("trajectory_bang")["D"]
    vectors, refused = [], set()
    for parameter in PARAMETER_TABLE:
        for bound in filter(math.isfinite, (parameter.low, parameter.high)):
            try:
                vectors.append(parameter_vector({**preset.changes, parameter.name: bound}))
            except ConfigError:
                refused.add((parameter.name, float(f"{bound:.5g}")))
    if name == "gym":
        assert refused == ALONE
    steps = 96  # eight hours
    worlds = []
    usual = greenlight_world(weather[:steps], preset)
    for vector in vectors:
        worlds += [replace(usual, parameters=vector)] * len(CONTROLS)
    simulator = GreenLightSimulator(len(worlds), preset)
    simulator.reset(worlds)
    inputs = np.tile(CONTROLS, (len(vectors), 1))
    for _ in range(8):
        simulator.advance(inputs, steps // 8)
        for column, variable in enumerate(STATES):
            state = simulator.state[:, column]
            assert variable.low <= state.min(), variable.name
            assert state.max() <= variable.high, variable.name
