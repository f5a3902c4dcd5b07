"""Checks of an installation: versions, compiled code, extras, data, and a season of every model.

`findings` only reads; `self_test` computes every probe of `agbench.testing.probes` in a
process of its own, all in one, so that a crash is a finding too.
"""

import base64
import hashlib
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

import numba
from packaging.requirements import Requirement

import agbench
from agbench.compiled import cache_file, code_cache, object_code, symbols
from agbench.data import catalog
from agbench.errors import AgBenchError
from agbench.evaluation import provenance
from agbench.testing import probes

_NOT_FOR_USERS: Final = ("test", "lint", "docs")
_DISTRIBUTION: Final = "agbench"
_ANEW: Final = "install agbench again"
_KINDS: Final = ("task", "crop", "soil", "site")
_LEFT_ALONE: Final = ("current", "another package's")
_AN_HOUR: Final = 3600.0  # s; a file that is being written is younger
_LINE: Final = re.compile(r"([0-9a-f]{64})  (.+)")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: `good` is None where it is neither right nor wrong.

    `remedy` says what to do where something is wrong or missing.
    """

    section: str
    name: str
    value: str
    good: bool | None = None
    remedy: str = ""


def findings() -> Iterator[Finding]:
    """Yield what can be seen without computing anything."""
    yield from _versions()
    yield from _compiled_code()
    yield from _extras()
    yield from _data_files()


def _versions() -> Iterator[Finding]:
    """Yield the package, the kind of machine, and every dependency against its declared range."""
    yield Finding("versions", _DISTRIBUTION, agbench.__version__)
    yield Finding("versions", "python", sys.version.split()[0])
    for name, value in provenance.machine().items():
        yield Finding("versions", name, str(value))
    for requirement in _requirements():
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield _version(requirement)


def _version(requirement: Requirement) -> Finding:
    """Return whether a library is there in a version that is declared."""
    remedy = f'pip install "{requirement.name}{requirement.specifier}"'
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return Finding("versions", requirement.name, "missing", False, remedy)
    good = requirement.specifier.contains(version, prereleases=True)
    value = version if good else f"{version}, not {requirement.specifier}"
    return Finding("versions", requirement.name, value, good, "" if good else remedy)


def _requirements() -> list[Requirement]:
    return [Requirement(line) for line in metadata.requires(_DISTRIBUTION) or ()]


def _compiled_code() -> Iterator[Finding]:
    """Yield where machine code is kept, and how much of it is of use here."""
    proved = ".".join(numba.__version__.split(".")[:2]) in symbols.PROVED
    yield Finding(
        "compiled code",
        "kept on disk",
        "yes" if proved else f"no: not proved with Numba {numba.__version__}",
        proved,
        "" if proved else f'pip install "numba=={symbols.PROVED[-1]}.*"',
    )
    for folder in dict.fromkeys((code_cache.folder(), object_code.folder())):
        yield _writable(folder)
    files = code_cache.kept()
    for state, count in sorted(Counter(file.state for file in files).items()):
        size = sum(file.size for file in files if file.state == state)
        value = f"{count} file{'' if count == 1 else 's'}, {size / 1e6:.1f} MB"
        remedy = "" if state in _LEFT_ALONE else "never read; agbench doctor --clean removes them"
        yield Finding("compiled code", state, value, None, remedy)
    objects = _files(object_code.folder(), "*.object")
    size = sum(path.lstat().st_size for path in objects)
    yield Finding("compiled code", "greenhouses and functions", f"{len(objects)} files, {size / 1e6:.1f} MB")
    damaged = sum(cache_file.key_of(path) is None for path in objects)
    if damaged:
        value = f"{damaged} of them"
        yield Finding(
            "compiled code", "damaged", value, None, "never read; agbench doctor --clean removes them"
        )


def _writable(folder: Path) -> Finding:
    """Return whether machine code can be kept in a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return Finding("compiled code", "folder", str(folder), True)
    except OSError as error:
        value = f"{folder} cannot be written: {error.strerror or error}"
        return Finding("compiled code", "folder", value, False, "name another on AGBENCH_CACHE_DIR")


def _files(folder: Path, pattern: str) -> list[Path]:
    return [path for path in sorted(folder.glob(pattern)) if not path.is_dir()]


def clean() -> int:
    """Remove the kept machine code that is of no use here; return the number of files."""
    useless = [file.path for file in code_cache.kept() if file.state not in _LEFT_ALONE]
    objects = _files(object_code.folder(), "*.object")
    useless += [path for path in objects if cache_file.key_of(path) is None]
    for folder in (code_cache.folder(), object_code.folder()):
        useless += [
            path for path in _files(folder, ".new-*") if time.time() - path.lstat().st_mtime > _AN_HOUR
        ]
    for path in useless:
        path.unlink(missing_ok=True)
    return len(useless)


def _extras() -> Iterator[Finding]:
    """Yield which extras are installed, whole or in part."""
    described = metadata.metadata(_DISTRIBUTION).get_all("Provides-Extra") or []
    for extra in described:
        if extra in _NOT_FOR_USERS:
            continue
        parts = [r for r in _requirements() if r.marker is not None and r.marker.evaluate({"extra": extra})]
        wrong = [result.name for part in parts if not (result := _version(part)).good]
        value = "installed" if not wrong else f"without {', '.join(wrong)}"
        yield Finding(
            "extras", extra, value, None, f'pip install "{_DISTRIBUTION}[{extra}]"' if wrong else ""
        )


def _data_files() -> Iterator[Finding]:
    """Yield where data files are read from, and how many there are of each kind."""
    for problem in catalog.problems():
        yield Finding("data", "folders", problem, False, "mend what names it, or take it away")
    for root in catalog.roots():
        yield Finding("data", "folder", str(root))
    for kind in _KINDS:
        names = catalog.names(kind)
        yield Finding("data", f"{kind}s", str(len(names)), bool(names), "" if names else _ANEW)
        yield from _wrong_files(kind, names)
    yield from _installed_files()


def _wrong_files(kind: str, names: list[str]) -> Iterator[Finding]:
    """Yield the files of a kind that cannot be read."""
    for name in names:
        try:
            getattr(catalog, kind)(name)
        except AgBenchError as error:
            yield Finding(
                "data", f"{kind} {name}", str(error), False, "repair the file, or install agbench again"
            )


def _installed_files() -> Iterator[Finding]:
    """Yield whether all files are as they were installed; of a checkout nothing is recorded."""
    recorded = [file for file in metadata.files(_DISTRIBUTION) or () if file.hash is not None]
    changed = [str(file) for file in recorded if not _as_installed(file)]
    if changed:
        text = f"{len(changed)} of {len(recorded)} changed or missing, such as {changed[0]}"
        yield Finding("data", "files as installed", text, False, _ANEW)
    else:
        yield Finding("data", "files as installed", str(len(recorded)))


def _as_installed(file: metadata.PackagePath) -> bool:
    """Return whether a file has the hash that the installer recorded."""
    assert file.hash is not None
    try:
        digest = hashlib.new(file.hash.mode, file.read_binary()).digest()
    except (OSError, ValueError):
        return False
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value


def self_test() -> Iterator[Finding]:
    """Compute every probe and yield, one by one, whether it leaves the fingerprint that is shipped."""
    try:
        expected = probes.shipped()
    except (OSError, ValueError) as error:
        yield Finding("self-test", probes.FILE.name, f"cannot be read: {error}", False, _ANEW)
        return
    if not expected:
        yield Finding("self-test", probes.FILE.name, "has no fingerprints", False, _ANEW)
        return
    command = [sys.executable, "-u", "-m", "agbench.testing.probes", *expected]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    left = list(expected)
    for line in process.stdout:
        match = _LINE.fullmatch(line.rstrip("\n"))
        if match is None or match[2] not in left:  # somebody else's line
            continue
        value, name = match[1], match[2]
        left.remove(name)
        same = value == expected[name]
        remedy = "" if same else "this installation computes something else: its scores do not count"
        yield Finding("self-test", name, "as shipped" if same else f"differs: {value[:12]}", same, remedy)
    message = process.communicate()[1].strip().splitlines()
    if process.returncode:
        last = message[-1] if message else f"exit code {process.returncode}"
        skipped = f"the {len(left) - 1} probes after it were not run; " if len(left) > 1 else ""
        remedy = f"{skipped}install agbench again, or report this"
        yield Finding("self-test", left[0] if left else "end", f"failed: {last}", False, remedy)
