"""An untrusted npz: every header is checked against limits before an array of any size is unpacked.

Neither NumPy's loader nor its header parser, which evaluates text, sees the file: a header is matched
by one regular expression, and only plain little-endian numbers and short texts have a place in it.
"""

import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agbench.untrusted.refusal import RefusedError

_MAGIC: Final = b"\x93NUMPY\x01\x00"
_BEGIN: Final = len(_MAGIC) + 2  # of a header
_HEADER = re.compile(
    rb"\{'descr': '([<|][iufbU]\d{1,3})', 'fortran_order': (False|True), "
    rb"'shape': \(((?:\d{1,9},? ?){0,4})\), \} *\n"
)
_MEMBER = re.compile(r"[A-Za-z0-9_]{1,64}\.npy", re.ASCII)
_LONGEST_HEADER: Final = 1000
_FIRST: Final = 8_192  # bytes unpacked with the header: all of a short array
_SLACK: Final = 64  # bytes by which deflate may lengthen a short member; of a long one it is 1 of 1,000 more
_UNREADABLE: Final = 0x1 | 0x20 | 0x40  # flags of a member: encrypted, patched, strongly encrypted
_ENTRY: Final = 46  # bytes of a member in the directory, without its name
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


def read_npz(content: bytes, file: str, limits: ArrayLimits) -> dict[str, NDArray[Any]]:
    """Return the arrays of an untrusted npz by name; raises `RefusedError`."""
    archive = Archive(content, file, limits)
    return {name: archive.read(name) for name in archive.sizes}


class Archive:
    """An untrusted npz whose directory is read and checked; arrays are unpacked one by one when asked for.

    `limits` may be set anew, when more is known of the arrays. Raises `RefusedError`.
    """

    def __init__(self, content: bytes, file: str, limits: ArrayLimits) -> None:
        self._content = content
        self._file = file
        self.limits = limits
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                members = archive.infolist()
                starts = _starts(content, archive, file)
        except _FAILURES as error:
            raise _refusal(error, file) from None
        _check_members(members, file, limits)
        self._members = {
            _name(member): (member, start) for member, start in zip(members, starts, strict=True)
        }

    @property
    def sizes(self) -> dict[str, int]:
        """The names of the arrays with the bytes that they claim."""
        return {name: member.file_size for name, (member, _) in self._members.items()}

    def read(self, name: str) -> NDArray[Any]:
        """Return an array; its header is checked before more than the first few values are unpacked."""
        member, start = self._members[name]
        try:
            return _array(_Unpacking(self._content, member, start), member, self._file, self.limits)
        except _FAILURES as error:
            raise _refusal(error, self._file) from None


def _refusal(error: Exception, file: str) -> RefusedError:
    """Return the refusal that whatever is wrong with an archive makes."""
    return (
        error
        if isinstance(error, RefusedError)
        else RefusedError(file, "", f"not a valid npz file: {error}.")
    )


class _Unpacking:
    """The bytes of a member, a part after the other, none beyond what is asked for."""

    def __init__(self, content: bytes, member: zipfile.ZipInfo, start: int) -> None:
        self._packed: bytes = content[start : start + member.compress_size]
        stored = member.compress_type == zipfile.ZIP_STORED
        self._inflating = None if stored else zlib.decompressobj(-zlib.MAX_WBITS)
        self._crc = 0

    def read(self, count: int) -> bytes:
        """Return so many bytes, or those that are left; `count` is 1 or more."""
        if self._inflating is None:
            part, self._packed = self._packed[:count], self._packed[count:]
        else:
            part = self._inflating.decompress(self._packed, count)
            self._packed = self._inflating.unconsumed_tail
        self._crc = zlib.crc32(part, self._crc)
        return part

    def ends_well(self, crc: int) -> bool:
        """Return whether nothing is left, and the checksum is this one."""
        left = self._packed
        if self._inflating is not None:
            left += self._inflating.unused_data
        return not left and (self._inflating is None or self._inflating.eof) and self._crc == crc


def _starts(content: bytes, archive: zipfile.ZipFile, file: str) -> list[int]:
    """Return where the data of each member begin; refuse bytes that belong to no member.

    Every member's own header, name, extra field and data follow each other from the first byte on; then comes
    the directory, and nothing behind it.
    """
    place, directory, starts = 0, 0, {}
    for member in sorted(archive.infolist(), key=lambda member: member.header_offset):
        if member.header_offset != place or content[place : place + 4] != b"PK\x03\x04":
            raise RefusedError(file, "", f"{abs(member.header_offset - place):,} bytes of no array.")
        name, extra = struct.unpack_from("<HH", content, place + 26)
        if content[place + 30 : place + 30 + name] != member.orig_filename.encode():
            raise RefusedError(file, member.filename, "another name in its header than in the directory.")
        own = content[place + 30 + name : place + 30 + name + extra]
        if (extra and not (extra == 20 and own.startswith(_LONG_SIZES))) or member.extra or member.comment:
            raise RefusedError(file, member.filename, "extra bytes of no array in its header.")
        place += 30 + name + extra
        directory += _ENTRY + name
        starts[id(member)] = place
        place += member.compress_size
    end = content.rfind(b"PK\x05\x06")
    if archive.start_dir != place or end != place + directory or len(content) != end + 22:
        raise RefusedError(file, "", "bytes of no array before the directory or behind the end.")
    return [starts[id(member)] for member in archive.infolist()]


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
        if not _MEMBER.fullmatch(member.filename):
            raise RefusedError(file, member.filename, "no name of an array.")
        if member.flag_bits & _UNREADABLE:
            raise RefusedError(file, member.filename, "encrypted, or patched.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise RefusedError(file, member.filename, "compressed by another method than deflate.")
        if member.compress_size > member.file_size + (member.file_size >> 10) + _SLACK:
            packed = f"{member.compress_size:,} bytes for {member.file_size:,} unpacked"
            raise RefusedError(file, member.filename, f"{packed}: more than deflate takes.")
    total = sum(member.file_size for member in members)
    if total > limits.total_bytes:
        raise RefusedError(
            file, "size", f"claims {total:,} bytes once unpacked; at most {limits.total_bytes:,}."
        )


def _array(stream: _Unpacking, member: zipfile.ZipInfo, file: str, limits: ArrayLimits) -> NDArray[Any]:
    """Return one member as an array."""
    content = stream.read(_FIRST)
    if len(content) < _BEGIN or not content.startswith(_MAGIC):
        raise RefusedError(file, member.filename, "not an array of NumPy's format 1.0.")
    (length,) = struct.unpack_from("<H", content, len(_MAGIC))
    if length > _LONGEST_HEADER:
        raise RefusedError(file, member.filename, f"a header of {length:,} bytes.")
    begin = _BEGIN + length
    dtype, shape, order = _described(content[_BEGIN:begin], member.filename, file, limits)
    if limits.shapes is not None and shape != limits.shapes[_name(member)]:
        wished = limits.shapes[_name(member)]
        raise RefusedError(file, member.filename, f"the shape {shape}; expected {wished}.")
    expected = math.prod(shape) * dtype.itemsize
    claimed = member.file_size - begin
    if expected != claimed:
        raise RefusedError(
            file,
            member.filename,
            f"the shape {shape} of {dtype} takes {expected:,} bytes; the member has {claimed:,}.",
        )
    if len(content) == _FIRST:
        content += stream.read(max(1, begin + expected + 1 - _FIRST))
    if len(content) != begin + expected:
        raise RefusedError(file, member.filename, "shorter or longer than it claims.")
    if not stream.ends_well(member.CRC):
        raise RefusedError(file, member.filename, "damaged: its checksum is another, or bytes follow.")
    return np.frombuffer(content, dtype, offset=begin).reshape(shape, order=order)


def _described(header: bytes, name: str, file: str, limits: ArrayLimits) -> tuple[Any, tuple[int, ...], Any]:
    """Return dtype, shape and order of a header, if they are within the limits."""
    found = _parsed(header)
    if found is None:
        message = "objects (a pickle)" if b"|O" in header else "no plain array of numbers"
        raise RefusedError(file, name, f"the header describes {message}.")
    descr, shape, order = found
    text = descr.startswith("<U") and "<U" in limits.dtypes and int(descr[2:]) <= limits.text
    if descr not in limits.dtypes and not text:
        raise RefusedError(file, name, f"the dtype {descr}; allowed: {', '.join(limits.dtypes)}.")
    if math.prod(shape) > limits.values:
        raise RefusedError(
            file, name, f"the shape {shape} has {math.prod(shape):,} values; at most {limits.values:,}."
        )
    return np.dtype(descr), shape, order


@lru_cache(maxsize=1024)
def _parsed(header: bytes) -> tuple[str, tuple[int, ...], Any] | None:
    """Return what a header says: the dtype, the shape and the order; None where it is none of ours."""
    match = _HEADER.fullmatch(header)
    if match is None:
        return None
    written = match[3].decode()
    shape = tuple(int(part) for part in written.replace(" ", "").split(",") if part)
    if f"({written})" != str(shape):  # NumPy writes it so; (6) and (06,) are no tuples of sizes
        return None
    return match[1].decode(), shape, "F" if match[2] == b"True" else "C"
