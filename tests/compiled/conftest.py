"""A process that has loaded Numba, for all tests of kept machine code."""

import json
import os
import subprocess
import sys

import pytest
from forks import SERVER, fresh


@pytest.fixture(scope="session")
def forked():
    """Return what does as `fresh` does, in forks of one process that has loaded Numba and no kernel."""
    if not hasattr(os, "fork"):
        yield fresh
        return
    command = [sys.executable, "-W", "ignore", "-c", SERVER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def ask(script, *arguments, **env):
            print(json.dumps([str(script), arguments, env]), file=process.stdin, flush=True)
            failed, said = json.loads(process.stdout.readline())
            assert not failed, said
            return said

        yield ask
        process.stdin.close()
