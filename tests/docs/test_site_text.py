"""Where lines of the documentation's pages may break."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def text():
    """Return the module of the hook."""
    spec = importlib.util.spec_from_file_location("site_text", DOCS / "site_text.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "whole", ["g m-2", "kg ha-1 d-1", "MJ m-2 d-1", "m3 m-3", "[-17.7, 69.0]", "9.3e-13"]
)
def test_a_unit_an_interval_and_a_number_stay_in_one_line(text, whole):
    assert text.kept(f"reaches {whole} here") == f'reaches <span class="whole">{whole}</span> here'


@pytest.mark.parametrize("plain", ["twenty a day", "wheat-nitrogen-v1", "a [link] and more", "m-2", "e-34"])
def test_other_words_stay_as_they_are(text, plain):
    assert text.kept(plain) == plain


def test_long_code_in_a_cell_breaks_at_its_parts(text):
    long, short = "tests/simulators/test_lintul3_reference.py", "r = a/b"
    broken = "tests/<wbr>simulators/<wbr>test_<wbr>lintul3_<wbr>reference.py"
    html = f"<td><code>{long}</code><code>{short}</code></td><p><code>{long}</code></p>"
    expected = f"<td><code>{broken}</code><code>{short}</code></td><p><code>{long}</code></p>"
    assert text.on_page_content(html, None, None, None) == expected


def test_blocks_of_code_and_attributes_are_left_alone(text):
    html = '<pre><code>95.8 g m-2</code></pre><img alt="g m-2"><svg><text>g m-2</text></svg>'
    assert text.on_page_content(html, None, None, None) == html
