"""The same bits whatever the processor and the C library: probes in processes of their own."""

import os
import platform
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("probes.py")
OTHERS = {
    "an older library": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"},
    "any processor": {"NUMBA_CPU_NAME": "generic"},
}
LIBRARY = re.compile(
    r"^(llvm\.|__|_)?(exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|powi|sin|cos|tan|sincos|a?sinh?|a?cosh?"
    r"|a?tanh?|atan2|cbrt|hypot|erfc?|[lt]gamma)(_u?1?)?f?(\.|$)"
)
"""The C library's functions whose last bits it chooses, and LLVM's, which become calls of them."""
SMALL = ("functions", "normals", "generator", "lintul3")
REST = ("disaggregation", "wofost72", "wofost81", "wofost-npk", "layered", "greenhouse", "greenhouses")


def probes(names, variables, tmp_path):
    """Return the hashes of probes in a process with these variables, and what their kernels call."""
    caches = {"NUMBA_CACHE_DIR": str(tmp_path / "numba"), "AGBENCH_CACHE_DIR": str(tmp_path / "agbench")}
    environment = {**os.environ, **caches, **variables}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *names], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *lines, outside = done.stdout.splitlines()
    return dict(line.split() for line in lines), outside.split()


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Return a function of names to the probes of a process as any other, each run once."""

    @cache
    def run(names):
        return probes(names, {}, tmp_path_factory.mktemp("here"))

    return run


def check(wanted, names, variables, tmp_path):
    """Fail where a probe differs from the wanted ones under the variables, or a kernel leaves the house."""
    hashes, outside = wanted
    assert probes(names, variables, tmp_path)[0] == hashes
    assert len(set(hashes.values())) == len(names)
    assert outside
    assert not [name for name in outside if LIBRARY.search(name)]


@pytest.mark.parametrize("other", OTHERS)
def test_small_probes_have_the_same_bits(other, here, tmp_path):
    check(here(SMALL), SMALL, OTHERS[other], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
def test_every_probe_has_the_same_bits(other, here, tmp_path):
    check(here(REST), REST, OTHERS[other], tmp_path)


@pytest.mark.skipif(
    platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc", reason="a variable of glibc on x86"
)
def test_the_older_library_is_another_one(tmp_path):
    """Otherwise the comparisons above say nothing (on a processor that has AVX2 and FMA)."""
    flags = Path("/proc/cpuinfo").read_text()
    if "avx2" not in flags or "fma" not in flags:
        pytest.skip("this processor has nothing to switch off")
    variables = OTHERS["an older library"]
    assert probes(["library"], {}, tmp_path)[0] != probes(["library"], variables, tmp_path)[0]
