"""The blocks of a plain YAML text, one a key at the start of a line: what many files share is read once.

The records of a board say again and again which task, which packages and which machine they were made with.
"""

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

_PLAIN: Final = re.compile(
    r"(?:(?:[A-Za-z_]| +[A-Za-z0-9_]| *- [A-Za-z0-9_])(?:[\w $()+,./:;<=^~-]|\{\}){0,200}+\n)++", re.ASCII
)
"""Lines without quotes, brackets, comments, tags, anchors, blocks of text: each value ends with its line, or
goes on in one that begins with spaces, so that a key at the start of a line is always one. What is within
another value begins one space further, or after the only dash of its line: little text has little depth."""
_LONGEST: Final = 10_000  # characters of a text that is read by blocks
_BEGIN: Final = re.compile(r"^(?=[A-Za-z_])", re.MULTILINE)
_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*(?=:[ \n])", re.ASCII)
_MOST: Final = 4096  # blocks

_KNOWN: Final[dict[str, Any]] = {}


def blocks_of(text: str) -> dict[str, str] | None:
    """Return the text of each key of a plain text; None for a text that must be read whole."""
    if len(text) > _LONGEST or _PLAIN.fullmatch(text) is None:
        return None
    blocks = [block for block in _BEGIN.split(text) if block]
    by_key = {found[0]: block for block in blocks if (found := _KEY.match(block))}
    return by_key if len(by_key) == len(blocks) else None


def read_blocks(blocks: Mapping[str, str], read: Callable[[str], Any]) -> dict[str, Any] | None:
    """Return the data of blocks by key; those that were not met before are read, all at once.

    None where what is read has other keys. Raises what `read` raises.
    """
    new = [key for key, block in blocks.items() if block not in _KNOWN]
    found = read("".join(blocks[key] for key in new)) if new else {}
    if not isinstance(found, dict) or list(found) != new:
        return None
    result = {key: found[key] if key in found else copy.deepcopy(_KNOWN[blocks[key]]) for key in blocks}
    if len(_KNOWN) + len(new) > _MOST:
        _KNOWN.clear()
    _KNOWN.update((blocks[key], copy.deepcopy(found[key])) for key in new)
    return result
