"""A local server for a site, not reachable from other machines."""

import os
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from agbench.errors import ConfigError
from agbench.leaderboard.board import SUBMISSIONS

ADDRESS: Final = "127.0.0.1"


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files of a site and of the submissions beside it, never lists folders, logs only errors."""

    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        """Do not log answered requests."""

    def translate_path(self, path: str) -> str:
        """Return the file of an address: the site's, or of a submission the board's beside the site."""
        result = super().translate_path(path)
        if not os.path.exists(result):
            own = os.path.relpath(result, self.directory)
            beside = Path(self.directory).parent / own
            if own.startswith(f"{SUBMISSIONS}{os.sep}") and beside.is_file() and not beside.is_symlink():
                return str(beside)
        return result

    def list_directory(self, path: Any) -> None:
        """Refuse to list a folder."""
        self.send_error(404, "No such page")

    def end_headers(self) -> None:
        """Forbid to guess types and to keep pages: a new build shows at once."""
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


def server(site: Path, port: int) -> ThreadingHTTPServer:
    """Return a server of a site on 127.0.0.1; port 0 takes any free one.

    Raises `ConfigError` where there is no site, or the port is taken.
    """
    if not (site / "index.html").is_file():
        raise ConfigError(f"{site}: there is no page yet. Build it: agbench leaderboard build")
    handler: Callable[..., SimpleHTTPRequestHandler] = partial(_Quiet, directory=str(site))
    try:
        return ThreadingHTTPServer((ADDRESS, port), handler)
    except OSError as error:
        raise ConfigError(
            f"port {port} of {ADDRESS} cannot be used ({error.strerror}); use --port 0 for any free port."
        ) from None
