"""What a model is, in plain data and in the pages of docs/models."""

import importlib.util
from pathlib import Path

import pytest

from agbench.errors import UnknownNameError
from agbench.simulation.description import describe_model, model_names

DOCS = Path(__file__).parents[2] / "docs"


def pages():
    """Return the pages as docs/make_models.py writes them."""
    spec = importlib.util.spec_from_file_location("make_models", DOCS / "make_models.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pages()


def test_the_pages_are_current():
    expected = pages()
    assert {path.name for path in (DOCS / "models").iterdir()} == set(expected)
    for name, text in expected.items():
        assert (DOCS / "models" / name).read_text() == text, f"{name}: run python docs/make_models.py"


@pytest.mark.parametrize("name", model_names())
def test_a_model_lists_all_that_it_computes_and_reads(name):
    result = describe_model(name)
    for part in ("states", "weather", "parameters"):
        assert result[part], part
    for part in ("states", "inputs", "weather", "parameters"):
        for entry in result[part]:
            assert all((entry["unit"], entry["meaning"])), entry["name"]
    assert all(entry["source"] for entry in result["parameters"])


def test_an_unknown_model_names_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'wofost-npk'"):
        describe_model("wofost-nkp")


INPUTS = {
    "wofost72-pp": [],
    "wofost72-wlp": ["IRRIG"],
    "wofost81-wlp": ["IRRIG"],
    "wofost81-nwlp": ["N", "IRRIG"],
    "wofost-npk": ["N", "P", "K", "IRRIG", "HARVEST", "PLANT"],
    "lintul3": ["N", "IRRIG"],
}


@pytest.mark.parametrize(("name", "inputs"), INPUTS.items(), ids=INPUTS)
def test_a_model_lists_the_inputs_that_act_on_it(name, inputs):
    assert [entry["name"] for entry in describe_model(name)["inputs"]] == inputs
