"""Kept machine code: read where it is what it says it is, else compiled anew."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from forks import fresh
from numba.core import types

from agbench.compiled import cache_file, code_cache, symbols

LARGE = """
from agbench.weather.generator.kernel import angot_year

print(angot_year(52.0).sum(), sum(angot_year.stats.cache_misses.values()))
"""
SMALL = """
from agbench.compiled import entry


@entry
def double(x):
    return 2.0 * x


print(double(1.5), sum(double.stats.cache_misses.values()))
"""
"""It is compiled in a fraction of the time."""


def folders(caches):
    return {"NUMBA_CACHE_DIR": str(caches), "AGBENCH_CACHE_DIR": str(caches / "ours")}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """Return a folder with a script of each program."""
    folder = tmp_path_factory.mktemp("scripts")
    for name, text in {"large": LARGE, "small": SMALL}.items():
        (folder / f"{name}.py").write_text(text)
    return folder


@pytest.fixture(scope="module")
def asked(scripts):
    """Return what gives a program's number, and whether its kernel was compiled, in a way to run it."""

    def ask(run, caches, program="small", **changes):
        value, misses = run(scripts / f"{program}.py", **(folders(caches) | changes)).split()
        return float(value), bool(int(misses))

    return ask


@pytest.fixture(scope="module")
def filled(tmp_path_factory, asked):
    caches = tmp_path_factory.mktemp("filled")
    value, compiled = asked(fresh, caches, "large")
    assert compiled
    return caches, value


@pytest.fixture
def caches(tmp_path, asked, forked):
    """Return caches that hold the small kernel."""
    assert asked(forked, tmp_path / "caches") == (3.0, True)
    return tmp_path / "caches"


def kept(caches):
    return sorted((caches / "agbench").glob("*.kernel"))


def test_a_second_process_compiles_nothing(filled, asked, forked):
    caches, value = filled
    assert asked(forked, caches, "large") == (value, False)


@pytest.mark.slow_except("NUMBA_CPU_NAME")
@pytest.mark.parametrize("name", ["NUMBA_CPU_NAME", "NUMBA_OPT", "NUMBA_BOUNDSCHECK"])
def test_other_machines_and_settings_have_code_of_their_own(caches, name, asked):
    value = {"NUMBA_CPU_NAME": "generic", "NUMBA_OPT": "1", "NUMBA_BOUNDSCHECK": "1"}[name]
    before = set(kept(caches))
    assert asked(fresh, caches, **{name: value})[1]
    assert before < set(kept(caches))
    assert not asked(fresh, caches, **{name: value})[1]


def cut(content):
    return content[: len(content) // 2]


def flip(content):
    return content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]


def of_another_type(content):
    return content.replace(b'"types": "', b'"types": "0', 1)


@pytest.mark.slow_except("cut", "of_another_type")
@pytest.mark.parametrize("damage", [cut, flip, of_another_type, lambda content: b""])
def test_a_damaged_file_is_made_anew(caches, damage, asked, forked):
    (path,) = kept(caches)
    path.write_bytes(damage(path.read_bytes()))
    assert asked(forked, caches) == (3.0, True)
    assert asked(forked, caches) == (3.0, False)


def test_code_of_another_entry_under_this_name_is_not_read(caches, asked, forked):
    (path,) = kept(caches)
    key = cache_file.key_of(path)
    assert "__main__.double" in key
    cache_file.write(path, key.replace("double", "generate"), b"not what it should be")
    assert asked(forked, caches) == (3.0, True)


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path, asked, forked):
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert asked(forked, blocked / "below") == (3.0, True)


def test_keys_say_what_the_code_depends_on(filled):
    (path,) = kept(filled[0])
    key = json.loads(cache_file.key_of(path))
    assert key["entry"] == "agbench.weather.generator.kernel.angot_year"
    assert {"code", "types", "python", "numba", "llvmlite", "numpy", "processor", "arithmetic"} <= set(key)
    assert len(key["code"]) == 64


def test_on_another_numba_nothing_is_kept_with_a_warning(tmp_path, scripts):
    program = "import numba, runpy, sys\nnumba.__version__ = '9.1.0'\nrunpy.run_path(sys.argv[1])"
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "AGBENCH_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", program, str(scripts / "small.py")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert "agbench keeps no compiled code: Numba 9.1.0" in done.stderr
    assert done.stderr.count("RuntimeWarning") == 1
    assert float(done.stdout.split()[0]) > 0.0
    assert not list(tmp_path.rglob("*.kernel"))


def test_sealed_files_are_read_for_their_own_key_alone(tmp_path):
    path = tmp_path / "deep" / "file"
    assert cache_file.write(path, "a key", b"content")
    assert cache_file.read(path, "a key") == b"content"
    assert cache_file.read(path, "another") is None
    assert cache_file.read(tmp_path / "absent", "a key") is None
    assert not cache_file.write(path / "below", "a key", b"content")
    assert cache_file.read(path, "a key") == b"content"
    assert not list(tmp_path.rglob(".new-*"))
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert cache_file.read(path, "a key") is None, place
        assert cache_file.key_of(path) is None


def closing_over(value):
    def inner():
        return value

    return inner


def calling(function):
    def inner(x):
        return function(x)

    return inner


ONE, TWO = closing_over(1.0), closing_over(2.0)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (ONE, TWO),
        (closing_over(1), closing_over(1.0)),
        (closing_over((1, 2)), closing_over((2, 1))),
        (closing_over({"a": 1}), closing_over({"a": 2})),
        (closing_over(np.arange(3)), closing_over(np.arange(3.0))),
        (closing_over(types.float64), closing_over(types.float32)),
        (calling(ONE), calling(TWO)),
        (calling(calling(ONE)), calling(calling(TWO))),
        (lambda x: x + 1, lambda x: x + 2),
        (lambda x=1: x, lambda x=2: x),
        (closing_over(object()), closing_over(object())),
        (closing_over({1}.pop), closing_over({2}.pop)),
    ],
)
def test_functions_of_different_content_have_different_names(a, b):
    assert symbols.content(a) != symbols.content(b)


def test_functions_of_one_content_have_one_name():
    assert symbols.content(calling(closing_over(1.0))) == symbols.content(calling(closing_over(1.0)))
    assert symbols.content(closing_over(abs)) == symbols.content(closing_over(abs))


def test_a_function_that_calls_itself_has_a_name():
    def down(x):
        return down(x - 1) if x else 0

    assert symbols.content(down) == symbols.content(down)


def test_records_of_different_fields_have_different_names():
    from numba import from_dtype
    from numba.core.itanium_mangler import mangle

    kinds = [from_dtype(np.dtype([(name, np.float64)])) for name in ("DVS", "LAI", "DVS")]
    first, second, third = (mangle("advance", [kind]) for kind in kinds)
    assert first != second
    assert first == third


@pytest.mark.parametrize(
    ("symbol", "good"),
    [
        ("_ZN7agbench3runB20v12c0123456789abcdefE", True),
        ("cfunc._ZN7agbench3runB20v12c0123456789abcdefE", True),
        ("_ZN7agbench3runB3v12E", False),
        ("_ZN5numba2np5emptyB3v7E", False),
        ("_ZN7agbench3runB20v12c0123456789abcdefE_20at_200x7f12ab34cd", False),
        ("NRT_decref", True),
    ],
)
def test_a_library_with_a_name_by_counting_is_not_kept(symbol, good):
    assert (symbols.misnamed(["NRT_incref", symbol]) is None) is good


def test_the_folder_follows_the_settings_of_both(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    assert code_cache.folder() == tmp_path / "numba" / "agbench"
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("AGBENCH_CACHE_DIR", str(tmp_path / "ours"))
    assert code_cache.folder() == tmp_path / "ours" / "kernels"
