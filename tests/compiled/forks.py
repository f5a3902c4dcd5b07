"""Programs run in forks of one process that has loaded Numba, which takes longer than what they do."""

import os
import subprocess
import sys

SERVER = """
import contextlib, io, json, os, runpy, sys, traceback
import numba

@numba.njit
def compiler(x):
    return x + 1.0

compiler(1.0)  # loads it, which takes longer than a kernel
import agbench.compiled.code_cache
assert "agbench.weather.generator.kernel" not in sys.modules
sys.dont_write_bytecode = True  # of a file changed within its second it would be stale
for line in sys.stdin:
    if os.fork():
        os.wait()
        continue
    script, arguments, env = json.loads(line)
    os.environ.update(env)
    sys.path[:0] = env.get("PYTHONPATH", "").split(os.pathsep)
    sys.argv = [script, *arguments]
    try:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            runpy.run_path(script, run_name="__main__")
        answer = [0, said.getvalue()]
    except BaseException:
        answer = [1, traceback.format_exc()]
    print(json.dumps(answer), flush=True)
    os._exit(0)
"""


def fresh(script, *arguments, **env):
    """Return what a script prints in a process of its own."""
    command = [sys.executable, "-B", "-W", "ignore", str(script), *arguments]
    done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
