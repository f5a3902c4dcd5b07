"""LLVM assembly to machine code in memory, kept on disk.

Object code lies in the user's cache folder (`AGBENCH_CACHE_DIR`, else the platform's usual place), in
files whose key is the assembly, the LLVM version and the processor. Beside them lie recipes: which assembly
some source builds, so that a process that needs only the machine code does not build the assembly.
"""

import ctypes
import ctypes.util
import hashlib
import json
import re
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba import config

from agbench.cache import cache_folder
from agbench.compiled import cache_file
from agbench.compiled.closure import closure_hash

Facts = dict[str, int]
"""Numbers that belong to an assembly, such as the lengths of the arrays that it works on."""

_ENGINES: list[Any] = []  # kept for the life of the process: they own the machine code
_ARITY = {"fma": 3, "copysign": 2}  # of LLVM's own operations; those not listed take one argument


def load_assembly(text: str) -> Any:
    """Compile assembly, or read its object code from the cache; return its `get_function_address`.

    Operations of LLVM's own (`llvm.fma.f64` and the like) need no declaration.
    """
    machine = _target_machine()
    return _loaded(_object_code(_with_declarations(text), machine), machine)


def load_built(
    name: str, start: str, libraries: Sequence[str], build: Callable[[], tuple[str, Facts]]
) -> tuple[Any, Facts]:
    """Load the assembly that `build` returns; return its `get_function_address` and the facts with it.

    `build` is called only where no recipe says what it returns. A recipe holds for one `name`, which says
    with which values it builds; for the source that can be reached from `start` (as `module:name`); and for
    the versions of the `libraries` that it builds with.
    """
    machine = _target_machine()
    key = json.dumps(
        {
            "builds": name,
            "start": start,
            "code": closure_hash(start),
            "libraries": {library: version(library) for library in sorted({*libraries, "llvmlite"})},
            "python": sys.version_info[:2],
        }
    )
    path = folder() / f"{cache_file.name(key)}.recipe"
    recipe = cache_file.read(path, key)
    if recipe is not None:
        noted = json.loads(recipe)
        code = cache_file.read(*_place(noted["assembly"], machine))
        if code is not None:
            return _loaded(code, machine), noted["facts"]
    text, facts = build()
    text = _with_declarations(text)
    loaded = _loaded(_object_code(text, machine), machine)
    cache_file.write(path, key, json.dumps({"assembly": _digest(text), "facts": facts}).encode())
    return loaded, facts


def _loaded(code: bytes, machine: Any) -> Any:
    """Return the `get_function_address` of object code, linked into this process."""
    for name in ("fma", "floor", "ceil"):  # exact; LLVM calls them where the processor lacks them
        llvm.add_symbol(name, _library_address(name))
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
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
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
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
    path, key = _place(_digest(text), machine)
    kept = cache_file.read(path, key)
    if kept is not None:
        return kept
    module = llvm.parse_assembly(text)
    module.verify()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1))
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    cache_file.write(path, key, code)
    return code


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _place(assembly: str, machine: Any) -> tuple[Path, str]:
    """Return the file, and its key, of the object code of an assembly with a digest."""
    key = f"{llvm.llvm_version_info} {machine.triple} {processor()} {assembly}"
    return folder() / f"{cache_file.name(key)}.object", key


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
