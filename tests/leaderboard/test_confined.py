"""The confined process: what it may not do, and that the next file is read all the same."""

import os
import signal
import subprocess
import sys
import time

import pytest

from agbench.untrusted import RefusedError
from agbench.untrusted.confined import Confined, confined

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are the system's")
REFUSED = "Operation not permitted|Permission denied|Too many open files"


def taken(right):
    """Return whether this kernel takes a right from a process, tried in a process of its own."""
    line = f"from agbench.untrusted import seccomp as k; raise SystemExit(3 * (not k.{right}()))"
    code = subprocess.run([sys.executable, "-c", line], check=False).returncode
    assert code in (0, 3)
    return code == 0


@pytest.fixture(scope="module")
def prisoner():
    with confined("misbehaving:answer", seconds=2.0) as child:
        yield child


def attempt(prisoner, tmp_path, what, reason):
    """Let the prisoner try something: it must be refused, change nothing, and the next question answered."""
    there = tmp_path / "there"
    there.write_text("kept")
    there.chmod(0o600)
    question = {"try": what, "path": str(tmp_path / "new"), "there": str(there), "parent": os.getpid()}
    with pytest.raises(RefusedError, match=reason) as caught:
        prisoner.ask("a.parquet", question, b"")
    assert caught.value.file == "a.parquet"
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert (there.read_text(), there.stat().st_mode & 0o777) == ("kept", 0o600)
    assert prisoner.ask("b.parquet", {"try": "nothing"}, b"") == {"done": "0"}


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("read a file", REFUSED),
        ("write a file", REFUSED),
        ("open a socket", REFUSED),
        ("mkdir here", f"{REFUSED}|No such file"),
        ("eat memory", "more memory than is allowed"),
        ("hang", "took longer than 2 s"),
        ("die", "crashed"),
    ],
)
def test_an_attempt_is_refused_and_the_next_question_is_answered(prisoner, tmp_path, what, reason):
    attempt(prisoner, tmp_path, what, reason)


@pytest.mark.parametrize("what", ["unlink", "truncate", "rename", "mkdir", "symlink", "list a folder"])
def test_files_cannot_be_changed_where_the_kernel_can_refuse_it(prisoner, tmp_path, what):
    if not taken("without_files") and not taken("without_calls"):
        pytest.skip("this kernel has neither Landlock nor seccomp")
    attempt(prisoner, tmp_path, what, REFUSED)


@pytest.mark.parametrize(
    "what",
    [
        "chmod",
        "look at a file",
        "fork",
        "start a thread",
        "run a program",
        "kill the parent",
        "signal the parent",
        "raise a limit",
    ],
)
def test_only_listed_calls_go_through_where_the_kernel_has_seccomp(prisoner, tmp_path, what):
    if not taken("without_calls"):
        pytest.skip("this kernel has no seccomp, or not for this processor")
    attempt(prisoner, tmp_path, what, f"{REFUSED}|not allowed|can't start new thread")


def test_landlock_alone_refuses_files_and_leaves_none_behind(tmp_path):
    if not taken("without_files"):
        pytest.skip("this kernel has no Landlock")
    (tmp_path / "there").write_text("kept")
    code = (
        "import os, sys; from agbench.untrusted import seccomp as k; assert k.without_files()\n"
        "there, new, here = sys.argv[1:]\n"
        "for act, path in ((os.unlink, there), (open, there), (os.mkdir, new), (os.listdir, here)):\n"
        "    try: act(path)\n"
        "    except PermissionError: pass\n"
        "    else: print(act)\n"
    )
    line = [sys.executable, "-c", code, *map(str, (tmp_path / "there", tmp_path / "new", tmp_path))]
    assert subprocess.run(line, capture_output=True, text=True, check=True).stdout == ""
    assert [path.read_text() for path in tmp_path.iterdir()] == ["kept"]


def test_several_questions_are_answered_in_order_up_to_one_that_is_refused(prisoner):
    def each(*tried):
        return prisoner.ask_each([(f"{i}.parquet", {"try": what}, b"x" * i) for i, what in enumerate(tried)])

    nothing = {"done": "0"}
    assert each("nothing", "nothing", "nothing") == [nothing] * 3
    for what, reason in (("mkdir", ""), ("die", "crashed"), ("hang", "took longer than 2 s")):
        first, last = each("nothing", what, "die")
        assert first == nothing
        assert isinstance(last, RefusedError)
        assert last.file == "1.parquet"
        assert reason in last.reason
        assert each("nothing") == [nothing]


class Claiming:
    """A pipe, and the process behind it, whose reply claims so many bytes."""

    def __init__(self, size):
        self._size = size
        self.is_alive = self.kill = self.join = self.close = lambda: True

    def send_bytes(self, content):
        pass

    def poll(self, seconds):
        return True

    def recv_bytes(self, most):
        if self._size > most:
            raise OSError("bad message length")
        return b'{"answer": {"done": "0"}}'


def test_an_answer_has_256_million_bytes_at_most():
    for size, fits in ((256_000_000, True), (256_000_001, False)):
        child = Confined("misbehaving:answer")
        child._child = child._pipe = Claiming(size)
        if fits:
            assert child.ask("a.parquet", {"try": "nothing"}, b"") == {"done": "0"}
        else:
            with pytest.raises(RefusedError, match=r"a\.parquet: the process that read it crashed"):
                child.ask("a.parquet", {"try": "nothing"}, b"")


def test_an_interruption_is_left_to_the_parent(prisoner):
    prisoner.ask("a.parquet", {"try": "nothing"}, b"")
    os.kill(prisoner._child.pid, signal.SIGINT)
    assert prisoner.ask("b.parquet", {"try": "nothing"}, b"") == {"done": "0"}


def test_an_answer_takes_no_time_to_speak_of(prisoner):
    started = time.perf_counter()
    for _ in range(500):
        prisoner.ask("a", {"try": "nothing"}, b"")
    assert time.perf_counter() - started < 5.0


def pid_of(seconds, **limits):
    """Return the process that answers in a block."""
    with confined("misbehaving:answer", seconds=seconds, **limits) as child:
        assert child.ask("a.parquet", {"try": "nothing"}, b"") == {"done": "0"}
        return child._child.pid


def test_the_next_block_has_the_same_process_and_other_limits_have_another():
    first = pid_of(20.0)
    assert pid_of(20.0) == first
    assert pid_of(25.0) != first
    with confined("misbehaving:answer", seconds=20.0) as outer:
        assert outer.ask("a.parquet", {"try": "nothing"}, b"") == {"done": "0"}
        inner = pid_of(20.0)  # its own, which is kept: that of the outer block ends with it
        assert inner != first
    assert outer._child is None
    assert pid_of(20.0) == inner


def test_an_interrupted_question_leaves_no_answer_to_the_next(monkeypatch):
    with confined("misbehaving:answer", seconds=22.0) as child:
        assert child.ask("a.parquet", {"try": "nothing"}, b"") == {"done": "0"}
        pipe = child._pipe

        class Interrupted:
            def __getattr__(self, name):
                return getattr(pipe, name)

            def poll(self, _):
                raise KeyboardInterrupt

        monkeypatch.setattr(child, "_pipe", Interrupted())
        with pytest.raises(KeyboardInterrupt):
            child.ask("a.parquet", {"try": "read a file", "path": "x", "there": __file__, "parent": 1}, b"")
    with confined("misbehaving:answer", seconds=22.0) as child:
        assert child.ask("a.parquet", {"try": "nothing"}, b"") == {"done": "0"}
