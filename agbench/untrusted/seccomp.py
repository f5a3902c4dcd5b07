"""Permissions that a Linux process gives up permanently: files, new processes, signals, sockets.

Two mechanisms, each used where the kernel has it. Landlock refuses every file by its path, and signals
to other processes. A seccomp filter lets through only the calls of a process that computes and answers
through a pipe; it holds for the superuser too, whom limits of resources do not hold. No library but
Python's own is needed: the calls are made by their numbers.
"""

import ctypes
import os
import struct
import sys
from typing import Any, Final

_SET_NO_NEW_PRIVS: Final = 38
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446  # the same on every processor
_LANDLOCK_VERSION: Final = 1
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 5: 16}  # how many rights over files a version knows
_SCOPES: Final = 0b11  # abstract sockets, signals
_FILTER_MODE: Final = 1
_FILTER_FLAGS: Final = 1 | 4  # all threads; no slower branches for it
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # of the filter's little machine
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050001, 0x80000000  # refuse: "operation not permitted"

_ARCHITECTURES: Final = {"x86_64": (0xC000003E, 317), "aarch64": (0xC00000B7, 277)}
"""What the kernel calls a processor, and the number of `seccomp` on it."""
_CALLS: Final[dict[str, tuple[int, int]]] = {
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "close": (3, 57),
    "lseek": (8, 62),
    "fstat": (5, 80),
    "ppoll": (271, 73),
    "pselect6": (270, 72),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    "membarrier": (324, 283),
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "times": (100, 153),
    "getrusage": (98, 165),
    "getrandom": (318, 278),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""All that may still be called, by its numbers on x86-64 and on 64-bit ARM."""
_ONLY_X86: Final = (7, 23, 201, 158)  # poll, select, time, arch_prctl


def without_files() -> bool:
    """Permanently refuse to open files and to signal others; return whether the kernel supports this.

    It takes a file to ask for it: limits of open files come afterwards.
    """
    version = _called(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION)
    if version < 1 or not _no_new_rights():
        return False
    rights = max(count for since, count in _FILE_RIGHTS.items() if since <= version)
    words = [(1 << rights) - 1]
    words += [0b11] * (version >= 4)  # TCP: bind, connect
    words += [_SCOPES] * (version >= 6)
    rules = ctypes.create_string_buffer(struct.pack(f"={len(words)}Q", *words))
    handle = _called(_LANDLOCK_CREATE, rules, 8 * len(words), 0)
    if handle < 0:
        return False
    try:
        return _called(_LANDLOCK_RESTRICT, handle, 0) == 0
    finally:
        os.close(handle)


def without_calls() -> bool:
    """Permanently refuse all system calls that are not listed; return whether the kernel supports this."""
    machine = os.uname().machine if sys.platform.startswith("linux") else ""
    if machine not in _ARCHITECTURES or sys.maxsize < 2**32 or not _no_new_rights():
        return False
    architecture, seccomp = _ARCHITECTURES[machine]
    body = _program(architecture, _allowed(machine))
    buffer = ctypes.create_string_buffer(body, len(body))
    program = _Program(len(body) // 8, ctypes.addressof(buffer))
    flags = _FILTER_FLAGS, 1  # kernels before 4.17 know only the first of them
    return any(_called(seccomp, _FILTER_MODE, flag, ctypes.byref(program)) == 0 for flag in flags)


class _Program(ctypes.Structure):
    """A filter as the kernel is handed it: how many lines, and where they are."""

    _fields_ = (("count", ctypes.c_ushort), ("first", ctypes.c_void_p))


def _no_new_rights() -> bool:
    """Set no_new_privs, which the next steps need: no program can regain permissions."""
    requested = [ctypes.c_ulong(value) for value in (_SET_NO_NEW_PRIVS, 1, 0, 0, 0)]
    return int(ctypes.CDLL(None).prctl(*requested)) == 0


def _called(number: int, *arguments: Any) -> int:
    """Return what a call of the kernel returns; -1 where it is refused, or this is no Linux."""
    if not sys.platform.startswith("linux"):
        return -1
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    whole = [ctypes.c_ulong(argument) if isinstance(argument, int) else argument for argument in arguments]
    return int(call(ctypes.c_long(number), *whole))


def _allowed(machine: str) -> list[int]:
    """Return the numbers of the calls that are let through."""
    numbers = [pair[machine == "aarch64"] for pair in _CALLS.values()]
    return numbers + list(_ONLY_X86 if machine == "x86_64" else ())


def _program(architecture: int, numbers: list[int]) -> bytes:
    """Return the filter: kill what speaks for another processor, allow what is listed, refuse the rest."""
    lines = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    for i, number in enumerate(numbers):
        lines.append((_EQUAL, len(numbers) - i, 0, number))
    lines += [(_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
