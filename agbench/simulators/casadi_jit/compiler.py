"""CasADi SX functions as straight-line programs, and those programs as LLVM assembly.

An SX function is a list of scalar instructions. `translate` reads that list into a `Program` whose
values are numbered once each (static single assignment, repeated subexpressions shared); `hoist`
splits a program into what depends on held inputs only and the rest; `assembly` writes a program as
one LLVM function `void name(double* in0, ..., double* out0, ...)`.

With `lanes` greater than one a function advances that many independent rows at once: element k of
row l lies at `k * lanes + l`, and each operation becomes one vector operation. No operation mixes
rows and LLVM may not reorder or contract any, so a row's result has the same bits in any lane and
for any number of lanes. A function for a single row computes exp, log and the like, most of its work, in
vectors all the same: `grouped` brings those that do not depend on each other together.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import casadi

from agbench.errors import AgBenchError
from agbench.simulators.casadi_jit.assembly_writer import Writer


class UnsupportedOperationError(AgBenchError, NotImplementedError):
    """An SX function contains an operation that cannot be translated to machine code."""


_NAMES = {getattr(casadi, n): n[3:] for n in dir(casadi) if n.startswith("OP_")}

_ARITHMETIC = {"ADD": "fadd", "SUB": "fsub", "MUL": "fmul", "DIV": "fdiv"}
_COMPARISON = {"LT": "olt", "LE": "ole", "EQ": "oeq", "NE": "une"}
_INTRINSIC = {"SQRT": "sqrt", "FABS": "fabs", "FLOOR": "floor", "CEIL": "ceil", "COPYSIGN": "copysign"}
_OWN = {
    "EXP": "exp",
    "EXPM1": "expm1",
    "LOG": "log",
    "POW": "pow",
    "CONSTPOW": "pow",
    "SIN": "sin",
    "COS": "cos",
    "TANH": "tanh",
    "ASIN": "asin",
    "ATAN": "atan",
    "ATAN2": "atan2",
}
"""Our own functions (`agbench.compiled.elementary`); no function of the C library is ever called."""

_TWO = {"pow", "atan2"}  # take two arguments
GROUP = 4
"""Calls of one of our own functions in a function for one row that go into one vector."""

_COMPOSED = {"FMIN", "FMAX", "NEG", "SQ", "TWICE", "INV", "SIGN", "AND", "OR", "NOT", "IF_ELSE_ZERO"}
_COPIES = {"ASSIGN", "LIFT"}
SUPPORTED = ({*_ARITHMETIC, *_COMPARISON, *_INTRINSIC, *_OWN} | _COMPOSED | _COPIES) | {
    "CONST",
    "INPUT",
    "OUTPUT",
}
"""Names of the SX operations that can be translated, as CasADi's `OP_` constants spell them."""

Node = tuple[str, Any, Any]
"""An operation and its one or two operands: numbers of earlier nodes; for CONST a value; for INPUT
the number of the argument and of its nonzero."""


@dataclass(frozen=True)
class Program:
    """A straight-line program: each node is computed once, from nodes before it."""

    nodes: tuple[Node, ...]
    input_sizes: tuple[int, ...]
    outputs: tuple[tuple[int, ...], ...]
    """For each output, the node that holds each of its nonzeros."""


class _Builder:
    """Numbers nodes, giving equal operations on equal operands one number."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._number_of: dict[Any, int] = {}

    def add(self, op: str, a: Any, b: Any = None) -> int:
        key = (op, repr(a) if op == "CONST" else a, b)
        if key not in self._number_of:
            self._number_of[key] = len(self.nodes)
            self.nodes.append((op, a, b))
        return self._number_of[key]


def translate(function: Any) -> Program:
    """Return the program of an SX `function` (a `casadi.Function`).

    Inputs and outputs are arrays of the nonzeros of CasADi's sparsity patterns, in their order.
    """
    if not function.is_a("SXFunction"):
        raise UnsupportedOperationError(
            f"{function.name()} is not an SX function but a {function.class_name()}; "
            "expand it first (function.expand())."
        )
    builder = _Builder()
    slots: dict[int, int] = {}
    outputs = [[0] * function.nnz_out(i) for i in range(function.n_out())]
    for k in range(function.n_instructions()):
        name = _NAMES.get(function.instruction_id(k), str(function.instruction_id(k)))
        if name not in SUPPORTED:
            raise UnsupportedOperationError(
                f"{function.name()}: instruction {k} is OP_{name}, which cannot be compiled. "
                f"Supported are {', '.join(sorted(SUPPORTED))}."
            )
        target, source = function.instruction_output(k), function.instruction_input(k)
        if name == "CONST":
            slots[target[0]] = builder.add(name, float(function.instruction_constant(k)))
        elif name == "INPUT":
            slots[target[0]] = builder.add(name, source[0], source[1])
        elif name == "OUTPUT":
            outputs[target[0]][target[1]] = slots[source[0]]
        elif name in _COPIES:
            slots[target[0]] = slots[source[0]]
        else:
            slots[target[0]] = builder.add(name, *(slots[s] for s in source))
    sizes = tuple(function.nnz_in(i) for i in range(function.n_in()))
    return Program(tuple(builder.nodes), sizes, tuple(tuple(o) for o in outputs))


def hoist(program: Program, held: Sequence[int]) -> tuple[Program, Program]:
    """Split off what depends on the `held` inputs only; return (prepare, rest).

    `prepare` maps the held inputs, in their order, to one array of intermediate values. `rest`
    takes the other inputs, in their order, then that array, and has the outputs of `program`.
    """
    program = _reciprocal(program, _fixed(program, held))
    fixed = _fixed(program, held)
    needed = {n for output in program.outputs for n in output}
    for i, (op, a, b) in enumerate(program.nodes):
        if not fixed[i] and op != "INPUT":
            needed.update(j for j in (a, b) if j is not None)
    carried = [i for i in sorted(needed) if fixed[i] and program.nodes[i][0] != "CONST"]
    free = [i for i in range(len(program.input_sizes)) if i not in held]
    prepare = _extract(program, [carried], {a: k for k, a in enumerate(held)}, {})
    places = {node: (len(free), k) for k, node in enumerate(carried)}
    rest = _extract(program, program.outputs, {a: k for k, a in enumerate(free)}, places)
    sizes = program.input_sizes
    return (
        Program(prepare.nodes, tuple(sizes[i] for i in held), prepare.outputs),
        Program(rest.nodes, (*(sizes[i] for i in free), len(carried)), rest.outputs),
    )


def _fixed(program: Program, held: Sequence[int]) -> list[bool]:
    """Return for each node whether it depends on held inputs only."""
    fixed: list[bool] = []
    for op, a, b in program.nodes:
        if op == "INPUT":
            fixed.append(a in held)
        else:
            fixed.append(op == "CONST" or all(fixed[j] for j in (a, b) if j is not None))
    return fixed


def _reciprocal(program: Program, fixed: Sequence[bool]) -> Program:
    """Replace division by a fixed or repeated denominator by a product with its reciprocal."""
    uses = Counter(b for op, _, b in program.nodes if op == "DIV")
    builder = _Builder()
    number: list[int] = []
    for i, (op, a, b) in enumerate(program.nodes):
        if op in ("CONST", "INPUT"):
            number.append(builder.add(op, a, b))
        elif op == "DIV" and not fixed[i] and (fixed[b] or uses[b] > 1):
            number.append(builder.add("MUL", number[a], builder.add("INV", number[b])))
        else:
            number.append(builder.add(op, number[a], None if b is None else number[b]))
    outputs = tuple(tuple(number[n] for n in output) for output in program.outputs)
    return Program(tuple(builder.nodes), program.input_sizes, outputs)


def restrict(program: Program, outputs: Sequence[int]) -> Program:
    """Return a program that computes the chosen outputs only, with the same inputs."""
    arguments = {i: i for i in range(len(program.input_sizes))}
    part = _extract(program, [program.outputs[i] for i in outputs], arguments, {})
    return Program(part.nodes, program.input_sizes, part.outputs)


def _extract(
    program: Program,
    outputs: Sequence[Sequence[int]],
    arguments: dict[int, int],
    inputs: dict[int, tuple[int, int]],
) -> Program:
    """Return the part of a program that computes `outputs`, with the nodes in `inputs` as inputs."""
    needed: set[int] = set()
    stack = [n for output in outputs for n in output]
    while stack:
        node = stack.pop()
        if node in needed:
            continue
        needed.add(node)
        op, a, b = program.nodes[node]
        if op not in ("CONST", "INPUT") and node not in inputs:
            stack.extend(j for j in (a, b) if j is not None)
    number: dict[int, int] = {}
    nodes: list[Node] = []
    for i in sorted(needed):
        op, a, b = program.nodes[i]
        number[i] = len(nodes)
        if i in inputs:
            nodes.append(("INPUT", *inputs[i]))
        elif op == "INPUT":
            nodes.append((op, arguments[a], b))
        elif op == "CONST":
            nodes.append((op, a, b))
        else:
            nodes.append((op, number[a], None if b is None else number[b]))
    return Program(tuple(nodes), (), tuple(tuple(number[n] for n in o) for o in outputs))


def grouped(program: Program) -> tuple[Program, tuple[int, ...]]:
    """Return a program whose equal, independent calls of our own functions stand side by side.

    The second result has, for each node, how many such calls start there: 0 inside a group, 1 for
    a node that stands alone.
    """
    nodes = program.nodes
    depth: list[int] = []  # the number of calls on the longest way to a node
    for op, a, b in nodes:
        before = () if op in ("CONST", "INPUT") else (j for j in (a, b) if j is not None)
        depth.append(max((depth[j] + (nodes[j][0] in _OWN) for j in before), default=0))
    keys = [(depth[i], op if op in _OWN else "") for i, (op, _, _) in enumerate(nodes)]
    order = sorted(range(len(nodes)), key=lambda i: (*keys[i], i))
    number = {old: new for new, old in enumerate(order)}
    moved = tuple(_renumbered(nodes[old], number) for old in order)
    outputs = tuple(tuple(number[n] for n in output) for output in program.outputs)
    sizes: list[int] = []
    for key, members in itertools.groupby(keys[old] for old in order):
        count = len(list(members))
        while count and key[1]:
            sizes += [min(count, GROUP), *[0] * (min(count, GROUP) - 1)]
            count -= min(count, GROUP)
        sizes += [1] * count
    return Program(moved, program.input_sizes, outputs), tuple(sizes)


def _renumbered(node: Node, number: Mapping[int, int]) -> Node:
    op, a, b = node
    if op in ("CONST", "INPUT"):
        return node
    return op, number[a], None if b is None else number[b]


def assembly(name: str, program: Program, lanes: int = 1, fused: bool = False) -> str:
    """Return the LLVM assembly of one function that computes a program for `lanes` rows.

    `fused` lets a product that is used once, in a sum, go into it without being rounded itself.
    """
    arguments = [f"ptr noalias %in{i}" for i in range(len(program.input_sizes))]
    arguments += [f"ptr noalias %out{i}" for i in range(len(program.outputs))]
    writer = Writer(lanes)
    program, groups = grouped(program) if lanes == 1 else (program, (1,) * len(program.nodes))
    products = _single_products(program) if fused else {}
    values: list[str] = []
    for (op, a, b), group in zip(program.nodes, groups, strict=True):
        if op == "CONST":
            values.append(writer.constant(a))
        elif op == "INPUT":
            values.append(writer.load(f"%in{a}", b))
        elif group != 1:
            first = len(values)
            values += _group(writer, program.nodes[first : first + group], values)
        elif op in ("ADD", "SUB") and (a in products or b in products):
            values.append(_fused_sum(writer, op, a, b, values, products))
        else:
            values.append(_operation(writer, op, values[a], values[a if b is None else b]))
    for i, output in enumerate(program.outputs):
        for k, node in enumerate(output):
            writer.store(f"%out{i}", k, values[node])
    return f"define void @{name}({', '.join(arguments)}) {{\n{writer.text()}\nret void\n}}\n"


def _group(writer: Writer, nodes: Sequence[Node], values: list[str]) -> list[str]:
    """Write up to `GROUP` equal calls as one of a vector; return their results, none for no nodes."""
    if not nodes:
        return []
    name = _OWN[nodes[0][0]]
    filled = [*nodes, *[nodes[-1]] * (GROUP - len(nodes))]
    operands = [[values[a] for _, a, _ in filled]]
    if name in _TWO:
        operands.append([values[b] for _, _, b in filled])
    return writer.own_together(name, *operands)[: len(nodes)]


def _single_products(program: Program) -> dict[int, tuple[int, int]]:
    """Return the factors of each product that exactly one operation uses."""
    uses = Counter(n for output in program.outputs for n in output)
    for op, a, b in program.nodes:
        if op not in ("CONST", "INPUT"):
            uses.update(j for j in (a, b) if j is not None)
    return {
        i: (a, a if op == "SQ" else b)
        for i, (op, a, b) in enumerate(program.nodes)
        if op in ("MUL", "SQ") and uses[i] == 1
    }


def _fused_sum(
    writer: Writer, op: str, a: int, b: int, values: list[str], products: dict[int, tuple[int, int]]
) -> str:
    """Write a + b or a - b with one of the two, a product, fused; the product's line goes unused."""
    if b in products:
        x, y = products[b]
        factor = values[x] if op == "ADD" else writer.negate(values[x])
        return writer.fused(factor, values[y], values[a])
    x, y = products[a]
    rest = values[b] if op == "ADD" else writer.negate(values[b])
    return writer.fused(values[x], values[y], rest)


def _operation(writer: Writer, op: str, a: str, b: str) -> str:
    """Write one operation on the values `a` and, if it takes two, `b`; return its result."""
    if op in _ARITHMETIC:
        return writer.binary(_ARITHMETIC[op], a, b)
    if op in _COMPARISON:
        return writer.as_number(writer.compare(_COMPARISON[op], a, b))
    if op in _INTRINSIC:
        return writer.intrinsic(_INTRINSIC[op], *((a, b) if op == "COPYSIGN" else (a,)))
    if op in _OWN:
        return writer.own(_OWN[op], *((a, b) if _OWN[op] in _TWO else (a,)))
    return _composed(writer, op, a, b)


def _composed(writer: Writer, op: str, a: str, b: str) -> str:
    """Write an operation that LLVM has no single instruction for."""
    zero, one = writer.constant(0.0), writer.constant(1.0)
    if op in ("FMIN", "FMAX"):
        return _least_or_greatest(writer, "olt" if op == "FMIN" else "ogt", a, b)
    if op == "NEG":
        return writer.negate(a)
    if op == "SQ":
        return writer.binary("fmul", a, a)
    if op == "TWICE":
        return writer.binary("fadd", a, a)
    if op == "INV":
        return writer.binary("fdiv", one, a)
    if op == "NOT":
        return writer.as_number(writer.compare("oeq", a, zero))
    if op == "IF_ELSE_ZERO":
        return writer.select(writer.compare("une", a, zero), b, zero)
    if op == "SIGN":
        positive = writer.select(writer.compare("ogt", a, zero), one, a)
        return writer.select(writer.compare("olt", a, zero), writer.constant(-1.0), positive)
    left, right = writer.compare("une", a, zero), writer.compare("une", b, zero)
    return writer.as_number(writer.logic("and" if op == "AND" else "or", left, right))


def _least_or_greatest(writer: Writer, predicate: str, a: str, b: str) -> str:
    """Write the least or greatest of two, the other where one is NaN.

    LLVM's own operations leave open which of +0 and -0 comes out; here it is the second.
    """
    chosen = writer.select(writer.compare(predicate, a, b), a, b)
    return writer.select(writer.compare("uno", b, b), a, chosen)
