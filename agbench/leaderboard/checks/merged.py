"""Merged rows never change: the index of what is on a board, by digest.

`BOARD/merged.yaml` has the SHA-256 of every merged submission's card, which has that of all of its
files. Rows are added to it, never changed and never taken out.
"""

import hashlib
from collections.abc import Collection
from pathlib import Path
from typing import Final

import yaml

from agbench.data.reading import load_file, load_yaml
from agbench.errors import ConfigError
from agbench.files import sha256, write_text
from agbench.leaderboard import board as places
from agbench.untrusted.folder import read_folder
from agbench.untrusted.refusal import RefusedError

INDEX: Final = "merged.yaml"
_HEADER: Final = (
    "# The rows that were merged, each with the SHA-256 of its card; rows are added, never changed.\n"
)


def read(board: Path) -> dict[str, str]:
    """Return the digests of merged submissions by TASK/AGENT/VERSION."""
    path = board / INDEX
    result = load_file(path) if path.is_file() else None
    if result is not None and not isinstance(result, dict):
        raise ConfigError(f"{path}: expected TASK/AGENT/VERSION and digests.")
    return {str(key): str(value) for key, value in (result or {}).items()}


def changes(board: Path) -> list[str]:
    """Return a sentence for every merged row that is no longer what it was.

    Raises `ConfigError` where there is no board.
    """
    places.require(board)
    return [text for name, digest in read(board).items() if (text := _change(board, name, digest))]


def add(board: Path, again: Collection[str] = (), only: Collection[str] | None = None) -> list[str]:
    """Add the rows that are on the board but not in the index, and return their names.

    `again` names unreleased rows whose digest is to be replaced; `only` those that may be added, by default
    all. Raises `ConfigError` where another row changed.
    """
    digests = {name: digest for name, digest in read(board).items() if name not in again}
    for name, digest in digests.items():
        message = _change(board, name, digest)
        if message is not None:
            raise ConfigError(message)
    folders = {"/".join(f.parts[-3:]): f for f in places.submissions(board)}
    names = folders.keys() - digests.keys()
    new = {name: _digest(folders[name]) for name in names if only is None or name in only}
    text = yaml.safe_dump(dict(sorted((digests | new).items())), sort_keys=False, width=200)
    write_text(board / INDEX, _HEADER + text)
    return sorted(new)


def _change(board: Path, name: str, digest: str) -> str | None:
    """Return what happened to a merged row, or None."""
    folder = board / places.SUBMISSIONS / name
    remedy = "A merged row never changes: put it back, and submit what is better as a new version."
    if not folder.is_dir():
        return f"{folder} was merged and is gone. {remedy}"
    try:
        files = read_folder(folder)
        card = files.pop("submission.yaml")
        listed = load_yaml(card.decode(), "submission.yaml")["files"]
    except (RefusedError, KeyError, TypeError, UnicodeDecodeError, ConfigError):
        return f"{folder} was merged and can no longer be read. {remedy}"
    if hashlib.sha256(card).hexdigest() != digest:
        return f"{folder}/submission.yaml was changed after it was merged. {remedy}"
    for file in sorted(set(listed) ^ set(files)):
        return f"{folder}/{file} was {'taken away' if file in listed else 'added'} after the merge. {remedy}"
    for file, content in files.items():
        if hashlib.sha256(content).hexdigest() != listed[file]:
            return f"{folder}/{file} was changed after it was merged. {remedy}"
    return None


def _digest(folder: Path) -> str:
    path = folder / "submission.yaml"
    if not path.is_file():
        raise ConfigError(f"{folder}: not a submission: submission.yaml is missing.")
    return sha256(path)
