"""The user's cache folder: compiled code and fetched weather."""

import os
import sys
from pathlib import Path

from agbench.errors import ConfigError


def cache_folder() -> Path:
    """Return the user's cache folder: `AGBENCH_CACHE_DIR`, else the platform's usual place.

    Raises:
        ConfigError: where neither names a folder, as for a user of a container without a home.
    """
    if chosen := os.environ.get("AGBENCH_CACHE_DIR"):
        return Path(chosen)
    try:
        return _usual() / "agbench"
    except RuntimeError:  # of `Path.home`
        raise ConfigError("this user has no home folder; set AGBENCH_CACHE_DIR to a folder.") from None


def _usual() -> Path:
    """Return where programs of this platform keep their caches."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData/Local"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches"
    # The XDG specification passes over a value that is empty or relative.
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return chosen if chosen.is_absolute() else Path.home() / ".cache"
