"""Mutants of the package: small changes of its Python files, each of which a test should notice.

A mutant changes one place: a comparison, a sign, a number by one (a fraction by a tenth), a condition, a
`return`, an `and`, or a `raise`. Its name follows from the text that it changes, so that it stays while
other lines move. Left out are what no run depends on (docstrings, annotations, `__all__`, code for type
checkers, messages of errors, sizes of caches, the size -1 of a reshape, which NumPy takes any negative number
for), and files that only draw pictures or measure speed (`PASSED_OVER`).
"""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

COMPILED: Final = frozenset(
    {"kernel", "inlined", "entry", "jit", "njit", "register_jitable", "overload", "intrinsic"}
)
"""Decorators of functions that become machine code."""
PASSED_OVER: Final = (
    "benchmarks/",
    "drawing.py",
    "figure.py",
    "figures.py",
    "season_panels.py",
    "plotting.py",
    "rendering.py",
)
"""Parts of the paths of files in which most numbers are places and sizes on a picture, or times."""
_COMPARISONS: Final = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_ARITHMETIC: Final = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
_QUIET: Final = frozenset({"warn", "echo", "print", "secho"})  # calls whose arguments are words to a reader


@dataclass(frozen=True)
class Mutant:
    """One change of one file; `start` and `end` are its place in the bytes of the file."""

    name: str
    file: str
    line: int
    function: str
    first: int
    """The line where the function begins, with its decorators; 0 in the body of a module."""
    kind: str
    before: str
    after: str
    start: int
    end: int
    inside: bool
    """Whether the function becomes machine code."""

    def apply(self, source: bytes) -> bytes:
        """Return the file with the change."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def sample(root: Path, seed: int, inside: bool, count: int) -> list[Mutant]:
    """Return the first mutants inside or outside of compiled code, in an order that follows from the seed."""
    paths = sorted(
        p for p in (root / "agbench").rglob("*.py") if not any(x in p.as_posix() for x in PASSED_OVER)
    )
    found = [m for path in paths for m in mutants(path.read_bytes(), path.relative_to(root).as_posix())]
    chosen = sorted((m for m in found if m.inside == inside), key=lambda m: _place(seed, m.name))
    return list(islice((m for m in chosen if parses(m, root)), count))


def _place(seed: int, name: str) -> str:
    """Return what orders mutants: a mutant keeps its place among others while code elsewhere changes."""
    return hashlib.sha256(f"{seed}|{name}".encode()).hexdigest()


def mutants(source: bytes, file: str) -> Iterator[Mutant]:
    """Yield all mutants of a file."""
    seen: dict[str, int] = {}
    walker = _Walker(source)
    walker.visit(ast.parse(source))
    lines = source.split(b"\n")
    for node, kind, after, function, first, inside in walker.found:
        start, end = walker.place(node)
        before = source[start:end].decode()
        line = lines[node.lineno - 1].decode().strip()
        text = f"{file}|{function}|{kind}|{line}|{before}|{after}"
        seen[text] = seen.get(text, -1) + 1
        name = hashlib.sha256(f"{text}|{seen[text]}".encode()).hexdigest()[:10]
        yield Mutant(name, file, node.lineno, function, first, kind, before, after, start, end, inside)


def parses(mutant: Mutant, root: Path) -> bool:
    """Whether the changed file is Python still: few are not, and to parse all takes minutes."""
    try:
        ast.parse(mutant.apply((root / mutant.file).read_bytes()))
    except SyntaxError:
        return False
    return True


class _Walker(ast.NodeVisitor):
    """Finds what can be changed, and in which function."""

    def __init__(self, source: bytes) -> None:
        self.found: list[tuple[ast.AST, str, str, str, int, bool]] = []
        self._starts = [0]
        for line in source.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._names: list[str] = []
        self._firsts: list[int] = []
        # Expressions of CasADi are compiled wherever they stand: all of a file that builds them counts.
        self._casadi = b"\nimport casadi" in source or b"\nfrom casadi" in source
        self._compiled = [False]

    def place(self, node) -> tuple[int, int]:
        """Return where a node begins and ends in the bytes of the file."""
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[
            node.end_lineno - 1
        ] + node.end_col_offset

    def _add(self, node, kind: str, after: str) -> None:
        inside = self._casadi or any(self._compiled)
        first = self._firsts[-1] if self._firsts else 0
        self.found.append((node, kind, after, ".".join(self._names), first, inside))

    def visit_FunctionDef(self, node) -> None:
        """Enter a function: its defaults and its body, not its annotations."""
        names = {_last(d) for d in node.decorator_list}
        if names & {"overload", "overload_method"} or "TYPE_CHECKING" in names:
            return
        self._names.append(node.name)
        self._firsts.append(min([node.lineno, *(d.lineno for d in node.decorator_list)]))
        self._compiled.append(bool(names & COMPILED))
        for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)):
            self.visit(default)
        for statement in node.body:
            self.visit(statement)
        self._compiled.pop()
        self._firsts.pop()
        self._names.pop()

    def visit_ClassDef(self, node) -> None:
        """Enter a class."""
        self._names.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self._names.pop()

    def visit_Expr(self, node) -> None:
        """Pass over docstrings."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_AnnAssign(self, node) -> None:
        """Pass over annotations."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node) -> None:
        """Pass over what a module offers."""
        if not any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            self.generic_visit(node)

    def visit_JoinedStr(self, node) -> None:
        """Pass over texts: places inside them are not kept."""

    def visit_Subscript(self, node) -> None:
        """Enter an index, but not a type."""
        if not (isinstance(node.value, ast.Name) and node.value.id in ("Literal", "Annotated", "Final")):
            self.generic_visit(node)

    def visit_Call(self, node) -> None:
        """Enter a call, unless it only tells somebody something."""
        name = _last(node.func)
        if name in _QUIET:
            return
        self.visit(node.func)
        for argument in node.args:
            if not (name == "reshape" and ast.unparse(argument) == "-1"):
                self.visit(argument)
        for keyword in node.keywords:
            if keyword.arg != "maxsize":
                self.visit(keyword)

    def visit_Raise(self, node) -> None:
        """Remove an error; its message is left alone."""
        self._add(node, "raise removed", "pass")

    def visit_Return(self, node) -> None:
        """Return nothing instead of something."""
        if node.value is None:
            return
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self._add(node, "return None", "return None")
        self.visit(node.value)

    def visit_If(self, node) -> None:
        """Turn a condition round."""
        if _last(node.test) == "TYPE_CHECKING":
            return
        if not isinstance(node.test, ast.Compare):  # whose change is another mutant already
            self._add(node.test, "negated", _negated(node.test))
        self.generic_visit(node)

    def visit_IfExp(self, node) -> None:
        """Turn the condition of an expression round."""
        if not isinstance(node.test, ast.Compare):
            self._add(node.test, "negated", _negated(node.test))
        self.generic_visit(node)

    def visit_Compare(self, node) -> None:
        """Change a comparison, to its neighbour at the boundary or to the contrary."""
        other = ast.Compare(node.left, [_COMPARISONS[type(node.ops[0])](), *node.ops[1:]], node.comparators)
        self._add(node, "comparison", _text(other))
        self.generic_visit(node)

    def visit_BoolOp(self, node) -> None:
        """Exchange `and` with `or`."""
        operator = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._add(node, "and/or", _text(ast.BoolOp(operator, node.values)))
        self.generic_visit(node)

    def visit_BinOp(self, node) -> None:
        """Exchange + with -, or * with /; not unions of types, nor texts."""
        if type(node.op) in _ARITHMETIC and not _is_text(node):
            self._add(
                node, "arithmetic", _text(ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right))
            )
        self.generic_visit(node)

    def visit_AugAssign(self, node) -> None:
        """Exchange += with -=."""
        if type(node.op) in _ARITHMETIC and not _is_text(node.value):
            after = ast.AugAssign(node.target, _ARITHMETIC[type(node.op)](), node.value)
            self._add(node, "arithmetic", ast.unparse(after))
        self.generic_visit(node)

    def visit_Constant(self, node) -> None:
        """Make a number one more, or a fraction a tenth more."""
        if type(node.value) is int:
            self._add(node, "number", str(node.value + 1))
        elif type(node.value) is float:
            self._add(node, "number", repr(node.value * 1.1 if node.value else 1.0))
        elif isinstance(node.value, bool):
            self._add(node, "true/false", str(not node.value))


def _negated(node) -> str:
    return _text(ast.UnaryOp(ast.Not(), node))


def _text(node) -> str:
    return f"({ast.unparse(node)})"


def _last(node) -> str:
    """Return the last part of a dotted name, of a decorator's call too."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_text(node) -> bool:
    """Whether an expression adds texts or lists, where the change would always raise."""
    parts = (node.left, node.right) if isinstance(node, ast.BinOp) else (node,)
    return any(
        isinstance(p, ast.JoinedStr | ast.List | ast.ListComp)
        or (isinstance(p, ast.Constant) and isinstance(p.value, str | bytes))
        for p in parts
    )
