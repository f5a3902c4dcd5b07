"""What a module's text defines and uses: the parts that closures of code are made of.

The text is read, never run. Docstrings, comments and annotations of arguments are no part of it; neither are
imports that only a type checker sees.
"""

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

WHOLE: Final = "*"
"""Stands for all definitions of a module."""
EFFECTS: Final = "(effects)"
"""Stands for a module's statements that define nothing."""

Place = tuple[str, str]
"""A module and the name of a definition in it."""


@dataclass
class Definition:
    """A statement of a module: its text without docstrings and comments, and the names that it uses.

    `uses` holds dotted names as they stand in the text, such as `math.exp`; `imports` what it imports
    itself, as places; `texts` the short texts in it.
    """

    text: str
    uses: set[str] = field(default_factory=set)
    imports: set[Place] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)


@dataclass
class Module:
    """A module's definitions by name, what each imported name stands for, and what is imported whole."""

    definitions: dict[str, list[Definition]] = field(default_factory=dict)
    imported: dict[str, Place] = field(default_factory=dict)
    stars: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)
    """Modules that are imported by their dotted names."""


@lru_cache(maxsize=1024)
def read(text: str, name: str, package: bool) -> Module:
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
                result.definitions.setdefault(EFFECTS, []).append(definition)
            # Imports inside `try` or `if` bind names of the module.
            for inner in () if _has_scope(statement) else ast.walk(statement):
                if isinstance(inner, (ast.Import, ast.ImportFrom)):
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
            result.imports |= {(alias.name, WHOLE) for alias in node.names}
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
        """Yield each name that an import binds, and what it stands for."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                whole = alias.name if alias.asname else bound
                parent, _, last = whole.rpartition(".")
                yield bound, (parent, last) if parent else (whole, WHOLE)
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
    bare: list[ast.Expr] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and (node.end_lineno or 0) > node.lineno:
            kept.update(range(node.lineno - 1, node.end_lineno or 0))
        elif isinstance(node, ast.Expr) and _is_text(node):
            bare.append(node)
    for token in tokenize.generate_tokens(io.StringIO(text).readline) if "#" in text else ():
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = rows[row - 1][:column].encode()
    for node in bare:
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
