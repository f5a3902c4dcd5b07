"""Tests of a changed copy of the tree: run in a fork, watched, and limited in seconds of the processor."""

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Final

from mutants import Mutant

ROOT: Final = Path(__file__).parents[2]
CLEAN: Final = """
from functools import cache
from pathlib import Path
from agbench.compiled.closure import Sources
SOURCES = Sources(Path({folder!r}))


@cache
def closure_hash(*roots):
    return SOURCES.hash(roots)
"""


class Tree:
    """A copy of the tracked files, in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        shutil.rmtree(self.root, ignore_errors=True)
        names = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout
        for name in names.split("\0")[:-1]:
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        # Results name the hash of the physics. A change must not be noticed by that alone, so here it is the
        # hash of the clean source.
        for name in ("provenance", "references"):
            path = self.root / f"agbench/evaluation/{name}.py"
            text = path.read_text()
            found = text.replace(
                "from agbench.compiled.closure import closure_hash",
                "from agbench.clean_hash import closure_hash",
            )
            assert found != text, f"{path} takes no closure_hash"
            path.write_text(found)
        clean = CLEAN.format(folder=str(ROOT / "agbench"))
        (self.root / "agbench/clean_hash.py").write_text(clean)

    @contextlib.contextmanager
    def changed(self, mutant: Mutant):
        """Change a file, and change it back."""
        path = self.root / mutant.file
        source = path.read_bytes()
        assert source[mutant.start : mutant.end].decode() == mutant.before, (
            f"{mutant.file} is not what was sampled"
        )
        try:
            self._write(path, mutant.apply(source))
            yield
        finally:
            self._write(path, source)

    @staticmethod
    def _write(path: Path, source: bytes) -> None:
        # A compiled file is taken for current if time (in seconds) and size agree.
        for kept in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            kept.unlink()
        path.write_bytes(source)


class Recorder:
    """A plugin of pytest: what each test calls in the package, how it ended, and how long it took."""

    def __init__(self, package: str | None) -> None:
        self.tests: dict[str, dict] = {}
        self.failed: list[str] = []
        self._package = package  # None: calls are not recorded
        self._known: dict = {}
        self._calls: set = set()
        self._shared: set = set()  # of fixtures that several tests share

    def _call(self, frame, event, argument) -> None:
        code = frame.f_code
        place = self._known.get(code)
        if place is None:
            file = code.co_filename
            place = self._known[code] = (
                (file[len(self._package) :], code.co_firstlineno) if file.startswith(self._package) else ()
            )
        if place:
            self._calls.add(place)

    def pytest_fixture_setup(self, fixturedef, request):
        """Notice that something is prepared that several tests share."""
        if fixturedef.scope != "function":
            self._in_shared = True

    def pytest_runtest_protocol(self, item, nextitem):
        """Begin to watch."""
        self._calls, self._began, self._in_shared = set(), time.process_time(), False
        if self._package:
            sys.settrace(self._call)

    def pytest_runtest_call(self, item):
        """Keep apart what was called to prepare a test, if other tests share it."""
        if self._in_shared:
            self._shared |= self._calls
        if self._package:
            sys.settrace(self._call)

    def pytest_runtest_logreport(self, report):
        """Keep how a test ended."""
        if report.failed:
            self.failed.append(report.nodeid)
        entry = self.tests.setdefault(report.nodeid, {"ok": True})
        entry["ok"] &= not report.failed
        if report.when == "teardown":
            sys.settrace(None)
            entry.update(seconds=round(time.process_time() - self._began, 2), calls=sorted(self._calls))

    def pytest_collectreport(self, report):
        """A file that cannot be collected is a failure too."""
        if report.failed:
            self.failed.append(report.nodeid)

    def result(self, code: int) -> dict:
        """Return what was seen, in numbers and texts."""
        return {"code": int(code), "failed": self.failed, "tests": self.tests, "shared": sorted(self._shared)}


def run_tests(
    tree: Tree, tests: list[str], limit: float, watch: bool = False, interpreted: bool = False
) -> dict:
    """Run tests in a fork of this process; return what they did, with `code` None if time ran out.

    `interpreted`: what Numba would compile is run by Python, which takes a season less time than the compiler
    does, and shows what each test calls.
    """
    answer, log = tree.root.parent / "answer.json", tree.root.parent / "log.txt"
    answer.unlink(missing_ok=True)
    shutil.rmtree(tree.root / ".hypothesis", ignore_errors=True)
    child = os.fork()
    if not child:
        try:
            _play(tree, tests, limit, answer, log, watch, interpreted)
        finally:
            os._exit(99)
    ended, usage, begun = 0, None, time.monotonic()
    while not ended and time.monotonic() - begun < 12 * limit + 60:
        time.sleep(0.1)
        ended, _, usage = os.wait4(child, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if not ended:
        usage = os.wait4(child, 0)[2]
    seconds = round(usage.ru_utime + usage.ru_stime, 1)
    whole = (
        json.loads(answer.read_text())
        if answer.exists()
        else {"code": None, "failed": [], "tests": {}, "shared": []}
    )
    return {**whole, "seconds": seconds}


def _play(
    tree: Tree, tests: list[str], limit: float, answer: Path, log: Path, watch: bool, interpreted: bool
) -> None:
    os.setpgid(0, 0)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 5))
    os.chdir(tree.root)
    os.environ.update(
        PYTHONPATH=str(tree.root),
        AGBENCH_CACHE_DIR=str(tree.root.parent / "cache"),
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
    )
    sys.path[:] = [
        str(tree.root),
        *(p for p in sys.path if Path(p or ".").resolve() not in (ROOT, ROOT / "docs/studies")),
    ]
    sys.modules["__main__"] = types.ModuleType("__main__")  # which workers would otherwise run
    import pytest

    if interpreted:
        import numba

        numba.config.DISABLE_JIT = 1
        os.environ["NUMBA_DISABLE_JIT"] = "1"  # of processes that tests start
    recorder = Recorder(f"{tree.root}/" if watch else None)
    words = [
        "-q",
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        *([] if watch else ["-x"]),
        *tests,
    ]
    # A file that has no time to end keeps what it has.
    signal.signal(
        signal.SIGXCPU, lambda *_: (_keep(answer, recorder.result(98)) if watch else None, os._exit(98))
    )
    code = pytest.main(words, plugins=[recorder])
    _keep(answer, recorder.result(code))
    sys.stdout.flush()
    os._exit(0)


def _keep(path: Path, content: dict) -> None:
    path.with_suffix(".new").write_text(json.dumps(content))
    path.with_suffix(".new").rename(path)
