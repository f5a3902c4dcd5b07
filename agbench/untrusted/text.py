"""An untrusted YAML: no tags, no aliases, little depth, few values, no number without end."""

import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final, TypeVar

import yaml

from agbench.data.characters import unseemly
from agbench.data.plain import NotPlainError, plain
from agbench.data.reading import Strict, StrictLoader, construct, read_data
from agbench.errors import ConfigError
from agbench.untrusted.blocks import blocks_of, read_blocks
from agbench.untrusted.refusal import RefusedError

DEPTH: Final = 8
VALUES: Final = 5000
LONGEST_WORD: Final = 400  # characters of an unquoted value

_TEXT, _MAPPING, _SEQUENCE = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))
_QUICK: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Schema = TypeVar("Schema", bound=Strict)


def read_schema(schema: type[Schema], content: bytes, file: str) -> Schema:
    """Return an untrusted YAML file checked against a schema; raises `RefusedError`."""
    data = read_yaml(content, file)
    try:
        return read_data(schema, data, "")
    except (ConfigError, RecursionError, OverflowError) as error:
        field, _, reason = str(error).removeprefix(": ").partition(": ")
        raise RefusedError(file, field if reason else "", reason or field) from None


def read_yaml(content: bytes, file: str) -> Any:
    """Return the plain data of an untrusted YAML file; raises `RefusedError`."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusedError(file, "", f"not UTF-8 text: byte {error.start}.") from None
    _check_characters(text, file)
    parts = blocks_of(text)
    with suppress(RefusedError):  # whole, it says in which line
        known = None if parts is None else read_blocks(parts, lambda new: _read_plain(new, file))
        if known is not None:
            return known
    return _read(text, file)


def _read(text: str, file: str) -> Any:
    """Return the plain data of a text whose characters were checked."""
    return _constructed(text, file, _check_events)


def _read_plain(text: str, file: str) -> Any:
    """Return the data of a text of blocks; it has no anchors, tags, directives, quotes, nor any great depth.

    What may still be too much in it is looked for in the data.
    """
    data = _constructed(text, file)
    if _count(data, DEPTH, file) > VALUES:
        raise RefusedError(file, "", f"more than {VALUES} values.")
    return data


def _constructed(text: str, file: str, check: Callable[[str, str], None] | None = None) -> Any:
    """Return the plain data of a text that passes a check."""
    try:
        if check is not None:
            check(text, file)
        data = _data(text, file)
    except RefusedError:  # a ValueError, too
        raise
    except ConfigError as error:
        raise RefusedError(file, "", str(error).removeprefix(f"{file}:").lstrip(": ")) from None
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise RefusedError(file, "", f"not valid YAML: {problem}.") from None
    except (ValueError, TypeError, OverflowError, RecursionError, AttributeError, KeyError) as error:
        raise RefusedError(file, "", f"not plain YAML: {error}.") from None
    _check_values(data, file, "")
    return data


def _data(text: str, file: str) -> Any:
    """Return the data of a text: of a plain one, as most are, without nodes."""
    try:
        return plain(text)
    except NotPlainError:
        return construct(_Composed(text), file)


def _check_characters(text: str, file: str) -> None:
    """Refuse characters that are invisible, turn the reading direction or pile up."""
    result = unseemly(text)
    if result is not None:
        place, message = result
        raise RefusedError(file, f"line {text.count(chr(10), 0, place) + 1}", message)


class _Composed(StrictLoader):
    """Constructs from nodes that LibYAML composes, of a text whose events were checked; no aliases are left.

    PyYAML constructs by generators, for data that hold themselves; what has no alias is constructed at once.
    """

    def __init__(self, text: str) -> None:
        super().__init__("")
        self._text = text

    def get_single_node(self) -> Any:
        return yaml.compose(self._text, Loader=_QUICK)

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        if node.tag == _TEXT:
            return self.construct_scalar(node)
        if node.tag == _MAPPING:
            return self.construct_mapping(node, deep=True)
        if node.tag == _SEQUENCE:
            return self.construct_sequence(node, deep=True)
        return super().construct_object(node, deep=True)


def _events(text: str) -> Iterator[Any]:
    """Yield a text's events as LibYAML reads them; where it cannot, the slower parser says what is wrong."""
    try:
        yield from yaml.parse(text, Loader=_QUICK)
    except yaml.YAMLError:
        deque(yaml.parse(text, Loader=yaml.SafeLoader), maxlen=0)
        raise


def _check_events(text: str, file: str) -> None:
    """Refuse a text in which something would be costly or dangerous to construct."""
    depth = values = 0
    for event in _events(text):
        line = f"line {event.start_mark.line + 1}" if event.start_mark else ""
        if isinstance(event, yaml.events.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise RefusedError(file, line, "anchors and aliases are not allowed.")
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise RefusedError(file, line, f"the tag {tag!r}; tags are not allowed.")
        if isinstance(event, yaml.events.DocumentStartEvent) and (event.version or event.tags):
            raise RefusedError(file, line, "directives are not allowed.")
        if isinstance(event, (yaml.events.MappingEndEvent, yaml.events.SequenceEndEvent)):
            depth -= 1
        elif isinstance(event, yaml.events.NodeEvent):
            values += 1
            if values > VALUES:
                raise RefusedError(file, line, f"more than {VALUES} values.")
            if not isinstance(event, yaml.events.ScalarEvent):
                depth += 1
                if depth > DEPTH:
                    raise RefusedError(file, line, f"nested deeper than {DEPTH}.")
            elif not event.style and len(event.value) > LONGEST_WORD:
                raise RefusedError(file, line, f"an unquoted value of more than {LONGEST_WORD} characters.")


def _count(data: Any, depth: int, file: str) -> int:
    """Return how many values data have, with keys; refuse what is nested too deep, and words too long."""
    if isinstance(data, str) and len(data) > LONGEST_WORD:
        raise RefusedError(file, "", f"an unquoted value of more than {LONGEST_WORD} characters.")
    if not isinstance(data, (dict, list)):
        return 1
    if not depth:
        raise RefusedError(file, "", f"nested deeper than {DEPTH}.")
    inside = [*data, *data.values()] if isinstance(data, dict) else data
    return 1 + sum(_count(value, depth - 1, file) for value in inside)


def _check_values(data: Any, file: str, field: str) -> None:
    """Refuse keys that are not text, numbers that are not finite, characters that an escape hid."""
    if isinstance(data, str):
        result = unseemly(data)
        if result is not None:
            raise RefusedError(file, field, result[1])
    elif isinstance(data, dict):
        for key, value in data.items():
            if not isinstance(key, str):
                raise RefusedError(file, field, f"the key {key!r} is not text.")
            _check_values(key, file, field)
            _check_values(value, file, f"{field}.{key}" if field else key)
    elif isinstance(data, list):
        for i, value in enumerate(data):
            _check_values(value, file, f"{field}.{i}")
    elif isinstance(data, float) and not math.isfinite(data):
        raise RefusedError(file, field, f"{data} is not a finite number.")
    elif isinstance(data, int) and abs(data) >= 2**63:
        raise RefusedError(file, field, "a whole number of more than 64 bits.")
