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

import ast
import hashlib
import io
import json
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from agbench.cache import cache_folder
from agbench.compiled import sealed
from agbench.errors import ConfigError

PACKAGE: Final = Path(__file__).parents[1]
BOUNDARY: Final = frozenset(
    {
        *("agbench.compiled.closure", "agbench.compiled.sealed", "agbench.compiled.symbols"),
        *("agbench.compiled.code_cache", "agbench.compiled.notice"),
        *("agbench.cache", "agbench.errors", "agbench.plotting", "agbench.envs.rendering"),
        *(
            "agbench.envs.field.drawing",
            "agbench.envs.field.season_figure",
            "agbench.envs.field.season_panels",
            "agbench.envs.greenhouse.drawing",
        ),
        "agbench.data.families",
    }
)
"""Modules that are not followed: what keeps and names machine code, error messages, pictures, and the
table of families, since what builds a family's tasks leads to its own schema."""

_WHOLE: Final = "*"
"""The name for all definitions of a module."""
_EFFECTS: Final = "(effects)"
"""The name for a module's statements that define nothing."""

Place = tuple[str, str]
"""A module and the name of a definition in it."""


@dataclass
class Definition:
    """A statement of a module: its text without docstrings and comments, and the names that it uses.

    `uses` holds dotted names as in the source, such as `math.exp`; `imports` what it imports
    itself, as places; `texts` the short texts in it.
    """

    text: str
    uses: set[str] = field(default_factory=set)
    imports: set[Place] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)


@dataclass
class Module:
    """A module's definitions by name, the target of each imported name, and modules imported with `*`."""

    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    imported: dict[str, Place] = field(default_factory=dict)
    stars: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)
    """Modules that are imported by their dotted names."""


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
            for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
                parts = path.relative_to(root.parent).with_suffix("").parts
                result[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return result

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all files."""
        total = hashlib.sha256()
        for name, path in self.files.items():
            content = path.read_bytes()
            total.update(f"{name} {len(content)}\n".encode() + content)
        return total.hexdigest()

    def module(self, name: str) -> Module:
        """Return what a module defines and imports."""
        if name not in self._modules:
            path = self.files[name]
            self._modules[name] = _read(path.read_text("utf-8"), name, path.name == "__init__.py")
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
        return module, name or _WHOLE

    def _exists(self, module: str, name: str) -> bool:
        return name in self.module(module).definitions or name in self.module(module).imported

    def _reached(self, place: Place) -> Iterator[Place]:
        """Yield the places that a place leads to."""
        name, what = place
        module = self.module(name)
        yield name, _EFFECTS
        if what == _EFFECTS:
            yield from self._run_with(name)
        elif what == _WHOLE:
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
            yield parent, _EFFECTS
        for target in (*module.imported.values(), *((run, _WHOLE) for run in module.runs)):
            yield from self._effects_of(target)
        yield from ((star, _WHOLE) for star in module.stars if star in self.files)

    def _effects_of(self, target: Place) -> Iterator[Place]:
        """Yield what runs when a thing is imported."""
        module, name = target
        inner = f"{module}.{name}"
        result = inner if inner in self.files else module
        if result in self.files and result not in self._boundary:
            yield result, _EFFECTS

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
        while f"{module}.{name}" in self.files or name == _WHOLE:
            module = module if name == _WHOLE else f"{module}.{name}"
            name, _, rest = rest.partition(".")
            name = name or _WHOLE
            if name == _WHOLE:
                break
        if module not in self.files or module in self._boundary:
            return
        if name == _WHOLE:
            yield module, _WHOLE
        elif name in self.module(module).definitions:
            yield module, name
        elif name in self.module(module).imported:
            yield from self._find(self.module(module).imported[name], rest)
        elif not name.startswith("__"):
            yield module, _WHOLE


@lru_cache(maxsize=1024)
def _read(text: str, name: str, package: bool) -> Module:
    """Return what a module's text defines and imports."""
    return _Reader(text, name, package).module()


class _Reader:
    """Reads one module's text."""

    def __init__(self, text: str, name: str, package: bool) -> None:
        self._name = name
        self._parent = name if package else name.rpartition(".")[0]
        self._tree = ast.parse(text)
        self._lines = _without_prose(text, self._tree)

    def module(self) -> Module:
        """Return what the module defines and imports."""
        result = Module()
        for statement in _statements(self._tree.body):
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                result.imported |= dict(self._imports(statement))
                if isinstance(statement, ast.Import):
                    result.runs |= {alias.name for alias in statement.names}
                continue
            definition = self._definition(statement)
            names = _defined(statement)
            for name in names:
                result.definitions.setdefault(name, []).append(definition)
            if not names or isinstance(statement, (ast.For, ast.While, ast.With, ast.Try, ast.If)):
                result.definitions.setdefault(_EFFECTS, []).append(definition)
            for inner in ast.walk(statement):  # imports inside `try` or `if` bind names of the module
                if isinstance(inner, (ast.Import, ast.ImportFrom)) and not _has_scope(statement):
                    result.imported |= dict(self._imports(inner))
        result.stars = {module for module, name in result.imported.values() if name == "*"}
        result.imported.pop("*", None)
        return result

    def _definition(self, statement: ast.stmt) -> Definition:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(node.lineno for node in decorators)])
        lines = self._lines[first - 1 : statement.end_lineno]
        result = Definition("\n".join(line for line in lines if line is not None))
        self._collect(statement, result)
        return result

    def _collect(self, node: ast.AST, result: Definition) -> None:
        """Add the names that a node uses, leaving out annotations of arguments and results."""
        if isinstance(node, ast.Import):
            result.imports |= {(alias.name, _WHOLE) for alias in node.names}
            return
        if isinstance(node, ast.ImportFrom):
            result.imports |= {target for _, target in self._imports(node)}
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 80:
            result.texts.add(node.value)
        dotted = _dotted(node)
        if dotted:
            result.uses.add(dotted)
            return
        for name, value in ast.iter_fields(node):
            if name == "body" and _only_for_types(node):
                continue
            if name == "returns" or (name == "annotation" and isinstance(node, ast.arg)):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self._collect(child, result)

    def _imports(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Place]]:
        """Yield each name that an import binds, and its target."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                whole = alias.name if alias.asname else bound
                parent, _, last = whole.rpartition(".")
                yield bound, (parent, last) if parent else (whole, _WHOLE)
            return
        module = node.module or ""
        if node.level:
            base = self._parent.split(".")
            module = ".".join([*base[: len(base) - node.level + 1], *([module] if module else [])])
        for alias in node.names:
            yield alias.asname or alias.name, (module, alias.name)


def _without_prose(text: str, tree: ast.Module) -> list[str | None]:
    """Return a file's lines without comments and bare strings; None for lines that then are empty."""
    rows = text.split("\n")  # as Python counts them: other signs end no line of source
    lines = [line.encode() for line in rows]
    kept: set[int] = set()  # lines within texts over several lines, which mean what they are
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and (node.end_lineno or 0) > node.lineno:
            kept.update(range(node.lineno - 1, node.end_lineno or 0))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = rows[row - 1][:column].encode()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and _is_text(node):
            first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
            tail = lines[last][node.end_col_offset :]
            lines[first] = lines[first][: node.col_offset] + (tail if first == last else b"")
            for row in range(first + 1, last + 1):
                lines[row] = tail if row == last else b""
            kept.difference_update(range(first, last + 1))
    result: list[str | None] = []
    for row, line in enumerate(lines):
        stripped = line.decode() if row in kept else line.decode().rstrip()
        result.append(stripped if stripped or row in kept else None)
    return result


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module that do something, those for type checkers left out."""
    for statement in body:
        if isinstance(statement, ast.If) and _only_for_types(statement):
            yield from _statements(statement.orelse)
        elif not _is_text(statement):
            yield statement


def _dotted(node: ast.AST) -> str:
    """Return a name with its attributes as text, such as `math.exp`; nothing for another node."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _defined(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines."""
    if _has_scope(statement):
        return [statement.name]  # type: ignore[attr-defined]
    result = []
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            result.append(node.id)
        elif _has_scope(node):
            result.append(node.name)  # type: ignore[attr-defined]
        elif not isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)):
            todo += ast.iter_child_nodes(node)
    return result


def _has_scope(node: ast.AST) -> bool:
    """Return whether a node is a function or a class."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def _is_text(node: ast.AST) -> bool:
    """Return whether a statement is a text and nothing else, such as a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _only_for_types(node: ast.AST) -> bool:
    """Return whether a statement begins with what only a type checker sees."""
    return isinstance(node, ast.If) and _dotted(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


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


@cache
def closure_hash(*roots: str) -> str:
    """Return the SHA-256 of the closure of some roots in installed packages; see `Sources.closure`.

    It is remembered on disk for as long as no file of theirs changes.
    """
    sources = _installed(
        frozenset(root.partition(":")[0].partition(".")[0] for root in roots) - {PACKAGE.name}
    )
    path = cache_folder() / "closures" / f"{sources.digest[:32]}.json"
    stored = sealed.read(path, sources.digest)
    hashes: dict[str, str] = {} if stored is None else json.loads(stored)
    label = " ".join(sorted(roots))
    if label not in hashes:
        hashes[label] = sources.hash(roots)
        sealed.write(path, sources.digest, json.dumps(hashes).encode())
    return hashes[label]
