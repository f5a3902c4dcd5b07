"""Damage to files: bytes that are broken, and YAML that is well-formed and says something odd."""

import copy
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import yaml

Generator = np.random.Generator


def flip(content: bytes, generator: Generator) -> bytes:
    """Change up to eight bytes."""
    changed = bytearray(content)
    for _ in range(int(generator.integers(1, 9))):
        changed[int(generator.integers(len(changed)))] = int(generator.integers(256))
    return bytes(changed)


def cut(content: bytes, generator: Generator) -> bytes:
    """Leave out the end."""
    return content[: int(generator.integers(len(content)))]


def repeat(content: bytes, generator: Generator) -> bytes:
    """Write a piece twice."""
    a, b = sorted(int(i) for i in generator.integers(len(content), size=2))
    return content[:b] + content[a:b] + content[b:]


def extreme(content: bytes, generator: Generator) -> bytes:
    """Put a large or negative number where four bytes were."""
    place = int(generator.integers(max(1, len(content) - 4)))
    word = (b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\0\0")[int(generator.integers(4))]
    return content[:place] + word + content[place + 4 :]


def swap_lines(content: bytes, generator: Generator) -> bytes:
    """Exchange two lines."""
    lines = content.split(b"\n")
    a, b = (int(i) for i in generator.integers(len(lines), size=2))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def insert(content: bytes, generator: Generator) -> bytes:
    """Put in a piece that parsers stumble over."""
    pieces = (
        b"!!x ",
        b"&a ",
        b"*a",
        b"[" * 50,
        b"{",
        b"\0",
        b"<<: ",
        b"? ",
        b"\xef\xbb\xbf",
        b"9" * 500,
        b"'",
    )
    place = int(generator.integers(len(content) + 1))
    return content[:place] + pieces[int(generator.integers(len(pieces)))] + content[place:]


TRICKS: Final[tuple[Callable[[bytes, Generator], bytes], ...]] = (
    flip,
    cut,
    repeat,
    extreme,
    swap_lines,
    insert,
)


def damaged(content: bytes, generator: Generator) -> tuple[bytes, str]:
    """Return a file's content with its bytes damaged, and the name of what was done."""
    trick = TRICKS[int(generator.integers(len(TRICKS)))]
    return trick(content, generator), trick.__name__


ODD: Final[tuple[Any, ...]] = (
    None, True, "", "x", "1e-3", [], {}, [[]], {"x": 1}, 0, -1, 1, 2, 3.5, -0.0, 1e-320, 1e308, -1e308,
    10**30,
    float("nan"), float("inf"), float("-inf"), "02-30", "00-00", "2024-02-30", "7 d", "-1 d", "0 d", "1e9 d",
    "../../etc/passwd", "all 9999-0000", "\0", "é" * 300, [0], [1, 0], [float("nan")], ["x", "x"],
)  # fmt: skip
"""Values that no author means, of every type that YAML has."""


def flawed(content: bytes, generator: Generator) -> tuple[bytes, str]:
    """Return YAML with up to three of its values or keys changed, and what was done."""
    whole = {"": yaml.safe_load(content)}
    done = []
    for _ in range(int(generator.integers(1, 4))):
        places = list(_places(whole))
        holder, key = places[int(generator.integers(len(places)))]
        done.append(_change(holder, key, places, generator))
    return yaml.safe_dump(whole[""], sort_keys=False, allow_unicode=True).encode(), ", ".join(done)


def _places(content: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every mapping or list with each of its keys or indices."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        yield content, key
        if isinstance(value, (dict, list)):
            yield from _places(value)


def _change(holder: Any, key: Any, places: list[tuple[Any, Any]], generator: Generator) -> str:
    """Change one place; return what was done."""
    way = int(generator.integers(7))
    value = holder[key]
    if way == 0 and key != "":
        del holder[key]
        return f"left out {key}"
    if way == 1 and isinstance(holder, dict) and key != "":
        holder[f"{key}x"] = holder.pop(key)
        return f"renamed {key}"
    if way == 6 and isinstance(holder, dict) and key != "":
        holder[(key,)] = holder.pop(key)  # YAML has it as a list
        return f"the key [{key}]"
    if way == 2:
        other, name = places[int(generator.integers(len(places)))]
        holder[key] = copy.deepcopy(other[name]) if name in other or isinstance(other, list) else None
        return f"{key} = that of {name}"
    if way == 3 and isinstance(value, (int, float)) and not isinstance(value, bool):
        factor = float(generator.choice([-1.0, 0.0, 1e-6, 0.5, 2.0, 1e6]))
        holder[key] = value * factor
        return f"{key} times {factor:g}"
    holder[key] = copy.deepcopy(ODD[int(generator.integers(len(ODD)))])
    return f"{key} = {str(holder[key])[:30]!r}"
