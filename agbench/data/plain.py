"""Plain YAML in a fraction of the time: keys, lists, words, numbers and quoted texts, nothing else.

PyYAML makes nodes with marks, asks regular expressions for the kind of each word, and constructs by
generators. Here data are made as LibYAML's parser speaks. Whatever is not plain, such as a tag, an alias, a
date, a key that stands twice or a word that YAML reads as something else, is left to the usual reader, which
constructs it or says what is wrong.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import yaml

from agbench.data.reading import Schema, load_file, read_data

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", None)
_DEPTH: Final = 20
_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})", re.ASCII)
_REAL: Final = re.compile(r"-?[0-9]{1,40}\.[0-9]{1,40}(?:e[-+][0-9]{1,3})?", re.ASCII)
_TEXT: Final = re.compile(
    r"""
    [A-Za-z].* |  # but for `_NO_TEXTS`
    -?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?[ ][A-Za-z].* |  # a number with its unit
    [0-9]+(?:\.[0-9]+){2,3} | [0-9]{2}-[0-9]{2} | [0-9]\.[a-z]+ |  # a version, a day of any year, a place
    (?=[0-9]+[a-f])(?![0-9]+e[0-9]+$)(?!0b)[0-9a-f]{64}  # a SHA-256, unless it looks like a number
    """,
    re.ASCII | re.DOTALL | re.VERBOSE,
)
_MEANINGS: Final = {"": None, "null": None, "true": True, "false": False}
_NO_TEXTS: Final = frozenset(("yes", "no", "on", "off", "true", "false", "null"))
"""Words, in small letters, of which YAML 1.1 makes something else; no other that begins with a letter."""

Take = Callable[[], Any]
"""Gives the next event of a parser."""


class NotPlainError(Exception):
    """A YAML text that is left to the usual reader."""


def read_plain_file(schema: type[Schema], path: Path) -> Schema:
    """Return a data file as `reading.read_file` does, sooner where it is plain; raises `ConfigError`."""
    with suppress(NotPlainError, OSError, UnicodeDecodeError):  # the usual reader says what is wrong
        return read_data(schema, plain(path.read_text(encoding="utf-8")), str(path))
    return read_data(schema, load_file(path), str(path))


def plain(text: str) -> Any:
    """Return the data of a plain YAML text; raises `NotPlainError` for any other."""
    if _LOADER is None or "*" in text:  # of which the usual reader makes no use of LibYAML
        raise NotPlainError
    parser = _LOADER(text)
    try:
        return _document(parser.get_event)
    except yaml.YAMLError:
        raise NotPlainError from None
    finally:
        parser.dispose()


def _document(take: Take) -> Any:
    """Return the data of the only document."""
    _expect(take, yaml.StreamStartEvent)
    start = _expect(take, yaml.DocumentStartEvent)
    if start.version or start.tags:
        raise NotPlainError
    result = _node(take(), take, _DEPTH)
    _expect(take, yaml.DocumentEndEvent)
    _expect(take, yaml.StreamEndEvent)
    return result


def _expect(take: Take, kind: type[Any]) -> Any:
    event = take()
    if type(event) is not kind:
        raise NotPlainError
    return event


def _node(event: Any, take: Take, depth: int) -> Any:
    """Return the data that begin with an event; within them others may lie `depth` deep."""
    kind = type(event)
    if kind is yaml.ScalarEvent:
        return _scalar(event)
    if kind is yaml.AliasEvent or event.tag or event.anchor or not depth:
        raise NotPlainError
    return (_mapping if kind is yaml.MappingStartEvent else _sequence)(take, depth - 1)


def _mapping(take: Take, depth: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    while type(event := take()) is not yaml.MappingEndEvent:
        key = _scalar(event) if type(event) is yaml.ScalarEvent else None
        if not isinstance(key, str) or key in result or not (key.isascii() and key.isprintable()):
            raise NotPlainError
        result[key] = _node(take(), take, depth)
    return result


def _sequence(take: Take, depth: int) -> list[Any]:
    result = []
    while type(event := take()) is not yaml.SequenceEndEvent:
        result.append(_node(event, take, depth))
    return result


def _scalar(event: Any) -> Any:
    """Return a text or a number, true, false or nothing."""
    if event.tag or event.anchor:
        raise NotPlainError
    text: str = event.value
    if event.style or (_TEXT.fullmatch(text) and text.lower() not in _NO_TEXTS):
        return text
    if _REAL.fullmatch(text):
        return float(text)
    if _WHOLE.fullmatch(text):
        return int(text)
    if text in _MEANINGS:
        return _MEANINGS[text]
    raise NotPlainError
