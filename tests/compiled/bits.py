"""Prints the fingerprint of each probe, and what its kernels call: python tests/compiled/bits.py NAME...

Beside the probes of `agbench.testing.probes` there are `functions`, `normals`, `radiation`, and `library`,
what the C library computes. The last line holds the names of the outside functions that the kernels which
ran call.
"""

import hashlib
import math
import random
import re
import sys

import numpy as np
from numba.core.dispatcher import Dispatcher

from agbench.compiled import elementary
from agbench.testing import probes
from agbench.weather.draws import standard_normal
from agbench.weather.generator.kernel import angot_year


def functions():
    """Every function of ours, over ordinary numbers."""
    x, y = np.random.default_rng(1).uniform(0.01, 0.99, (2, 2000))
    wide = ("exp", "exp10", "expm1", "sin", "cos", "tanh", "atan")
    result = [getattr(elementary, name)(20 * x - 10) for name in wide]
    result += [elementary.log(30 * x), elementary.asin(2 * x - 1), elementary.pow(9 * x, 9 * y - 4)]
    return np.stack([*result, elementary.atan2(x - 0.5, y - 0.5)])


def normals():
    return standard_normal(np.random.default_rng(5), 100_000)


def radiation():
    """The smallest kernel of the package: a year's sun above the air, at some latitudes."""
    return np.stack([angot_year(latitude) for latitude in (-60.0, 0.0, 23.4, 52.0, 70.0)])


def library():
    """What the C library computes: not the same everywhere."""
    draw = random.Random(1)
    numbers = [draw.uniform(0.001, 30.0) for _ in range(100_000)]
    return np.array([f(x) for f in (math.exp, math.sin, math.log) for x in numbers])


OURS = {"functions": functions, "normals": normals, "radiation": radiation, "library": library}


def fingerprint(name):
    if name not in OURS:
        return probes.fingerprint(name)
    return hashlib.sha256(np.ascontiguousarray(OURS[name](), dtype="<f8").tobytes()).hexdigest()


def outside():
    """Return what the compiled entries of this process call by name; empty caches make it complete."""
    result = set()
    modules = [m for name, m in sys.modules.items() if name.startswith("agbench.")]
    for entry in {v for m in modules for v in vars(m).values() if isinstance(v, Dispatcher)}:
        for text in entry.inspect_llvm().values():
            result |= set(re.findall(r"^declare [^@]*@([\w.]+)", text, re.MULTILINE))
    return sorted(result)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{fingerprint(name)}  {name}", flush=True)
    print(*outside())
