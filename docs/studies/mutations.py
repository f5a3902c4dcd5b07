"""Which mutants of the package its tests notice: python docs/studies/mutations.py --outside --count 100.

Each mutant (mutants.py) is put into one copy of the tree, and the files of tests that are likely to reach it
(by what they import, name and killed before) are run until a test fails: first the likeliest, then more. A
test that takes too long ends, and counts as one that fails if it does so again alone and passes on clean code
in a fraction of that time. A test that fails must have passed on clean code, or with another mutant.

With `--inside` Python runs what Numba would compile: to compile a model again takes longer than its tests.
Whole seasons take too long that way: a mutant that lives is compiled after all, and the tests that hold its
model's seasons against references are run.

The results are lines of a file in `--folder`, to which a later run adds; those of seed 2 are kept in
docs/studies/mutated: begin with a copy of them. `--again NAME ...` tries mutants
anew (`alive` for all alive), wherever they stand in the order; `--table` prints the results; equivalents are
named with a reason in mutations.yaml. Machine code is looked for in `--folder`/cache: begin with a copy of a
full one.
"""

import argparse
import ast
import contextlib
import gc
import importlib
import json
import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

import yaml
from mutant_tests import NOISE, ROOT, Plan, Tree, run_tests
from mutants import Mutant, mutants, sample

EQUIVALENT: Final = Path(__file__).with_name("mutations.yaml")
LIBRARIES: Final = (
    "numpy numba llvmlite casadi pandas pyarrow.parquet yaml pydantic gymnasium matplotlib.pyplot",
    "typer.testing rich jinja2 cloudpickle cma pytest hypothesis hypothesis.extra.numpy pcse scipy.stats",
    "scipy.optimize zarr optuna netCDF4 pvlib torch stable_baselines3 sb3_contrib",
    "onnx onnxruntime pettingzoo",
)
NOT_USED: Final = (
    "tests/docs/",
    "tests/examples/",
    "test_browser.py",
    "test_wheel.py",
    "test_readme.py",
    "test_frozen_tasks.py",
)
"""Tests that take minutes, and those that compare hashes of the source, which every change fails."""
KILLED: Final = ("killed", "out of time")
_LINTUL: Final = ("tests/envs/test_determinism_golden.py", "tests/simulators/test_lintul3_reference.py")
_WOFOST: Final = "tests/simulators/wofost/test_"
SEASONS: Final = {
    "agbench/simulators/lintul3/": _LINTUL,
    "agbench/simulators/field/": _LINTUL,
    "agbench/simulators/wofost/": tuple(f"{_WOFOST}{name}.py" for name in ("reference", "pcse")),
    "agbench/simulators/greenlight/": ("tests/simulators/greenlight/test_greenlight_trajectories.py",),
    "agbench/simulators/casadi_jit/": ("tests/simulators/greenlight/test_greenlight_trajectories.py",),
}
"""Tests that hold seasons against references, by the folder of the compiled code that they cover."""
_SCHEMAS: Final = "tests/data/test_schema_limits.py"
TABLES: Final = {
    "agbench/simulators/": "tests/simulation/test_description.py",
    "agbench/data/": _SCHEMAS,
    "agbench/policies/": _SCHEMAS,
    "agbench/leaderboard/": _SCHEMAS,
}
"""Tests that hold tables and schemas against what is kept of them, by the folder of the modules."""
RARE: Final = 3  # files of tests with some words of a message, at most: more say nothing
SEASON_LIMIT: Final = 300.0  # seconds of the processor, most of them the compiler's
LATE: Final = 60.0  # seconds of the processor for a test alone that took too long: time to compile a model


class Chooser:
    """Which files of tests to run for a mutant."""

    def __init__(self, tree: Tree, results: Iterable[dict]) -> None:
        paths = sorted(p for p in (tree.root / "tests").rglob("test_*.py"))
        names = [p.relative_to(tree.root).as_posix() for p in paths]
        self._texts = {n: (tree.root / n).read_text() for n in names if not any(x in n for x in NOT_USED)}
        paths = sorted((tree.root / "agbench").rglob("*.py"))
        self._modules = {_module(p.relative_to(tree.root).as_posix()): p.read_text() for p in paths}
        self._killers: dict[str, set[str]] = {}
        for result in results:
            self.learn(result)

    def learn(self, result: dict) -> None:
        """Remember which file of tests noticed a mutant of a file."""
        if result["outcome"] in KILLED:
            self._killers.setdefault(result["file"], set()).add(result["by"].split("::")[0])

    def files(self, mutant: Mutant) -> list[str]:
        """Return the files of tests that are likely to reach a mutant, the likeliest first."""
        module = _module(mutant.file)
        package, _, stem = module.rpartition(".")
        imported = _imports(module)
        users = [_imports(other) for other, text in self._modules.items() if imported.search(text)]
        names = [re.compile(rf"\b{re.escape(name)}\b") for name in _names(mutant)]
        words = self.words(mutant)
        folder = "tests/" + "/".join(mutant.file.split("/")[1:-1])
        subject = {stem, f"{stem}s", *stem.split("_"), *package.split(".")[-1:]}
        scores = {}
        for file, text in self._texts.items():
            shared = set(re.findall(r"[a-z]+", Path(file).stem)) & subject
            score = 6 * bool(imported.search(text)) + 3 * sum(bool(name.search(text)) for name in names)
            score += 2 * any(user.search(text) for user in users) + 2 * len(shared)
            score += 8 * any(said in text for said in words)
            score += 8 * (mutant.first == 0 and file in _table_tests(mutant.file))
            score += sum(a == b for a, b in zip(file.split("/"), folder.split("/"), strict=False)) - 1
            score += 5 * (file in self._killers.get(mutant.file, ()))
            if score > 0:
                scores[file] = (-score, file)
        return sorted(scores, key=scores.__getitem__)

    def words(self, mutant: Mutant) -> list[str]:
        """Return what a test is likely to quote: words, three in turn, of the error next to a mutant."""
        said = _error_words(mutant.file, mutant.start, mutant.end)
        return [one for one in said if 0 < sum(one in text for text in self._texts.values()) <= RARE]


@cache
def _source(file: str) -> tuple[bytes, ast.Module]:
    source = (ROOT / file).read_bytes()
    return source, ast.parse(source)


def _error_words(file: str, start: int, end: int) -> list[str]:
    """Return the words of errors, three in turn, of the smallest statement with errors around a place."""
    source, tree = _source(file)
    first, last = source.count(b"\n", 0, start) + 1, source.count(b"\n", 0, end) + 1
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= first and last <= (node.end_lineno or 0)
        and not isinstance(node, ast.ClassDef) and any(isinstance(n, ast.Raise) for n in ast.walk(node))
    ]  # fmt: skip
    if not around:
        return []
    nearest = min(around, key=lambda node: (node.end_lineno or 0) - node.lineno)
    raises = [n for n in ast.walk(nearest) if isinstance(n, ast.Raise)]
    texts = [n.value for r in raises for n in ast.walk(r) if isinstance(n, ast.Constant)]
    words = [text.split() for text in texts if isinstance(text, str)]
    return [" ".join(w[i : i + 3]).strip(".:;,") for w in words for i in range(len(w) - 2)]


def _table_tests(file: str) -> list[str]:
    return [tests for folder, tests in TABLES.items() if file.startswith(folder)]


def _names(mutant: Mutant) -> list[str]:
    """Return the names of the function and classes that a mutant changes."""
    return sorted({name for name in mutant.function.split(".") if name and name[:2] != "__"})


def _module(file: str) -> str:
    """Return the dotted name of a file of the package."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imports(module: str) -> re.Pattern[str]:
    """Return what is found in texts that import a module."""
    package, _, stem = module.rpartition(".")
    return re.compile(rf"{re.escape(module)}\b|from {re.escape(package)} import [^\n]*\b{stem}\b")


class Trial:
    """Runs tests of mutants, and keeps which of them pass on clean code, and in how many seconds."""

    def __init__(self, tree: Tree, folder: Path, inside: bool) -> None:
        self._tree, self._inside = tree, inside
        self._path = folder / ("tests-interpreted.json" if inside else "tests.json")
        kept = json.loads(self._path.read_text()) if self._path.exists() else {}
        self.known: dict[str, float] = kept.get("passed", {})
        self._unfit: list[str] = kept.get("unfit", [])

    def run(
        self, mutant: Mutant, tests: Sequence[str], interpreted: bool, words: Sequence[str] = (), **limits
    ) -> dict:
        """Return what tests do with a mutant; `failed` names none that fails without it.

        Tests with the `words` of an error come first in their file.
        """
        plan = Plan(tests, [*_names(mutant), *words], interpreted=interpreted, unfit=self._unfit, **limits)
        with self._tree.changed(mutant):
            found = run_tests(self._tree, plan, self.known)
        self._keep(found["passed"])
        if found["code"] not in (None, 0, 1, 5) and not found["failed"]:
            log = (self._tree.root.parent / "log.txt").read_text().strip()
            # A mutant whose import fails is noticed; tests that cannot be found are a mistake here.
            noticed = "Error while loading conftest" in log or ("INTERNALERROR" not in log and "ERROR" in log)
            said = [line.strip() for line in log.splitlines() if 'File "' not in line]  # no path of a machine
            return found | {"failed": [" ".join(said[-4:])[-300:]], "mistake": not noticed}
        seconds = found["seconds"]
        if found["failed"] and not self._passes(found["failed"][0], plan):
            found = self.run(mutant, tests, interpreted, words, **limits)
        elif not found["failed"]:
            found = self._late(mutant, found, plan)
        return found | {"seconds": round(found["seconds"] + seconds, 1)}

    def _passes(self, test: str, plan: Plan) -> bool:
        """Whether a test passes on clean code, as is found out once."""
        if test not in self.known:
            clean = run_tests(self._tree, replace(plan, tests=[test]), self.known)
            self._keep(clean["passed"])
            if clean["failed"] or clean["late"]:
                self._unfit.append(test)
                return False
            self._keep({test: clean["passed"].get(test, 0.0)})
        return True

    def _late(self, mutant: Mutant, found: dict, plan: Plan) -> dict:
        """Return whether a test that took too long does so again alone, and not on clean code."""
        for test in found["late"]:
            if not self._passes(test, replace(plan, slowest=LATE / NOISE)):
                continue
            with self._tree.changed(mutant):
                again = run_tests(
                    self._tree, replace(plan, tests=[test], limit=LATE, slowest=LATE), self.known
                )
            if again["failed"]:
                return again
            if again["late"]:
                return found | {"out of time": True, "failed": [test]}
        return found

    def _keep(self, passed: dict[str, float]) -> None:
        self.known.update(passed)
        self._path.write_text(json.dumps({"passed": self.known, "unfit": self._unfit}))


def tried(mutant: Mutant, trial: Trial, chooser: Chooser, first: int, more: int) -> dict:
    """Return the result of a mutant."""
    fields = ("name", "file", "line", "function", "kind", "before", "after", "inside")
    record = {name: getattr(mutant, name) for name in fields}
    files, seconds, tests, found = chooser.files(mutant), 0.0, 0, {"failed": []}
    # The body of a module can name what is compiled; a function that is not compiled cannot.
    clean = [] if mutant.first == 0 or mutant.inside else ["CLEAN_CODE"]
    clean += [] if mutant.file.startswith("agbench/weather/") else ["CLEAN_WEATHER"]
    for part, taken in ((files[:first], clean), (files[first : first + more], ())):
        if part and not found["failed"]:
            found = trial.run(mutant, part, mutant.inside, chooser.words(mutant), clean=taken)
            seconds, tests = seconds + found["seconds"], tests + len(found["passed"])
    seasons = next((files for folder, files in SEASONS.items() if mutant.file.startswith(folder)), ())
    if mutant.inside and not found["failed"] and seasons:
        again = trial.run(mutant, seasons, False, limit=SEASON_LIMIT, slowest=SEASON_LIMIT)
        seconds, tests = seconds + again["seconds"], tests + len(again["passed"])
        # A compiler that runs out of time says nothing of the mutant.
        found = found if again.get("out of time") else again
    outcome = "out of time" if found.get("out of time") else "killed" if found["failed"] else "alive"
    outcome = "mistake" if found.get("mistake") else outcome
    by = found["failed"][0] if found["failed"] else ""
    return record | {"outcome": outcome, "by": by, "tests": tests, "seconds": round(seconds, 1)}


def table(results: list[dict]) -> str:
    """Return the results as a table, a row for each package."""
    equivalent = (
        {entry["name"] for entry in yaml.safe_load(EQUIVALENT.read_text())} if EQUIVALENT.exists() else set()
    )
    rows: dict[str, Counter] = {}
    for result in results:
        place = result["file"].split("/")
        key = "/".join(place[:2]) if len(place) > 2 else "agbench/*.py"
        outcome = (
            "killed"
            if result["outcome"] in KILLED
            else "equivalent"
            if result["name"] in equivalent
            else "alive"
        )
        for row in (key, "all"):
            rows.setdefault(row, Counter())[outcome] += 1
    lines = ["| package | mutants | killed | equivalent | alive |", "|---|---:|---:|---:|---:|"]
    for key in sorted(rows, key=lambda key: (key == "all", key)):
        c = rows[key]
        lines.append(f"| {key} | {c.total()} | {c['killed']} | {c['equivalent']} | {c['alive']} |")
    return "\n".join(lines)


def _named(names: Collection[str], results: Mapping[str, dict]) -> list[Mutant]:
    """Return mutants that were tried before, by name; none whose text has changed since."""
    files = sorted({results[name]["file"] for name in names})
    there = [m for file in files for m in mutants((ROOT / file).read_bytes(), file)]
    return [mutant for mutant in there if mutant.name in names]


def load_libraries() -> None:
    """Load what tests load, and let no collector of garbage of a fork look at it again."""
    for name in " ".join(LIBRARIES).split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for plugin in entry_points(group="pytest11"):
        plugin.load()
    gc.collect()
    gc.freeze()


def main() -> None:
    """Run mutants, or print what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--outside", action="store_true", help="outside of compiled functions")
    where.add_argument("--inside", action="store_true", help="in functions that Numba or CasADi compile")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--count", type=int, default=100, help="of the first mutants in the order of the seed"
    )
    parser.add_argument("--first", type=int, default=2, help="files of tests, the likeliest")
    parser.add_argument("--more", type=int, default=4, help="files of tests for one that lives through those")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no mutant after so many minutes")
    parser.add_argument("--folder", type=Path, default=Path("build/mutations"))
    parser.add_argument("--again", nargs="*", default=[])
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / f"{'inside' if options.inside else 'outside'}-{options.seed}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    results = {result["name"]: result for result in map(json.loads, lines)}
    if options.table:
        print(table(list(results.values())))
        return
    again = {
        name
        for name, old in results.items()
        if name in options.again or ("alive" in options.again and old["outcome"] == "alive")
    }
    first = sample(ROOT, options.seed, options.inside, options.count)
    chosen = {m.name: m for m in [*_named(again, results), *first]}.values()
    load_libraries()
    tree, began = Tree(options.folder.resolve()), time.monotonic()
    trial, chooser = Trial(tree, options.folder.resolve(), options.inside), Chooser(tree, results.values())
    for mutant in chosen:
        known = mutant.name in results and mutant.name not in again
        if known or time.monotonic() - began > 60 * options.minutes:
            continue
        result = tried(mutant, trial, chooser, options.first, options.more)
        chooser.learn(result)
        with path.open("a") as file:
            file.write(json.dumps(result) + "\n")
        print(f"{result['outcome']:11} {mutant.name} {mutant.file}:{mutant.line} {mutant.function}: ", end="")
        print(
            f"{mutant.before[:60]!r} -> {mutant.after[:60]!r} "
            f"({result['tests']} tests, {result['seconds']} s) {result['by'][:90]}",
            flush=True,
        )


if __name__ == "__main__":
    main()
