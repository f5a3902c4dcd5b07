"""The same bits whatever the processor and the C library: probes in processes of their own."""

import platform
import re
import subprocess
import sys
from pathlib import Path

import bits
import pytest
from sequences import environment

from agbench.testing import probes

SCRIPT = Path(__file__).with_name("bits.py")
OTHERS = {
    "an older library": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"},
    "any processor": {"NUMBA_CPU_NAME": "generic"},
}
LIBRARY = re.compile(
    r"^(llvm\.|__|_)?(exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|powi|sin|cos|tan|sincos|a?sinh?|a?cosh?"
    r"|a?tanh?|atan2|cbrt|hypot|erfc?|[lt]gamma)(_u?1?)?f?(\.|$)"
)
"""The C library's functions whose last bits it chooses, and LLVM's, which become calls of them."""
SMALL = ("functions", "normals", "radiation")
"""Those without a fingerprint that is shipped, which take seconds to compile."""


def computed(names, variables, tmp_path):
    """Return the fingerprints of a process with these variables, and what its kernels call."""
    env = environment(tmp_path, **variables)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *names], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *lines, outside = done.stdout.splitlines()
    result = {name: value for value, name in (line.split("  ", 1) for line in lines)}
    assert set(result) == set(names)
    return result, outside.split()


def from_the_library(outside):
    assert outside
    return [name for name in outside if LIBRARY.search(name)]


@pytest.fixture(scope="module")
def here():
    """What the small probes compute on this machine as it is."""
    return {name: bits.fingerprint(name) for name in SMALL}


@pytest.mark.slow_except("an older library")
@pytest.mark.parametrize("other", OTHERS)
def test_small_probes_have_the_same_bits(other, here, tmp_path):
    there, outside = computed(SMALL, OTHERS[other], tmp_path)
    assert here == there
    assert from_the_library(outside) == []


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
def test_every_probe_has_the_same_bits(other, tmp_path):
    result, outside = computed(probes.names(), OTHERS[other], tmp_path)
    assert result == probes.shipped()
    assert from_the_library(outside) == []


@pytest.mark.skipif(
    platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc", reason="a variable of glibc on x86"
)
def test_the_older_library_is_another_one(tmp_path):
    """Otherwise the comparisons above say nothing (on a processor that has AVX2 and FMA)."""
    flags = Path("/proc/cpuinfo").read_text()
    if "avx2" not in flags or "fma" not in flags:
        pytest.skip("this processor has nothing to switch off")
    there, _ = computed(["library"], OTHERS["an older library"], tmp_path)
    assert there != {"library": bits.fingerprint("library")}
