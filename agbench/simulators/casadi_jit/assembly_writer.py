"""LLVM assembly of single operations on one row or on a vector of rows."""

import struct


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

    def intrinsic(self, name: str, *arguments: str) -> str:
        """Call an LLVM intrinsic such as sqrt."""
        suffix = "f64" if self.lanes == 1 else f"v{self.lanes}f64"
        listed = ", ".join(f"{self.type} {a}" for a in arguments)
        return self.line(f"call {self.type} @llvm.{name}.{suffix}({listed})")

    def fused(self, a: str, b: str, c: str) -> str:
        """Return a b + c, rounded once."""
        return self.intrinsic("fma", a, b, c)

    def own(self, name: str, *arguments: str) -> str:
        """Call one of our own elementary functions."""
        listed = ", ".join(f"{self.type} {a}" for a in arguments)
        return self.line(f"call {self.type} @own_{name}_{self.lanes}({listed})")

    def own_together(self, name: str, *arguments: list[str]) -> list[str]:
        """Call one of our own functions once for several numbers of a row; return the results."""
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
