"""The cache folder on machines that are set up in unusual ways."""

import os
import sys
from pathlib import Path

import pytest

from agbench.cache import cache_folder
from agbench.errors import ConfigError


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="XDG is the convention of other systems")
@pytest.mark.parametrize("value", ["", "here", None])
def test_an_empty_or_relative_xdg_folder_is_passed_over(value, monkeypatch, tmp_path):
    monkeypatch.delenv("AGBENCH_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    if value is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert cache_folder() == tmp_path / ".cache/agbench"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine/agbench"


def test_without_a_home_the_error_names_the_variable_to_set(monkeypatch, tmp_path):
    def homeless(path):
        raise RuntimeError("Could not determine home directory.")

    for name in ("AGBENCH_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "expanduser", homeless)
    with pytest.raises(ConfigError, match="no home folder; set AGBENCH_CACHE_DIR"):
        cache_folder()
    monkeypatch.setenv("AGBENCH_CACHE_DIR", os.fspath(tmp_path))
    assert cache_folder() == tmp_path
