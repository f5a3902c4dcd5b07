"""Writing YAML as people would: what is short on one line, what is long in a block."""

from io import StringIO
from typing import Any, Final

import yaml

_SHORT: Final = 120  # characters of a list or a mapping on one line


def yaml_text(content: Any) -> str:
    """Return the YAML of plain data, with lists and mappings that are short in flow style."""
    stream = StringIO()
    dumper = yaml.SafeDumper(stream, default_flow_style=False, indent=4, width=10_000, sort_keys=False)
    dumper.open()
    node = dumper.represent_data(content)
    _shorten(node, outermost=True)
    dumper.serialize(node)
    dumper.close()
    return stream.getvalue()


def _shorten(node: yaml.Node, outermost: bool = False) -> int:
    """Set the style of a node and of all within it; return its length on one line."""
    if isinstance(node, yaml.MappingNode):
        length = 2 + sum(_shorten(key) + _shorten(value) + 4 for key, value in node.value)
    elif isinstance(node, yaml.SequenceNode):
        length = 2 + sum(_shorten(value) + 2 for value in node.value)
    else:
        return len(str(node.value))
    node.flow_style = length <= _SHORT and not outermost
    return length
