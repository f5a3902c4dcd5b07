"""Is this installation sound? Versions, compiled code, extras, data, and a season of every model.

`findings` looks and changes nothing; `self_test` computes every probe of `agbench.testing.probes` in a
process of its own, all in one, so that a crash is a finding too.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Final

import numba
from packaging.requirements import Requirement

import agbench
from agbench import data
from agbench.compiled import code_cache, symbols
from agbench.errors import AgBenchError
from agbench.evaluation import provenance
from agbench.testing import probes

_NOT_FOR_USERS: Final = ("test", "lint", "docs")
_DISTRIBUTION: Final = "agbench"
_KINDS: Final = ("task", "crop", "soil", "site")


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
    yield Finding("compiled code", "folder", str(code_cache.folder()))
    files = code_cache.kept()
    for state, count in sorted(Counter(file.state for file in files).items()):
        size = sum(file.size for file in files if file.state == state)
        value = f"{count} file{'' if count == 1 else 's'}, {size / 1e6:.1f} MB"
        remedy = "" if state == "current" else "never read; agbench doctor --clean removes them"
        yield Finding("compiled code", state, value, None, remedy)


def clean() -> int:
    """Remove the kept machine code that is of no use here; return the number of files."""
    useless = [file.path for file in code_cache.kept() if file.state != "current"]
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
        wrong = [found.name for part in parts if not (found := _version(part)).good]
        value = "installed" if not wrong else f"without {', '.join(wrong)}"
        yield Finding(
            "extras", extra, value, None, f'pip install "{_DISTRIBUTION}[{extra}]"' if wrong else ""
        )


def _data_files() -> Iterator[Finding]:
    """Yield where data files are read from, and how many there are of each kind."""
    try:
        for root in data.roots():
            yield Finding("data", "folder", str(root))
        for kind in _KINDS:
            count = len(data.names(kind))
            yield Finding("data", f"{kind}s", str(count), count > 0, "" if count else "install agbench anew")
    except AgBenchError as error:
        yield Finding("data", "folders", str(error), False, f"mend {data.PATH_VARIABLE}")


def self_test() -> Iterator[Finding]:
    """Compute every probe and yield, one by one, whether it leaves the fingerprint that is shipped."""
    expected = probes.shipped()
    command = [sys.executable, "-u", "-m", "agbench.testing.probes", *expected]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    left = list(expected)
    for line in process.stdout:
        value, name = line.rstrip("\n").split("  ", 1)
        left.remove(name)
        same = value == expected[name]
        remedy = "" if same else "this installation computes something else: its scores do not count"
        yield Finding("self-test", name, "as shipped" if same else f"differs: {value[:12]}", same, remedy)
    message = process.communicate()[1].strip().splitlines()
    if process.returncode:
        last = message[-1] if message else f"exit code {process.returncode}"
        yield Finding("self-test", left[0] if left else "end", f"failed: {last}", False, "report this")
