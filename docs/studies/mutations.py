"""Which mutants of the package its tests notice: python docs/studies/mutations.py --outside --count 100.

Each mutant (mutants.py) is put into one copy of the tree, and the tests that reach its function are run
until one fails, the quickest first. Which tests reach what is measured: a file of tests is run once on clean
code, and the functions that each of its tests calls are kept. With `--inside` Python runs what Numba would
compile: to compile a model again takes longer than its tests. Whole seasons take too long that way: a mutant
that lives is compiled after all, and the tests that hold its model's seasons against references are run. Each
run is forked from a process that has loaded the libraries, and is limited in seconds of the processor; one
that runs out of time is killed by it.

The results are lines of `--results`, to which a later run adds. `--again NAME ...` tries mutants anew
(`alive` for all alive), `--table` prints the results; equivalents are named with a reason in
mutations.yaml.
"""

import argparse
import contextlib
import importlib
import json
import re
import time
from collections import Counter
from pathlib import Path
from typing import Final

import yaml
from mutant_tests import ROOT, Tree, run_tests
from mutants import Mutant, sample

EQUIVALENT: Final = Path(__file__).with_name("mutations.yaml")
LIBRARIES: Final = (
    "numpy numba llvmlite casadi pandas pyarrow.parquet yaml pydantic gymnasium matplotlib.pyplot",
    "typer.testing rich jinja2 cloudpickle cma pytest hypothesis hypothesis.extra.numpy pcse scipy.stats",
    "scipy.optimize torch stable_baselines3 sb3_contrib onnx onnxruntime pettingzoo",
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
SEASON_LIMIT: Final = 300.0  # seconds of the processor, most of them the compiler's


class Chooser:
    """Which tests to run for a mutant."""

    def __init__(
        self, tree: Tree, folder: Path, limit: float, interpreted: bool, files: int, enough: int
    ) -> None:
        self._most, self._enough = files, enough
        self._tree, self._limit, self._interpreted = tree, limit, interpreted
        self._kept = folder / ("reach-interpreted" if interpreted else "reach")
        self._kept.mkdir(exist_ok=True)
        paths = sorted(p for p in (tree.root / "tests").rglob("test_*.py"))
        names = [p.relative_to(tree.root).as_posix() for p in paths]
        self._texts = {n: (tree.root / n).read_text() for n in names if not any(x in n for x in NOT_USED)}
        paths = sorted((tree.root / "agbench").rglob("*.py"))
        self._modules = {_module(p.relative_to(tree.root).as_posix()): p.read_text() for p in paths}

    def files(self, mutant: Mutant) -> list[str]:
        """Return the files of tests that are likely to reach a mutant, the likeliest first."""
        module = _module(mutant.file)
        package, _, stem = module.rpartition(".")
        imported = _imports(module)
        users = [_imports(other) for other, text in self._modules.items() if imported.search(text)]
        names = [
            re.compile(rf"\b{re.escape(name)}\b")
            for name in set(mutant.function.split("."))
            if name[:2] != "__"
        ]
        folder = "tests/" + "/".join(mutant.file.split("/")[1:-1])
        scores = {}
        for file, text in self._texts.items():
            words = set(re.findall(r"[a-z]+", Path(file).stem)) & {
                stem,
                f"{stem}s",
                *stem.split("_"),
                *package.split(".")[-1:],
            }
            score = 6 * bool(imported.search(text)) + 3 * sum(
                bool(name.search(text)) for name in names if name.pattern
            )
            score += 2 * any(user.search(text) for user in users)
            score += (
                2 * len(words)
                + sum(a == b for a, b in zip(file.split("/"), folder.split("/"), strict=False))
                - 1
            )
            if score:
                scores[file] = (-score, file)
        return sorted(scores, key=scores.__getitem__)[: self._most]

    def reach(self, file: str) -> dict:
        """Return what the tests of a file call, from an earlier run or a new one."""
        path = self._kept / f"{file.replace('/', '-')}.json"
        if not path.exists():
            found = run_tests(self._tree, [file], self._limit * 2, True, self._interpreted)
            print(f"    {file}: {len(found['tests'])} tests, {found['seconds']} s", flush=True)
            path.write_text(json.dumps(found))
        return json.loads(path.read_text())

    def tests(self, mutant: Mutant) -> tuple[list[str], bool]:
        """Return the tests that reach a mutant, within the limit of time, and whether any does."""
        reaching, all_of_them, budget = [], [], self._limit
        for file in self.files(mutant):
            if (
                len({name.split("::")[0] for _, name in reaching}) >= self._enough
                or sum(s for s, _ in reaching) > budget
            ):
                break
            seen = self.reach(file)
            place = [mutant.file, mutant.first]
            shared = place in seen["shared"]
            for name, test in seen["tests"].items():
                if not test["ok"] or "calls" not in test:
                    continue
                in_module = not mutant.first and any(call[0] == mutant.file for call in test["calls"])
                if shared or in_module or place in test["calls"]:
                    reaching.append((test["seconds"], name))
                else:
                    all_of_them.append((test["seconds"], name))
        chosen = []
        for seconds, name in sorted(reaching) or all_of_them:
            if (budget := budget - max(seconds, 0.02)) < 0:
                break
            chosen.append(name)
        return chosen, bool(reaching)


def _module(file: str) -> str:
    """Return the dotted name of a file of the package."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imports(module: str) -> re.Pattern[str]:
    """Return what is found in texts that import a module."""
    package, _, stem = module.rpartition(".")
    return re.compile(rf"{re.escape(module)}\b|from {re.escape(package)} import [^\n]*\b{stem}\b")


def tried(mutant: Mutant, tree: Tree, chooser: Chooser, limit: float) -> dict:
    """Return the result of a mutant."""
    tests, reached = chooser.tests(mutant)
    fields = ("name", "file", "line", "function", "kind", "before", "after", "inside")
    record = {name: getattr(mutant, name) for name in fields}
    with tree.changed(mutant):
        # Twice what they take, and what it takes to collect them.
        found = _run(tree, tests, 2 * limit + 30, mutant.inside)
        seasons = next((files for folder, files in SEASONS.items() if mutant.file.startswith(folder)), ())
        if mutant.inside and not found["failed"] and found["code"] == 0 and seasons:
            again = _run(tree, list(seasons), SEASON_LIMIT, False)
            # A compiler that runs out of time says nothing of the mutant.
            if again["code"] is not None:
                found = again | {"seconds": round(found["seconds"] + again["seconds"], 1)}
                reached = True
    outcome = "out of time" if found["code"] is None else "killed" if found["failed"] else "alive"
    if found["code"] not in (None, 0, 1) and not found["failed"]:
        log = (tree.root.parent / "log.txt").read_text().strip()
        # A mutant whose import fails is noticed; tests that cannot be found are a mistake here.
        outcome = (
            "killed"
            if "Error while loading conftest" in log or ("INTERNALERROR" not in log and "ERROR" in log)
            else "mistake"
        )
        found["failed"] = [log[-300:]]
    by = found["failed"][0] if found["failed"] else ""
    return record | {
        "outcome": outcome,
        "by": by,
        "reached": reached,
        "tests": len(tests),
        "seconds": found["seconds"],
    }


def _run(tree: Tree, tests: list[str], limit: float, interpreted: bool) -> dict:
    """Return what tests did, or that nothing failed where there are none."""
    if not tests:
        return {"code": 0, "failed": [], "seconds": 0.0}
    return run_tests(tree, tests, limit, interpreted=interpreted)


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
    parser.add_argument(
        "--limit", type=float, default=20.0, help="seconds of the processor for the tests of a mutant"
    )
    parser.add_argument("--files", type=int, default=10, help="of tests, to look at for one mutant")
    parser.add_argument("--enough", type=int, default=2, help="files of tests that reach it")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no mutant after so many minutes")
    parser.add_argument("--folder", type=Path, default=Path("build/mutations"))
    parser.add_argument("--again", nargs="*", default=[])
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / f"{'inside' if options.inside else 'outside'}-{options.seed}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    results = {result["name"]: result for result in map(json.loads, lines)}
    chosen = sample(ROOT, options.seed, options.inside, options.count)
    if options.table:
        print(table([results[m.name] for m in chosen if m.name in results]))
        return
    for name in " ".join(LIBRARIES).split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    tree, began = Tree(options.folder.resolve()), time.monotonic()
    chooser = Chooser(
        tree, options.folder.resolve(), options.limit, options.inside, options.files, options.enough
    )
    for mutant in chosen:
        old = results.get(mutant.name)
        again = old and (
            mutant.name in options.again or ("alive" in options.again and old["outcome"] == "alive")
        )
        if (old and not again) or time.monotonic() - began > 60 * options.minutes:
            continue
        result = tried(mutant, tree, chooser, options.limit)
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
