"""Plain YAML is read as the usual reader reads it, or left to that."""

from itertools import product

import pytest

from agbench.data.plain import NotPlainError, plain, read_plain_file
from agbench.data.reading import Strict, load_yaml
from agbench.errors import ConfigError

_LEFT = (
    *(
        "yes",
        "No",
        "ON",
        "TRUE",
        "NULL",
        "~",
        "1e5",
        "1.0e5",
        ".5",
        "5.",
        "-.inf",
        ".nan",
        "0x1f",
        "0b11",
        "017",
    ),
    *("08", "1:20", "1:20.5", "1_000", "+3", "2027-03-15", "2027-03-15 18:30:00", "2001-12-14 21:59:43 Z"),
    *(
        "1234567890123456789",
        "1" * 64,
        "1e" + "5" * 62,
        "0b" + "1" * 62,
        "<<",
        "=",
        "!!int 3",
        "!x y",
        "&a b",
    ),
    *(
        "*a",
        "{a: 1, a: 2}",
        "{yes: 1}",
        "{1: 2}",
        "{a\u200bb: 1}",
        "[yes]",
        "a: b: c",
        "- x",
        "? k",
        "...",
        "@x",
    ),
    *("`x`", "12:30 h", "\u00e9", "[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]", "'", "0.e+5", "%x"),
)
_READ = (
    *(
        "",
        "null",
        "true",
        "false",
        "0",
        "-0",
        "12",
        "-7",
        "0.5",
        "-0.0",
        "007.50",
        "1.5e-3",
        "1.0e+5",
        "1" * 18,
    ),
    *(
        "word",
        "y",
        "N",
        "two words",
        "true love",
        "a #c",
        "key#x",
        "7 d",
        "-11.8 degC",
        "1.0e-03 falling to 0",
    ),
    *(
        "0.1.0",
        "05-02",
        "0.amount",
        "inf",
        "nan",
        "a" * 64,
        "12ab" * 16,
        "{a: 1, b: {c: [1, x]}}",
        "[]",
        "{}",
    ),
    *(
        '"yes"',
        "'1e5'",
        '"\\x41\\u200b"',
        "'it''s'",
        "|\n  two\n  lines",
        ">\n  folded\n  text",
        "d\u00e9j\u00e0 vu",
    ),
)


def _places(words):
    return [
        place.format(word) for word, place in product(words, ("k: {}", "{}: 1", "a:\n- {}\n- b: 2", "{}"))
    ]


@pytest.mark.parametrize("text", _places([*_LEFT, *_READ]))
def test_what_is_read_as_plain_is_what_the_usual_reader_gives(text):
    try:
        data = plain(text)
    except NotPlainError:
        return
    assert repr(data) == repr(load_yaml(text, "file"))


@pytest.mark.parametrize("word", _LEFT)
def test_words_and_signs_with_a_meaning_of_their_own_are_left(word):
    with pytest.raises(NotPlainError):
        plain(f"k: {word}")


@pytest.mark.parametrize("word", _READ)
def test_words_numbers_and_quoted_texts_are_plain(word):
    assert list(plain(f"k: {word}")) == ["k"]


@pytest.mark.parametrize(
    "text", ["", "# nothing", "a: 1\n---\nb: 2", "%YAML 1.1\n---\na: 1", "a: [1", "a: \x00"]
)
def test_no_document_several_and_no_yaml_are_left(text):
    with pytest.raises(NotPlainError):
        plain(text)


class _Numbers(Strict):
    one: float


def test_a_file_that_is_not_plain_is_read_and_refused_as_ever(tmp_path):
    path = tmp_path / "numbers.yaml"
    path.write_text("one: 1_0.5\n")
    assert read_plain_file(_Numbers, path).one == 10.5
    for text, said in (
        ("one: 1e5\n", r"numbers.yaml:1: 1e5 is text"),
        ("one: 1.5\ntwo: 2.5\n", "unknown key"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigError, match=said):
            read_plain_file(_Numbers, path)
    with pytest.raises(ConfigError, match="No such file"):
        read_plain_file(_Numbers, tmp_path / "none.yaml")
