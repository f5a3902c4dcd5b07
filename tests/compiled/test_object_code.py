"""Recipes: assembly is built only where the cache does not say what would be built."""

import ctypes

import pytest

from agbench.compiled import cache_file, object_code
from agbench.compiled.object_code import load_built
from agbench.simulators.greenlight import stepping
from agbench.simulators.greenlight.diagnosis import FluxReader
from agbench.simulators.greenlight.presets import PRESETS

START = "agbench.compiled.object_code:load_built"


def constant(value: float) -> str:
    return f"define double @f() {{\nret double {value}\n}}\n"


@pytest.fixture
def loaded(tmp_path, monkeypatch):
    """Load a function of no argument, and count how often it is built."""
    monkeypatch.setattr(object_code, "folder", lambda: tmp_path)
    built = []

    def load(name="three", value=3.0, libraries=()):
        def build():
            built.append(name)
            return constant(value), {"width": 7}

        address, facts = load_built(name, START, libraries, build)
        assert facts == {"width": 7}
        return ctypes.CFUNCTYPE(ctypes.c_double)(address("f"))(), len(built)

    return load


def test_what_was_built_is_not_built_again(loaded):
    assert loaded() == (3.0, 1)
    assert loaded() == (3.0, 1)


def test_another_name_or_library_is_built(loaded):
    loaded()
    assert loaded("four", 4.0) == (4.0, 2)
    assert loaded("three", 3.0, ("numpy",)) == (3.0, 3)


@pytest.mark.parametrize("kind", ["recipe", "object"])
def test_what_is_damaged_or_gone_is_built_again(loaded, kind, tmp_path):
    loaded()
    (file,) = tmp_path.rglob(f"*.{kind}")
    file.write_bytes(file.read_bytes()[:-1])
    assert loaded() == (3.0, 2)
    (file,) = tmp_path.rglob(f"*.{kind}")
    file.unlink()
    assert loaded() == (3.0, 3)
    assert loaded() == (3.0, 3)


def test_kept_greenhouses_of_different_equations_differ(tmp_path, monkeypatch):
    monkeypatch.setattr(object_code, "folder", lambda: tmp_path)
    for name in ("gym", "katzin_2020"):
        FluxReader(PRESETS[name].structure, ("hBoilPipe", "mcFruitHar"))
    FluxReader(PRESETS["gym"].structure, ("hBoilPipe",))
    recipes = {path: cache_file.key_of(path) for path in tmp_path.rglob("*.recipe")}
    built = {cache_file.read(path, key) for path, key in recipes.items() if "diagnosis" in key}
    assert len(built) == 3


def test_a_kept_method_is_the_one_that_is_compiled(tmp_path, monkeypatch):
    structure = PRESETS["gym"].structure
    monkeypatch.setattr(stepping, "compiled", stepping.compiled.__wrapped__)
    first, again = (stepping.compiled(structure, "rodas3", 1) for _ in range(2))
    assert again._replace(addresses=None, fresh=None) == first._replace(addresses=None, fresh=None)
    assert (again.fresh == first.fresh).all()
    assert len(set(again.addresses)) == len(again.addresses)
