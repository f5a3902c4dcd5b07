"""What leaves one body enters another: energy of the greenhouse, energy, CO2 and vapour of its air."""

import numpy as np
import pytest
from greenlight_reference import compact, eight

from agbench.simulators.greenlight.model import flux_function, rate_function
from agbench.simulators.greenlight.parameters.table import PARAMETER_TABLE, parameter_vector
from agbench.simulators.greenlight.presets import PRESETS
from agbench.simulators.greenlight.simulator import GreenLightSimulator
from agbench.simulators.greenlight.stepping import ACCURACIES, Accuracy
from agbench.simulators.greenlight.variables import STATES
from agbench.simulators.greenlight.world import greenlight_world

BODIES = {
    "tAir": "capAir",
    "tTop": "capTop",
    "tThScr": "capThScr",
    "tBlScr": "capBlScr",
    "tFlr": "capFlr",
    "tPipe": "capPipe",
    "tGroPipe": "capGroPipe",
    "tLamp": "capLamp",
    "tIntLamp": "capIntLamp",
    **{f"tSo{i}": f"capSo{i}" for i in range(1, 6)},
}
SOURCES = (
    *("rGlobSunAir", "rParSunCan", "rNirSunCan", "rParSunFlr", "rNirSunFlr", "rGlobSunCovE"),
    *("qLampIn", "qIntLampIn", "hBoilPipe", "hBoilGroPipe"),
)
SINKS = (
    *("hAirOut", "hTopOut", "hCovEOut", "hSo5SoOut", "hLampCool"),
    *("rCanSky", "rPipeSky", "rFlrSky", "rLampSky", "rIntLampSky"),
    *("rThScrSky", "rBlScrSky", "rCovESky"),
)
CONDENSING = ("mvAirThScr", "mvAirBlScr", "mvTopCovIn")


def random_points(name, n=40):
    """States around those of the reference, with all eight controls at work."""
    random = np.random.default_rng(5)
    data = compact("points_gym")
    pick = random.integers(len(data["X"]), size=n)
    x = data["X"][pick] * random.uniform(0.9, 1.1, size=(n, 28))
    changes = {**PRESETS[name].changes, "thetaIntLampMax": 50.0, "aIntLamp": 0.02, "cHecIntLampAir": 2.3}
    changes |= {"epsIntLamp": 0.88, "cHecIntLampAir": 2.3, "pBoilGro": 9e3, "epsGroPipe": 0.8}
    return x, random.uniform(size=(n, 8)), data["D"][pick], parameter_vector(changes)


@pytest.mark.parametrize("name", ["gym", "katzin_2020", "katzin_2021_hps"])
def test_energy_of_the_whole_greenhouse_is_kept(name):
    """Heat stored in all bodies per second equals what enters less what leaves [W m-2]."""
    structure = PRESETS[name].structure
    names = [*SOURCES, *SINKS, *CONDENSING, "mvCanAir", "capCov", "lai"]
    fluxes, rates = flux_function(structure, names), rate_function(structure)
    xs, us, ds, p = random_points(name)
    for x, u, d in zip(xs, us, ds, strict=True):
        f = dict(zip(names, np.array(fluxes(x, u, d, p)).ravel(), strict=True))
        dx = dict(zip(STATES.names, np.array(rates(x, u, d, p)).ravel(), strict=True))
        capacity = {body: p[PARAMETER_TABLE.column(cap)] for body, cap in BODIES.items()}
        capacity |= {"tCovIn": f["capCov"], "tCovE": f["capCov"]}
        capacity["tCan"] = p[PARAMETER_TABLE.column("capLeaf")] * f["lai"]
        latent = f["mvCanAir"] - sum(f[condensing] for condensing in CONDENSING)
        gained = sum(f[s] for s in SOURCES) - sum(f[s] for s in SINKS)
        gained -= p[PARAMETER_TABLE.column("L")] * latent
        stored = sum(capacity[body] * dx[body] for body in capacity)
        assert stored == pytest.approx(gained, abs=1e-8)


AIR = {
    "co2Air": (("mcExtAir",), ("mcAirCan", "mcAirTop", "mcAirOut")),
    "co2Top": (("mcAirTop",), ("mcTopOut",)),
    "vpAir": (("mvCanAir",), ("mvAirThScr", "mvAirBlScr", "mvAirTop", "mvAirOut")),
    "vpTop": (("mvAirTop",), ("mvTopCovIn", "mvTopOut")),
    "tAir": (
        ("hCanAir", "hPipeAir", "hGroPipeAir", "hLampAir", "rGlobSunAir", "rLampAir"),
        ("hAirFlr", "hAirThScr", "hAirBlScr", "hAirOut", "hAirTop"),
    ),
    "tTop": (("hThScrTop", "hBlScrTop", "hAirTop"), ("hTopCovIn", "hTopOut")),
}


def capacity(name, x, p):
    """Capacity of an air state along a trajectory `x` (rows, 28), in flux unit s per state unit."""
    value = {key: p[PARAMETER_TABLE.column(key)] for key in ("hAir", "hGh", "mWater", "R")}
    constant = {"co2Air": "capCo2Air", "co2Top": "capCo2Top", "tAir": "capAir", "tTop": "capTop"}
    if name in constant:
        return np.full(len(x), p[PARAMETER_TABLE.column(constant[name])])
    height = value["hAir"] if name == "vpAir" else value["hGh"] - value["hAir"]
    kelvin = x[:, STATES.column("tAir" if name == "vpAir" else "tTop")] + 273.15
    return value["mWater"] * height / (value["R"] * kelvin)


def trajectory(data, step, interval, parts, accuracy):
    """Return states (parts + 1, 28) under the inputs of one step, in intervals of any length."""
    changes = {v.name: value for v, value in zip(PARAMETER_TABLE, data["p"], strict=True)}
    weather = np.tile(data["D"][step], (parts, 1))
    simulator = GreenLightSimulator(1, "gym", interval, accuracy)
    simulator.reset([greenlight_world(weather, "gym", changes, data["X"][step])])
    states = [simulator.state[0].copy()]
    for _ in range(parts):
        simulator.advance(eight(data["U"][step : step + 1]), 1)
        states.append(simulator.state[0].copy())
    return np.array(states)


def simpson(values, h):
    return h / 3 * (values[0] + values[-1] + 4 * values[1:-1:2].sum(0) + 2 * values[2:-2:2].sum(0))


@pytest.mark.slow_except("100")
@pytest.mark.parametrize("step", [0, 100, 200])
def test_balances_of_the_air_close_over_a_step(step):
    """What a default step of 300 s stores is what entered less what left, to 1e-4 of the two.

    The flows are integrated by Simpson's rule along the same step on a grid of 0.1 s.
    """
    data, parts = compact("trajectory_bang"), 3000
    fine = trajectory(data, step, 300.0 / parts, parts, Accuracy("rodas4", 1e-8, 0.1))
    whole = trajectory(data, step, 300.0, 1, ACCURACIES["accurate"])
    names = sorted({flux for gains, losses in AIR.values() for flux in (*gains, *losses)})
    function = flux_function(PRESETS["gym"].structure, names)
    inputs = (fine.T, eight(data["U"][step : step + 1]).T, data["D"][step], data["p"])
    flux = dict(zip(names, np.array(function(*inputs)), strict=True))
    for name, (gains, losses) in AIR.items():
        entered = sum(simpson(flux[gain], 300.0 / parts) for gain in gains)
        left = sum(simpson(flux[loss], 300.0 / parts) for loss in losses)
        change = whole[-1, STATES.column(name)] - whole[0, STATES.column(name)]
        grid = fine[:, STATES.column(name)]
        stored = np.trapezoid(capacity(name, fine, data["p"]), grid)
        stored *= change / (grid[-1] - grid[0])
        throughput = sum(simpson(np.abs(flux[f]), 300.0 / parts) for f in (*gains, *losses))
        assert abs(stored - (entered - left)) < 1e-4 * throughput, name
