"""Parameters and presets: complete, in order, and each with the effect that it claims."""

import casadi
import numpy as np
import pytest
from greenlight_reference import compact, full

from agbench.errors import ConfigError
from agbench.simulators.greenlight.derived import DERIVED
from agbench.simulators.greenlight.diagnosis import FluxReader
from agbench.simulators.greenlight.model import rate_function
from agbench.simulators.greenlight.parameters import (
    PARAMETER_TABLE,
    PARAMETERS,
    UNUSED,
    parameter_vector,
)
from agbench.simulators.greenlight.presets import PRESETS
from agbench.simulators.greenlight.variables import initial_state


def value(vector, name):
    return vector[PARAMETER_TABLE.column(name)]


def test_there_are_208_parameters_each_with_unit_meaning_and_source():
    assert len(PARAMETERS) == 208
    assert all(p.unit and p.meaning and p.source for p in PARAMETERS)
    assert {p.name for p in PARAMETERS if np.isnan(p.value)} == set(DERIVED)


def test_gym_preset_has_the_originals_values():
    """The original holds them in single precision."""
    np.testing.assert_allclose(parameter_vector({}), compact("trajectory_bang")["p"], rtol=1.2e-7, atol=0)


def test_unused_parameters_are_those_that_no_preset_reads():
    used = set()
    for preset in PRESETS.values():
        function = rate_function(preset.structure)
        arguments = function.sx_in()
        reads = casadi.which_depends(function(*arguments), arguments[3], 1, False)
        used |= {p.name for p, read in zip(PARAMETERS, reads, strict=True) if read}
    assert {p.name for p in PARAMETERS} - used - sources_of_derived() == UNUSED


def sources_of_derived():
    """Names that change a derived parameter."""
    derived = PARAMETER_TABLE.columns(list(DERIVED))
    plain = parameter_vector({})[derived]
    changes = [{p.name: p.value + 1.0} for p in PARAMETERS if np.isfinite(p.value)]
    return {
        name
        for change in changes
        for name in change
        if not np.array_equal(parameter_vector(change)[derived], plain)
    }


def test_derived_parameters_follow_unless_set():
    assert value(parameter_vector({"laiMax": 2.0}), "cLeafMax") == pytest.approx(2.0 / 2.66e-5)
    assert value(parameter_vector({"laiMax": 2.0, "cLeafMax": 5e4}), "cLeafMax") == 5e4


def test_value_that_is_no_number_is_refused():
    with pytest.raises(ConfigError, match=r"laiMax is '3', not a finite number in m2 m-2"):
        parameter_vector({"laiMax": "3"})


def test_hps_lamps_warm_the_greenhouse_more_than_leds():
    led, hps = (parameter_vector(PRESETS[name].changes) for name in ("gym", "gym_hps"))
    assert value(hps, "thetaLampMax") == 110.0
    assert value(hps, "etaLampNir") > value(led, "etaLampNir")
    assert value(hps, "etaLampCool") == 0.0


def test_initial_state_is_the_originals():
    data = compact("trajectory_bang")
    np.testing.assert_allclose(initial_state(data["D"][0]), data["X"][0], rtol=1e-7)


def test_fluxes_equal_the_originals():
    """Roof ventilation, flow through the screens, transpiration and photosynthesis."""
    data = full("rhs_points_glgym2")
    places = {"fVentRoof": 136, "fScr": 144, "mvCanAir": 176, "mcAirBuf": 200}
    u = np.hstack([data["U"], np.zeros((len(data["U"]), 2))])
    reader = FluxReader(PRESETS["gym"].structure, list(places))
    found = reader.read(data["X"], u, data["D"], data["p"])
    expected = data["aux"][:, list(places.values())]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
