"""The closure of code: all definitions that it can reach, and one hash of them.

From a starting point, such as a kernel or the function that builds a task, the names that its text uses
are followed through the package's modules: functions, classes, constants, through imports, into each
other; what a module does when it is imported, such as filling a table in a loop, belongs to whatever
imports it. The hash covers the text of all that is reached, docstrings and comments left out. So a change in
any definition that can take part moves it, and no change elsewhere does. The code is read, never run;
the hash is the same under every version of Python.

A root in another package, such as that of a family of tasks, is followed in that package too. What it uses of
third ones is not: their code is no part of the hash.

A text that names a file beside its module stands for the contents of that file. Not followed are
annotations of arguments, imports that only a type checker sees, modules named by a text at run time, what a
decorator keeps of a function elsewhere, and the modules of `BOUNDARY`, through which no number passes.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from agbench.cache import cache_folder
from agbench.compiled import cache_file
from agbench.compiled.source_text import EFFECTS, WHOLE, Module, Place, read
from agbench.errors import ConfigError

PACKAGE: Final = Path(__file__).parents[1]
BOUNDARY: Final = frozenset(
    {
        *("agbench.compiled.closure", "agbench.compiled.source_text", "agbench.compiled.cache_file"),
        *("agbench.compiled.symbols", "agbench.compiled.code_cache", "agbench.compiled.notice"),
        *("agbench.cache", "agbench.errors", "agbench.plotting", "agbench.envs.rendering"),
        *(
            "agbench.envs.field.drawing",
            "agbench.envs.field.season_figure",
            "agbench.envs.field.season_panels",
            "agbench.envs.greenhouse.drawing",
        ),
        *("agbench.data.families", "agbench.data.packages", "agbench.data.scalars"),
        *("agbench.weather.plausibility", "agbench.weather.greenhouse.plausibility"),
        *(
            "agbench.weather.greenhouse.position",
            "agbench.weather.greenhouse.sums",
            "agbench.weather.greenhouse.sunlight",
        ),
    }
)
"""Modules that are not followed: what keeps and names machine code, error messages, pictures, the tables of
families and packages, since what builds a family's tasks leads to its own schema, and checks of weather,
which refuse a table or let it pass as it is."""


class Sources:
    """The source text of a package, and of other packages, read once, and closures in them."""

    def __init__(
        self, folder: Path = PACKAGE, boundary: Iterable[str] = BOUNDARY, others: Iterable[Path] = ()
    ) -> None:
        """Read the package in `folder`; `others` are folders of packages, or files of modules."""
        self._folder = folder
        self._others = list(others)
        self._boundary = frozenset(boundary)
        self._modules: dict[str, Module] = {}
        self._beside: dict[Path, dict[str, Path]] = {}

    @cached_property
    def files(self) -> dict[str, Path]:
        """The file of each module, by dotted name."""
        result = {}
        for root in (self._folder, *self._others):
            for path in _python_files(root):
                name = path[len(str(root.parent)) + 1 : -len(".py")].replace(os.sep, ".")
                result[name.removesuffix(".__init__")] = Path(path)
        return result

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all files."""
        total = hashlib.sha256()
        for name, path in self.files.items():
            content = path.read_bytes()
            total.update(f"{name} {len(content)}\n".encode() + content)
        return total.hexdigest()

    @cached_property
    def remembered(self) -> dict[str, str]:
        """The hashes of closures in these files that processes have computed before, by their roots."""
        stored = cache_file.read(self._memory, self.digest)
        return {} if stored is None else dict(json.loads(stored))

    def remember(self, label: str, result: str) -> None:
        """Add a hash to those remembered on disk."""
        vars(self).pop("remembered", None)  # other processes may have added theirs
        self.remembered[label] = result
        cache_file.write(self._memory, self.digest, json.dumps(self.remembered).encode())

    @property
    def _memory(self) -> Path:
        return cache_folder() / "closures" / f"{self.digest[:32]}.json"

    def module(self, name: str) -> Module:
        """Return what a module defines and imports."""
        if name not in self._modules:
            path = self.files[name]
            self._modules[name] = read(path.read_text("utf-8"), name, path.name == "__init__.py")
        return self._modules[name]

    def closure(self, roots: Iterable[str]) -> set[Place]:
        """Return all places that some roots reach; a root is `module:name`, or `module` for all of it.

        Raises `KeyError` for a root that does not exist.
        """
        todo = [self._root(root) for root in roots]
        seen: set[Place] = set()
        while todo:
            place = todo.pop()
            if place in seen:
                continue
            seen.add(place)
            todo += [result for result in self._reached(place) if result not in seen]
        return {(name, what) for name, what in seen if what in self.module(name).definitions}

    def hash(self, roots: Iterable[str]) -> str:
        """Return the SHA-256 of the closure of some roots."""
        total = hashlib.sha256()
        for module, name in sorted(self.closure(roots)):
            parts = self.module(module).definitions[name]
            text = "\n".join(part.text for part in parts)
            total.update(f"{module}:{name}\n{text}\n".encode())
            for file in sorted(self._files_named(module, set().union(*(part.texts for part in parts)))):
                total.update(f"{file.name}\n".encode() + file.read_bytes())
        return total.hexdigest()

    def _files_named(self, module: str, texts: set[str]) -> set[Path]:
        """Return the files beside a module that texts in it name."""
        folder = self.files[module].parent
        if folder not in self._beside:
            result = (path for path in folder.iterdir() if path.suffix != ".py" and path.is_file())
            self._beside[folder] = {path.name: path for path in result}
        return {self._beside[folder][text] for text in texts & self._beside[folder].keys()}

    def _root(self, root: str) -> Place:
        module, _, name = root.partition(":")
        if module not in self.files or (name and not self._exists(module, name)):
            raise KeyError(
                f"{root}: no such definition in {', '.join(map(str, (self._folder, *self._others)))}."
            )
        return module, name or WHOLE

    def _exists(self, module: str, name: str) -> bool:
        return name in self.module(module).definitions or name in self.module(module).imported

    def _reached(self, place: Place) -> Iterator[Place]:
        """Yield the places that a place leads to."""
        name, what = place
        module = self.module(name)
        yield name, EFFECTS
        if what == EFFECTS:
            yield from self._run_with(name)
        elif what == WHOLE:
            yield from ((name, key) for key in module.definitions)
            yield from self._find_all((target for target in module.imported.values()), "")
        for definition in module.definitions.get(what, ()):
            for used in definition.uses:
                yield from self._resolve(name, used)
            for target in definition.imports:
                yield from self._find(target, "")
                yield from self._effects_of(target)

    def _run_with(self, name: str) -> Iterator[Place]:
        """Yield what else runs when a module is imported: its packages, and what it imports."""
        module = self.module(name)
        parent = name.rpartition(".")[0]
        if parent in self.files:
            yield parent, EFFECTS
        for target in (*module.imported.values(), *((run, WHOLE) for run in module.runs)):
            yield from self._effects_of(target)
        yield from ((star, WHOLE) for star in module.stars if star in self.files)

    def _effects_of(self, target: Place) -> Iterator[Place]:
        """Yield what runs when a thing is imported."""
        module, name = target
        inner = f"{module}.{name}"
        result = inner if inner in self.files else module
        if result in self.files and result not in self._boundary:
            yield result, EFFECTS

    def _find_all(self, targets: Iterable[Place], rest: str) -> Iterator[Place]:
        for target in targets:
            yield from self._find(target, rest)

    def _resolve(self, module: str, dotted: str) -> Iterator[Place]:
        """Yield the definitions that a dotted name in a module refers to."""
        first, _, rest = dotted.partition(".")
        source = self.module(module)
        if first in source.definitions:
            yield module, first
        if first in source.imported:
            yield from self._find(source.imported[first], rest)

    def _find(self, target: Place, rest: str) -> Iterator[Place]:
        """Yield the definitions that an imported name and its attribute refer to."""
        module, name = target
        while f"{module}.{name}" in self.files or name == WHOLE:
            module = module if name == WHOLE else f"{module}.{name}"
            name, _, rest = rest.partition(".")
            name = name or WHOLE
            if name == WHOLE:
                break
        if module not in self.files or module in self._boundary:
            return
        if name == WHOLE:
            yield module, WHOLE
        elif name in self.module(module).definitions:
            yield module, name
        elif name in self.module(module).imported:
            yield from self._find(self.module(module).imported[name], rest)
        elif not name.startswith("__"):
            yield module, WHOLE


def _python_files(root: Path) -> list[str]:
    """Return the files of a package's folder, or the one file of a module, in a fixed order."""
    if not root.is_dir():
        return [str(root)]
    # Four times as fast as `Path.rglob`: each process that runs kept code looks here.
    walked = os.walk(root)
    return sorted(os.path.join(at, name) for at, _, names in walked for name in names if name.endswith(".py"))


@cache
def _installed(others: frozenset[str]) -> Sources:
    """Return the sources of this package and of others by name."""
    return Sources(others=[_place(name) for name in sorted(others)])


def _place(package: str) -> Path:
    """Return the folder of a package, or the file of a module that stands alone."""
    spec = None if package == "__main__" else find_spec(package)
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    if spec is not None and spec.origin and spec.origin.endswith(".py"):
        return Path(spec.origin)
    raise ConfigError(f"{package!r} has no source to hash: move its definitions to a module in a file.")


def code_digest() -> str:
    """Return the SHA-256 of all code of this package, as it lies here."""
    return _installed(frozenset()).digest


@cache
def package_digest() -> str:
    """Return the SHA-256 of all files of this package: what follows from its code holds for one alone."""
    return Sources().digest


@cache
def closure_hash(*roots: str) -> str:
    """Return the SHA-256 of the closure of some roots in installed packages; see `Sources.closure`.

    It is remembered on disk for as long as no file of theirs changes.
    """
    sources = _installed(
        frozenset(root.partition(":")[0].partition(".")[0] for root in roots) - {PACKAGE.name}
    )
    label = " ".join(sorted(roots))
    if label not in sources.remembered:
        sources.remember(label, sources.hash(roots))
    return sources.remembered[label]
