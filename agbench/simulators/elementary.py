"""LLVM assembly of single operations on one row or on a vector of rows, and of exp, log and pow.

exp, log and pow are written out here instead of called from the C library: they work on vectors,
and since they consist of IEEE operations only (fused multiply-add among them, which processors
without it compute slowly but equally), their results have the same bits on every machine.
Accuracy: exp and log within 1.5 units in the last place (exp below -708 is zero); pow, computed as
exp(y log x), within |y log x| + 2 units.
"""

import math
import struct

ARITY = {
    **dict.fromkeys(("atan2", "fmod", "remainder", "hypot"), 2),
    **dict.fromkeys(("minnum", "maxnum", "copysign"), 2),
    "fma": 3,
}
"""Arguments of LLVM's and the C library's functions; those not listed take one."""


def type_name(lanes: int, scalar: str = "double") -> str:
    """Return LLVM's name of a row's value, or of a vector of them."""
    return scalar if lanes == 1 else f"<{lanes} x {scalar}>"


def literal(value: float, lanes: int) -> str:
    """Return a floating-point constant, exact to the last bit."""
    bits = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    return bits if lanes == 1 else f"<{', '.join([f'double {bits}'] * lanes)}>"


class Writer:
    """Writes the body of a function line by line; each method returns the name of its result."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.type = type_name(lanes)
        self.integer = type_name(lanes, "i64")
        self.boolean = type_name(lanes, "i1")
        self._lines: list[str] = []
        self._count = 0

    def text(self) -> str:
        """Return the assembly written so far."""
        return "\n".join(self._lines)

    def line(self, expression: str) -> str:
        """Append one instruction and return the name of its result."""
        self._count += 1
        self._lines.append(f"%t{self._count} = {expression}")
        return f"%t{self._count}"

    def constant(self, value: float) -> str:
        """Return a floating-point constant."""
        return literal(value, self.lanes)

    def whole(self, value: int) -> str:
        """Return an integer constant."""
        return str(value) if self.lanes == 1 else f"<{', '.join([f'i64 {value}'] * self.lanes)}>"

    def load(self, pointer: str, index: int) -> str:
        """Read element `index` of an array for all lanes."""
        place = self.line(f"getelementptr double, ptr {pointer}, i64 {index * self.lanes}")
        return self.line(f"load {self.type}, ptr {place}, align 8")

    def store(self, pointer: str, index: int, value: str) -> None:
        """Write element `index` of an array for all lanes."""
        place = self.line(f"getelementptr double, ptr {pointer}, i64 {index * self.lanes}")
        self._lines.append(f"store {self.type} {value}, ptr {place}, align 8")

    def binary(self, op: str, a: str, b: str) -> str:
        """Apply fadd, fsub, fmul or fdiv."""
        return self.line(f"{op} {self.type} {a}, {b}")

    def negate(self, a: str) -> str:
        """Change the sign."""
        return self.line(f"fneg {self.type} {a}")

    def compare(self, predicate: str, a: str, b: str) -> str:
        """Return the truth of an fcmp predicate."""
        return self.line(f"fcmp {predicate} {self.type} {a}, {b}")

    def logic(self, op: str, a: str, b: str) -> str:
        """Combine two truths by and, or."""
        return self.line(f"{op} {self.boolean} {a}, {b}")

    def select(self, condition: str, a: str, b: str) -> str:
        """Return `a` where a condition holds and `b` elsewhere."""
        return self.line(f"select {self.boolean} {condition}, {self.type} {a}, {self.type} {b}")

    def as_number(self, condition: str) -> str:
        """Return 1.0 where a condition holds and 0.0 elsewhere."""
        return self.line(f"uitofp {self.boolean} {condition} to {self.type}")

    def integer_op(self, op: str, a: str, b: str) -> str:
        """Apply an integer operation."""
        return self.line(f"{op} {self.integer} {a}, {b}")

    def bits(self, a: str) -> str:
        """Return the bits of a number as an integer."""
        return self.line(f"bitcast {self.type} {a} to {self.integer}")

    def from_bits(self, a: str) -> str:
        """Return the number that has these bits."""
        return self.line(f"bitcast {self.integer} {a} to {self.type}")

    def intrinsic(self, name: str, *arguments: str) -> str:
        """Call an LLVM intrinsic such as sqrt."""
        suffix = "f64" if self.lanes == 1 else f"v{self.lanes}f64"
        listed = ", ".join(f"{self.type} {a}" for a in arguments)
        return self.line(f"call {self.type} @llvm.{name}.{suffix}({listed})")

    def fused(self, a: str, b: str, c: str) -> str:
        """Return a b + c, rounded once."""
        return self.intrinsic("fma", a, b, c)

    def own(self, name: str, *arguments: str) -> str:
        """Call one of the functions that `definitions` defines."""
        listed = ", ".join(f"{self.type} {a}" for a in arguments)
        return self.line(f"call {self.type} @own_{name}_{self.lanes}({listed})")

    def own_together(self, name: str, *arguments: list[str]) -> list[str]:
        """Call one of `definitions` once for several numbers of a row; return the results."""
        width = len(arguments[0])
        kind = type_name(width)
        listed = ", ".join(f"{kind} {self._vector(kind, numbers)}" for numbers in arguments)
        result = self.line(f"call {kind} @own_{name}_{width}({listed})")
        return [self.line(f"extractelement {kind} {result}, i32 {i}") for i in range(width)]

    def _vector(self, kind: str, numbers: list[str]) -> str:
        """Return the vector of some numbers of a row."""
        vector = "undef"
        for i, number in enumerate(numbers):
            vector = self.line(f"insertelement {kind} {vector}, double {number}, i32 {i}")
        return vector

    def library(self, name: str, *arguments: str) -> str:
        """Call a function of the C library, row by row."""
        if self.lanes == 1:
            listed = ", ".join(f"double {a}" for a in arguments)
            return self.line(f"call double @libm_{name}({listed})")
        result = "undef"
        for lane in range(self.lanes):
            rows = [self.line(f"extractelement {self.type} {a}, i32 {lane}") for a in arguments]
            listed = ", ".join(f"double {row}" for row in rows)
            value = self.line(f"call double @libm_{name}({listed})")
            result = self.line(f"insertelement {self.type} {result}, double {value}, i32 {lane}")
        return result

    def polynomial(self, x: str, coefficients: list[float]) -> str:
        """Return c0 + c1 x + c2 x^2 + ..., summed in pairs (Estrin) to shorten the chain."""
        terms = [self.constant(c) for c in coefficients]
        power = x
        while len(terms) > 1:
            pairs = [self.fused(power, terms[i + 1], terms[i]) for i in range(0, len(terms) - 1, 2)]
            terms = pairs + terms[len(pairs) * 2 :]
            power = self.binary("fmul", power, power)
        return terms[0]


def definitions(lanes: int) -> str:
    """Return the definitions of exp, log and pow for a number of lanes."""
    return "\n".join(
        f"define internal {type_name(lanes)} @own_{name}_{lanes}({arguments}) alwaysinline {{\n"
        f"{body(Writer(lanes))}\n}}\n"
        for name, arguments, body in (
            ("exp", f"{type_name(lanes)} %x", _exp),
            ("log", f"{type_name(lanes)} %x", _log),
            ("pow", f"{type_name(lanes)} %x, {type_name(lanes)} %y", _pow),
        )
    )


_ROUND = 6755399441055744.0  # 1.5 * 2**52: adding and subtracting it rounds to an integer
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # ln 2 to 32 bits: its multiples are exact
_LN2_LOW = 1.90821492927058770002e-10  # ln 2 - _LN2_HIGH

_EXP_HIGHEST = 709.782712893384  # exp of it is the greatest finite number
_EXP_LOWEST = -708.0  # exp of it is near the least normal number


def _exp(w: Writer) -> str:
    """exp(x) = 2^k exp(r) with k = round(x / ln 2) and a Taylor polynomial of degree 13 in r."""
    shifted = w.fused("%x", w.constant(1 / math.log(2)), w.constant(_ROUND))
    k = w.binary("fsub", shifted, w.constant(_ROUND))
    r = w.fused(k, w.constant(-_LN2_HIGH), "%x")
    r = w.fused(k, w.constant(-_LN2_LOW), r)
    q = w.polynomial(r, [1 / math.factorial(i) for i in range(2, 14)])
    y = w.binary("fadd", w.constant(1.0), w.fused(w.binary("fmul", r, r), q, r))
    # The last bits of the shifted number are those of k: move them into the exponent of y.
    exponent = w.integer_op("shl", w.bits(shifted), w.whole(52))
    y = w.from_bits(w.integer_op("add", w.bits(y), exponent))
    beyond = w.binary("fadd", "%x", w.constant(math.inf))
    y = w.select(w.compare("ole", "%x", w.constant(_EXP_HIGHEST)), y, beyond)
    y = w.select(w.compare("olt", "%x", w.constant(_EXP_LOWEST)), w.constant(0.0), y)
    return f"{w.text()}\nret {w.type} {y}"


def _log(w: Writer) -> str:
    """log(x) = k ln 2 + log(1 + f), 1 + f between sqrt(1/2) and sqrt(2), in s = f / (2 + f)."""
    tiny = w.compare("olt", "%x", w.constant(2.0**-1022))
    x = w.select(tiny, w.binary("fmul", "%x", w.constant(2.0**54)), "%x")
    # Moving the bits by the mantissa of sqrt(1/2) makes the exponent round at sqrt(2).
    moved = w.integer_op("sub", w.bits(x), w.whole(_bits_of(math.sqrt(0.5))))
    k = w.integer_op("ashr", moved, w.whole(52))
    m = w.from_bits(w.integer_op("sub", w.bits(x), w.integer_op("shl", k, w.whole(52))))
    magic = w.from_bits(w.integer_op("add", k, w.whole(_bits_of(_ROUND))))
    offset = w.select(tiny, w.constant(_ROUND + 54.0), w.constant(_ROUND))
    number = w.binary("fsub", magic, offset)
    f = w.binary("fsub", m, w.constant(1.0))
    s = w.binary("fdiv", f, w.binary("fadd", f, w.constant(2.0)))
    z = w.binary("fmul", s, s)
    half = w.binary("fmul", w.binary("fmul", f, f), w.constant(0.5))
    series = w.fused(z, w.polynomial(z, [2 / (2 * i + 3) for i in range(11)]), half)
    small = w.fused(number, w.constant(_LN2_LOW), w.binary("fmul", s, series))
    y = w.binary("fsub", f, w.binary("fsub", half, small))
    y = w.fused(number, w.constant(_LN2_HIGH), y)
    zero, infinite = w.constant(0.0), w.constant(math.inf)
    y = w.select(w.compare("ult", "%x", infinite), y, "%x")
    y = w.select(w.compare("oeq", "%x", zero), w.constant(-math.inf), y)
    y = w.select(w.compare("olt", "%x", zero), w.constant(math.nan), y)
    y = w.select(w.compare("uno", "%x", "%x"), "%x", y)
    return f"{w.text()}\nret {w.type} {y}"


def _pow(w: Writer) -> str:
    """pow(x, y) = exp(y log |x|), with a sign for negative x and whole y, NaN for other y."""
    zero, one = w.constant(0.0), w.constant(1.0)
    size = w.intrinsic("fabs", "%x")
    result = w.own("exp", w.binary("fmul", "%y", w.own("log", size)))
    result = w.select(w.compare("oeq", size, one), one, result)
    halved = w.binary("fmul", "%y", w.constant(0.5))
    odd = w.compare("one", w.intrinsic("floor", halved), halved)
    broken = w.compare("one", w.intrinsic("floor", "%y"), "%y")
    signed = w.select(odd, w.intrinsic("copysign", result, "%x"), result)
    result = w.select(broken, result, signed)
    below = w.compare("olt", "%x", zero)
    finite = w.compare("one", "%x", w.constant(-math.inf))
    undefined = w.logic("and", w.logic("and", below, finite), broken)
    result = w.select(undefined, w.constant(math.nan), result)
    result = w.select(w.compare("uno", "%y", "%y"), "%y", result)
    result = w.select(w.compare("oeq", "%x", one), one, result)
    result = w.select(w.compare("oeq", "%y", zero), one, result)
    return f"{w.text()}\nret {w.type} {result}"


def _bits_of(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value))[0])
