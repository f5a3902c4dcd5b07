"""Processes that run probes on shared caches, one after the other or two at once."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

Step = tuple[Sequence[str], ...]
"""Processes that start together, each with the names of its probes in order."""


def environment(caches: Path, **changes: str) -> dict[str, str]:
    """Return the environment of a process with caches of its own."""
    folders = {"NUMBA_CACHE_DIR": str(caches / "numba"), "AGBENCH_CACHE_DIR": str(caches / "agbench")}
    return {**os.environ, **folders, **changes}


def start(names: Sequence[str], env: Mapping[str, str]) -> "subprocess.Popen[str]":
    """Start a process that runs probes."""
    command = [sys.executable, "-m", "agbench.testing.probes", *names]
    return subprocess.Popen(command, env=dict(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: "subprocess.Popen[str]") -> dict[str, str]:
    """Return the fingerprints that a process printed, by the name of the probe."""
    out, err = process.communicate(timeout=3000)
    assert process.returncode == 0, f"exit {process.returncode}: {err[-2000:]}"
    return {name: value for value, name in (line.split("  ", 1) for line in out.splitlines())}


def run(steps: Sequence[Step], caches: Path, **changes: str) -> list[dict[str, str]]:
    """Run steps one after the other on the same caches; return what each process found."""
    env = environment(caches, **changes)
    result = []
    for step in steps:
        together = [start(names, env) for names in step]
        result += [finish(process) for process in together]
    return result
