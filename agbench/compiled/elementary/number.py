"""Arithmetic written as LLVM instructions: the operations that the algorithms here are made of.

A `Number` is a float64, or a vector of them, inside a function that is being written; `a * b + c` writes
a product and a sum. Only operations that IEEE 754 defines to the last bit are offered, so that what is
written here gives the same bits on every processor. Plain Python numbers become constants.
"""

import struct
from collections.abc import Callable
from typing import Any

from llvmlite import ir

DOUBLE = ir.DoubleType()
_INTEGER = ir.IntType(64)


def kind_of(lanes: int) -> Any:
    """Return LLVM's type of a float64, or of a vector of them."""
    return DOUBLE if lanes == 1 else ir.VectorType(DOUBLE, lanes)


def _constant(like: Any, element: Any, value: Any) -> Any:
    """Return a constant of the width of the value `like`."""
    if isinstance(like.type, ir.VectorType):
        kind = ir.VectorType(element, like.type.count)
        return ir.Constant(kind, [ir.Constant(element, value)] * like.type.count)
    return ir.Constant(element, value)


class Truth:
    """Where a comparison holds."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder = builder
        self.value = value

    def __and__(self, other: "Truth") -> "Truth":
        return Truth(self.builder, self.builder.and_(self.value, other.value))

    def __or__(self, other: "Truth") -> "Truth":
        return Truth(self.builder, self.builder.or_(self.value, other.value))


class Whole:
    """An integer of 64 bits; sums and shifts wrap."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder = builder
        self.value = value

    def _other(self, other: "Whole | int") -> Any:
        return other.value if isinstance(other, Whole) else _constant(self.value, _INTEGER, other)

    def __add__(self, other: "Whole | int") -> "Whole":
        return Whole(self.builder, self.builder.add(self.value, self._other(other)))

    def __sub__(self, other: "Whole | int") -> "Whole":
        return Whole(self.builder, self.builder.sub(self.value, self._other(other)))

    def __and__(self, other: int) -> "Whole":
        return Whole(self.builder, self.builder.and_(self.value, self._other(other)))

    def __or__(self, other: int) -> "Whole":
        return Whole(self.builder, self.builder.or_(self.value, self._other(other)))

    def __lshift__(self, places: int) -> "Whole":
        return Whole(self.builder, self.builder.shl(self.value, self._other(places)))

    def __rshift__(self, places: int) -> "Whole":
        """Shift zeros in from the left."""
        return Whole(self.builder, self.builder.lshr(self.value, self._other(places)))

    def equals(self, other: int) -> Truth:
        """Return where the integer is `other`."""
        return Truth(self.builder, self.builder.icmp_signed("==", self.value, self._other(other)))

    def as_bits(self) -> "Number":
        """Return the number that has these bits."""
        wide = isinstance(self.value.type, ir.VectorType)
        kind = kind_of(self.value.type.count if wide else 1)
        return Number(self.builder, self.builder.bitcast(self.value, kind))


class Number:
    """A float64 or a vector of them."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder = builder
        self.value = value

    def constant(self, value: float) -> "Number":
        """Return a constant as wide as this number."""
        return Number(self.builder, _constant(self.value, DOUBLE, value))

    def _other(self, other: "Number | float") -> Any:
        return other.value if isinstance(other, Number) else self.constant(other).value

    def __add__(self, other: "Number | float") -> "Number":
        return Number(self.builder, self.builder.fadd(self.value, self._other(other)))

    def __radd__(self, other: float) -> "Number":
        return self + other

    def __sub__(self, other: "Number | float") -> "Number":
        return Number(self.builder, self.builder.fsub(self.value, self._other(other)))

    def __rsub__(self, other: float) -> "Number":
        return Number(self.builder, self.builder.fsub(self._other(other), self.value))

    def __mul__(self, other: "Number | float") -> "Number":
        return Number(self.builder, self.builder.fmul(self.value, self._other(other)))

    def __truediv__(self, other: "Number | float") -> "Number":
        return Number(self.builder, self.builder.fdiv(self.value, self._other(other)))

    def __rtruediv__(self, other: float) -> "Number":
        return Number(self.builder, self.builder.fdiv(self._other(other), self.value))

    def __neg__(self) -> "Number":
        return Number(self.builder, self.builder.fneg(self.value))

    def _compare(self, sign: str, other: "Number | float") -> Truth:
        return Truth(self.builder, self.builder.fcmp_ordered(sign, self.value, self._other(other)))

    def __lt__(self, other: "Number | float") -> Truth:
        return self._compare("<", other)

    def __le__(self, other: "Number | float") -> Truth:
        return self._compare("<=", other)

    def __ge__(self, other: "Number | float") -> Truth:
        return self._compare(">=", other)

    def __gt__(self, other: "Number | float") -> Truth:
        return self._compare(">", other)

    def equals(self, other: "Number | float") -> Truth:
        """Return where the numbers are equal (NaN equals nothing)."""
        return self._compare("==", other)

    def differs(self, other: "Number | float") -> Truth:
        """Return where the numbers are known to differ (NaN differs from nothing)."""
        return self._compare("!=", other)

    def undefined(self) -> Truth:
        """Return where the number is NaN."""
        return Truth(self.builder, self.builder.fcmp_unordered("uno", self.value, self.value))

    def bits(self) -> Whole:
        """Return the bits as an integer."""
        wide = isinstance(self.value.type, ir.VectorType)
        kind = ir.VectorType(_INTEGER, self.value.type.count) if wide else _INTEGER
        return Whole(self.builder, self.builder.bitcast(self.value, kind))

    def _intrinsic(self, name: str, *others: "Number | float") -> "Number":
        """Call one of LLVM's own operations."""
        kind = self.value.type
        wide = isinstance(kind, ir.VectorType)
        name = f"llvm.{name}.v{kind.count}f64" if wide else f"llvm.{name}.f64"
        module = self.builder.module
        function = module.globals.get(name)
        if function is None:
            function = ir.Function(module, ir.FunctionType(kind, [kind] * (1 + len(others))), name)
        return Number(self.builder, self.builder.call(function, [self.value, *map(self._other, others)]))

    def absolute(self) -> "Number":
        """Return the number without its sign."""
        return self._intrinsic("fabs")

    def floor(self) -> "Number":
        """Return the greatest whole number that is not above."""
        return self._intrinsic("floor")

    def square_root(self) -> "Number":
        """Return the root, correctly rounded."""
        return self._intrinsic("sqrt")

    def with_sign_of(self, other: "Number") -> "Number":
        """Return this size with the sign of `other`."""
        return self._intrinsic("copysign", other)

    def times_plus(self, factor: "Number | float", term: "Number | float") -> "Number":
        """Return self * factor + term, rounded once."""
        return self._intrinsic("fma", factor, term)

    def polynomial(self, *coefficients: float) -> "Number":
        """Return c0 + c1 x + c2 x^2 + ..., summed in pairs (Estrin) to shorten the chain."""
        terms: list[Number] = [self.constant(c) for c in coefficients]
        power = self
        while len(terms) > 1:
            pairs = [power.times_plus(terms[i + 1], terms[i]) for i in range(0, len(terms) - 1, 2)]
            terms = pairs + terms[len(pairs) * 2 :]
            power = power * power if len(terms) > 1 else power
        return terms[0]


def where(condition: Truth, yes: "Number | float", no: "Number | float") -> Number:
    """Return `yes` where a condition holds and `no` elsewhere; one of them is a `Number`."""
    like = yes if isinstance(yes, Number) else no
    assert isinstance(like, Number)
    chosen = [choice if isinstance(choice, Number) else like.constant(choice) for choice in (yes, no)]
    builder = condition.builder
    return Number(builder, builder.select(condition.value, chosen[0].value, chosen[1].value))


def usually(condition: Truth, usual: Number, rare: Callable[[], Number]) -> Number:
    """Return `usual` where a condition holds, as it almost always does, and what `rare` writes elsewhere.

    `rare` is branched to: its instructions run only where the condition fails, in some lane of a vector.
    """
    builder = condition.builder
    kind = condition.value.type
    wide = isinstance(kind, ir.VectorType)
    holds = condition.value
    if wide:
        mask = ir.IntType(kind.count)
        holds = builder.icmp_unsigned("==", builder.bitcast(holds, mask), ir.Constant(mask, -1))
    before = builder.block
    aside, after = builder.append_basic_block(), builder.append_basic_block()
    builder.cbranch(holds, after, aside).set_weights([2000, 1])
    builder.position_at_end(aside)
    other = where(condition, usual, rare()) if wide else rare()
    aside = builder.block
    builder.branch(after)
    builder.position_at_end(after)
    result = builder.phi(usual.value.type)
    result.add_incoming(usual.value, before)
    result.add_incoming(other.value, aside)
    return Number(builder, result)


def bits_of(value: float) -> int:
    """Return the bits of a float64 as an integer."""
    return int(struct.unpack("<q", struct.pack("<d", value))[0])
