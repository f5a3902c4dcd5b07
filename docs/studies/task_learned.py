"""What learned agents reach in a task: the curves that pages of docs show, for the task's own page."""

import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

DOCS: Final = Path(__file__).parents[1]
_PAGES: Final = ("learned-agents.md", "learned-greenhouses.md")
_FIGURE: Final = re.compile(
    r"!\[(?P<caption>[^\]]+)\]\((?P<file>figures/learned-(?P<task>[a-z-]+-v\d+)[a-z0-9-]*\.png)\)"
)


class Curves(NamedTuple):
    """A picture of learning curves, and where it stands: the page and its section."""

    task: str
    caption: str
    file: str
    page: str
    section: str


@cache
def figures() -> list[Curves]:
    """Return all pictures of learning curves that the pages show, in their order."""
    found = []
    for page in _PAGES:
        section = ""
        for line in (DOCS / page).read_text("utf-8").splitlines():
            if line.startswith("## "):
                section = re.sub(r"[^\w -]", "", line[3:].lower()).replace(" ", "-")
            if match := _FIGURE.search(line):
                found.append(Curves(match["task"], match["caption"], match["file"], page, section))
    return found


def learned(task: str) -> list[str]:
    """Return the section of a task's page; nothing where no agent was trained on it."""
    own = [one for one in figures() if one.task == task]
    if not own:
        return []
    where = f"[{own[0].section}](../{own[0].page}#{own[0].section})"
    lines = [
        "## Learned agents",
        "",
        "How agents did on seasons of validation while they learned. How they were trained, and what they "
        f"reach on `test` and in the round: {where}.",
        "",
    ]
    for one in own:
        lines += [f"{one.caption}:", "", f"![{one.caption}](../{one.file})", ""]
    return lines
