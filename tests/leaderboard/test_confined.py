"""The confined process: what it may not do, and that the next file is read all the same."""

import sys

import pytest

from agbench.untrusted import RefusedError
from agbench.untrusted.confined import confined

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of a process are the system's")


@pytest.fixture(scope="module")
def prisoner():
    with confined("misbehaving:answer", seconds=3.0) as child:
        yield child


@pytest.mark.parametrize(
    ("attempt", "reason"),
    [
        ("read a file", "Too many open files"),
        ("write a file", "Too many open files"),
        ("open a socket", "Too many open files"),
        ("eat memory", "more memory than is allowed"),
        ("hang", "took longer than 3 s"),
        ("die", "broke down over it"),
    ],
)
def test_an_attempt_is_refused_and_the_next_question_is_answered(prisoner, tmp_path, attempt, reason):
    question = {"try": attempt, "path": str(tmp_path / "written")}
    with pytest.raises(RefusedError, match=reason) as caught:
        prisoner.ask("a.parquet", question, b"")
    assert caught.value.file == "a.parquet"
    assert list(tmp_path.iterdir()) == []
    assert prisoner.ask("b.parquet", {"try": "nothing"}, b"") == {"done": "0"}
