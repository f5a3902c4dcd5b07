"""Prints a hash of the bits of each probe: python tests/compiled/probes.py NAME...

The last line holds the names of the functions outside of them that the kernels which ran call.
"""

import hashlib
import json
import math
import random
import re
import sys
from datetime import date
from pathlib import Path

import numpy as np
from numba.core.dispatcher import Dispatcher

import agbench
from agbench.compiled import elementary
from agbench.site_weather import site_generator, site_series
from agbench.weather.draws import standard_normal
from agbench.weather.greenhouse_disaggregation import disaggregate

REFERENCE = Path(__file__).parents[1] / "reference" / "wofost"
SOIL = {
    **{"SMFCF": 0.3, "SM0": 0.4, "SMW": 0.1, "CRAIRC": 0.06, "SOPE": 10.0, "KSUB": 10.0, "RDMSOL": 120.0},
    **{"IFUNRN": 0.0, "SSMAX": 0.0, "SSI": 0.0, "WAV": 10.0, "NOTINF": 0.0, "SMLIM": 0.4, "CO2": 360.0},
    **{"NSOILBASE": 60.0, "NSOILBASE_FR": 0.025, "NAVAILI": 20.0, "BG_N_SUPPLY": 0.05},
}


def digest(values):
    return hashlib.sha256(np.ascontiguousarray(values, dtype="<f8").tobytes()).hexdigest()[:16]


def functions():
    """Every function of ours, over ordinary numbers."""
    x, y = np.random.default_rng(1).uniform(0.01, 0.99, (2, 2000))
    wide = ("exp", "exp10", "expm1", "sin", "cos", "tanh", "atan")
    found = [getattr(elementary, name)(20 * x - 10) for name in wide]
    found += [elementary.log(30 * x), elementary.asin(2 * x - 1), elementary.pow(9 * x, 9 * y - 4)]
    return np.stack([*found, elementary.atan2(x - 0.5, y - 0.5)])


def generator():
    return site_generator("wageningen").season(3).values


def disaggregation():
    return disaggregate(site_series("wageningen"), date(1984, 3, 1), 10, np.random.default_rng(1))


def normals():
    return standard_normal(np.random.default_rng(5), 100_000)


def season(model, **more):
    def run():
        given = {"start": "1984-03-15", **more}
        return agbench.simulate(model, **given).select_dtypes("number").to_numpy(dtype=np.float64)

    return run


def published(model):
    """A season of barley with the parameters that PCSE's authors published for this version."""
    stored = json.loads((REFERENCE / f"crops{model[6:8]}.json").read_text())["crops"]["barley"]
    crop = {**SOIL, **stored["shared"], **next(iter(stored["varieties"].values()))}
    return season(model, crop=crop, soil=crop, site=crop, weather="wageningen")


def episode(task, steps):
    """Observations, rewards and the last state of one environment under random actions."""

    def run():
        env = agbench.make(task)
        seen = [env.reset(seed=1)[0]]
        env.action_space.seed(1)
        for _ in range(steps):
            observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            seen += [observation, np.array([reward])]
            if terminated or truncated:
                break
        return np.concatenate([*seen, env.unwrapped.core.simulator.state[0]])

    return run


def greenhouses():
    """Eight rows at once, of a random generator's controls."""
    envs = agbench.make_vec("greenhouse-tomato-v1", 8)
    envs.reset(seed=1)
    envs.action_space.seed(1)
    for _ in range(40):
        envs.step(envs.action_space.sample())
    return envs.unwrapped.core.simulator.state


def library():
    """What the C library computes: not the same everywhere."""
    draw = random.Random(1)
    numbers = [draw.uniform(0.001, 30.0) for _ in range(100_000)]
    return np.array([f(x) for f in (math.exp, math.sin, math.log) for x in numbers])


PROBES = {
    "functions": functions,
    "generator": generator,
    "disaggregation": disaggregation,
    "normals": normals,
    "lintul3": episode("wheat-nitrogen-v1", 60),
    "wofost72": published("wofost72-wlp"),
    "wofost81": published("wofost81-nwlp"),
    "wofost-npk": season("wofost-npk", crop="wheat-1", soil="oregon-1", site="wageningen"),
    "layered": episode("wheat-layered-v1", 300),
    "greenhouse": episode("greenhouse-setpoint-v1", 30),
    "greenhouses": greenhouses,
    "library": library,
}


def outside():
    """Return what the compiled entries of this process call by name; empty caches make it complete."""
    found = set()
    modules = [m for name, m in sys.modules.items() if name.startswith("agbench.")]
    for entry in {v for m in modules for v in vars(m).values() if isinstance(v, Dispatcher)}:
        for text in entry.inspect_llvm().values():
            found |= set(re.findall(r"^declare [^@]*@([\w.]+)", text, re.MULTILINE))
    return sorted(found)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name, digest(PROBES[name]()), flush=True)
    print(*outside())
