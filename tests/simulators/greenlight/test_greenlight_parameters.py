"""Parameters and presets: complete, in order, and each with the effect that it claims."""

from types import SimpleNamespace

import casadi
import numpy as np
import pytest
from greenlight_reference import compact, full

from agbench.errors import ConfigError
from agbench.simulators.greenlight.diagnosis import FluxReader
from agbench.simulators.greenlight.model import rate_function
from agbench.simulators.greenlight.parameters.climate import CLIMATE
from agbench.simulators.greenlight.parameters.crop import CROP
from agbench.simulators.greenlight.parameters.derived import DERIVED
from agbench.simulators.greenlight.parameters.lamps import LAMPS
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE, UNUSED, parameter_vector
from agbench.simulators.greenlight.presets import PRESETS
from agbench.simulators.greenlight.variables import initial_state
from agbench.variables import ABOVE_0


def value(vector, name):
    return vector[PARAMETER_TABLE.column(name)]


def test_there_are_208_parameters_each_with_unit_meaning_and_source():
    assert len(PARAMETER_TABLE) == 208
    assert all(p.unit and p.meaning and p.source for p in PARAMETER_TABLE)
    assert {p.name for p in PARAMETER_TABLE if np.isnan(p.default)} == set(DERIVED)


def test_gym_preset_has_the_originals_values():
    """The original holds them in single precision."""
    np.testing.assert_allclose(parameter_vector({}), compact("trajectory_bang")["p"], rtol=1.2e-7, atol=0)


def test_unused_parameters_are_those_that_no_preset_reads():
    used = set()
    for preset in PRESETS.values():
        function = rate_function(preset.structure)
        arguments = function.sx_in()
        reads = casadi.which_depends(function(*arguments), arguments[3], 1, False)
        used |= {p.name for p, read in zip(PARAMETER_TABLE, reads, strict=True) if read}
    assert {p.name for p in PARAMETER_TABLE} - used - sources_of_derived() == UNUSED


def sources_of_derived():
    """Names that change a derived parameter."""
    derived = PARAMETER_TABLE.columns(list(DERIVED))
    plain = parameter_vector({})[derived]
    changes = [{p.name: 0.99 * p.default or 0.01} for p in PARAMETER_TABLE if np.isfinite(p.default)]
    changes.remove({"thetaIntLampMax": 0.01})  # refused, as nothing cools them
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


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("sla", -1e-5, r"sla \(specific leaf area\) is -1e-05 m2 mg-1; it must be 2.66e-07 to 0.00266"),
        ("aFlr", 0.0, r"aFlr \(floor area\) is 0 m2; it must be 1.44 or more"),
        ("cLeakage", -1.0, r"cLeakage \(leakage coefficient\) is -1; it must be 0 to 0.003"),
        ("hAir", 7.0, r"hAir \(height .*\) is 7 m; it must be less than hGh \(.*\), 6.2 m"),
        ("phiPipeI", 0.051, r"phiPipeI .* must be less than phiPipeE \(outer .*\), 0.051 m"),
        (
            "pBoil",
            1.2e7,
            r"pBoil .* is 12000000 W for all 144 m2 of floor .*; .* at most 144000 W, 1000 W for",
        ),
        ("pBoilGro", 1.45e5, r"pBoilGro .* is 145000 W for all 144 m2 of floor"),
        ("phiExtCo2", 7201.0, r"phiExtCo2 .* 7201 mg s-1 .* at most 7200 mg s-1, 50 mg s-1 for each m2"),
        ("aFlr", 1.44, r"pBoil .* is 18720 W for all 1.44 m2 of floor \(aFlr\)"),
        (
            "lPipe",
            0.1,
            r"pBoil .* for all 2.30.* m2 of pipe rails \(aFlr times aPipe\); .* at most 11.* W, 5000",
        ),
        (
            "thetaIntLampMax",
            50.0,
            r"thetaIntLampMax .* is 50 W m-2, of which 50 heat .* shed 0. .* cHecIntLampAir,",
        ),
        ("etaLampPar", 0.36, r"etaLampPar, etaLampNir, etaLampCool are parts .* add up to 1.01; they must"),
        ("hElevation", 9001.0, r"hElevation .* is 9001 m; it must be -500 to 9000"),
        ("tauRfPar", 1.2, r"tauRfPar \(PAR transmission of the roof\) is 1.2; it must be 0 to 1"),
        ("aFlr", True, r"aFlr is True, not a finite number in m2"),
    ],
)
def test_a_value_that_cannot_be_is_refused(name, value, message):
    with pytest.raises(ConfigError, match=message):
        parameter_vector({name: value})


def test_land_below_the_sea_and_frost_are_no_mistakes():
    values = {"hElevation": -5.0, "tCanMin": -2.0, "heatCorrection": -1.0, "cLeakage": 0.0}
    vector = parameter_vector(values)
    assert {name: value(vector, name) for name in values} == values


def with_zero(name, usual):
    """All parameters with one at zero and the derived that follow from it; None where none can."""
    record = SimpleNamespace(**dict(zip(PARAMETER_TABLE.names, usual.tolist(), strict=True)))
    setattr(record, name, 0.0)
    try:
        for other, rule in DERIVED.items():
            if other != name:
                setattr(record, other, rule(record))
    except ZeroDivisionError:
        return None
    return np.array([getattr(record, n) for n in PARAMETER_TABLE.names])


@pytest.mark.parametrize("name", PRESETS)
def test_exactly_the_divisors_leave_no_finite_rates_at_zero(name):
    rates, data = rate_function(PRESETS[name].structure), compact("points_gym")
    states, weather = data["X"].T, data["D"].T
    controls = np.hstack([data["U"], np.full((len(data["U"]), 2), 0.3)]).T
    usual = parameter_vector(PRESETS[name].changes)

    def finite(vector):
        return vector is not None and np.isfinite(np.array(rates(states, controls, weather, vector))).all()

    assert finite(usual)
    divisors = {p.name for p in (*CLIMATE, *CROP, *LAMPS) if p.low == ABOVE_0} | {"t25k", "R"}
    divisors -= {"cEvap2", "j25LeafMax"}  # at 0 the rates are finite, their derivatives not
    assert {p.name for p in PARAMETER_TABLE if not finite(with_zero(p.name, usual))} == divisors


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
    result = reader.read(data["X"], u, data["D"], data["p"])
    expected = data["aux"][:, list(places.values())]
    np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-12)
