"""Commands and scripts run in the process of the tests: another one would load the libraries anew."""

import contextlib
import io
import os
import runpy
import sys
from unittest import mock

import gymnasium
import pytest

from agbench.cli import main


def script(path, *arguments, cwd, **environment):
    """Run a script from top to bottom in a folder, as `python PATH`; return what it printed."""
    printed = io.StringIO()
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(printed),
        mock.patch.dict(os.environ, environment),
        mock.patch.dict(gymnasium.registry),
        mock.patch.object(sys, "argv", [str(path), *map(str, arguments)]),
        mock.patch.object(sys, "path", [str(path.parent), *sys.path]),
    ):
        os.environ.pop("AGBENCH_PATH", None)
        runpy.run_path(str(path), run_name="__main__")
    return printed.getvalue()


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
