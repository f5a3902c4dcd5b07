"""The kind of machine that numbers come from: what may move the last bits of floating point, and no more.

Compiled code may use what the processor can (or what `NUMBA_CPU_NAME` and `NUMBA_CPU_FEATURES` leave of it).
The C library chooses among variants of its mathematical functions by what the processor can, less what
`GLIBC_TUNABLES` switches off. Machines of one kind are expected to give equal bits.
"""

import os
import platform
import re
import sysconfig
from collections.abc import Iterable
from typing import Final

_FLOATING: Final = ("avx", "avx2", "avx512f", "fma", "fma4", "neon", "sve", "sve2", "v")
"""Features that compilers and C libraries choose floating-point code by: x86, ARM, and RISC-V's vectors."""
_IMPLIED: Final = {"avx2": "avx", "sve2": "sve"}  # named by the stronger one alone
_ARCHITECTURES: Final = {"x86_64": "x86-64", "amd64": "x86-64", "aarch64": "arm64"}
_SYSTEMS: Final = {"darwin": "macos"}
_TUNABLES: Final = ("glibc.cpu.hwcaps", "glibc.tune.hwcaps")  # the second until glibc 2.26


def kind() -> str:
    """Return the kind of this machine, such as `linux x86-64 avx2 fma glibc-2.36`; nothing that names it.

    Features that the environment switches off follow in brackets.
    """
    system, architecture = platform.system().lower(), platform.machine().lower()
    usable = _processor()
    name = [
        _SYSTEMS.get(system, system) or "unknown",
        _ARCHITECTURES.get(architecture, architecture) or "unknown",
        *_strongest(usable),
        _library(),
    ]
    without = [
        f"{who} without {' '.join(_strongest(features))}"
        for who, features in (("library", _hidden_from_library(usable)), ("compiled", _not_compiled(usable)))
        if features
    ]
    return " ".join(name) + (f" ({', '.join(without)})" if without else "")


def _processor() -> set[str]:
    """Return the features of this processor that matter."""
    import llvmlite.binding as llvm

    return {name for name, usable in llvm.get_host_cpu_features().items() if usable and name in _FLOATING}


def _not_compiled(usable: set[str]) -> set[str]:
    """Return the features that Numba's settings keep from compiled code."""
    from numba import config

    chosen: str | None = vars(config)["CPU_FEATURES"]
    if chosen is None:
        return set()
    return usable - {word.strip()[1:] for word in chosen.split(",") if word.strip().startswith("+")}


def _hidden_from_library(usable: set[str]) -> set[str]:
    """Return the features that `GLIBC_TUNABLES` keeps from the C library."""
    hidden: set[str] = set()
    for setting in os.environ.get("GLIBC_TUNABLES", "").split(":"):
        name, _, value = setting.partition("=")
        if name in _TUNABLES:
            hidden |= {_feature(word[1:]) for word in value.split(",") if word.startswith("-")}
    return usable & hidden if _library().startswith("glibc") else set()


def _feature(text: str) -> str:
    """Return a feature as LLVM names it: glibc says `AVX2`, and `AVX2_Usable` until 2.32."""
    return text.strip().lower().removesuffix("_usable")


def _strongest(features: Iterable[str]) -> list[str]:
    """Return features in a fixed order, without those that another one implies."""
    result = set(features)
    return [f for f in _FLOATING if f in result and not any(_IMPLIED.get(g) == f for g in result)]


def _library() -> str:
    """Return the C library and its version, or the system's where the library is part of it."""
    system = platform.system()
    if system == "Darwin":
        return f"macos-{platform.mac_ver()[0].split('.')[0]}"
    if system == "Windows":
        return f"windows-{platform.version()}"
    name, version = platform.libc_ver()
    if name:
        return f"{name}-{version}" if version else name
    return "musl" if re.search(r"musl", str(sysconfig.get_config_var("SOABI"))) else "unknown-libc"
