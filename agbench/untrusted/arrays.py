"""An untrusted npz: every header is checked against limits before any value is read.

Neither NumPy's loader nor its header parser, which evaluates text, sees the file: a header is matched
by one regular expression, and only plain little-endian numbers and short texts have a place in it.
"""

import contextlib
import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.untrusted.refusal import RefusedError

_MAGIC: Final = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<|][iufbU]\d{1,3})', 'fortran_order': (False|True), "
    rb"'shape': \(((?:\d{1,9},? ?){0,4})\), \} *\n"
)
_LONGEST_HEADER: Final = 1000
_LONG_SIZES: Final = struct.pack("<HH", 1, 16)  # of an extra field: begins the two sizes of 64 bits
_FAILURES = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,  # an encrypted member
    NotImplementedError,
    OverflowError,
    KeyError,
)


@dataclass(frozen=True)
class ArrayLimits:
    """The most that a file may hold: members, values a member, bytes in all once unpacked.

    Where there are `shapes`, an array must have the one of its name. Texts have at most `text` letters.
    """

    members: int = 1000
    values: int = 2_000_000
    total_bytes: int = 64_000_000
    dtypes: tuple[str, ...] = ("<i8", "<f4", "<f8")
    shapes: Mapping[str, tuple[int, ...]] | None = None
    text: int = 16


def read_npz(
    content: bytes, file: str, limits: ArrayLimits, only: Collection[str] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the arrays of an untrusted npz by name, or `only` some of them; raises `RefusedError`."""
    with _opened(content, file) as archive:
        members = archive.infolist()
        _check_members(members, file, limits)
        chosen = [member for member in members if only is None or _name(member) in only]
        return {_name(member): _array(archive, member, file, limits) for member in chosen}


def listed(content: bytes, file: str, limits: ArrayLimits) -> dict[str, int]:
    """Return the names in an untrusted npz with the bytes that they claim; nothing is unpacked."""
    with _opened(content, file) as archive:
        members = archive.infolist()
        _check_members(members, file, limits)
        return {_name(member): member.file_size for member in members}


@contextlib.contextmanager
def _opened(content: bytes, file: str) -> Iterator[zipfile.ZipFile]:
    """Give an archive; whatever is wrong with it becomes a refusal."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check_whole(content, archive, file)
            yield archive
    except RefusedError:
        raise
    except _FAILURES as error:
        raise RefusedError(file, "", f"not a valid npz file: {error}.") from None


def _check_whole(content: bytes, archive: zipfile.ZipFile, file: str) -> None:
    """Refuse bytes that belong to no member: before, between or behind them.

    Every member's own header, name, extra field and data follow each other from the first byte on; then comes
    the directory, and nothing behind it.
    """
    place = 0
    for member in sorted(archive.infolist(), key=lambda member: member.header_offset):
        if member.header_offset != place or content[place : place + 4] != b"PK\x03\x04":
            raise RefusedError(file, "", f"{abs(member.header_offset - place):,} bytes of no array.")
        name, extra = struct.unpack("<HH", content[place + 26 : place + 30])
        own = content[place + 30 + name : place + 30 + name + extra]
        if (extra and not (extra == 20 and own.startswith(_LONG_SIZES))) or member.extra or member.comment:
            raise RefusedError(file, member.filename, "extra bytes of no array in its header.")
        place += 30 + name + extra + member.compress_size
    end = content.rfind(b"PK\x05\x06")
    size = sum(_entry_bytes(member) for member in archive.infolist())
    if archive.start_dir != place or end != place + size or len(content) != end + 22:
        raise RefusedError(file, "", "bytes of no array before the directory or behind the end.")


def _entry_bytes(member: zipfile.ZipInfo) -> int:
    """Return how many bytes a member takes in the directory."""
    return 46 + len(member.filename.encode()) + len(member.extra) + len(member.comment)


def _name(member: zipfile.ZipInfo) -> str:
    return member.filename.removesuffix(".npy")


def _check_members(members: list[zipfile.ZipInfo], file: str, limits: ArrayLimits) -> None:
    """Refuse by the directory of the archive, before anything is unpacked."""
    if len(members) > limits.members:
        raise RefusedError(file, "", f"{len(members):,} members; at most {limits.members:,}.")
    names = [member.filename for member in members]
    if len(set(names)) < len(names):
        raise RefusedError(file, "", "two members with the same name.")
    for member in members:
        if not re.fullmatch(r"[A-Za-z0-9_]{1,64}\.npy", member.filename, re.ASCII):
            raise RefusedError(file, member.filename, "no name of an array.")
        if member.flag_bits & 0x1:
            raise RefusedError(file, member.filename, "encrypted.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise RefusedError(file, member.filename, "compressed by another method than deflate.")
    total = sum(member.file_size for member in members)
    if total > limits.total_bytes:
        raise RefusedError(
            file, "size", f"claims {total:,} bytes once unpacked; at most {limits.total_bytes:,}."
        )


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: str, limits: ArrayLimits) -> NDArray[Any]:
    """Return one member as an array."""
    with archive.open(member) as stream:
        start = stream.read(len(_MAGIC) + 2)
        if len(start) < len(_MAGIC) + 2 or not start.startswith(_MAGIC):
            raise RefusedError(file, member.filename, "not an array of NumPy's format 1.0.")
        (length,) = struct.unpack("<H", start[-2:])
        if length > _LONGEST_HEADER:
            raise RefusedError(file, member.filename, f"a header of {length:,} bytes.")
        header = stream.read(length)
        dtype, shape, order = _described(header, member.filename, file, limits)
        if limits.shapes is not None and shape != limits.shapes[_name(member)]:
            wished = limits.shapes[_name(member)]
            raise RefusedError(file, member.filename, f"the shape {shape}; expected {wished}.")
        expected = math.prod(shape) * dtype.itemsize
        claimed = member.file_size - len(start) - length
        if expected != claimed:
            raise RefusedError(
                file,
                member.filename,
                f"the shape {shape} of {dtype} takes {expected:,} bytes; the member has {claimed:,}.",
            )
        values = stream.read(expected + 1)
    if len(values) != expected:
        raise RefusedError(file, member.filename, "shorter or longer than it claims.")
    return np.frombuffer(values, dtype).reshape(shape, order=order)


def _described(header: bytes, name: str, file: str, limits: ArrayLimits) -> tuple[Any, tuple[int, ...], Any]:
    """Return dtype, shape and order of a header, if they are within the limits."""
    match = _HEADER.fullmatch(header)
    if match is None:
        message = "objects (a pickle)" if b"|O" in header else "no plain array of numbers"
        raise RefusedError(file, name, f"the header describes {message}.")
    descr = match[1].decode()
    text = descr.startswith("<U") and "<U" in limits.dtypes and int(descr[2:]) <= limits.text
    if descr not in limits.dtypes and not text:
        raise RefusedError(file, name, f"the dtype {descr}; allowed: {', '.join(limits.dtypes)}.")
    shape = tuple(int(part) for part in match[3].decode().replace(" ", "").split(",") if part)
    if math.prod(shape) > limits.values:
        raise RefusedError(
            file, name, f"the shape {shape} has {math.prod(shape):,} values; at most {limits.values:,}."
        )
    return np.dtype(descr), shape, "F" if match[2] == b"True" else "C"
