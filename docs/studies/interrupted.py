"""A command in a fork of a process that has loaded the libraries: run, watched, and killed at a moment."""

import contextlib
import hashlib
import os
import shlex
import signal
import subprocess
import sys
import time
import traceback
import types
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Ended:
    """How a run ended."""

    code: int
    text: str
    events: int
    seconds: float

    @property
    def sentence(self) -> str:
        """The last line that it printed."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        start = max(
            (i for i, line in enumerate(lines) if line.startswith("agbench: ")), default=len(lines) - 1
        )
        return " ".join(lines[start:])


@dataclass
class Running:
    """A run under way in a fork of this process, which has loaded the libraries."""

    pid: int
    log: Path
    seconds: float = 0.0

    def wait(self, after: float | None = None) -> Ended:
        """Wait for the end; kill it after some seconds of its time on the processor."""
        pid = 0
        while not pid:
            pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            if not pid and after is not None and _used(self.pid) >= after:
                os.kill(self.pid, signal.SIGKILL)
            time.sleep(0.005)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(
                self.pid, signal.SIGKILL
            )  # workers end by themselves a moment later; not to be waited for
        text = self.log.read_text(errors="replace")
        count = self.log.with_suffix(".events")
        events = count.stat().st_size if count.exists() else 0
        return Ended(os.waitstatus_to_exitcode(status), text, events, usage.ru_utime + usage.ru_stime)


def start(words: str, folder: Path, log: Path, kill_at: int = 0) -> Running:
    """Begin a command in a folder; it kills itself before its `kill_at`-th change of a file there."""
    log.with_suffix(".events").unlink(missing_ok=True)
    pid = os.fork()
    if pid:
        return Running(pid, log)
    try:
        os.setpgid(0, 0)
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.chdir(folder)
        sys.addaudithook(_watch(folder, log.with_suffix(".events"), kill_at))
        sys.modules["__main__"] = types.ModuleType("__main__")  # which workers would otherwise run
        _call(words)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 70
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _call(words: str) -> None:
    if "\n" in words:
        exec(words, {"__name__": "study"})
        return
    from agbench.cli import main

    sys.argv = ["agbench", *shlex.split(words)]
    main()


def _watch(folder: Path, counter: Path, kill_at: int):
    """Return an audit hook that counts changes of files in a folder, as bytes of a file."""
    inside, main, count = str(folder), os.getpid(), os.open(counter, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    seen = 0

    def hook(event: str, args: tuple) -> None:
        nonlocal seen
        if event == "open":
            if not isinstance(args[2], int) or not args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                return
        elif event not in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"):
            return
        path = os.fsdecode(args[0]) if isinstance(args[0], str | bytes | os.PathLike) else ""
        if os.getpid() != main or not os.path.abspath(path).startswith(inside):
            return
        seen += 1
        os.write(count, b".")
        if seen == kill_at:
            os.kill(main, signal.SIGKILL)

    return hook


def _used(pid: int) -> float:
    """Return the seconds of the processor that a process has had."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def contents(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file below a folder, and of each folder that is empty; hidden ones too."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        elif not any(path.iterdir()):
            found[name + "/"] = ""
    return found


def mount(*words: str) -> None:
    """Mount something; raises `CalledProcessError` where that is not allowed."""
    subprocess.run(["mount", *words], check=True, capture_output=True)
