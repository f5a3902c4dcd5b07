"""Tests of a changed copy of the tree: run in a fork, the likeliest first, with limits of time."""

import contextlib
import inspect
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import types
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mutants import Mutant

ROOT: Final = Path(__file__).parents[2]
CLEAN: Final = """
import os
from functools import cache
from pathlib import Path
from agbench.compiled import closure
from agbench.compiled.closure import PACKAGE
SOURCES = closure.Sources(Path({folder!r}))


@cache
def closure_hash(*roots):
    label = " ".join(sorted(roots))
    if label not in SOURCES.remembered:
        SOURCES.remember(label, SOURCES.hash(roots))
    return SOURCES.remembered[label]


def _either(variable, roots):
    ours = all(root.startswith("agbench.") for root in roots)
    return (closure_hash if ours and variable in os.environ else closure.closure_hash)(*roots)


def compiled_hash(*roots):
    return _either("CLEAN_CODE", roots)


def series_hash(*roots):
    return _either("CLEAN_WEATHER", roots)
"""
HASHED: Final = {
    "agbench/evaluation/provenance.py": "closure_hash",
    "agbench/evaluation/references.py": "closure_hash",
    "agbench/compiled/code_cache.py": "compiled_hash",
    "agbench/compiled/object_code.py": "compiled_hash",
    "agbench/weather/series_cache.py": "series_hash",
}
"""Modules that name results, machine code or series by a hash of the source; to find the hash of changed
source takes longer than most tests."""
SLOWEST: Final = 10.0  # seconds of the processor for one test
UNKNOWN: Final = 0.2  # seconds of a test that has not passed yet
NOISE: Final = 5  # times what a test takes on clean code: more is the mutant's doing


class Tree:
    """A copy of the tracked files, in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.root, self._clean = folder / "tree", folder / "clean"
        for old in (self.root, self._clean):
            shutil.rmtree(old, ignore_errors=True)
        names = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout
        for name in names.split("\0")[:-1]:
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        shutil.copytree(self.root / "agbench", self._clean / "agbench")
        for name in HASHED:
            path = self.root / name
            path.write_bytes(_with_clean_hash(name, path.read_bytes()))
        clean_hash = CLEAN.format(folder=str(self._clean / "agbench"))
        (self.root / "agbench/clean_hash.py").write_text(clean_hash)

    @contextlib.contextmanager
    def changed(self, mutant: Mutant):
        """Change a file, and change it back."""
        source = (self._clean / mutant.file).read_bytes()
        before = source[mutant.start : mutant.end].decode()
        assert before == mutant.before, f"{mutant.file} is not what was sampled"
        path = self.root / mutant.file
        try:
            self._write(path, _with_clean_hash(mutant.file, mutant.apply(source)))
            yield
        finally:
            self._write(path, _with_clean_hash(mutant.file, source))

    @staticmethod
    def _write(path: Path, source: bytes) -> None:
        # A compiled file is taken for current if time (in seconds) and size agree.
        for kept in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            kept.unlink()
        path.write_bytes(source)


def _with_clean_hash(name: str, source: bytes) -> bytes:
    """Return a file as it stands in the copy, where a change is not to be noticed by a hash alone."""
    if name not in HASHED:
        return source
    before = r"^from agbench\.compiled\.closure import (PACKAGE, )?closure_hash$"
    after = f"from agbench.clean_hash import \\1{HASHED[name]} as closure_hash"
    text, times = re.subn(before, after, source.decode(), flags=re.MULTILINE)
    assert times == 1, f"{name} takes no closure_hash"
    return text.encode()


@dataclass(frozen=True)
class Plan:
    """Tests to run: files or tests of them, which come first, and how long they may take together."""

    tests: Sequence[str]
    names: Sequence[str] = ()
    """What is changed: a test whose text names it comes early in its file."""
    limit: float = 10.0
    slowest: float = SLOWEST
    interpreted: bool = False
    """Python runs what Numba would compile: a season takes it longer, but the compiler longer still."""
    clean: Sequence[str] = ()
    """CLEAN_CODE: machine code is found by the hash of the clean source, for changes of what is not compiled.
    CLEAN_WEATHER: so are series, for changes of what does not read them."""
    unfit: Sequence[str] = ()
    """Tests that fail on clean code in a copy of the tree."""


class Watcher:
    """A plugin of pytest: the order of tests, their seconds, and an end for those that take too long."""

    def __init__(self, plan: Plan, known: dict[str, float], answer: Path) -> None:
        self._plan, self._known, self._answer = plan, known, answer
        self.failed: list[str] = []
        self.late: list[str] = []
        self.passed: dict[str, float] = {}
        self._left = plan.limit

    def pytest_collection_modifyitems(self, config, items):
        """Put the likeliest tests of a file first; leave out what is known to take too long."""
        places = {name: place for place, name in enumerate(self._plan.tests)}
        kept, left, ones = [], [], any("::" in name for name in self._plan.tests)
        for item in sorted(items, key=lambda item: self._order(item, places)):
            seconds = self._known.get(item.nodeid, UNKNOWN)
            fits = (seconds <= self._plan.slowest and item.nodeid not in self._plan.unfit) or ones
            (kept if fits else left).append(item)
        config.hook.pytest_deselected(items=left)
        items[:] = kept

    def _order(self, item, places: dict[str, int]) -> tuple:
        text = _text(item)
        named = sum(bool(re.search(rf"\b{re.escape(name)}\b", text)) for name in self._plan.names)
        seconds = self._known.get(item.nodeid, UNKNOWN)
        return places.get(item.nodeid.split("::")[0], 0), -named, seconds

    def pytest_runtest_protocol(self, item, nextitem):
        """Begin to count."""
        self._began, self._now, self._ok = _seconds(), item.nodeid, True
        _keep(self._answer, self.result(None) | {"now": item.nodeid})
        signal.signal(signal.SIGPROF, self._end)
        signal.setitimer(signal.ITIMER_PROF, self._plan.slowest)

    def _end(self, *_) -> None:
        import pytest

        self.late.append(self._now)
        pytest.skip("takes too long")

    def pytest_runtest_logreport(self, report):
        """Keep how a test ended."""
        self._ok &= report.passed
        if report.failed:
            self.failed.append(report.nodeid)
        if report.when == "teardown":
            signal.setitimer(signal.ITIMER_PROF, 0)
            seconds = _seconds() - self._began
            self._left -= seconds
            if self._ok:
                self.passed[report.nodeid] = round(seconds, 2)

    def pytest_runtest_logfinish(self, nodeid):
        """End when the time is used up."""
        if self._left < 0:
            import pytest

            pytest.exit("the time is used up", returncode=0)

    def pytest_collectreport(self, report):
        """A file that cannot be collected is a failure too."""
        if report.failed:
            self.failed.append(report.nodeid)

    def result(self, code: int | None) -> dict:
        """Return what was seen, in numbers and texts."""
        return {"code": code, "failed": self.failed, "late": self.late, "passed": self.passed}


def _seconds() -> float:
    """Return the seconds of the processor of this process and those that it has ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _text(item) -> str:
    with contextlib.suppress(OSError, TypeError):
        return f"{item.name}\n{inspect.getsource(item.function)}"
    return item.name


def run_tests(tree: Tree, plan: Plan, known: dict[str, float]) -> dict:
    """Run tests in a fork of this process until one fails; return what they did.

    `code` is None if they had to be killed; what was running then is the last of `late`.
    """
    answer, log = tree.root.parent / "answer.json", tree.root.parent / "log.txt"
    answer.unlink(missing_ok=True)
    shutil.rmtree(tree.root / ".hypothesis", ignore_errors=True)
    child = os.fork()
    if not child:
        try:
            _play(tree, plan, known, answer, log)
        finally:
            os._exit(99)
    ended, usage, begun = 0, None, time.monotonic()
    while not ended and time.monotonic() - begun < 60 * plan.limit:
        time.sleep(0.05)
        ended, _, usage = os.wait4(child, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    if not ended:
        usage = os.wait4(child, 0)[2]
    empty = {"code": None, "failed": [], "late": [], "passed": {}}
    whole = json.loads(answer.read_text()) if answer.exists() else empty
    if whole["code"] is None and whole.get("now"):
        whole["late"].append(whole["now"])
    return {**whole, "seconds": round(usage.ru_utime + usage.ru_stime, 1)}


def _play(tree: Tree, plan: Plan, known: dict[str, float], answer: Path, log: Path) -> None:
    os.setpgid(0, 0)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    most = int(plan.limit + plan.slowest) + 10
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    os.chdir(tree.root)
    os.environ.update(
        PYTHONPATH=str(tree.root),
        AGBENCH_CACHE_DIR=str(tree.root.parent / "cache"),
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
    )
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    os.environ.update(dict.fromkeys(plan.clean, "1"))
    sys.path[:] = [
        str(tree.root),
        *(p for p in sys.path if Path(p or ".").resolve() not in (ROOT, ROOT / "docs/studies")),
    ]
    sys.modules["__main__"] = types.ModuleType("__main__")  # which workers would otherwise run
    import pytest

    if plan.interpreted:
        import numba

        numba.config.DISABLE_JIT = 1
        os.environ["NUMBA_DISABLE_JIT"] = "1"  # of processes that tests start
    watcher = Watcher(plan, known, answer)
    options = ["-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist"]
    code = pytest.main([*options, *plan.tests], plugins=[watcher])
    _keep(answer, watcher.result(int(code)))
    sys.stdout.flush()
    os._exit(0)


def _keep(path: Path, content: dict) -> None:
    path.with_suffix(".new").write_text(json.dumps(content))
    path.with_suffix(".new").rename(path)
