"""Programs to machine code in memory."""

from collections.abc import Mapping

from agbench.compiled import elementary
from agbench.compiled.object_code import load_assembly
from agbench.simulators.casadi_jit.compiler import Program, assembly


def whole_assembly(programs: Mapping[str, Program], lanes: int = 1, fused: bool = False) -> str:
    """Return the assembly of programs for `lanes` rows at once, with all functions that they call."""
    text = "\n".join(assembly(name, part, lanes, fused) for name, part in programs.items())
    return f"{elementary.definitions(text)}\n{text}"


def compile_programs(programs: Mapping[str, Program], lanes: int = 1, fused: bool = False) -> dict[str, int]:
    """Compile programs for `lanes` rows at once; return the address of each.

    The functions take pointers to their inputs, then to their outputs, all float64 and C order.
    """
    address = load_assembly(whole_assembly(programs, lanes, fused))
    return {name: int(address(name)) for name in programs}
