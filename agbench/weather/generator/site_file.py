"""Writing a fitted climate into its site file, with every other line unchanged."""

from pathlib import Path
from typing import Any

import yaml

from agbench.data.climate import Climate
from agbench.errors import ConfigError
from agbench.files import write_text

_KEY = "climate:"


def write_climate(path: Path, climate: Climate) -> None:
    """Put the climate at the end of a site file, in place of the one that stands there."""
    lines = path.read_text(encoding="utf-8").splitlines()
    places = [i for i, line in enumerate(lines) if line.startswith(_KEY)]
    kept = lines[: places[0]] if places else lines
    after = lines[places[0] + 1 :] if places else []
    if any(line and not line.startswith((" ", "#")) for line in after):
        raise ConfigError(f"{path}: the key climate must be the last one, so that a fit can replace it.")
    write_text(path, "\n".join([*kept, climate_text(climate)]).rstrip() + "\n")


def climate_text(climate: Climate) -> str:
    """Return the climate as YAML: a list of numbers a line."""
    return "\n".join([_KEY, *_lines(climate.model_dump(), 1)])


def _lines(content: Any, depth: int) -> list[str]:
    """Return a mapping or a list of lists as indented lines."""
    indent = "    " * depth
    if isinstance(content, list):
        return [line for item in content for line in _item(item, indent, depth)]
    result = []
    for key, value in content.items():
        if isinstance(value, dict) or (isinstance(value, list) and not _is_row(value)):
            result += [f"{indent}{key}:", *_lines(value, depth + 1)]
        else:
            result.append(f"{indent}{key}: {_flow(value)}")
    return result


def _item(item: Any, indent: str, depth: int) -> list[str]:
    if _is_row(item):
        return [f"{indent}- {_flow(item)}"]
    inner = _lines(item, depth + 1)
    return [f"{indent}-   {inner[0].lstrip()}", *inner[1:]]


def _is_row(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(x, (list, dict)) for x in value)


def _flow(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000)
    return text.removesuffix("\n").removesuffix("...").strip()
