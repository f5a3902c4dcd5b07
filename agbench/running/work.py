"""Work as it travels: a job that workers prepare once, and items, each of which has a result.

A job is known by the SHA-256 of its bytes, and so are the files and folders of data files that it needs. A
worker that has them does not fetch them again.
"""

import hashlib
import io
import os
import pickle
import platform
import tarfile
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import cloudpickle

from agbench.cache import cache_folder
from agbench.compiled.closure import code_digest
from agbench.data.places import PATH_VARIABLE, roots
from agbench.errors import WorkerError, described
from agbench.files import write_bytes

_KEPT: Final = 4
"""Prepared jobs that a worker keeps, the newest."""

Results = Generator[tuple[int, Any], None, None]
"""The numbers of items and their results, as they come; closing it ends the work."""

Key = tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]]
"""A job, its files by path and its folders, each as a SHA-256."""

Fetch = Callable[[str], bytes]
"""From a SHA-256 to the bytes that have it."""


class Work(Protocol):
    """A job of many items. It is pickled; what `prepare` returns stays in the worker that called it."""

    def files(self) -> Sequence[str]:
        """Return the files that it reads by their paths, such as a policy's."""

    def prepare(self, place: Mapping[str, str]) -> Callable[[Any], Any]:
        """Return the function from an item to its result; `place` says where each of its files lies here."""


@dataclass(frozen=True)
class Parcel:
    """What a job is made of, by SHA-256; `contents` stays where the job comes from."""

    job: str
    files: Mapping[str, str]
    """From a path to the SHA-256 of that file."""
    folders: tuple[str, ...]
    """Archives of the folders of users' data files."""
    code: str
    """The SHA-256 of the code that sends it."""
    contents: dict[str, bytes] = field(repr=False)

    @property
    def key(self) -> Key:
        """What its function follows from: the job, its files and its folders of data files."""
        return self.job, tuple(sorted(self.files.items())), self.folders

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the contents, which travel by themselves."""
        return {**self.__dict__, "contents": {}}


def packed(work: Work) -> Parcel:
    """Return a job ready to travel to another machine."""
    contents: dict[str, bytes] = {}

    def kept(content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        contents[digest] = content
        return digest

    files = {path: kept(Path(path).read_bytes()) for path in work.files()}
    named = [Path(text).resolve() for text in os.environ.get(PATH_VARIABLE, "").split(os.pathsep) if text]
    folders = tuple(kept(_archive(folder)) for folder in roots() if folder in named)
    return Parcel(kept(cloudpickle.dumps(work)), files, folders, code_digest(), contents)


def _archive(folder: Path) -> bytes:
    """Return a folder as an archive whose bytes depend on names and contents only."""
    result = io.BytesIO()
    with tarfile.open(fileobj=result, mode="w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
                entry.size = path.stat().st_size
                with path.open("rb") as content:
                    archive.addfile(entry, content)
    return result.getvalue()


_prepared: "OrderedDict[Key, Callable[[Any], Any]]" = OrderedDict()


def function_of(parcel: Parcel, fetch: Fetch) -> Callable[[Any], Any]:
    """Return the function of a job in this worker, prepared when it is first asked for.

    Raises `WorkerError` where the code of this worker is not that of the sender.
    """
    if code_digest() != parcel.code:
        raise WorkerError(
            f"a worker on {platform.node()} has other code of AgBench than this process: results would "
            "differ. Install the same version everywhere."
        )
    store = cache_folder() / "jobs"
    _use_folders(parcel.folders, fetch, store)
    if parcel.key in _prepared:
        _prepared.move_to_end(parcel.key)
        return _prepared[parcel.key]
    place = {path: str(_file(digest, Path(path).name, fetch, store)) for path, digest in parcel.files.items()}
    work: Work = pickle.loads(fetch(parcel.job))
    _prepared[parcel.key] = work.prepare(place)
    while len(_prepared) > _KEPT:
        _prepared.popitem(last=False)
    return _prepared[parcel.key]


def _file(digest: str, name: str, fetch: Fetch, store: Path) -> Path:
    """Return where a file lies, fetched unless it is there; its name stays, which may tell its kind."""
    path = store / digest / name
    if not path.is_file():
        write_bytes(path, fetch(digest))
    return path


def _unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Write the files of an archive; nothing but files, and nothing outside the folder."""
    folder.mkdir(parents=True, exist_ok=True)  # a killed worker of this number may have left it
    for member in archive.getmembers():
        path = (folder / member.name).resolve()
        if not member.isfile() or not path.is_relative_to(folder.resolve()):
            raise WorkerError(f"the data files of a job hold {member.name}, which is no file of theirs.")
        path.parent.mkdir(parents=True, exist_ok=True)
        content = archive.extractfile(member)
        assert content is not None
        path.write_bytes(content.read())


def _use_folders(folders: Sequence[str], fetch: Fetch, store: Path) -> None:
    """Name the sender's folders of data files in the environment of this worker, and no others."""
    places = []
    for digest in folders:
        folder = store / f"{digest}.data"
        if not folder.is_dir():
            temporary = store / f".{digest}.{os.getpid()}"
            with tarfile.open(fileobj=io.BytesIO(fetch(digest))) as archive:
                _unpack(archive, temporary)
            try:
                temporary.rename(folder)
            except OSError:  # another worker was first
                if not folder.is_dir():
                    raise
        places.append(str(folder))
    os.environ[PATH_VARIABLE] = os.pathsep.join(places)


def answered(function: Callable[[], Any]) -> tuple[bool, Any]:
    """Return that all went well and a result, or that it did not and what was raised."""
    try:
        return True, function()
    except Exception as error:
        return False, _portable(error)


def _portable(error: Exception) -> Exception:
    """Return an exception that another process can read."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # of any library
        return WorkerError(f"a worker raised {described(error)}.")
    return error
