"""Hook of MkDocs: where a line may break. Units and intervals stay whole; long code in tables has breaks."""

import re
from collections.abc import Iterator
from typing import Any

TAG = re.compile(r"(<[^>]*>)")
WHOLE = re.compile(
    r"\[[-+]?[\d.,]+, [-+]?[\d.,]+\]"  # an interval
    r"|\b(?:m?g|kg|EUR|t|mm|cm|m[23]?|M?J|kWh|W)(?: (?:m-[23]|(?:ha|kg|kWh|[dhs])-1))+(?![\w-])"
    r"|(?<![\w.-])\d+(?:\.\d+)?e-\d+"  # a small number
)
LONG = 20
"""Characters of code that a cell of a table shows in one line."""


def kept(text: str) -> str:
    """Return text in which no line breaks within a unit or an interval."""
    return WHOLE.sub(lambda found: f'<span class="whole">{found[0]}</span>', text)


def breakable(code: str) -> str:
    """Return code of a cell, which may break after a slash, a bracket or an underscore where it is long."""
    return re.sub(r"(?<=[/(_=])(?=[^/])", "<wbr>", code) if len(code) > LONG else code


def pieces(html: str) -> Iterator[str]:
    """Yield the pieces of a page, tags and text, changed where they are to be."""
    inside = {"pre": 0, "code": 0, "td": 0, "svg": 0, "script": 0}
    for piece in TAG.split(html):
        if piece.startswith("<"):
            name = re.match(r"</?([a-z0-9]*)", piece)
            if name and name[1] in inside and not piece.endswith("/>"):
                inside[name[1]] += -1 if piece.startswith("</") else 1
            yield piece
        elif inside["pre"] or inside["svg"] or inside["script"]:
            yield piece
        elif inside["code"]:
            yield breakable(piece) if inside["td"] else piece
        else:
            yield kept(piece)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Return the content of a page with its lines broken where a reader would."""
    return "".join(pieces(html))
