"""LLVM assembly to machine code in memory, kept on disk, and how a Numba kernel calls it.

Object code is cached in the user's cache folder (`AGBENCH_CACHE_DIR`, else the platform's usual
place) under a name made of the assembly, the LLVM version and the processor. A file is written
under a temporary name and moved, so that a killed or a second process never leaves half a file.
"""

import contextlib
import ctypes
import ctypes.util
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic

from agbench.cache import cache_folder
from agbench.simulators import elementary
from agbench.simulators.compiler import GROUP, Program, assembly

_ENGINES: list[Any] = []  # kept for the life of the process: they own the machine code


def compile_programs(programs: Mapping[str, Program], lanes: int = 1, fused: bool = False) -> dict[str, int]:
    """Compile programs for `lanes` rows at once; return the address of each.

    The functions take pointers to their inputs, then to their outputs, all float64 and C order.
    """
    functions = [assembly(name, part, lanes, fused) for name, part in programs.items()]
    widths = (1, GROUP) if lanes == 1 else (lanes,)
    text = _with_declarations("\n".join([*map(elementary.definitions, widths), *functions]))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = _target_machine()
    for name in sorted(set(re.findall(r"@libm_(\w+)", text))):
        llvm.add_symbol(f"libm_{name}", _library_address(name))
    for name in ("fma", "floor", "ceil"):  # LLVM calls them where the processor lacks them
        llvm.add_symbol(name, _library_address(name))
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(_object_code(text, machine)))
    engine.finalize_object()
    _ENGINES.append(engine)
    return {name: int(engine.get_function_address(name)) for name in programs}


def _with_declarations(text: str) -> str:
    """Return the assembly with a declaration of each outside function that it calls."""
    calls = set(re.findall(r"call (double|<\d+ x double>) @((?:llvm\.|libm_)[\w.]+)\(", text))
    lines = [f"declare {kind} @{name}({', '.join([kind] * _arity(name))})" for kind, name in sorted(calls)]
    return "\n".join([*lines, text])


def _arity(name: str) -> int:
    """Return how many arguments an outside function takes."""
    stem = name[5:].split(".")[0]
    return elementary.ARITY.get(stem, 1)


def _target_machine() -> Any:
    target = llvm.Target.from_triple(llvm.get_process_triple())
    name, features = _processor()
    return target.create_target_machine(
        cpu=name,
        features=features,
        opt=2,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


def _processor() -> tuple[str, str]:
    """Return LLVM's name of this processor, and its features."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _object_code(text: str, machine: Any) -> bytes:
    """Return the object code of an assembly text, from the cache where it is there."""
    key = f"{llvm.llvm_version_info} {machine.triple} {_processor()}\n{text}"
    path = cache_folder() / f"{hashlib.sha256(key.encode()).hexdigest()}.o"
    with contextlib.suppress(OSError):
        return path.read_bytes()
    module = llvm.parse_assembly(text)
    module.verify()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1))
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    write_atomically(path, code)
    return code


def write_atomically(path: Path, content: bytes) -> None:
    """Move a finished file into place; where the folder cannot be written, do without."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)


def _library_address(name: str) -> int:
    """Return the address of a function of the C library."""
    if sys.platform == "win32":
        library = ctypes.CDLL("ucrtbase")
    else:
        library = ctypes.CDLL(ctypes.util.find_library("m"))
    address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    if address is None:
        raise OSError(f"the C library has no function {name!r}.")
    return address


def _call(typing_context: Any, address: Any, arguments: Any) -> Any:
    """Call compiled code at an int64 `address` with a tuple of float64 arrays or int64 pointers.

    The address is an argument and not a constant, so that the calling kernel can be cached.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = ir.PointerType(ir.IntType(8))
        passed = []
        for i, kind in enumerate(signature.args[1]):
            value = builder.extract_value(values[1], i)
            if isinstance(kind, types.Array):
                data = context.make_array(kind)(context, builder, value).data
                passed.append(builder.bitcast(data, pointer))
            else:
                passed.append(builder.inttoptr(value, pointer))
        kind = ir.FunctionType(ir.VoidType(), [pointer] * len(passed))
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), passed)
        return context.get_dummy_value()

    return types.void(types.int64, arguments), generate


def _load(typing_context: Any, address: Any, index: Any) -> Any:
    """Return element `index` of the float64 array at an int64 `address`."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        number = ir.DoubleType()
        array = builder.inttoptr(values[0], number.as_pointer())
        return builder.load(builder.gep(array, [values[1]]))

    return types.float64(types.int64, types.int64), generate


call: Any = intrinsic(_call)
load: Any = intrinsic(_load)
