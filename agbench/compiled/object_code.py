"""LLVM assembly to machine code in memory, kept on disk.

Object code lies in the user's cache folder (`AGBENCH_CACHE_DIR`, else the platform's usual place), sealed
under the assembly, the LLVM version and the processor.
"""

import ctypes
import ctypes.util
import hashlib
import re
import sys
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba import config

from agbench.cache import cache_folder
from agbench.compiled import sealed

_ENGINES: list[Any] = []  # kept for the life of the process: they own the machine code
_ARITY = {"fma": 3, "copysign": 2}  # of LLVM's own operations; those not listed take one argument


def load_assembly(text: str) -> Any:
    """Compile assembly, or read its object code from the cache; return its `get_function_address`.

    Operations of LLVM's own (`llvm.fma.f64` and the like) need no declaration.
    """
    text = _with_declarations(text)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = _target_machine()
    for name in ("fma", "floor", "ceil"):  # exact; LLVM calls them where the processor lacks them
        llvm.add_symbol(name, _library_address(name))
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(_object_code(text, machine)))
    engine.finalize_object()
    _ENGINES.append(engine)
    return engine.get_function_address


def _with_declarations(text: str) -> str:
    """Return the assembly with a declaration of each of LLVM's own operations that it calls."""
    calls = set(re.findall(r'call (double|<\d+ x double>) @"?(llvm\.[\w.]+)"?\(', text))
    lines = [
        f"declare {kind} @{name}({', '.join([kind] * _ARITY.get(name.split('.')[1], 1))})"
        for kind, name in sorted(calls)
    ]
    return "\n".join([*lines, text])


def _target_machine() -> Any:
    target = llvm.Target.from_triple(llvm.get_process_triple())
    name, features = processor()
    return target.create_target_machine(
        cpu=name, features=features, opt=2, reloc="default", codemodel="jitdefault", jit=True
    )


def processor() -> tuple[str, str]:
    """Return LLVM's name and features of the processor to compile for.

    It is this one, unless `NUMBA_CPU_NAME` and `NUMBA_CPU_FEATURES` name another, as they do for Numba.
    """
    settings: Any = config
    name, features = settings.CPU_NAME, settings.CPU_FEATURES
    return (
        llvm.get_host_cpu_name() if name is None else name,
        llvm.get_host_cpu_features().flatten() if features is None else features,
    )


def folder() -> Path:
    """Return where object code is kept."""
    return cache_folder() / "objects"


def _object_code(text: str, machine: Any) -> bytes:
    """Return the object code of an assembly text, from the cache where it is there."""
    assembly = hashlib.sha256(text.encode()).hexdigest()
    key = f"{llvm.llvm_version_info} {machine.triple} {processor()} {assembly}"
    path = folder() / f"{sealed.name(key)}.object"
    kept = sealed.read(path, key)
    if kept is not None:
        return kept
    module = llvm.parse_assembly(text)
    module.verify()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1))
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    sealed.write(path, key, code)
    return code


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
