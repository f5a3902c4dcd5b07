"""Recorded actions of a result: checked against the protocol before any is unpacked, then as they are needed.

They stay packed: episodes are unpacked when they are read, so that many seeds take no more memory
than one.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, overload

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agbench.data.task import Task
from agbench.envs.actions import menu_sizes
from agbench.evaluation.result import action_files
from agbench.leaderboard.checks.sampled import Sample, places, sampled
from agbench.leaderboard.checks.task_limits import action_space, most_decisions
from agbench.untrusted.arrays import Archive, ArrayLimits
from agbench.untrusted.refusal import RefusedError
from agbench.variables import Floats

SUBMISSION_BYTES: Final = 500_000_000  # of all actions of a submission, unpacked
_SAME: Final = 1e-5  # of the range of actions: what fingerprints of the same actions differ by at most
_ROUNDING: Final = 1e-6  # as the environment allows a float32 to miss the edge
_SLACK_BYTES: Final = 1_000_000  # of headers
_PROJECTIONS: Final = 4
_MOST_SEEN: Final = 20_000  # results
_AT_ONCE: Final = 500_000  # numbers


class Budget:
    """How many bytes a submission may still unpack, its parts and training seeds together."""

    def __init__(self, total: int = SUBMISSION_BYTES) -> None:
        self._total = self._left = total

    def take(self, count: int, file: str) -> None:
        """Take bytes out of it; raises `RefusedError` where there are not as many left."""
        self._left -= count
        if self._left < 0:
            text = f"the actions of the submission claim more than {self._total:,} bytes once unpacked."
            raise RefusedError(file, "size", text)


class RecordedActions(Sequence[NDArray[Any]]):
    """The actions of a result's episodes, in the protocol's order.

    Made of a submission's files by path and the folder of the result; `steps` are those of each episode,
    where they are known, and `digests` the SHA-256 of files by path, where those are. Raises `RefusedError`,
    before anything is unpacked, where names or sizes are not those of the protocol.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        folder: str,
        task: Task,
        episodes: int,
        budget: Budget,
        steps: Sequence[int] | None = None,
        digests: Mapping[str, str] | None = None,
    ) -> None:
        self._space = action_space(task)
        shape = self._space.shape or ()
        dtype = "<i8" if menu_sizes(self._space) else "<f4"
        most = most_decisions(task) * math.prod(shape)
        size = episodes * most * np.dtype(dtype).itemsize + _SLACK_BYTES
        self._limits = ArrayLimits(episodes, most, size, (dtype,))
        self._names = [f"episode_{i:05d}" for i in range(episodes)]
        contents = {f"{folder}/{name}": files[f"{folder}/{name}"] for name in parts(files, folder)}
        own = _sha256(contents.values()) if digests is None else [digests[file] for file in contents]
        self.sha256 = " ".join(own)
        """Those of the files, by which what is in them is known."""
        self._archives = {file: Archive(content, file, self._limits) for file, content in contents.items()}
        self._where = self._locate(f"{folder}/actions.npz", budget)
        self._steps = steps
        if steps is not None:
            shapes = {name: (n, *shape) for name, n in zip(self._names, steps, strict=True)}
            for archive in self._archives.values():
                archive.limits = replace(self._limits, shapes=shapes)

    def _locate(self, first: str, budget: Budget) -> dict[str, str]:
        """Return the file of each episode; refuse by the directories of the files alone."""
        where: dict[str, str] = {}
        expected = set(self._names)
        for file, archive in self._archives.items():
            names = archive.sizes
            budget.take(sum(names.values()), file)
            for name in names:
                if name not in expected:
                    raise RefusedError(file, name, "not one of the episodes.")
                if name in where:
                    raise RefusedError(file, name, "is in another file too.")
                where[name] = file
        for name in self._names:
            if name not in where:
                raise RefusedError(first, name, "missing.")
        return where

    def fits(self, steps: Sequence[int]) -> bool:
        """Return whether so many decisions an episode are those that were expected, if any were."""
        return self._steps is None or list(self._steps) == list(steps)

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Yield the actions of each episode; raises `RefusedError` where they are unsound."""
        return map(self._read, self._names)

    @overload
    def __getitem__(self, index: int) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[NDArray[Any]]: ...
    def __getitem__(self, index: int | slice) -> NDArray[Any] | list[NDArray[Any]]:
        """Return the actions of an episode; raises `RefusedError` where they are unsound."""
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        return self._read(self._names[index])

    def in_parts(self) -> Iterator[list[NDArray[Any]]]:
        """Yield the actions of some episodes at a time, all in order; raises `RefusedError` as `__iter__`."""
        first = 0
        for part in _parts(map(self._unpacked, self._names)):
            names = self._names[first : first + len(part)]
            first += len(part)
            alike = {episode.shape[1:] for episode in part} == {self._space.shape or ()}
            if not alike or not _in_space(np.concatenate(part), self._space):
                for name, episode in zip(names, part, strict=True):
                    _check_in_space(episode, self._space, self._where[name], name)
            yield part

    def _read(self, name: str) -> NDArray[Any]:
        result = self._unpacked(name)
        _check_in_space(result, self._space, self._where[name], name)
        return result

    def _unpacked(self, name: str) -> NDArray[Any]:
        return self._archives[self._where[name]].read(name)


class LaterActions(Sequence[NDArray[Any]]):
    """Recorded actions that were checked before: their files are opened when one of them is asked for."""

    def __init__(self, episodes: int, open_now: Callable[[], RecordedActions]) -> None:
        """Take their number, and what returns them."""
        self._episodes = episodes
        self._open_now = open_now

    @cached_property
    def _actions(self) -> RecordedActions:
        return self._open_now()

    def __len__(self) -> int:
        return self._episodes

    @overload
    def __getitem__(self, index: int) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[NDArray[Any]]: ...
    def __getitem__(self, index: int | slice) -> NDArray[Any] | list[NDArray[Any]]:
        """Return the actions of an episode, or of several; raises `RefusedError` where they are unsound."""
        return self._actions[index]


def parts(files: Iterable[str], folder: str) -> list[str]:
    """Return the names, inside a result's folder, of the files that hold its actions."""
    prefix = f"{folder}/"
    return action_files(name.removeprefix(prefix) for name in files if name.startswith(prefix))


class RecordedBehaviour(NamedTuple):
    """What is known of a result's actions without keeping them.

    `fingerprint`: some numbers by which the same actions are known, though they were changed a little: for
    each episode its steps and, for each amount, four weighted means over the episode, in shares of the
    action's range; the weights are drawn at random, once for all, so that order matters. `sample`: some of
    the decisions. `digest`: the SHA-256 of all of them. `steps`: how many decisions each episode has.
    """

    fingerprint: Floats
    sample: Sample
    digest: str
    steps: tuple[int, ...]


def behaviour(actions: "RecordedActions", task: Task) -> RecordedBehaviour:
    """Return what is known of a result's actions; every one of them is unpacked and checked for it.

    What has the same bytes was seen before, and is not unpacked again.
    """
    key = _key(task, len(actions), actions.sha256)
    if key not in _SEEN or not actions.fits(_SEEN[key].steps):
        while len(_SEEN) >= _MOST_SEEN:
            del _SEEN[next(iter(_SEEN))]
        _SEEN[key] = of_actions(actions, task)
    return _SEEN[key]


def digest_of(files: Mapping[str, bytes], folder: str, task: Task, episodes: int, budget: Budget) -> str:
    """Return the SHA-256 of a result's actions, which are not looked at where they were seen before.

    Raises `RefusedError` as `RecordedActions` does.
    """
    contents = [files[f"{folder}/{name}"] for name in parts(files, folder)]
    key = _key(task, episodes, " ".join(_sha256(contents)))
    if key in _SEEN:
        return _SEEN[key].digest
    return behaviour(RecordedActions(files, folder, task, episodes, budget), task).digest


def _key(task: Task, episodes: int, sha256: str) -> str:
    """Return what the behaviour in files is known by."""
    return f"{task.task} {episodes} {sha256}"


def _sha256(contents: Iterable[bytes]) -> list[str]:
    return [hashlib.sha256(content).hexdigest() for content in contents]


_SEEN: Final[dict[str, RecordedBehaviour]] = {}


def of_actions(actions: Sequence[NDArray[Any]], task: Task) -> RecordedBehaviour:
    """Return what is known of the actions of some episodes."""
    most = most_decisions(task)
    space = action_space(task)
    which = places(len(actions), most)
    numbers: list[Floats] = []
    samples: list[Sample] = []
    digest = hashlib.sha256()
    first = 0
    for part in actions.in_parts() if isinstance(actions, RecordedActions) else _parts(actions):
        for episode in part:
            digest.update(f"{episode.shape}".encode())
            digest.update(np.ascontiguousarray(episode + 0).data)  # -0.0 is 0.0
        means, sample = _of_part(part, which[first : first + len(part)], space, most)
        numbers.append(means)
        samples.append(sample)
        first += len(part)
    fingerprint = np.concatenate(numbers)
    steps = tuple(fingerprint[:, 0].astype(int).tolist())
    return RecordedBehaviour(fingerprint.ravel(), np.concatenate(samples), digest.hexdigest(), steps)


def _parts(actions: Iterable[NDArray[Any]]) -> Iterator[list[NDArray[Any]]]:
    """Yield episodes in lists that are worth an array, and take little memory."""
    part: list[NDArray[Any]] = []
    size = 0
    for episode in actions:
        part.append(episode)
        size += episode.size
        if size >= _AT_ONCE:
            yield part
            part, size = [], 0
    if part:
        yield part


def _of_part(
    part: list[NDArray[Any]], which: Sequence[NDArray[np.int64]], space: spaces.Space[Any], most: int
) -> tuple[Floats, Sample]:
    """Return the numbers of the fingerprint of some episodes, (episodes, n), and their sampled decisions."""
    joined, lengths = np.concatenate(part), [len(episode) for episode in part]
    shares = _shares(joined, space).reshape(len(joined), math.prod(space.shape or ()))
    numbers = np.column_stack([lengths, _means(shares, lengths, _weights(most)).reshape(len(part), -1)])
    return numbers, sampled(joined, shares, lengths, which)


def _means(shares: Floats, lengths: list[int], weights: Floats) -> Floats:
    """Return the weighted means of each episode's shares, which follow each other: (episodes, means, n)."""
    if len(set(lengths)) == 1:  # mostly: in one product
        steps = lengths[0]
        together = shares.reshape(len(lengths), steps, shares.shape[1])
        result: Floats = weights[:, :steps] @ together / max(1, steps)
        return result
    each, longest = np.array(lengths), max(lengths)
    padded = np.zeros((len(lengths), longest, shares.shape[1]))
    padded[np.arange(longest) < each[:, None]] = shares
    return np.asarray(weights[:, :longest] @ padded / np.maximum(1, each)[:, None, None])


def same_actions(ones: Floats, other: Floats) -> NDArray[np.bool_]:
    """Return whether fingerprints (..., n) are of the same actions as another's (n,), for each of them."""
    return np.asarray((np.abs(ones - other) <= _SAME).all(axis=-1))


@lru_cache(maxsize=8)
def _weights(steps: int) -> Floats:
    return np.random.default_rng(0).random((steps, _PROJECTIONS)).T


def _shares(actions: NDArray[Any], space: spaces.Space[Any]) -> Floats:
    """Return actions as shares of their range, 0 to 1."""
    if isinstance(space, spaces.Discrete):
        return (actions - int(space.start)) / max(1, int(space.n) - 1)
    if sizes := menu_sizes(space):
        return np.asarray(actions / np.maximum(np.array(sizes) - 1, 1), dtype=np.float64)
    assert isinstance(space, spaces.Box)
    low, high = _bounds(space)
    shares: Floats = actions.astype(np.float64)
    shares -= low
    shares /= high - low
    return shares


def _bounds(space: spaces.Box) -> tuple[Any, Any]:
    """Return the bounds of amounts; as one number where all have the same, which is compared much sooner."""
    low, high = (
        bounds.flat[0] if bounds.size and (bounds == bounds.flat[0]).all() else bounds
        for bounds in (space.low, space.high)
    )
    return low, high


def _check_in_space(actions: NDArray[Any], space: spaces.Space[Any], file: str, name: str) -> None:
    if actions.shape[1:] != (space.shape or ()):
        raise RefusedError(file, name, f"the shape {actions.shape}; a step has {space.shape or ()}.")
    if _in_space(actions, space):
        return
    if isinstance(space, spaces.Discrete):
        raise RefusedError(
            file, name, f"an action outside {int(space.start)} to {int(space.start + space.n - 1)}."
        )
    if sizes := menu_sizes(space):
        raise RefusedError(file, name, f"an action outside 0 to {max(sizes) - 1}.")
    raise RefusedError(file, name, "an action outside its bounds, or no number.")


def _in_space(actions: NDArray[Any], space: spaces.Space[Any]) -> bool:
    """Return whether all actions, (steps, parts), are in their space."""
    if isinstance(space, spaces.Discrete):
        return bool(((actions >= int(space.start)) & (actions < int(space.start + space.n))).all())
    if sizes := menu_sizes(space):
        return bool(((actions >= 0) & (actions < np.array(sizes))).all())
    assert isinstance(space, spaces.Box)
    low, high = _bounds(space)
    return bool(((actions >= low - _ROUNDING) & (actions <= high + _ROUNDING)).all())
