"""A cluster of two workers, one killed with -9 in the middle of an evaluation, a replay and a dataset.

$ ray start --head --num-cpus=1 && ray start --address=127.0.0.1:6379 --num-cpus=1      (two nodes)
$ python docs/studies/cluster_kill.py

Each is made in this process too, and the bytes are compared. The log says what was killed, and when.
"""

import hashlib
import os
import shutil
import signal
import tempfile
import threading
import time
from pathlib import Path

import agbench
from agbench.files import BOARD
from agbench.leaderboard.verify.verifying import To, verify_all

TASK = "wheat-nitrogen-v1"
YEARS = [1984, 1985, 1986, 1987, 1988, 1989]
TITLE = b"ray::_work"  # of a Ray worker that runs an item of ours
BEGAN = time.perf_counter()


def say(text):
    """Print a line of the log."""
    print(f"{time.perf_counter() - BEGAN:7.2f} s  {text}", flush=True)


def busy_workers():
    """Return the numbers of the processes that run a piece of work."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().startswith(TITLE):
                found.append(int(path.parent.name))
        except OSError:  # it has ended
            continue
    return sorted(found)


def killed_in_the_middle(work, delay):
    """Run work in this thread; kill a busy worker some time after the first one is busy."""
    ended = threading.Event()

    def kill():
        while not busy_workers() and not ended.is_set():
            time.sleep(0.02)
        time.sleep(delay)
        while not ended.is_set():
            if chosen := busy_workers():
                os.kill(chosen[0], signal.SIGKILL)
                say(f"    kill -9 {chosen[0]}, of the busy workers {chosen}")
                return
            time.sleep(0.005)

    thread = threading.Thread(target=kill)
    thread.start()
    began = time.perf_counter()
    work()
    ended.set()
    thread.join()
    say(f"    done after {time.perf_counter() - began:.2f} s")


def contents(folder, leaving_out=()):
    """Return the SHA-256 of all files of a folder, by name."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in leaving_out]
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}


def compared(name, here, there, leaving_out=()):
    """Say whether two folders are equal."""
    one, other = contents(here, leaving_out), contents(there, leaving_out)
    total = hashlib.sha256(repr(sorted(one.items())).encode()).hexdigest()[:16]
    say(f"    {name}: {len(one)} files, {'equal bytes' if one == other else 'DIFFERENT'} ({total})")


def boards(root):
    """Return two boards with the rows of a task, none of them verified."""
    result = []
    for name in ("here", "there"):
        board = root / name / "leaderboard"
        shutil.copytree(BOARD / "submissions" / TASK, board / "submissions" / TASK)
        result.append(board)
    return result


def replayed(board, on):
    """Replay a board, and return its verdicts."""
    verdicts = list(verify_all(To(board, "replayed"), board, on=on))
    say(f"    {sum(v.good for v in verdicts)} of {len(verdicts)} rows hold")


def main():
    """Print the log."""
    root = Path(tempfile.mkdtemp())
    say(f"evaluation of ceres, {len(YEARS)} episodes")
    chosen = {"years": YEARS, "progress": False}
    agbench.evaluate(TASK, "ceres", out=root / "a", **chosen)
    say("    done in this process")
    killed_in_the_middle(lambda: agbench.evaluate(TASK, "ceres", out=root / "b", on="ray", **chosen), 1.5)
    compared("actions and episodes", root / "a", root / "b", ("result.yaml",))
    say("replay of the rows of the board")
    here, there = boards(root)
    replayed(here, None)
    killed_in_the_middle(lambda: replayed(there, "ray"), 0.2)
    compared("what was written down", here / "verified", there / "verified")
    say("dataset of 1,200 episodes of advisor")
    agbench.collect(TASK, "advisor", 1200, root / "c", epsilon=0.2, progress=False)
    say("    done in this process")
    killed_in_the_middle(
        lambda: agbench.collect(TASK, "advisor", 1200, root / "d", epsilon=0.2, on="ray", progress=False), 1.0
    )
    compared("dataset", root / "c", root / "d")
    shutil.rmtree(root)


if __name__ == "__main__":
    main()
