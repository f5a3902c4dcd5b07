"""Values that are not of the kind that their tag says, such as `!!int foo`: an error with file and line.

PyYAML's own constructors end in Python's words there. Importing this module gives the loaders of data files
those that say it.
"""

from collections.abc import Callable
from typing import Any, Final

import yaml

from agbench.data.reading import StrictLoader
from agbench.errors import ConfigError

_TAG: Final = "tag:yaml.org,2002:"
_WORDS: Final = {
    "int": "a whole number of at most 4,300 digits",
    "float": "a number",
    "bool": "true or false",
    "timestamp": "a date or a time, such as 2027-03-15",
    "str": "text",
    "null": "empty",
    "binary": "text in Base64",
}
_MAPPINGS: Final = ("map", "set")
_SHOWN: Final = 40  # characters


def _of_words(usual: Callable[[Any, Any], Any], kind: str) -> Callable[[Any, Any], Any]:
    """Return a constructor that raises `ConfigError` for words that are not of a kind, and for no words."""

    def construct(loader: Any, node: Any) -> Any:
        place = f"{loader.file}:{node.start_mark.line + 1}"
        if not isinstance(node, yaml.ScalarNode):
            raise ConfigError(f"{place}: expected {kind}, found a list or keys with values.")
        try:
            return usual(loader, node)
        except ConfigError:
            raise
        except (ValueError, IndexError, KeyError, AttributeError, OverflowError):
            raise ConfigError(f"{place}: {str(node.value)[:_SHOWN]!r} is not {kind}.") from None

    return construct


def _of_mappings(usual: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a constructor that raises `ConfigError` for what has no keys, before the usual one takes it."""

    def construct(loader: Any, node: Any) -> Any:
        if not isinstance(node, yaml.MappingNode):
            place = f"{loader.file}:{node.start_mark.line + 1}"
            raise ConfigError(f"{place}: expected keys and values; the tag says so.")
        return usual(loader, node)

    return construct


def _register() -> None:
    loader: Any
    (loader,) = (one for one in StrictLoader.__mro__ if "construct_date" in vars(one))
    usual = dict(loader.yaml_constructors)
    for name, kind in _WORDS.items():
        loader.add_constructor(f"{_TAG}{name}", _of_words(usual[f"{_TAG}{name}"], kind))
    for name in _MAPPINGS:
        loader.add_constructor(f"{_TAG}{name}", _of_mappings(usual[f"{_TAG}{name}"]))


_register()
