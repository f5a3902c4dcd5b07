"""Characters in a text that do not show as themselves: invisible ones, and marks that pile up."""

import unicodedata
from typing import Final

MARKS: Final = 4  # combining marks in a row
_ALLOWED_CONTROLS: Final = "\t\n\r"
_WITHOUT_CONTROLS: Final = str.maketrans("", "", _ALLOWED_CONTROLS)
_IGNORED: Final = (  # letters and marks that show as nothing, or change how the one before them shows
    *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0),
    *range(0x180B, 0x1810),
    *range(0xFE00, 0xFE10),
    *range(0xE0000, 0xE1000),
)
_INVISIBLE: Final = frozenset(map(chr, _IGNORED))
_HIDDEN: Final = ("C", "Zl", "Zp")  # controls, formats, unassigned; separators of lines and paragraphs


def unseemly(text: str) -> tuple[int, str] | None:
    """Return the place of the first character that does not show as itself, and what is wrong with it.

    Line ends and tabs are in order.
    """
    if text.isascii() and text.translate(_WITHOUT_CONTROLS).isprintable():
        return None
    marks = 0
    for i, character in enumerate(text):
        category = unicodedata.category(character)
        hidden = character in _INVISIBLE or category.startswith(_HIDDEN)
        if hidden and character not in _ALLOWED_CONTROLS:
            return i, f"the invisible character U+{ord(character):04X}."
        marks = marks + 1 if category.startswith("M") else 0
        if marks > MARKS:
            return i, f"more than {MARKS} combining marks in a row."
    return None


def unseemly_in_key(key: str) -> str | None:
    """Return what is wrong with a key that does not show as itself: a strange space too is wrong in one."""
    result = unseemly(key)
    if result is not None:
        return result[1]
    strange = next((c for c in key if c.isspace() and c != " "), None)
    return None if strange is None else f"U+{ord(strange):04X} in the place of a usual space."
