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


ADVANCE = """
from farm_physics.batch import advance

print(advance(3.0), sum(advance.stats.cache_misses.values()))
"""


def test_machine_code_is_kept_until_any_file_of_the_physics_changes(package, forked):
    script = package.parent / "advance.py"
    script.write_text(ADVANCE)

    def advance():
        """Return what `advance(3.0)` gives, and how many entries were compiled."""
        env = {"PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": str(package.parent / "kept")}
        return forked(script, **env).split()

    assert advance() == ["7.0", "1"]
    (package / "process.py").write_text(PROCESS.format(factor="5.0"))
    assert advance() == ["16.0", "1"]
    assert advance() == ["16.0", "0"]


MAKE = """
from agbench.compiled import entry, kernel


def make(factor):
    @kernel
    def rate(x):
        return factor * x

    @entry
    def advance(x):
        return rate(x)

    return advance
"""

FACTORY = f"""
import os
import numpy as np
import farm_numbers
{MAKE}

FROM_OUTSIDE = float(os.environ.get("FACTOR", "2"))
TABLE = np.array([FROM_OUTSIDE])


@entry
def outside(x):
    return FROM_OUTSIDE * x


@entry
def table(x):
    return TABLE[0] * x


@entry
def elsewhere(x):
    return farm_numbers.FACTOR * x


if __name__ == "__main__":
    first, second = make(2.0), make(3.0)
    print(first(10.0), second(10.0), outside(10.0), table(10.0), elsewhere(10.0))
"""


def run_factory(forked, tmp_path, factor, elsewhere):
    script, numbers = tmp_path / "mine" / "factory.py", tmp_path / "other" / "farm_numbers.py"
    for path, text in ((script, FACTORY), (numbers, f"FACTOR = {elsewhere}\n")):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    path = os.pathsep.join([str(numbers.parent), os.environ.get("PYTHONPATH", "")])
    said = forked(script, PYTHONPATH=path, NUMBA_CACHE_DIR=str(tmp_path / "cache"), FACTOR=factor)
    return [float(word) for word in said.split()]


def test_entries_differ_by_the_values_they_are_made_of(tmp_path, forked):
    """The second process finds the code of the first two, and must not take that of the others."""
    assert run_factory(forked, tmp_path, "2", 2.0) == [20.0, 30.0, 20.0, 20.0, 20.0]
    assert run_factory(forked, tmp_path, "3", 5.0) == [20.0, 30.0, 30.0, 30.0, 50.0]


ALIKE = f"""
import sys
{MAKE}

made = [make(float(word)) for word in sys.argv[1:]]
print([advance(10.0) for advance in made], sum(sum(one.stats.cache_misses.values()) for one in made))
"""


def test_kernels_of_one_name_that_two_processes_kept_at_once_run_in_one_in_any_order(tmp_path):
    """`test_sequences.py` does so with whole models, which take minutes to compile."""
    script = tmp_path / "alike.py"
    script.write_text(ALIKE)
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def started(*factors):
        command = [sys.executable, str(script), *factors]
        return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)

    at_once = [started("2"), started("3")]
    assert [one.communicate()[0] for one in at_once] == ["[20.0] 1\n", "[30.0] 1\n"]
    assert started("3", "2").communicate()[0] == "[30.0, 20.0] 0\n"  # nothing is compiled


def test_code_made_of_a_text_runs_in_the_next_process_too(tmp_path, forked):
    script = tmp_path / "program.py"
    script.write_text(
        "import sys\n"
        "source = 'from agbench.compiled import entry\\n@entry\\ndef f(x): return {0} * x\\n'\n"
        "for factor in sys.argv[1:]:\n"
        "    names = {}\n"
        "    exec(compile(source.format(factor), 'nowhere', 'exec'), names)\n"
        "    print(names['f'](10.0))\n"
    )
    for factors in (["2.0"], ["3.0", "2.0"]):
        said = forked(script, *factors, NUMBA_CACHE_DIR=str(tmp_path))
        assert [float(line) for line in said.split()] == [10.0 * float(f) for f in factors]


def compiled(process):
    """Return a process function as it is where machine code calls it."""

    @numba.njit
    def call(*arguments):
        return process(*arguments)

    return call


def test_a_kernel_divides_as_the_standard_requires():
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
