"""The machine code's cache: kept between starts, and never older than the physics."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from agbench.compiled import kernel

PROCESS = "from agbench.compiled import kernel\n\n\n@kernel\ndef rate(x):\n    return {factor} * x\n"
ENTRY = """
from agbench.compiled import entry
from farm_physics.process import rate


@entry
def advance(x):
    return rate(x) + 1.0
"""


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "farm_physics"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "process.py").write_text(PROCESS.format(factor="2.0"))
    (folder / "batch.py").write_text(ENTRY)
    return folder


def advance(package):
    """Return what `advance(3.0)` gives in a fresh process, and whether its code was compiled."""
    code = (
        "from farm_physics.batch import advance\n"
        "print(advance(3.0), sum(advance.stats.cache_misses.values()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    value, misses = done.stdout.split()
    return float(value), bool(int(misses))


def test_machine_code_is_kept_until_any_file_of_the_physics_changes(package):
    assert advance(package) == (7.0, True)
    assert advance(package) == (7.0, False)
    (package / "process.py").write_text(PROCESS.format(factor="5.0"))
    assert advance(package) == (16.0, True)
    assert advance(package) == (16.0, False)


def compiled(process):
    """Return a process function as it is where machine code calls it."""

    @numba.njit
    def call(*arguments):
        return process(*arguments)

    return call


def test_a_kernel_divides_as_the_standard_says():
    @kernel
    def quotient(a, b):
        return a / b

    assert compiled(quotient)(1.0, 0.0) == np.inf
    assert np.isnan(compiled(quotient)(0.0, 0.0))


def test_a_kernel_called_from_python_is_the_plain_function():
    @kernel
    def quotient(a, b):
        return a / b

    assert quotient(3.0, 2.0) == 1.5
    with pytest.raises(ZeroDivisionError):
        quotient(1.0, 0.0)


def test_a_kernel_does_not_reorder_sums():
    @kernel
    def total(a, b, c):
        return (a + b) + c

    assert compiled(total)(1e16, 1.0, -1e16) == (1e16 + 1.0) + -1e16
    assert compiled(total)(0.1, 0.2, 0.3) == (0.1 + 0.2) + 0.3
