"""Commands that write, killed, without a disk, and in pairs: python docs/studies/interruptions.py [COMMAND
...] (as root, on Linux)

Every command is run unbroken twice; what differs between the two (times, mostly) is compared no further.
Then, in fresh folders:

- killed with -9, before one of the things that it does to files (opening to write, renaming, removing,
  making a folder) or after some of its time on the processor, twice in one folder; then run once more. The
  folder must be as if nothing had happened.
- in a folder that is read-only (mounted so), and where a file lies in place of its folder, or a folder in
  place of its file: a sentence, and exit code 2.
- on a disk that is full after a share of what it writes: a sentence; with more room, the same command makes
  it whole.
- two at once: both are done, or one is refused with a sentence.

`--seed` decides the moments. Exit code 1 if something was found.
"""

import argparse
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from interrupted import Ended, contents, mount, start

ROOT: Final = Path(__file__).parents[2]
T: Final = "wheat-nitrogen-v1"
WHO: Final = (
    "--agent mine --version 1 --author Grower --contact grower@example.org --method rule --rule advisor"
)
RESULTS: Final = (f"evaluate {T} -p advisor -o r/test", f"evaluate {T} -p advisor --split shift -o r/shift")
SUBMIT: Final = f"submit r/test r/shift {WHO} --board board --new-board"
LEFT: Final = (".submitting-", ".site-", "progress-")
"""What a killed command is said to leave: what the next one removes when it is a day old, since it may be at
work, and the table of a training that went on."""
ROUND: Final = f"{T} --board board --secret secrets/s"
OPEN: Final = f"leaderboard round open {ROUND} --scenarios 12 --closes 2030-01-01"
REPRODUCE: Final = "leaderboard reproduce --board board"
RUN_ROUND: Final = f"leaderboard round run {ROUND}"
CLOSE: Final = f"leaderboard round close {ROUND} --early"
KEEP: Final = f"leaderboard keep {T} --board {ROOT / 'leaderboard'} --results refs"
FEW: Final = "-s envs=8 -s n_steps=16 -s batch_size=64 -s validation.every=500 -s validation.episodes=4"
PPO: Final = f"train {T} --algo ppo --steps 1500 {FEW} -o agent"
MANY: Final = """
import agbench, agbench.errors
field = {"crop": "winter-wheat-nl", "soil": "cropgym-nl", "site": "wageningen"}
cases = [{"start": f"{year}-01-01"} for year in range(1984, 1989)]
try:
    agbench.simulate_many("lintul3", cases * 200, out="seasons.parquet", **field)
except agbench.errors.AgBenchError as error:  # a call from Python raises what a command prints
    print(f"agbench: {error}")
    raise SystemExit(2) from None
"""
STORE: Final = MANY.replace(".parquet", ".zarr")
ZIP: Final = f"""
import stable_baselines3
from agbench.training import sb3_env
model = stable_baselines3.PPO("MlpPolicy", sb3_env({T!r}, 2), n_steps=16, batch_size=16, seed=0, device="cpu")
model.learn(32).save("ppo.zip")
"""
SWEEP: Final = f"sweep {T} --algo ppo --trials 2 --steps 2048 {FEW.replace('500', '1024')} -o sweep"
MEADOW: Final = f"""
import pathlib
shipped = pathlib.Path({str(ROOT)!r}, "sites", "wageningen.yaml").read_text()
folder = pathlib.Path("data", "sites")
folder.mkdir(parents=True)
own = shipped[: shipped.index("climate:")].replace("site: wageningen", "site: meadow")
(folder / "meadow.yaml").write_text(own)
(folder / "island.yaml").write_text(
    "site: island\\nsummary: An island.\\nsource: Nowhere.\\n"
    "place: {{latitude: 52.0, longitude: 5.0, elevation: 3.5}}\\n"
    "download: {{reader: nasa-power, first: 2001, last: 2001}}\\n"
)
"""
FIT: Final = """
import os, sys
os.environ["AGBENCH_PATH"] = "data"
from agbench.weather.generator import calibrate
calibrate._ROUGH = calibrate._FINE = (1, 200)  # seconds of a fit that takes minutes
sys.argv = ["agbench", "weather", "fit", "meadow"]
from agbench.cli import main
main()
"""
FETCH: Final = f"""
import http.server, os, pathlib, sys, threading
sys.path.append({str(ROOT / "tests" / "weather")!r})
os.environ["AGBENCH_PATH"] = "data"
import answers
from agbench.weather.readers import fetched, nasa_power
fetched.cache_folder = lambda: pathlib.Path("cache")  # compiled code stays where it is
class Service(http.server.BaseHTTPRequestHandler):  # that of NASA POWER, on this machine
    def do_GET(self):
        content = answers.power_json().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Service)
threading.Thread(target=server.serve_forever, daemon=True).start()
nasa_power.ENDPOINT = f"http://127.0.0.1:{{server.server_port}}"
sys.argv = ["agbench", "weather", "fetch", "island"]
from agbench.cli import main
main()
"""
CALIBRATION: Final = (
    "import pathlib, shutil\nfor name in ('wheat.yaml', 'wheat.csv'):\n"
    f"    shutil.copy(pathlib.Path({str(ROOT)!r}) / 'docs/studies/calibration' / name, name)\n"
    "text = pathlib.Path('wheat.yaml').read_text()\n"
    "pathlib.Path('wheat.yaml').write_text(text.replace('budget: 1600', 'budget: 64'))"
)


@dataclass(frozen=True)
class Command:
    """A command and those that prepare its folder: words of `agbench`, or Python if they have lines."""

    words: str
    before: tuple[str, ...] = ()
    long: bool = False
    """Whether it is run only if it is named: it takes minutes."""


COMMANDS: Final = {
    "evaluate": Command(f"evaluate {T} -p advisor -o r/test"),
    "evaluate over an older result": Command(RESULTS[0], (f"evaluate {T} -p standard-practice -o r/test",)),
    "evaluate, 2 workers": Command(f"evaluate {T} -p advisor -o r/test --workers 2", long=True),
    "train ppo": Command(PPO),
    "sweep": Command(SWEEP),
    "dataset npz": Command(f"dataset {T} -p advisor --epsilon 0.2 --episodes 40 --format npz -o d"),
    "dataset parquet": Command(f"dataset {T} -p advisor --epsilon 0.2 --episodes 40 --format parquet -o d"),
    "dataset minari": Command(f"dataset {T} -p advisor --epsilon 0.2 --episodes 40 -o d"),
    "anchors": Command(f"anchors {T} --again --results refs --root data", long=True),
    "fit": Command("fit farm-nitrogen-v1 blind-calendar --rounds 1 --candidates 4 --root data"),
    "scale": Command(f"scale {T} --episodes 8 --out scaling.yaml"),
    "run": Command(f"run {T} -p advisor -o season.png"),
    "export": Command(f"export {T} ppo.zip -o policy.npz", (ZIP,)),
    "report": Command("report r/test", RESULTS[:1]),
    "compare": Command(
        "compare r/test r/calendar --figure both.png",
        (RESULTS[0], f"evaluate {T} -p standard-practice -o r/calendar"),
    ),
    "weather plot": Command("weather plot wageningen"),
    "weather fit": Command(FIT, (MEADOW,)),
    "weather fetch": Command(FETCH, (MEADOW,)),
    "calibrate": Command("calibrate wheat.yaml --out crop", (CALIBRATION,)),
    "simulate_many": Command(MANY),
    "simulate_many over an older store": Command(STORE, (STORE.replace("1989", "1988"),)),
    "submit": Command(SUBMIT, RESULTS),
    "leaderboard replay": Command("leaderboard replay --board board", (*RESULTS, SUBMIT)),
    "leaderboard reproduce": Command(REPRODUCE, (*RESULTS, SUBMIT)),
    "leaderboard build": Command(
        "leaderboard build --board board", (*RESULTS, SUBMIT, "leaderboard replay --board board")
    ),
    "round open": Command(OPEN, (*RESULTS, SUBMIT)),
    "round run": Command(RUN_ROUND, (*RESULTS, SUBMIT, REPRODUCE, OPEN)),
    "round close": Command(CLOSE, (*RESULTS, SUBMIT, REPRODUCE, OPEN, RUN_ROUND)),
    "round repeat": Command(
        f"leaderboard round repeat {T} --board board --record",
        (*RESULTS, SUBMIT, REPRODUCE, OPEN, RUN_ROUND, CLOSE),
    ),
    "leaderboard merged": Command("leaderboard merged --add --board board", (*RESULTS, SUBMIT)),
    "leaderboard keep": Command(KEEP),
    "leaderboard first-rows": Command(f"leaderboard first-rows {T} --board board --results refs", (KEEP,)),
}


class UnpreparedError(Exception):
    """A command does not run even where nothing interrupts it."""


@dataclass
class Study:
    """One command, and what is found."""

    name: str
    command: Command
    work: Path
    random: random.Random
    failures: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def prepare(self) -> None:
        """Make the folder that the command begins with, and run it twice unbroken."""
        self.ready = self.work / "ready"
        self.ready.mkdir()
        (self.ready / "secrets").mkdir()
        for words in self.command.before:
            ended = self._run(words, self.ready)
            if ended.code:
                raise UnpreparedError(f"{words} ended with {ended.code}: {ended.text[-1000:]}")
        self.before = contents(self.ready)
        runs = []
        for i in (1, 2):
            folder = self._fresh(f"whole-{i}")
            self.whole = self._run(self.command.words, folder)
            if self.whole.code:
                raise UnpreparedError(
                    f"{self.command.words} ended with {self.whole.code}: {self.whole.text[-1000:]}"
                )
            runs.append(contents(folder))
        self.expected = runs[1]
        self.itself = {n for n in runs[0].keys() | runs[1].keys() if runs[0].get(n) != runs[1].get(n)}
        self.bytes = sum(
            (folder / n).stat().st_size for n in runs[1] if n not in self.before and n[-1] != "/"
        )

    def killed(self, times: int) -> None:
        """Kill it twice in a folder, and run it again."""
        for i in range(times):
            folder, moments = self._fresh(f"killed-{i}"), []
            for _ in range(2):
                if self.random.random() < 0.7 and self.whole.events:
                    at = self.random.randint(1, self.whole.events)
                    ended = start(self.command.words, folder, self.work / "log", at).wait()
                    moments.append(f"change {at} of {self.whole.events}")
                else:
                    share = self.random.random()
                    ended = start(self.command.words, folder, self.work / "log").wait(
                        share * self.whole.seconds
                    )
                    moments.append(f"{share:.0%} of its time")
                self._no_traceback(f"killed at {moments}", ended)
            self._whole(f"killed at {' and '.join(moments)}", folder)

    def read_only(self) -> None:
        """Run it in a folder that cannot be written."""
        folder = self._fresh("read-only")
        mount("--bind", str(folder), str(folder))
        try:
            mount("-o", "remount,ro,bind", str(folder))
            self._sentence("read-only", self._run(self.command.words, folder))
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)  # a child of the command may hold it
        self._whole("read-only, then writable", folder)

    def in_the_way(self) -> None:
        """Run it where a file lies in place of a folder, or a folder in place of a file."""
        new = sorted(
            {name.split("/")[0] + "/" * ("/" in name) for name in self.expected.keys() - self.before.keys()}
        )
        tops = [name for name in new if not (self.ready / name.rstrip("/")).exists()]
        for name in tops:
            folder = self._fresh(f"in-the-way-{tops.index(name)}")
            path = folder / name.rstrip("/")
            if name.endswith("/"):
                path.write_text("not a folder")
            else:
                path.mkdir()
                (path / "something").write_text("in the way")
            ended = self._run(self.command.words, folder)
            self._sentence(
                f"{'file' if name.endswith('/') else 'folder'} {name.rstrip('/')} in the way", ended
            )

    def full(self, times: int) -> None:
        """Run it on a disk that is full after a share of what it writes, and again with more room."""
        for i in range(times):
            share = self.random.random()
            folder = self.work / f"full-{i}"
            folder.mkdir()
            held = sum(-(-p.stat().st_size // 4096) * 4096 + 4096 for p in self.ready.rglob("*"))
            size = held + 65536 + int(share * self.bytes)
            mount("-t", "tmpfs", "-o", f"size={size // 4096 * 4096}", "agbench-full", str(folder))
            try:
                shutil.copytree(self.ready, folder, dirs_exist_ok=True)
                free = os.statvfs(folder)
                filler = int(max(0, free.f_bavail * 4096 - share * self.bytes)) // 4096 * 4096
                with contextlib.suppress(OSError):
                    (folder / "filler").write_bytes(b"." * filler)
                ended = self._run(self.command.words, folder)
                if ended.code:
                    self._sentence(f"disk full at {share:.0%}", ended)
                (folder / "filler").unlink()
                mount("-o", "remount,size=1g", str(folder))
                self._whole(f"disk full at {share:.0%}, then with room", folder)
            finally:
                subprocess.run(["umount", "-l", str(folder)], check=True)

    def two(self) -> None:
        """Run it twice at once."""
        folder = self._fresh("two")
        one, other = (start(self.command.words, folder, self.work / f"log-{i}") for i in (1, 2))
        ended = [one.wait(), other.wait()]
        if all(e.code for e in ended):
            self.failures.append(f"two at once: neither was done: {[e.sentence for e in ended]}")
        for e in ended:
            if e.code:
                self._sentence("two at once", e)
        self._same("two at once", folder)

    def _run(self, words: str, folder: Path) -> Ended:
        return start(words, folder, self.work / "log").wait()

    def _fresh(self, name: str) -> Path:
        shutil.copytree(self.ready, self.work / name)
        return self.work / name

    def _whole(self, what: str, folder: Path) -> None:
        ended = self._run(self.command.words, folder)
        done = ("a row never changes", "is open; close it first")  # of what was killed when all was in place
        if ended.code and not any(words in ended.text for words in done):
            self.failures.append(f"{what}: run again, it ended with {ended.code}: {ended.sentence[-300:]}")
        self._no_traceback(what, ended)
        self._same(what, folder)

    def _same(self, what: str, folder: Path) -> None:
        found = contents(folder)
        for name in sorted(found.keys() | self.expected.keys()):
            if name not in self.expected and any(part.startswith(LEFT) for part in name.split("/")):
                continue
            if name not in self.itself and found.get(name) != self.expected.get(name):
                how = (
                    "is missing"
                    if name not in found
                    else "is left"
                    if name not in self.expected
                    else "differs"
                )
                self.failures.append(f"{what}: {name} {how}")

    def _sentence(self, what: str, ended: Ended) -> None:
        self._no_traceback(what, ended)
        self.said.append(f"{what}: {ended.code}: {ended.sentence[-400:]}")
        if ended.code != 2 or not ("agbench: " in ended.text or "Invalid value for" in ended.text):
            self.failures.append(f"{what}: exit code {ended.code}, no sentence: {ended.text[-300:]!r}")

    def _no_traceback(self, what: str, ended: Ended) -> None:
        if "Traceback (most recent" in ended.text:
            self.failures.append(f"{what}: a traceback, at its end {ended.text.strip().splitlines()[-1]!r}")


def main() -> int:
    """Study the commands that are named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "commands", nargs="*", help=f"{', '.join(COMMANDS)}; without names all but the long ones"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kills",
        type=int,
        default=3,
        help="folders for each command, of two kills each; 0: run it unbroken alone",
    )
    parser.add_argument("--kills-alone", action="store_true", help="leave out all but the kills")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ["PYTHONPATH"] = str(ROOT)
    import matplotlib.pyplot
    import pandas
    import stable_baselines3

    import agbench.cli

    del agbench.cli, matplotlib.pyplot, pandas, stable_baselines3  # loaded once, for all forks
    print(
        "| command | kills | changes of files | differ by themselves | failures | seconds |\n"
        "|---|---:|---:|---|---:|---:|"
    )
    found, lines = 0, []
    for name in options.commands or [name for name, command in COMMANDS.items() if not command.long]:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="agbench-interrupted-") as work:
            study = Study(name, COMMANDS[name], Path(work), random.Random(f"{options.seed} {name}"))
            try:
                study.prepare()
            except UnpreparedError as reason:
                print(f"{name}: {reason}", flush=True)
                found += 1
                continue
            if options.kills:
                study.killed(options.kills)
            if options.kills and not options.kills_alone:
                study.read_only()
                study.in_the_way()
                study.full(2)
                study.two()
        itself = ", ".join(sorted({Path(n).name for n in study.itself})) or "-"
        print(
            f"| {name} | {2 * options.kills} | {study.whole.events} | {itself} | {len(study.failures)} "
            f"| {time.monotonic() - began:.0f} |",
            flush=True,
        )
        lines += [f"{name}: {line}" for line in study.said]
        for failure in study.failures:
            print(f"{name}: FAILED {failure}", file=sys.stderr, flush=True)
        found += len(study.failures)
    print("\n".join(lines))
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
