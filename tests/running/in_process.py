"""The command run in the process of the tests: a process of its own loads the libraries anew each time."""

import contextlib
import io
import sys

import pytest

from agbench.cli import main


def command(*arguments, cwd, code=0):
    """Run `agbench` in a folder; return what it printed to standard output and error.

    Modules that it loads from the folder are forgotten.
    """
    printed, complained, loaded = io.StringIO(), io.StringIO(), set(sys.modules)
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(complained),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "argv", ["agbench", *map(str, arguments)])
        patch.setattr(sys, "path", sys.path.copy())
        with pytest.raises(SystemExit) as ended:
            main()
    for name in set(sys.modules) - loaded:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(cwd)):
            del sys.modules[name]
    assert (ended.value.code or 0) == code, printed.getvalue() + complained.getvalue()
    return printed.getvalue(), complained.getvalue()
