"""The speed of gl-gym, the published environment, measured in a separate Python process.

gl-gym is under the AGPL and pins versions that AgBench cannot use: its code is not read or imported
here. A small script, written from its README, steps it with random actions on request.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from agbench.errors import ConfigError

VERSION: Final = "0.3.2"
_SCRIPT: Final = """
import sys, time
import gymnasium, gl_gym
from importlib.metadata import version
env = gymnasium.make("gl_gym/GreenLightTomato-v0", dt=int(sys.argv[1]))
env.reset(seed=0)
env.action_space.seed(0)
actions = [env.action_space.sample() for _ in range(64)]
print("gl-gym", version("gl-gym"), flush=True)
for line in sys.stdin:
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < float(line):
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        done += len(actions)
    print("rate", done / (time.perf_counter() - start), flush=True)
"""


class GlGym:
    """gl-gym's environment in another process; it computes only while it is measured."""

    def __init__(self, process: "subprocess.Popen[str]", name: str) -> None:
        self._process = process
        self.name = name

    def rate(self, seconds: float) -> float:
        """Return environment steps a second with random actions, over some seconds."""
        pipe_in, answer = _pipes(self._process)
        pipe_in.write(f"{seconds}\n")
        pipe_in.flush()
        return float(_answer(answer, "rate"))


@contextmanager
def gl_gym(python: Path, interval: int) -> Iterator[GlGym]:
    """Start gl-gym with steps of `interval` [s] in the environment of `python`.

    Raises `ConfigError` where that is no Python, or one without gl-gym.
    """
    command = [str(python), "-c", _SCRIPT, str(interval)]
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    except OSError as error:
        raise ConfigError(
            f"--against {python}: {error.strerror}. Give the Python of an environment that has gl-gym."
        ) from None
    with process:
        try:
            yield GlGym(process, f"gl-gym {_started(process, python)}")
        finally:
            process.kill()


def _started(process: "subprocess.Popen[str]", python: Path) -> str:
    """Return the version that answers."""
    try:
        return _answer(_pipes(process)[1], "gl-gym")
    except ConfigError:
        text = process.stderr.read().strip().splitlines() if process.stderr else []
        raise ConfigError(
            f"--against {python}: gl-gym does not start there ({text[-1] if text else 'no message'}). "
            f"`{python} -m pip install gl-gym=={VERSION}` installs it."
        ) from None


def _pipes(process: "subprocess.Popen[str]") -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _answer(lines: IO[str], word: str) -> str:
    """Return what follows a word at a line's start; what gl-gym itself prints is passed over."""
    for line in lines:
        first, _, rest = line.strip().partition(" ")
        if first == word:
            return rest
    raise ConfigError("gl-gym ended before it answered.")
