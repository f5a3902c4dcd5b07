"""Blocks of code in Markdown pages, run from top to bottom in one folder, as a reader would.

- A `python` block runs. Where a `text` block follows it at once, that is what it prints.
- A `console` block (or one without a language) runs its lines `$ agbench ...`, `$ python ...`, `$ cd ...`,
  `$ mkdir -p ...` and `$ export NAME=VALUE`; the other lines are what they print, `...` any lines.
- A block with a title, of any language, is a file of that name and is written.
- `<!-- not run: REASON -->` directly above a block says why it does not run here.

Other languages are shown and not run.
"""

import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from agbench.cli.app import app

FENCE = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]*?) -->\n)?"
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?[^\n]*\n(?P<code>.*?)^```$",
    re.M | re.S,
)


@dataclass
class Block:
    """A fenced block of a page."""

    language: str
    code: str
    title: str | None
    reason: str | None
    line: int
    printed: str | None = None

    @property
    def runs(self) -> bool:
        """Whether it is code that a reader would run."""
        console = self.language in ("", "console", "sh", "bash") and self.code.startswith("$ ")
        return self.title is None and (self.language == "python" or console)


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page, in order; a `text` block right behind a `python` block is its output."""
    found: list[Block] = []
    end = 0
    for match in FENCE.finditer(page):
        line = page.count("\n", 0, match.start()) + 1
        behind = bool(found) and found[-1].language == "python" and not page[end : match.start()].strip()
        if match["language"] == "text" and behind:
            found[-1].printed = match["code"]
        else:
            found.append(Block(match["language"], match["code"], match["title"], match["reason"], line))
        end = match.end()
    return found


def run(page: str, name: str, **names: Any) -> int:
    """Run the blocks of a page in the current folder and return how many ran; raises where one fails.

    With `names`, of what Python's blocks take for granted, only those blocks run.
    """
    space: dict[str, Any] = {"__name__": "__main__", **names}
    count = 0
    for block in blocks(page):
        if names and block.language != "python":
            continue
        where = f"{name}, line {block.line}"
        if block.title is not None:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.code, "utf-8")
        if not block.runs or block.reason is not None:
            continue
        count += 1
        if block.language == "python":
            printed = StringIO()
            with redirect_stdout(printed):
                exec(compile(block.code, where, "exec"), space)
            if block.printed is not None:
                _compare(printed.getvalue(), block.printed.splitlines(), where)
        else:
            for command, expected in _commands(block.code):
                _compare(_command(command, where), expected, f"{where}: {command}")
    return count


def _commands(code: str) -> list[tuple[str, list[str]]]:
    """Return the commands of a console block, each with the lines shown below it."""
    found: list[tuple[str, list[str]]] = []
    for line in code.replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def _command(command: str, where: str) -> str:
    """Run one command as a shell would and return what it prints."""
    first, *arguments = shlex.split(command)
    if first == "agbench":
        done = CliRunner().invoke(app, arguments, env={"COLUMNS": "160"})
        assert done.exit_code == 0, f"{where}: {command}\n{done.output}\n{done.exception!r}"
        return done.output
    if first == "python":
        ran = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{where}: {command}\n{ran.stdout}{ran.stderr}"
        return ran.stdout
    if first == "cd":
        os.chdir(arguments[0])
        return ""
    if first == "mkdir":
        for folder in arguments[1:]:
            Path(folder).mkdir(parents=True, exist_ok=True)
        return ""
    assert first == "export", f"{where}: no command that runs here, and no `<!-- not run: ... -->`: {command}"
    name, value = arguments[0].split("=", 1)
    os.environ[name] = os.path.expandvars(value.replace("$PWD", os.getcwd()))
    return ""


def _compare(printed: str, expected: list[str], where: str) -> None:
    """Raise where a line that a page shows was not printed, or not in that order, whatever its spaces."""
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    for line in expected:
        wanted = " ".join(line.split())
        if wanted not in ("...", ""):
            assert wanted in lines, f"{where}: {wanted!r} was not printed (in this order):\n{printed}"
