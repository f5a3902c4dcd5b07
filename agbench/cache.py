"""The user's cache folder: compiled code and fetched weather."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return the user's cache folder: `AGBENCH_CACHE_DIR`, else the platform's usual place."""
    if chosen := os.environ.get("AGBENCH_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "agbench"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/agbench"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "agbench"
