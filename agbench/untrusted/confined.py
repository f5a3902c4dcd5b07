"""A child process in which libraries written in C read untrusted bytes.

Its memory and time are limited, and it cannot open files or sockets; on Linux it also can neither
change files nor start or signal processes (see `seccomp`). When it dies or hangs, the file is
refused and the next one gets a new child. Only JSON comes back, never a pickle.
"""

import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import ModuleType
from typing import Any, Final

from agbench.untrusted import seccomp
from agbench.untrusted.refusal import RefusedError

SECONDS: Final = 20.0
MEMORY_BYTES: Final = 4_000_000_000  # of address space, which libraries reserve generously
_LARGEST_REPLY: Final = 256_000_000

Answer = Callable[[dict[str, Any], bytes], dict[str, Any]]
"""What runs in the child: question and content in, plain data out; raises `RefusedError`."""


class Confined:
    """A child process that answers questions about contents with one function of a module.

    The function is named as `package.module:name`; its module is imported before the child gives up
    its rights, and a module's `prepare()` is called before that too.
    """

    def __init__(self, function: str, seconds: float = SECONDS, memory_bytes: int = MEMORY_BYTES) -> None:
        self._function, self._seconds, self._memory = function, seconds, memory_bytes
        self._child: Any = None
        self._pipe: Any = None

    def ask(self, file: str, question: dict[str, Any], content: bytes) -> dict[str, Any]:
        """Return the child's answer; raises `RefusedError` for whatever goes wrong there."""
        answer = self.ask_each([(file, question, content)])[0]
        if isinstance(answer, RefusedError):
            raise answer
        return answer

    def ask_each(
        self, asked: Sequence[tuple[str, dict[str, Any], bytes]]
    ) -> list[dict[str, Any] | RefusedError]:
        """Return the answers to several questions, (file, question, content): sooner than one by one.

        What went wrong with a question stands in the place of its answer and is the last: no question after
        it is answered.
        """
        if self._child is None or not self._child.is_alive():
            self._start()
        answers: list[dict[str, Any] | RefusedError] = []
        try:
            self._send([question for _, question, _ in asked], [content for _, _, content in asked])
            for file, _, _ in asked:
                if not self._pipe.poll(self._seconds):
                    answers.append(RefusedError(file, "", f"it took longer than {self._seconds:g} s."))
                    self.close()
                    break
                answers.append(_answer(file, json.loads(self._pipe.recv_bytes(_LARGEST_REPLY))))
                if isinstance(answers[-1], RefusedError):  # the child goes no further either
                    break
        except (EOFError, OSError):
            self.close()
            file = asked[len(answers)][0]
            answers.append(RefusedError(file, "", "the process that read it crashed."))
        except BaseException:  # such as Ctrl-C: its answer would be taken for that of the next question
            self.close()
            raise
        return answers

    def _send(self, questions: Sequence[dict[str, Any]], contents: Sequence[bytes]) -> None:
        """Send questions, then the content of each; the child answers none before it has all."""
        self._pipe.send_bytes(json.dumps(questions).encode())
        for content in contents:
            self._pipe.send_bytes(content)

    def _start(self) -> None:
        context = get_context("spawn")
        self._pipe, other = context.Pipe()
        self._child = context.Process(target=_serve, args=(other, self._function, self._memory), daemon=True)
        with _without_main():
            self._child.start()
        other.close()
        if not self._pipe.poll(120.0):  # a cold disk reads libraries slowly
            self.close()
            raise RuntimeError("the confined process did not start within two minutes.")
        try:
            self._pipe.recv_bytes()
        except (EOFError, OSError):
            self.close()
            raise RuntimeError("the confined process crashed before it read anything.") from None

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child.join()
            self._pipe.close()
        self._child = self._pipe = None


_IDLE: Final[dict[tuple[Any, ...], Confined]] = {}


@contextlib.contextmanager
def confined(function: str, **limits: Any) -> Iterator[Confined]:
    """Give a confined child process for a block.

    Libraries take most of a second to load, so that it is kept for the next block of this process that asks
    the same function within the same limits, and ends with the process.
    """
    key = (os.getpid(), function, *sorted(limits.items()))
    child = _IDLE.pop(key, None) or Confined(function, **limits)
    try:
        yield child
    finally:
        if _IDLE.setdefault(key, child) is not child:
            child.close()


def end_idle() -> None:
    """End the child processes that are kept for a next block."""
    while _IDLE:
        _IDLE.popitem()[1].close()


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Hide the running script: a child started now does not import it, so it needs no guard."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _serve(pipe: "Connection", function: str, memory_bytes: int) -> None:
    """Answer questions until the parent goes away; runs in the child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent ends its child
    module_name, name = function.split(":")
    module = import_module(module_name)
    if hasattr(module, "prepare"):
        module.prepare()
    answer: Answer = getattr(module, name)
    _give_up_rights(memory_bytes)
    pipe.send_bytes(b"ready")
    while True:
        try:
            questions = json.loads(pipe.recv_bytes())
            contents = [pipe.recv_bytes() for _ in questions]
        except EOFError:
            return
        for question, content in zip(questions, contents, strict=True):
            reply = _answered(answer, question, content)
            pipe.send_bytes(json.dumps(reply).encode())
            if "refused" in reply:
                break


def _answer(file: str, reply: dict[str, Any]) -> dict[str, Any] | RefusedError:
    """Return what a reply says of a file."""
    if "refused" in reply:
        return RefusedError(file, str(reply.get("field", "")), str(reply["refused"]))
    answer: dict[str, Any] = reply["answer"]
    return answer


def _answered(answer: Answer, question: dict[str, Any], content: bytes) -> dict[str, Any]:
    try:
        return {"answer": answer(question, content)}
    except RefusedError as error:
        return {"refused": error.reason, "field": error.field}
    except MemoryError:
        return {"refused": "it takes more memory than is allowed."}
    except Exception as error:  # the library's own, whichever a damaged file calls forth
        return {"refused": f"cannot be read: {type(error).__name__}: {str(error)[:200]}."}


def _give_up_rights(memory_bytes: int) -> None:
    """Limit memory, and forbid whatever else this system can forbid but to compute and to answer."""
    if os.name != "posix":  # Windows has no such limits; time is limited by the parent
        return
    import resource  # while files can still be opened

    _leave_folders()
    seccomp.without_files()
    _limit(resource, memory_bytes)
    seccomp.without_calls()


def _leave_folders() -> None:
    """Work in a deleted folder: it is empty, and no file can be written to it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)


def _limit(resource: Any, memory_bytes: int) -> None:
    """Limit memory, files, cores and, but for the superuser, processes."""
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some
            resource.setrlimit(limit, (value, value))
