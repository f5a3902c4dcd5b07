"""Strict reading of YAML, with errors that name the place and the remedy."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from agbench.data.characters import unseemly_in_key
from agbench.errors import ConfigError, did_you_mean

Schema = TypeVar("Schema", bound="Strict")

_EXPONENT = re.compile(r"^[-+]?\d+[eE][-+]?\d+$")
_BASE_60 = re.compile(r"^[-+]?\d+(:[0-5]?\d)+(\.\d*)?$")
_OCTAL = re.compile(r"^[-+]?0\d+$")
_YES_NO = {"yes", "no", "on", "off"}


class Strict(BaseModel):
    """Base of all schemas: frozen, strict types, unknown keys forbidden."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    other_words: ClassVar[Mapping[str, str]] = {}
    """Keys by which related schemas call the same thing, and the key here: for errors."""


class _WithDates(yaml.constructor.SafeConstructor):
    """Builds data; a date that no calendar has is an error with file, line and remedy."""

    file = ""

    def construct_date(self, node: Any) -> Any:
        """Construct a date or time; raises `ConfigError` for one that no calendar or clock has."""
        try:
            return self.construct_yaml_timestamp(node)
        except ValueError:
            raise ConfigError(
                f"{self.file}:{node.start_mark.line + 1}: {str(node.value)[:40]} is no date or time that a "
                "calendar and a clock have; write one that is, such as 2027-03-15 or 2027-03-15 18:30:00."
            ) from None

    yaml_constructors: ClassVar[dict[Any, Any]] = {
        **yaml.constructor.SafeConstructor.yaml_constructors,
        "tag:yaml.org,2002:timestamp": construct_date,
    }


class _WithoutTraps(_WithDates):
    """Builds data without YAML's traps: no duplicate keys, no words or times read as numbers."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Construct a mapping; raises `ConfigError` for a key that stands twice."""
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            place = f"{self.file}:{key_node.start_mark.line + 1}"
            if isinstance(key, str) and (hidden := unseemly_in_key(key)):
                raise ConfigError(f"{place}: the key {key!a} has {hidden} Type the key anew.")
            if key in seen:
                raise ConfigError(f"{place}: the key {key!r} appears twice.")
            seen.add(key)
        return super().construct_mapping(node, deep=deep)

    def construct_scalar(self, node: Any) -> Any:
        """Construct a scalar; raises `ConfigError` for words that YAML reads as something else."""
        if not node.style:
            self._refuse_traps(node)
        return super().construct_scalar(node)

    def _refuse_traps(self, node: Any) -> None:
        """Raise where YAML 1.1 would silently read a plain word as something else."""
        text = str(node.value)
        place = f"{self.file}:{node.start_mark.line + 1}"
        if text.lower() in _YES_NO:
            raise ConfigError(
                f'{place}: {text} is true or false in YAML; write "{text}" for the word, or true or false.'
            )
        if _EXPONENT.match(text):
            mantissa = re.sub(r"([eE])", r".0\1", text, count=1)
            raise ConfigError(
                f"{place}: {text} is text to YAML, not a number; write {mantissa} "
                "(a dot before the exponent)."
            )
        if _BASE_60.match(text):
            raise ConfigError(f'{place}: {text} is read in base 60; write "{text}".')
        if _OCTAL.match(text) and node.tag == "tag:yaml.org,2002:int":
            raise ConfigError(f'{place}: {text} is read as octal; write "{text}" or drop the 0.')


class StrictLoader(_WithoutTraps, yaml.SafeLoader):
    """YAML without its traps: no aliases, no duplicate keys, no words or times read as numbers."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node; raises `ConfigError` for an alias."""
        if self.check_event(yaml.events.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise ConfigError(
                f"{self.file}:{event.start_mark.line + 1}: aliases (*{event.anchor}) are not "
                "allowed; repeat the value."
            )
        return super().compose_node(parent, index)


_SAFE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _QuickLoader(_WithoutTraps, _SAFE):  # type: ignore[misc]
    """The same on LibYAML, ten times as fast; it does not see aliases."""


class _LenientLoader(_WithDates, yaml.SafeLoader):
    """YAML of others, whose aliases, merged keys and plain words are welcome."""


def load_lenient(text: str, file: str) -> Any:
    """Return the plain data of a YAML text that other programs read too, traps and all.

    Raises `ConfigError` for a date that no calendar has, and `yaml.YAMLError` for what is no YAML.
    """
    return _load(_LenientLoader(text), file)


def load_yaml(text: str, file: str) -> Any:
    """Return the plain data of a YAML text; raises `ConfigError` naming file and line."""
    if "*" not in text:  # no alias
        with suppress(yaml.YAMLError):  # the other loader says what is wrong
            loader: Any = _QuickLoader
            return _load(loader(text), file)
    try:
        loader = StrictLoader(text)
    except yaml.reader.ReaderError as error:
        raise ConfigError(f"{file}: not text: {error.reason} (character {error.position + 1}).") from None
    return construct(loader, file)


def construct(loader: StrictLoader, file: str) -> Any:
    """Return the plain data that a loader reads; raises `ConfigError` naming file and line."""
    try:
        return _load(loader, file)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(f"{file}{line}: not valid YAML: {problem}.") from None


def _load(loader: Any, file: str) -> Any:
    loader.file = file
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def load_file(path: Path) -> Any:
    """Return the plain data of a YAML file; raises `ConfigError` naming file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8 text.") from None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}.") from None
    return load_yaml(text, str(path))


def read_file(schema: type[Schema], path: Path) -> Schema:
    """Read and check one data file; raises `ConfigError` naming file, key, value and remedy."""
    return read_data(schema, load_file(path), str(path))


def read_data(schema: type[Schema], data: Any, where: str) -> Schema:
    """Check plain data against a schema; `where` names its origin in errors."""
    if not isinstance(data, dict):
        raise no_mapping(data, where)
    try:
        return schema.model_validate(data)
    except ValidationError as error:
        lines = [_sentence(schema, e) for e in error.errors()]
        shown = " ".join(dict.fromkeys(lines))
        raise ConfigError(f"{where}: {shown}") from None


def no_mapping(data: Any, where: str) -> ConfigError:
    """Return the error for data that are no keys and values."""
    if data is None:
        return ConfigError(f"{where}: expected keys and values; there is nothing.")
    return ConfigError(f"{where}: expected keys and values, got {type(data).__name__}.")


def _sentence(schema: type[BaseModel], error: Any) -> str:
    """Return one of pydantic's errors as a sentence for people."""
    location = [str(part) for part in error["loc"]]
    key = ".".join(location)
    kind, value = error["type"], error["input"]
    if kind == "extra_forbidden":
        word = schema.other_words.get(key) if issubclass(schema, Strict) else None
        if word:
            return f"unknown key {key!r}. Did you mean {word!r}?"
        keys = _keys_at(schema, error["loc"][:-1])
        parent = ".".join(location[:-1])
        prefix = f"{parent}: " if parent else ""
        return f"{prefix}unknown key {location[-1]!r}.{did_you_mean(location[-1], keys)}"
    if kind == "missing":
        return f"the key {key!r} is missing."
    if kind == "literal_error":
        options = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        return f"{key}: {value!r} is not one of its values.{did_you_mean(str(value), options)}"
    if kind == "value_error":
        return f"{key}: {error['ctx']['error']}" if key else str(error["ctx"]["error"])
    if kind == "model_type":
        return f"{key}: expected keys and values; got {value!r}."
    if isinstance(value, str) and ("float" in kind or "int" in kind):
        return f"{key} is the text {value!r}, not a number."
    return f"{key}: {error['msg'].lower()}; got {value!r}."


def _keys_at(schema: Any, location: Iterable[Any]) -> list[str]:
    """Return the keys that the schema knows at a location of nested models."""
    for part in location:
        field = getattr(schema, "model_fields", {}).get(part)
        if field is None:
            inner = _models_in(schema)
            schema = inner[0] if inner else schema
            continue
        schema = field.annotation
    for model in _models_in(schema):
        return list(model.model_fields)
    return []


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    """Return the models that an annotation mentions, itself first."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for a in getattr(annotation, "__args__", ()) for m in _models_in(a)]
