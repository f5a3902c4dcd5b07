"""Work for tests of engines."""

import os
import signal
import time
from pathlib import Path

from agbench.errors import SimulationError


class Squares:
    """Returns squares; every worker counts how often it prepared the job, in a folder."""

    def __init__(self, folder, file=None):
        self.folder, self.file = str(folder), file

    def files(self):
        return [self.file] if self.file else []

    def prepare(self, place):
        Path(self.folder, f"prepared-{os.getpid()}-{time.monotonic_ns()}").touch()
        text = Path(place[self.file]).read_text() if self.file else ""

        def square(item):
            if item == "raise":
                raise SimulationError("row 3 is not plausible")
            if item == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if item == "die once":
                if not Path(self.folder, "died").exists():
                    Path(self.folder, "died").touch()
                    os.kill(os.getpid(), signal.SIGKILL)
                return "lives"
            return text + str(item * item) if text else item * item

        return square


class Sleeps(Squares):
    """Writes down who works, and sleeps."""

    def prepare(self, place):
        def sleep(item):
            Path(self.folder, f"pid-{os.getpid()}").touch()
            time.sleep(120)

        return sleep
